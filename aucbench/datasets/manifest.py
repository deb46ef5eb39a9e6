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

    The columns name, file, features and sha256 are used. Empty cells are not there.
    """
    manifest = path.with_name(MANIFEST)
    if not manifest.is_file():
        return {}
    try:
        with manifest.open(newline="", encoding="utf-8") as lines:
            rows = csv.DictReader(lines)
            own = next((row for row in rows if row.get("file") == path.name), {})
            return {key: value for key, value in own.items() if key and value}
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"{manifest} is not a CSV table ({error}); repair or remove it") from error


def verify(path: Path) -> None:
    """Check a file against the sha256 in the manifest beside it."""
    wanted = manifest_row(path).get("sha256", "").lower()
    if not wanted:
        return
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != wanted:
        raise DataError(
            f"{path} has the sha256 {digest[:12]}..., but {MANIFEST} says {wanted[:12]}...; "
            "download the file again, or correct the manifest if the change is intended"
        )
