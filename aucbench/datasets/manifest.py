"""`MANIFEST.csv` beside data files: what each file holds, and its sha256."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from pathlib import Path

from aucbench.errors import DataError

MANIFEST = "MANIFEST.csv"


def manifest_row(path: Path) -> Mapping[str, str]:
    """Return the row about `path` in the manifest beside it; empty if there is none.

    The columns name, file, features and sha256 are used.

    Raises
    ------
    DataError
        When the manifest is not a CSV table of UTF-8 text.
    """
    manifest = path.parent / MANIFEST
    if not manifest.is_file():
        return {}
    try:
        with manifest.open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                if row.get("file") == path.name:
                    return {key: value for key, value in row.items() if key and value}
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"{manifest} is not a CSV table ({error}); repair or remove it") from error
    return {}


def verify(path: Path) -> None:
    """Check a file against the sha256 in the manifest beside it.

    Raises
    ------
    DataError
        When the sha256 differs.
    """
    wanted = manifest_row(path).get("sha256", "").lower()
    if not wanted:
        return
    with path.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != wanted:
        raise DataError(
            f"{path} has the sha256 {found[:12]}..., but {MANIFEST} says {wanted[:12]}...; "
            "download the file again, or correct the manifest if the change is intended"
        )
