"""Read a results folder of somebody else, who may have written anything into it.

Design
  a. Before a file is opened, all of them are looked at: each is a plain file with a name that is
     known, and none is larger than those of its kind are. So no link leads out of the folder.
  b. Whatever a parser raises on such a file is a `DataError` that names the file.
  c. A zip file says how large its members are before they are unpacked.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from numpy.typing import NDArray

from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plan
from aucbench.bench.results.origins import Origin, origins_of
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.data.npz import unpack
from aucbench.errors import DataError
from aucbench.store.files import refused
from aucbench.store.lock import holder, is_held

KIB, MIB = 2**10, 2**20
KEY = r"[0-9a-z][0-9a-z_-]{1,127}"
SUBMITTED = {  # names of files, and how many bytes each may have
    r"aucbench-results\.json|\.gitignore|\.gitattributes": 16 * KIB,
    rf"cells/\w\w/{KEY}\.json": 16 * MIB,
    rf"scores/\w\w/{KEY}\.npz": 256 * MIB,
    rf"plans/{KEY}\.toml": MIB,
    rf"datasets/{KEY}\.json": 4 * MIB,
    rf"origins/{KEY}\.json": 64 * MIB,
}
MOST_FILES = 10**6
DEEPEST = 4  # folders inside one another; those of measurements too
OF_ZIP = 2**16  # bytes by which a file of arrays may be larger than its numbers
MOST_SOLVERS = 100


class Foreign:
    """One folder that is merged.

    `own` says whether it is of who merges: then it may have what runs leave, such as targets,
    which are not read. `locked` says that who merges has its lock, and nobody else writes into it.

    Raises
    ------
    DataError
        Here and in all methods: where the folder is none of `submit` or a run, or a file of it
        cannot be read.
    """

    def __init__(self, folder: Path, *, own: bool, locked: bool = False):
        self.folder, self.own = folder, own
        _look_at(folder, own=own)
        self.store = Store(folder)
        if not locked and is_held(folder):
            raise DataError(
                f"{holder(folder)} writes into {folder}, or was killed there; wait until it ends, "
                "or run its plan again, and then merge"
            )
        self.plans = self._plans()
        self.origins: tuple[Origin, ...] = origins_of(self.store)

    def _plans(self) -> list[Plan]:
        plans = []
        for path, text in self.store.plans().items():
            try:
                plan = parse_plan(text, str(path))
            except RecursionError as error:
                raise DataError(f"{path} is nested without end; submit it again") from error
            if len(plan.solvers) > MOST_SOLVERS:
                raise DataError(
                    f"{path} has {len(plan.solvers)} solvers, more than the {MOST_SOLVERS} of a "
                    "plan that is merged; submit them in parts"
                )
            plans.append(plan)
        if not plans:
            raise DataError(f"{self.folder} holds no plan, so that nobody knows what it is part of")
        return plans

    def records(self) -> Iterator[Record]:
        """Yield all records in the order of their ids."""
        for key in self.store.ids():
            yield self.record(key)

    def record(self, key: str) -> Record:
        """Return one record, which must be there and whole."""
        try:
            record = self.store.read(key)
        except DataError:
            raise
        except Exception as error:  # of what somebody else has written, the parsers may raise it
            raise self._unreadable(key, f"{type(error).__name__}: {error}") from error
        if record is None:
            raise self._unreadable(key, next(iter(self.store.problems()), "it is missing"))
        if record.id != key:
            raise self._unreadable(key, f"it is that of {record.id!r}")
        return record

    def scores(self, key: str, most: int) -> dict[str, NDArray[Any]]:
        """Return the arrays of a cell that take at most so many bytes; `DataError`: none do."""
        arrays = self.store.blob(key, lambda packed: _unpacked(packed, most))
        if arrays is None:
            raise self._unreadable(key, next(iter(self.store.problems()), "it has no scores"))
        return arrays

    def _unreadable(self, key: str, why: str) -> DataError:
        return DataError(f"{self.folder}: the result {key} cannot be used ({why}); submit it again")


def _look_at(folder: Path, *, own: bool) -> None:
    """Raise `DataError` unless a folder holds plain files of known names and sizes alone."""
    limits = {re.compile(name): limit for name, limit in SUBMITTED.items()}
    try:
        for number, place in enumerate(_files(folder)):
            name = place.relative_to(folder).as_posix()
            limit = next((most for one, most in limits.items() if one.fullmatch(name)), None)
            if number == MOST_FILES:
                raise DataError(f"{folder} has more than {MOST_FILES} files; submit it in parts")
            if limit is None and not own:
                raise DataError(
                    f"{folder} holds {name!r}, which is no part of a submission; let `aucbench "
                    "submit` write the folder, or name a run of your own with --own"
                )
            if limit is not None and (size := place.lstat().st_size) > limit:
                raise DataError(
                    f"{folder}: {name!r} has {size} bytes, more than the {limit} allowed; submit "
                    "it again"
                )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise DataError(f"there is no results folder {folder}; name one") from error
    except OSError as error:
        raise refused("read", folder, error) from error


def _files(folder: Path, depth: int = 0) -> Iterator[Path]:
    """Yield the files below a folder; what is neither a file nor a folder is an error."""
    if depth > DEEPEST:
        raise DataError(f"{folder} is {depth} folders deep; let `aucbench submit` write the folder")
    with os.scandir(folder) as entries:
        for entry in entries:
            mode = entry.stat(follow_symlinks=False).st_mode
            path = Path(entry.path)
            if stat.S_ISDIR(mode):
                yield from _files(path, depth + 1)
            elif stat.S_ISREG(mode):
                yield path
            else:
                kind = "a link" if stat.S_ISLNK(mode) else "no plain file"
                raise DataError(
                    f"{path} is {kind}, which is not followed; let `aucbench submit` write the "
                    "folder"
                )


def _unpacked(packed: bytes, most: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file, unless it says that they are larger than they may be."""
    try:
        with ZipFile(BytesIO(packed)) as members:
            size = sum(member.file_size for member in members.infolist())
    except (BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise DataError(f"it is not an npz file: {error}") from error
    if size > most + OF_ZIP:
        raise DataError(f"it unpacks to {size} bytes, and {most} belong to its cell")
    return unpack(packed)
