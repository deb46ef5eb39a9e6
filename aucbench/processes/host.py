"""What the operating system says and does in its own way. Windows and macOS lack some of it.

Only this room asks a system in its own way.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil

BOOT = Path("/proc/sys/kernel/random/boot_id")
STATUS, DATA = Path("/proc/self/status"), re.compile(rb"^VmData:\s+(\d+) kB", re.M)
KB = 1024
PR_SET_CHILD_SUBREAPER = 36  # of linux/prctl.h


def cores() -> int:
    """Return how many cores this process may use."""
    return len(core_numbers()) or os.cpu_count() or 1


def core_numbers() -> list[int]:
    """Return the numbers of the cores that this process may use; none where nobody says so."""
    affinity = getattr(psutil.Process(), "cpu_affinity", list)  # macOS has none
    return sorted(affinity())


def boot() -> bytes:
    """Return what is another one after each start of the machine; nothing where it has none."""
    try:
        return BOOT.read_bytes()
    except OSError:
        return b""


def kill_group(leader: int) -> None:
    """End the processes of a group; without effect where there is none, and on Windows."""
    if sys.platform == "win32":
        return
    import signal

    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def adopt_orphans() -> None:
    """Make this process the new parent of descendants whose own parent ends; Linux only."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def limit_memory(most: int | None) -> Callable[[], None]:
    """Let this process allocate `most` bytes more than it has; return what lifts the limit.

    An allocation above it fails at once. Only Linux has such a limit, RLIMIT_DATA, which does not
    count read-only maps of files. It holds for one process, and not for shared memory.
    """
    if most is None or sys.platform != "linux":
        return lambda: None
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = DATA.search(STATUS.read_bytes())
    limit = (int(known[1]) * KB if known else 0) + most
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    return partial(resource.setrlimit, resource.RLIMIT_DATA, (hard, hard))


def raised(descriptor: int, first: int) -> int:
    """Give a descriptor a number from `first` on; on Windows, which chooses, the same one."""
    if sys.platform == "win32":
        return descriptor
    import fcntl

    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, first)
    except OSError:  # fewer are allowed
        return descriptor
    os.close(descriptor)
    return moved


@contextmanager
def variables_set(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables of this process, for others that begin in the context."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        set_variables(before)


def set_variables(values: Mapping[str, str | None]) -> None:
    """Set variables of this process, and remove those that have no value."""
    for name, value in values.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
