"""Find the files of a data set by its path, its name or its address.

A name is looked for in the folder AUCBENCH_DATA, then in the user's cache; then its files are
downloaded, if the catalogue has them.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from aucbench.datasets import changepoint, idx
from aucbench.datasets.addresses import is_url
from aucbench.datasets.catalogue import Entry, entries, entry_of, names_like, suite_of
from aucbench.datasets.collections import Member, member_of
from aucbench.datasets.download import fetch
from aucbench.datasets.endings import format_of, without_compression
from aucbench.datasets.manifest import MANIFEST, manifest_row
from aucbench.datasets.raw import Published, fetched
from aucbench.errors import DataError, UnknownNameError

VARIABLE = "AUCBENCH_DATA"


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


def locate(source: str | os.PathLike[str]) -> tuple[Path, Entry]:
    """Return the path of a data set given by name, path or URL, and its entry of the catalogue."""
    path, entry = source_of(source)
    if not isinstance(path, Path):
        raise DataError(f"{path} is no file of its own; read it with load")
    return path, entry


def source_of(source: str | os.PathLike[str]) -> tuple[Path | Published | Member, Entry]:
    """Return the file, the several files or the member of a collection, and its entry."""
    text = os.fspath(source)
    if (member := member_of(text)) is not None:
        return member, Entry(name="")
    if (suite := suite_of(text)) is not None:
        raise DataError(f"{suite} is several sets; name one of them: {', '.join(suite.members)}")
    if is_url(text):
        return fetch(text), Entry(name="")
    if text in (files := _named_files()):
        if len(files[text]) > 1:
            both = " and ".join(path.name for path in files[text])
            raise DataError(f"{text!r} may be {both} in {VARIABLE}; give the path of one of them")
        return files[text][0], entry_of(text)
    path = Path(text)
    if path.is_file():
        return path, entry_of(manifest_row(path).get("name", ""))
    if (entry := entry_of(text)).in_files:
        return fetched(entry, progress=True), entry
    raise _not_found(text, files)


def _is_path(text: str) -> bool:
    return os.sep in text or bool(format_of(text))


def _not_found(text: str, files: Collection[str]) -> DataError | UnknownNameError:
    if _is_path(text):
        return DataError(
            f"there is no file {text}; give the path of a data file, or the name of a set"
        )
    if text in entries():
        return DataError(f"{text} is made by code, and is no file; use aucbench.get_dataset")
    folder = os.environ.get(VARIABLE)
    where = f"looked in {folder}" if folder else "not set"
    return UnknownNameError(f"data set ({VARIABLE}: {where})", text, {*files, *names_like(text)})


def _named_files() -> dict[str, list[Path]]:
    folder = os.environ.get(VARIABLE)
    if not folder:
        return {}
    if not Path(folder).is_dir():
        raise DataError(f"{VARIABLE}={folder} is not a folder; set it to one with data files")
    found: dict[str, list[Path]] = {}
    for path in sorted(Path(folder).iterdir()):
        if name := name_of(path):
            found.setdefault(name, []).append(path)
    return found


def name_of(path: Path) -> str | None:
    """Return the name under which a file of a folder is found; None for other files."""
    plain = without_compression(path.name)
    if plain == MANIFEST or not path.is_file():
        return None
    if name := changepoint.set_name(path):
        return name if changepoint.names_set(path) else None
    if plain.endswith(idx.MARK):
        return plain.removesuffix(idx.MARK)
    ending = format_of(path.name)
    return plain[: -len(ending)] if ending else None
