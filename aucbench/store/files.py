"""Whole files: a file that has its final name is complete and on the disk.

A file is written under a temporary name. It is flushed to the disk and renamed, and then its
folder is flushed. Files that a killed process left unfinished are removed when the folder is
opened an hour later. So is a file that the user names, such as that of `--json`: complete, or as it
was before.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import BinaryIO
from uuid import uuid4

from aucbench.errors import DataError, ParameterError, shown

FORMULA = ("=", "+", "-", "@")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
UNFINISHED = re.compile(r".*\.[0-9a-f]{32}\.tmp")
LEFT = 3600 * 10**9  # ns; no file is written for so long
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
LOCKED = {errno.EROFS, errno.EACCES, errno.EPERM}
GONE = {errno.ENOENT, errno.ESTALE}
PATIENCE, PAUSE = 2.0, 0.02  # seconds for a file that is read, and between two attempts
NO_SYNC = {errno.EINVAL, errno.ENOTSUP}  # some network folders cannot be flushed


def why(error: OSError) -> str:
    """Return the reason that the operating system gives."""
    return error.strerror or type(error).__name__


def refused(doing: str, path: Path, error: OSError) -> DataError:
    """Return the error to raise when a results folder cannot be read or written."""
    if error.errno in FULL:
        cure = "free some space and run it again; what was finished is kept"
    elif error.errno in LOCKED:
        cure = "make the folder writable or name another one"
    else:
        cure = "repair the folder or name another one; what was finished is kept"
    return DataError(f"cannot {doing} {path}: {why(error)}; {cure}")


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading; it is an `OSError` if a pipe or a device is in its place."""
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - Path has no opener
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read_file(path: Path) -> bytes:
    """Return the content of a regular file; raises as `open_file`."""
    with open_file(path) as file:
        return file.read()


def _without_waiting(path: str, flags: int) -> int:
    # A pipe without a writer could not be opened otherwise; it makes no difference to files.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def unfinished(folder: Path, name: str) -> Path:
    """Return a temporary name in `folder` that no other process uses."""
    return folder / f"{name}.{uuid4().hex}.tmp"


@contextmanager
def whole_file(path: Path, beside: Path) -> Iterator[BinaryIO]:
    """Open `beside` for writing; at the end it is renamed to `path`, or removed after an error."""
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _put_in_place(beside, path)
        flush_folder(path.parent)
    finally:
        beside.unlink(missing_ok=True)


def _put_in_place(beside: Path, path: Path) -> None:
    """Rename `beside` to `path`; on Windows, wait a moment for who reads `path`."""
    last = monotonic() + PATIENCE
    while True:
        try:
            beside.replace(path)
        except PermissionError:
            if sys.platform != "win32" or monotonic() > last:
                raise
            sleep(PAUSE)
        else:
            return


def flush_folder(folder: Path) -> None:
    """Flush the list of files of a folder to the disk; Windows has no such call."""
    if sys.platform == "win32":
        return
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
    finally:
        os.close(number)


def make_folder(folder: Path, within: Path | None = None) -> None:
    """Create a folder and its parents, but not `within`, and flush the parent of each new one."""
    if not folder.is_dir():
        if folder.parent != within:
            make_folder(folder.parent, within)
        folder.mkdir(exist_ok=True)
        flush_folder(folder.parent)


def file_clock(folder: Path) -> int:
    """Return the time in nanoseconds, by the clock that stamps the files of `folder`.

    The clocks of a file server and of this host may differ by minutes.
    """
    probe = unfinished(folder, "clock")
    try:
        with probe.open("xb") as file:
            os.utime(probe)
            return os.fstat(file.fileno()).st_mtime_ns
    finally:
        probe.unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove the files that killed processes left: those that were not touched for an hour."""
    for path in folder.glob("*.tmp"):
        if UNFINISHED.fullmatch(path.name):
            with suppress(FileNotFoundError):  # another process may clean up too
                if file_clock(folder) - path.stat().st_mtime_ns > LEFT:
                    path.unlink()


def move_this(path: Path, opened: BinaryIO, target: Path) -> bool:
    """Move an open file from `path` to `target`.

    False: `path` is another file by now, which stays where it is.
    """
    known = os.fstat(opened.fileno())
    if sys.platform == "win32":  # where an open file cannot be moved
        opened.close()
    try:
        path.rename(target)
    except FileNotFoundError:
        return False
    # The inode of an open file is not used again, so that this comparison is certain; Windows
    # numbers each new file in a new way.
    if os.path.samestat(target.stat(), known):
        return True
    with suppress(FileExistsError):  # a third process has created an even newer one
        path.hardlink_to(target)
    target.unlink()
    return False


def require_writable(path: Path) -> None:
    """Raise `ParameterError`, before a long run, unless its results can be written to `path`."""
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            raise ParameterError(f"{path} is not a file; name one that can be written")
        probe = unfinished(target.parent, ".aucbench")
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise not_writable(path, error) from error


@contextmanager
def own_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that the user names; `ParameterError`: it cannot be written."""
    require_writable(path)
    target = path.resolve()
    try:
        with whole_file(target, unfinished(target.parent, ".aucbench")) as file:
            yield file
    except OSError as error:
        raise not_writable(path, error) from error


def not_writable(path: Path, error: OSError) -> ParameterError:
    """Return the error to raise when a file that the user names cannot be written."""
    return ParameterError(f"cannot write {path}: {why(error)}; name another file")


def format_csv_text(text: str) -> str:
    """Return a text as a cell of CSV; what a spreadsheet would run gets an apostrophe.

    A number is no formula, whatever its sign.
    """
    line = shown(text)
    return f"'{line}" if line.startswith(FORMULA) and not NUMBER.fullmatch(line) else line
