"""Whole files: what carries its name is complete and on the disk.

A file is written beside under a name that says which process writes it, flushed to the
disk, and renamed; then its folder is flushed. What a killed process left unfinished is
removed by whoever opens the folder next.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from aucbench.errors import DataError
from aucbench.infra.store.processes import Process, here

UNFINISHED = re.compile(r".*\.([0-9a-f]{16})\.([0-9]{1,18})\.([0-9]{1,18})\.[0-9]+\.tmp")
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
LOCKED = {errno.EROFS, errno.EACCES, errno.EPERM}
GONE = {errno.ENOENT, errno.ESTALE}
NO_SYNC = {errno.EINVAL, errno.ENOTSUP}  # some network folders cannot be flushed

_numbers = count()


def why(error: OSError) -> str:
    """Return the reason that the system gives."""
    return error.strerror or type(error).__name__


def refused(doing: str, path: Path, error: OSError) -> DataError:
    """Return the error to raise where a results folder cannot be read or written."""
    if error.errno in FULL:
        cure = "free some space and run it again, what was finished is kept"
    elif error.errno in LOCKED:
        cure = "make the folder writable or name another one"
    else:
        cure = "mend the folder or name another one, what was finished is kept"
    return DataError(f"cannot {doing} {path}: {why(error)}; {cure}")


def unfinished(folder: Path, name: str) -> Path:
    """Return a name in `folder` that nobody else uses, for a file while it is written."""
    me = here()
    return folder / f"{name}.{me.place}.{me.pid}.{me.start}.{next(_numbers)}.tmp"


@contextmanager
def whole_file(path: Path, beside: Path) -> Iterator[BinaryIO]:
    """Open `beside` for writing; at the end it becomes `path`, or nothing is left of it."""
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        flush_folder(path.parent)
    finally:
        beside.unlink(missing_ok=True)


def flush_folder(folder: Path) -> None:
    """Flush the names of a folder to the disk."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
    finally:
        os.close(number)


def make_folder(folder: Path) -> None:
    """Make a folder, with what it lies in; a new one is on the disk afterwards."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    flush_folder(folder.parent)


def file_clock(folder: Path) -> int:
    """Now, in nanoseconds, by the clock that stamps the files of `folder`.

    The clock of a file server and that of this host may differ by minutes.
    """
    probe = unfinished(folder, "clock")
    try:
        with probe.open("xb") as file:
            os.utime(file.fileno())
            return os.fstat(file.fileno()).st_mtime_ns
    finally:
        probe.unlink(missing_ok=True)


def remove_unfinished(folder: Path, patience: float) -> None:
    """Remove files whose writer is gone, or has not touched them for `patience` seconds."""
    for path in folder.glob("*.tmp"):
        named = UNFINISHED.fullmatch(path.name)
        if named is None:
            continue
        lives = Process("", named[1], int(named[2]), int(named[3])).lives()
        with suppress(FileNotFoundError):  # two processes clean up at once
            if lives is None:
                lives = file_clock(folder) - path.stat().st_mtime_ns <= patience * 1e9
            if not lives:
                path.unlink()


def move_this(path: Path, number: int, target: Path) -> bool:
    """Move the file that is open as `number` from `path` to `target`.

    Returns
    -------
    bool
        False when `path` was no longer that file: whatever is there stays there.
    """
    try:
        path.rename(target)
    except FileNotFoundError:
        return False
    # An open file keeps its inode from being given out again, so that this is no guess.
    if os.path.samestat(target.stat(), os.fstat(number)):
        return True
    with suppress(FileExistsError):  # a still newer one has come
        path.hardlink_to(target)
    target.unlink()
    return False
