"""Where a data set is, and whether its files are what they should be."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from aucbench.datasets.catalogue import entries, entry_of
from aucbench.datasets.collections import member_of
from aucbench.datasets.download import cached_path
from aucbench.datasets.files import feature_names
from aucbench.datasets.located import VARIABLE, available, locate
from aucbench.datasets.manifest import manifest_rows
from aucbench.datasets.raw import fetched, in_cache, no_download


class Place(StrEnum):
    """Where a set is, in the order in which it is looked for."""

    EMBEDDED = "embedded"  # it comes with scikit-learn
    SIMULATED = "simulated"  # it is drawn
    FOLDER = "folder"  # AUCBENCH_DATA
    CACHE = "cache"  # of the user
    DOWNLOAD = "download"  # not here; the catalogue has its files
    NOWHERE = "nowhere"  # not here, and without files in the catalogue


AWAY = (Place.DOWNLOAD, Place.NOWHERE)


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

    Other names are passed over, and so are those of files.
    """
    asked = dict.fromkeys(name for name in names if not Path(name).is_file())
    members = [member for name in asked if (member := member_of(name)) is not None]
    here = {source: source.at_hand() for source in dict.fromkeys(m.source for m in members)}
    further = [member for member in members if member.name not in here[member.source]]
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
    if place_of(name) is not Place.FOLDER:
        return ()
    return feature_names(locate(name)[0]) or ()


def files_here(name: str) -> list[tuple[Path, str]]:
    """Return the files of a set that are here, each with the sha256 that it should have."""
    return [(path, wanted) for of, path, wanted in (*_in_folder(), *_in_cache()) if of == name]


@dataclass(frozen=True, slots=True)
class Checked:
    """A file whose sha256 was computed again."""

    name: str  # the data set
    path: Path
    # the sha256 that the manifest or the catalogue says, and that of the file; `wanted` is empty
    # where none is known
    wanted: str
    found: str

    @property
    def differs(self) -> bool:
        """Whether the file is another one than it should be."""
        return bool(self.wanted) and self.wanted != self.found


def verified(names: Collection[str] = ()) -> Iterator[Checked]:
    """Compute the sha256 of the files of some sets, or of all that are here.

    Files of the folder AUCBENCH_DATA are compared with the manifest in it, files of the cache
    with the catalogue.
    """
    for name, path, wanted in (*_in_folder(), *_in_cache()):
        if not names or name in names:
            with path.open("rb") as content:
                found = hashlib.file_digest(content, "sha256").hexdigest()
            yield Checked(name, path, wanted, found)


def _in_folder() -> Iterator[tuple[str, Path, str]]:
    if not available():
        return
    folder = Path(os.environ[VARIABLE])
    for row in manifest_rows(folder):
        path = folder / row.get("file", "")
        if path.is_file():
            yield row.get("name", path.name), path, row.get("sha256", "").lower()


def _in_cache() -> Iterator[tuple[str, Path, str]]:
    for entry in entries().values():
        for file in entry.files:
            if (path := cached_path(file)) is not None:
                yield entry.name, path, file.sha256
