"""Bytes that many processes read and that none of them can change.

Design
  a. They are in a file without a name, so that no path leads to them. A process that may read them
     gets a descriptor.
  b. The file is in memory and sealed: the kernel refuses every later change, to any process.
  c. Bytes that would take too much of the free memory are in a file on a disk, which no kernel
     seals. A process of the same user that has a descriptor can open such a file again and change
     it. So it has a stamp: the kernel notes the time of each change, and no call takes it back.
  d. While the bytes are written, this process cannot be opened by others, see `proc.hidden`.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterable
from typing import BinaryIO

from aucbench.processes.host import free_memory
from aucbench.processes.linux import proc
from aucbench.processes.room import Bytes

Stamp = tuple[int, ...]
SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
SMALL = 2**26  # bytes that are in memory, however much of it is free
SHARE = 8  # more than a part of this number of the free memory goes to a disk


def sealed(*chunks: Bytes) -> int:
    """Return a descriptor of bytes in memory that nobody can change."""
    flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
    with proc.hidden(), os.fdopen(os.memfd_create("aucbench", flags), "wb") as file:
        return _closed(file, chunks)


def can_seal() -> bool:
    """Whether this kernel has files in memory that can be sealed."""
    try:
        os.close(sealed())
    except (AttributeError, OSError):  # of Python, or of the kernel
        return False
    return True


def fixed(*chunks: Bytes) -> int:
    """Return a descriptor of bytes that nobody can change, or not without leaving a trace.

    `OSError`: there is no space for them.
    """
    size = sum(memoryview(chunk).nbytes for chunk in chunks)
    if size <= SMALL or size * SHARE <= free_memory():
        return sealed(*chunks)
    with proc.hidden(), tempfile.TemporaryFile() as file:
        return _closed(file, chunks)


def _closed(file: BinaryIO, chunks: Iterable[Bytes]) -> int:
    """Write into a file, seal it if it is in memory, and return a descriptor to read it."""
    file.writelines(chunks)
    file.flush()
    fd = file.fileno()
    if _seals(fd) == 0:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEALS)
    return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)


def stamp_of(descriptor: int) -> Stamp | None:
    """Return by what a change of a file can be found out; None when it is sealed."""
    if _seals(descriptor) == SEALS:
        return None
    about = os.fstat(descriptor)
    return stat.S_IFMT(about.st_mode), about.st_size, about.st_mtime_ns, about.st_ctime_ns


def content_of(descriptor: int) -> bytes | None:
    """Return the bytes of a sealed file; None for any other."""
    if _seals(descriptor) != SEALS:
        return None
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _seals(descriptor: int) -> int:
    """Return the seals of a file; those of one on a disk include that there can be no others."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_GET_SEALS)
    except OSError:  # EINVAL
        return fcntl.F_SEAL_SEAL
