"""Whole folders that are made anew: one that has its final name is complete.

A folder is filled under a temporary name beside its place, flushed to the disk, and renamed. So
readers see the old one or the new one, and after a crash too. No system that we know of swaps two
folders by a call of Python; between two renames there is none, and a process that is killed just
there leaves the old one beside its place, where the next one finds it.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from uuid import uuid4

from aucbench.errors import ParameterError
from aucbench.store.files import LEFT, file_clock, flush_folder, make_folder, refused, why

NEW, OLD = "new", "old"  # ends of temporary names
TAKEN = {errno.ENOTEMPTY, errno.EEXIST}
TRIES = 5  # to take a place that another process takes too


@contextmanager
def whole_tree(target: Path, mark: str | None = None) -> Iterator[Path]:
    """Give an empty folder that takes the place of `target` at the end; none after an error.

    Parameters
    ----------
    target : Path
        A folder that is not there, is empty, or has a file of the name `mark`.
    mark : str, optional
        Name of the file by which such folders are known. Who fills the new one writes it too.
        Without it, no folder that holds something is replaced.

    Raises
    ------
    ParameterError
        When something else is in that place, or it cannot be written.
    """
    place = target.resolve()
    try:
        make_folder(place.parent)
        _bring_back(place, mark)
        _require_ours(place, target, mark)
        _remove_left(place)
        made = _beside(place, NEW)
        made.mkdir()
        try:
            yield made
            _flush(made)
            _put_in_place(made, place, target, mark)
        finally:
            rmtree(made, ignore_errors=True)
    except OSError as error:
        raise ParameterError(f"cannot write {target}: {why(error)}; name another folder") from error


def require_new(target: Path) -> None:
    """Raise `ParameterError` unless a folder is not there yet, or is empty."""
    try:
        if target.exists() and not (target.is_dir() and not any(target.iterdir())):
            raise ParameterError(f"{target} is there already; name a folder that is new or empty")
    except OSError as error:
        raise refused("read", target, error) from error


def _beside(place: Path, end: str) -> Path:
    return place.with_name(f".{place.name}.{uuid4().hex}.{end}")


def _left(place: Path, end: str) -> list[Path]:
    """Return what processes left beside a place, under such a temporary name, the newest first."""
    name = re.compile(rf"\.{re.escape(place.name)}\.[0-9a-f]{{32}}\.{end}")
    found = [path for path in place.parent.iterdir() if name.fullmatch(path.name)]
    return sorted(found, key=lambda path: -path.stat().st_mtime_ns)


def _bring_back(place: Path, mark: str | None) -> None:
    """Bring back the folder that a process moved away before it was killed."""
    if mark is None:  # then it was empty
        return
    whole = [path for path in _left(place, OLD) if (path / mark).is_file()]
    if whole and not place.exists():
        with suppress(FileNotFoundError):  # another process has brought it back
            whole[0].rename(place)


def _require_ours(place: Path, target: Path, mark: str | None) -> None:
    if mark is None:
        require_new(target)
        return
    if not place.exists():
        return
    if not place.is_dir():
        raise ParameterError(f"{target} is a file; name a folder")
    if any(place.iterdir()) and not (place / mark).is_file():
        raise ParameterError(
            f"{target} holds something else, which would be lost: it has no {mark}; name another "
            "folder, or an empty one"
        )


def _remove_left(place: Path) -> None:
    """Remove what killed processes left: what nobody touched for an hour."""
    for path in (*_left(place, NEW), *_left(place, OLD)):
        with suppress(FileNotFoundError):  # another process cleans up too
            if file_clock(place.parent) - _touched(path) > LEFT:
                rmtree(path, ignore_errors=True)


def _touched(folder: Path) -> int:
    """Return when anything was written in a folder for the last time, in ns."""
    times = [folder.stat().st_mtime_ns]
    times += [path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_dir()]
    return max(times)


def _flush(folder: Path) -> None:
    """Flush all files of a folder, and its lists of files, to the disk."""
    for root, _, names in os.walk(folder):
        for name in names:
            with (Path(root) / name).open("rb+") as file:
                os.fsync(file.fileno())
        flush_folder(Path(root))


def _put_in_place(made: Path, place: Path, target: Path, mark: str | None) -> None:
    """Rename `made` to `place`, and remove what was there."""
    for _ in range(TRIES):
        _require_ours(place, target, mark)
        old = _beside(place, OLD)
        with suppress(FileNotFoundError):  # nothing is there
            place.rename(old)
        try:
            made.rename(place)
        except OSError as error:
            if error.errno not in TAKEN:
                raise
            continue  # another process was quicker; its folder is replaced
        finally:
            if place.exists():
                rmtree(old, ignore_errors=True)
            elif old.exists():
                old.rename(place)
        flush_folder(place.parent)
        return
    raise ParameterError(f"another process writes {target} again and again; end it first")
