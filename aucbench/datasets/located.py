"""Find a data set by its path, its name or its address, and say where it is.

A name is looked for in the folder AUCBENCH_DATA, then in the user's cache; then its files are
downloaded, if the catalogue has them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from aucbench.datasets import changepoint
from aucbench.datasets.catalogue import entries, entry_of, names_like, suite_of
from aucbench.datasets.collections import Member, member_of
from aucbench.datasets.download import fetch, is_url
from aucbench.datasets.endings import format_of
from aucbench.datasets.manifest import manifest_row
from aucbench.datasets.sources import (
    File,
    feature_names,
    fetched,
    in_cache,
    name_of,
    no_download,
)
from aucbench.errors import DataError, UnknownNameError

VARIABLE = "AUCBENCH_DATA"


class Place(StrEnum):
    """Where a set is, in the order in which it is looked for."""

    EMBEDDED = "embedded"  # it comes with scikit-learn
    SIMULATED = "simulated"  # it is drawn
    FOLDER = "folder"  # AUCBENCH_DATA
    CACHE = "cache"  # of the user
    DOWNLOAD = "download"  # not here; the catalogue has its files
    NOWHERE = "nowhere"  # not here, and without files in the catalogue


AWAY = (Place.DOWNLOAD, Place.NOWHERE)


def available() -> tuple[str, ...]:
    """Return the names that `load` finds in the folder AUCBENCH_DATA, sorted.

    No data file is read. A changepoint set is listed if it has both NAME.errors.csv and
    NAME.features.csv. The result is empty when AUCBENCH_DATA is not set.

    Raises
    ------
    DataError
        When AUCBENCH_DATA does not name a folder.
    """
    return tuple(sorted(_named_files()))


def names_file(source: str) -> bool:
    """Return whether a text names a set that is no plugin's, or is an address or a path.

    These are the sets of AUCBENCH_DATA, of the catalogue, of collections and of suites.
    """
    if is_url(source) or member_of(source) is not None or suite_of(source) is not None:
        return True
    if entry_of(source).in_files:
        return True
    return source in _named_files() or _is_path(source) or Path(source).is_file()


def is_changepoint(source: str) -> bool:
    """Return whether a name or a path is that of a changepoint set; no file is read."""
    if paths := _named_files().get(source):
        return any(changepoint.set_name(path) is not None for path in paths)
    return entry_of(source).kind == "changepoint" or changepoint.set_name(Path(source)) is not None


def remark(name: str) -> str:
    """Return what is special about a set that `available` lists, or an empty text."""
    if any(changepoint.names_set(path) for path in _named_files().get(name, ())):
        return "error functions instead of labels"
    entry = entry_of(name)
    return "; ".join(entry.drop.values()) or (entry.why if entry.positive else "")


def source_of(source: str | os.PathLike[str]) -> File | Member:
    """Return the files or the member of a collection that are given by name, path or address."""
    text = os.fspath(source)
    if (member := member_of(text)) is not None:
        return member
    if (suite := suite_of(text)) is not None:
        raise DataError(f"{suite} is several sets; name one of them: {', '.join(suite.members)}")
    if is_url(text):
        return File(fetch(text))
    if text in (files := _named_files()):
        if len(files[text]) > 1:
            both = " and ".join(path.name for path in files[text])
            raise DataError(f"{text!r} may be {both} in {VARIABLE}; give the path of one of them")
        return File(files[text][0], entry_of(text))
    path = Path(text)
    if path.is_file():
        return File(path, entry_of(manifest_row(path).get("name", "")))
    if (entry := entry_of(text)).in_files:
        return fetched(entry, progress=True)
    if _is_path(text):
        raise DataError(
            f"there is no file {text}; give the path of a data file, or the name of a set"
        )
    if text in entries():
        raise DataError(f"{text} is made by code, and is no file; use aucbench.get_dataset")
    folder = os.environ.get(VARIABLE)
    where = f"looked in {folder}" if folder else "not set"
    raise UnknownNameError(f"data set ({VARIABLE}: {where})", text, {*files, *names_like(text)})


def has_folder(text: str) -> bool:
    """Return whether a text has a separator of folders; on Windows there are two."""
    return os.sep in text or (os.altsep is not None and os.altsep in text)


def _is_path(text: str) -> bool:
    return has_folder(text) or bool(format_of(text))


def _named_files() -> dict[str, list[Path]]:
    folder = os.environ.get(VARIABLE)
    if not folder:
        return {}
    if not Path(folder).is_dir():
        raise DataError(f"{VARIABLE}={folder} is not a folder; set it to one with data files")
    named: dict[str, list[Path]] = {}
    for path in sorted(Path(folder).iterdir()):
        if name := name_of(path):
            named.setdefault(name, []).append(path)
    return named


def place_of(name: str) -> Place:
    """Return where a set is; no data are read."""
    entry = entry_of(name)
    if entry.title and not entry.in_files:
        return Place(entry.kind)
    if name in available():
        return Place.FOLDER
    if in_cache(entry):
        return Place.CACHE
    return Place.DOWNLOAD if entry.files else Place.NOWHERE


def cites_of(name: str) -> tuple[str, ...]:
    """Return the keys of the references of a set that is in files or in a collection; or none."""
    if (member := member_of(name)) is not None:
        return member.source.CITES
    entry = entry_of(name)
    return entry.cites if entry.in_files else ()


def bring(names: Iterable[str], *, progress: bool = False) -> tuple[str, ...]:
    """Download the sets of the catalogue and of collections that are not here; return their names.

    Other names are passed over, and so are those of files. If a set cannot be downloaded by its
    name, nothing is downloaded.
    """
    asked = dict.fromkeys(name for name in names if not Path(name).is_file())
    members = [member for name in asked if (member := member_of(name)) is not None]
    further = [member for member in members if not member.source.at_hand(member.name)]
    away = {name: place_of(name) for name in asked if entry_of(name).in_files}
    if lost := [entry_of(name) for name, place in away.items() if place is Place.NOWHERE]:
        raise no_download(lost)
    missing = [name for name, place in away.items() if place is Place.DOWNLOAD]
    for name in missing:
        fetched(entry_of(name), progress=progress)
    for member in further:
        member.fetch(progress=progress)
    return (*missing, *map(str, further))


def columns_of(name: str) -> tuple[str, ...]:
    """Return the names of the features of a set in files, as far as they are known unread."""
    if (entry := entry_of(name)).raw.names:
        return entry.raw.names
    if place_of(name) is not Place.FOLDER or not isinstance(source := source_of(name), File):
        return ()
    return feature_names(source.files()[0]) or ()
