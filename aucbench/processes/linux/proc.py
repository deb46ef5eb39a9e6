"""Processes of Linux: find the descendants of a process, and end them."""

from __future__ import annotations

import ctypes
import os
import select
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from time import monotonic

from aucbench.processes.endings import MOST_STOPS, stops_text
from aucbench.processes.supervisor import MARK

PR_SET_PDEATHSIG = 1  # of linux/prctl.h
PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
PR_SET_CHILD_SUBREAPER = 36
KILL_PAUSE = 0.01  # seconds between two looks at processes that were killed


def can_follow() -> bool:
    """Whether this kernel has descriptors of processes, and says which ones there are."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):  # of Python, or of the kernel
        return False
    return Path(f"/proc/{os.getpid()}/stat").exists()


def die_with(parent: int) -> None:
    """Let this process be killed when `parent`, which forked it, ends."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before that call
        os._exit(1)


def adopt_orphans() -> None:
    """Make this process the new parent of descendants whose own parent ends."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


@contextmanager
def hidden() -> Iterator[None]:
    """Let no other process of this user open the files and the memory of this one meanwhile.

    Only root still can.
    """
    before = prctl(PR_GET_DUMPABLE)
    prctl(PR_SET_DUMPABLE, 0)
    try:
        yield
    finally:
        prctl(PR_SET_DUMPABLE, int(before == 1))  # 2, of setuid programs, cannot be set


def children(pid: int) -> set[int]:
    """Return the children of `pid`, adopted ones included; none when it has ended."""
    return _lister()(pid)


def descendants(pid: int) -> set[int]:
    """Return the children of `pid`, their children and so on."""
    of = _lister()
    below: set[int] = set()
    fresh = {pid}
    while fresh:
        fresh = {child for parent in fresh for child in of(parent)} - below
        below |= fresh
    return below


def kill_with_groups(pids: Iterable[int]) -> None:
    """Send SIGKILL to processes and to their groups, except to the group of this process.

    A group is killed at once, so that no member of it can fork in the meantime.
    """
    own = os.getpgrp()
    for pid in pids:
        # The process may have ended, or may run as another user by now (a setuid program).
        with suppress(ProcessLookupError, PermissionError):
            group = os.getpgid(pid)
            os.kill(pid, signal.SIGKILL)
            if group != own:
                os.killpg(group, signal.SIGKILL)


def reap(ends: dict[int, int]) -> bool:
    """Add the exit codes of children that ended (-n: by signal n); whether children are left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        ends[pid] = os.waitstatus_to_exitcode(status)


def end_descendants(ends: dict[int, int], patience: float) -> bool:
    """Kill until this process, a sub-reaper with SIGCHLD blocked, has no child left.

    False when a child is left after `patience` seconds: it hangs in the kernel.
    """
    last = monotonic() + patience
    while reap(ends):
        if monotonic() > last:
            return False
        kill_with_groups(descendants(os.getpid()))
        signal.sigtimedwait((signal.SIGCHLD,), KILL_PAUSE)
    return True


class Guard:
    """Continues a child of this process that a signal has stopped, SIGSTOP for example.

    A child that is stopped too often is killed: something stops it again and again.
    """

    def __init__(self, pid: int):
        self.pid = pid
        self.stops = 0

    def look(self) -> None:
        """Continue or kill the child if it was stopped since the last call."""
        with suppress(ChildProcessError, ProcessLookupError):  # it has ended
            if os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG):
                self.stops += 1
                os.kill(self.pid, signal.SIGCONT if self.stops <= MOST_STOPS else signal.SIGKILL)

    def words(self) -> str:
        """Return an addition to the reason why the child has ended."""
        return stops_text(self.stops)


def marked(token: str) -> set[int]:
    """Return all processes of the supervisor with this token, by their environment."""
    wanted = f"{MARK}={token}".encode()
    return {pid for pid in _all() if wanted in read(pid, "environ").split(b"\0")}


def end_marked(token: str, patience: float = 2.0) -> None:
    """Kill the processes that are left when a fork server was killed."""
    last = monotonic() + patience
    while (left := marked(token)) and monotonic() < last:
        kill_with_groups(left)
        _wait_for_end(left, last - monotonic())


def _wait_for_end(pids: Iterable[int], seconds: float) -> None:
    """Wait until all of these processes have ended, which need not be children of this one."""
    last, opened = monotonic() + seconds, list[int]()
    watched = select.poll()
    for pid in pids:
        with suppress(ProcessLookupError):  # it has ended
            opened.append(os.pidfd_open(pid))
            watched.register(opened[-1], select.POLLIN)
    try:
        left = len(opened)
        while left and (now := monotonic()) < last:
            for fd, _ in watched.poll((last - now) * 1000):
                watched.unregister(fd)
                left -= 1
    finally:
        for fd in opened:
            os.close(fd)


def prctl(option: int, value: int = 0) -> int:
    """Set or ask for an option of this process; raise an `OSError` when the kernel refuses."""
    answer: int = libc().prctl(option, value, 0, 0, 0)
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return answer


@cache
def libc() -> ctypes.CDLL:
    """Return the C library, whose functions keep `errno`."""
    return ctypes.CDLL(None, use_errno=True)


def _lister() -> Callable[[int], set[int]]:
    return _listed_children if kernel_lists() else _scanned()


@cache
def kernel_lists() -> bool:
    """Whether this kernel has CONFIG_PROC_CHILDREN."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _listed_children(pid: int) -> set[int]:
    """Find children by the lists that the kernel has for each thread."""
    pids: set[int] = set()
    try:
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - Path is three times slower
            with open(f"/proc/{pid}/task/{task}/children", "rb") as listed:  # noqa: PTH123
                pids.update(map(int, listed.read().split()))
    except (FileNotFoundError, ProcessLookupError):
        return pids
    return pids


def _scanned() -> Callable[[int], set[int]]:
    """Find children by one look at all processes."""
    families: dict[int, set[int]] = {}
    for pid in _all():
        # The name, in brackets, may contain anything; after it come the state and the parent.
        if stat := read(pid, "stat"):
            families.setdefault(int(stat.rpartition(b")")[2].split()[1]), set()).add(pid)
    return lambda pid: families.get(pid, set())


def _all() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208


def read(pid: int, what: str) -> bytes:
    """Return the content of /proc/PID/what; nothing when the process has ended."""
    try:
        return Path(f"/proc/{pid}/{what}").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""  # it has ended, or belongs to another user
