"""A process and all that it has started: found, measured and ended, with psutil."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from time import monotonic, sleep

import psutil

from aucbench.processes.host import kill_group

PAUSE, SHORT_PAUSE = 0.02, 0.002  # seconds between two looks at processes that were killed
SHARE = 0.05  # of the time may go to looks for processes
LOOK_SECONDS = 0.25  # between two of them, at least
AGREEING = 3  # samples in a row that must be over a budget
FASTEST = 4e9  # bytes per second that a job can allocate, to choose the time of the next sample
SOONEST, LATEST = 0.01, 0.1  # seconds between two samples
TRACKER = "resource_tracker"  # of multiprocessing and joblib: it removes shared memory at its end
TRACKER_SECONDS = 3.0
GONE = (psutil.Error, OSError)  # it has ended, or belongs to another user


class Family:
    """The processes of a job, and their memory.

    Parameters
    ----------
    pid : int
        The first of them, which leads a session.
    lost : function () -> iterable of processes
        Finds those that have lost their parents.
    budget : int or None
        Bytes that they may have in addition to `base`, which the first one had at the begin.
    """

    def __init__(
        self,
        pid: int,
        lost: Callable[[], Iterable[psutil.Process]],
        budget: int | None = None,
    ) -> None:
        self._lost, self.base, self.budget = lost, 0, budget
        self.peak = 0  # bytes of the largest sample
        self._over = 0  # samples in a row over the budget
        self._root = pid
        self._known: set[psutil.Process] = set()
        with suppress(*GONE):
            self._known.add(psutil.Process(pid))
        self._look_at = monotonic() + LOOK_SECONDS

    def size(self) -> int:
        """Return how many processes there were when one looked last; it looks at times only.

        A look at all processes of the host takes milliseconds.
        """
        if (begin := monotonic()) >= self._look_at:
            self._look()
            end = monotonic()
            self._look_at = end + max(LOOK_SECONDS, (end - begin) / SHARE)
        return len(self._known)

    def is_over(self) -> bool:
        """Take a sample of the memory; whether they certainly hold more than the budget.

        Forks share pages, which a quick sample counts several times. Where that may be over the
        budget, a slow one decides. Even that is too high when processes start or end meanwhile, so
        several samples in a row must agree.
        """
        held = max(0, sum(map(private_bytes, self._known)) - self.base)
        if self.budget is None or held <= self.budget:
            self._over = 0
            self.peak = max(self.peak, held)
            return False
        held = min(held, sum(map(_unshared_bytes, self._known)))
        self._over = self._over + 1 if held > self.budget else 0
        certain = self._over == AGREEING
        self.peak = max(self.peak, held if certain else min(held, self.budget))
        return certain

    def pause(self, so_far: float) -> float:
        """Seconds until the next sample: fewer when the job is new or near its budget."""
        room = float("inf") if self.budget is None else (self.budget - self.peak) / FASTEST
        return max(SOONEST, min(so_far, room, LATEST))

    def terminate(self) -> None:
        """Ask the processes to end; on Windows they have no choice."""
        for process in self._look():
            with suppress(*GONE):
                process.terminate()

    def end(self, patience: float) -> bool:
        """Kill all that can be found; False when one is left after `patience` seconds.

        The first process is killed last. If the client ends meanwhile, only the first one knows of
        processes that have left its group, and kills them.
        """
        last = monotonic() + patience
        while left := self._look() | {*self._lost()}:
            if monotonic() > last:
                return False
            trackers = {process for process in left if _is_tracker(process)}
            # Not for the root: whoever waits for a process takes its exit code away.
            others = [process for process in left - trackers if process.pid != self._root]
            kill(others)
            if not trackers:
                kill_group(self._root)  # at once, so that no member of it forks meanwhile
            kill(left - trackers)
            if trackers == left:
                _, late = psutil.wait_procs(trackers, TRACKER_SECONDS)
                kill(late)
            psutil.wait_procs(others, PAUSE) if others else sleep(SHORT_PAUSE)
        return True

    def _look(self) -> set[psutil.Process]:
        """Return the processes that descend from it, or did so when one looked before."""
        pids = {process.pid for process in self._known}
        for process in [*self._known]:
            with suppress(*GONE):
                if process.ppid() not in pids:
                    self._known.update(process.children(recursive=True))
        self._known = {process for process in self._known if is_alive(process)}
        return self._known


def kill(some: Iterable[psutil.Process]) -> None:
    """Kill processes."""
    for process in some:
        with suppress(*GONE):
            process.kill()


def end_below() -> None:
    """Kill all processes below this one, until there is none: some may start meanwhile."""
    me = psutil.Process()
    while below := [process for process in me.children(recursive=True) if is_alive(process)]:
        kill(below)
        psutil.wait_procs(below, PAUSE)


def marked(name: str, value: str, since: float) -> Iterator[psutil.Process]:
    """Yield other processes that began after `since` and have a variable with this value."""
    for pid in set(psutil.pids()) - {os.getpid()}:
        with suppress(*GONE):
            process = psutil.Process(pid)
            young = process.create_time() >= since - 1.0  # clocks are rounded
            if young and process.environ().get(name) == value and is_alive(process):
                yield process


def is_alive(process: psutil.Process) -> bool:
    """Whether a process runs; one that has ended may wait for its parent to ask how."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except GONE:
        return False


def private_bytes(process: psutil.Process) -> int:
    """Return the bytes that a process has for itself, or too many: forks may share them."""
    try:
        info = process.memory_info()
    except GONE:
        return 0
    if sys.platform == "linux":
        return int(info.rss - info.shared)
    return int(getattr(info, "private", info.rss))


def _unshared_bytes(process: psutil.Process) -> int:
    """Return the bytes that no other process shares; slow."""
    try:
        return int(process.memory_full_info().uss)
    except psutil.AccessDenied:  # macOS, where only root may ask for that
        return private_bytes(process)
    except GONE:
        return 0


def _is_tracker(process: psutil.Process) -> bool:
    try:
        return any(TRACKER in part for part in process.cmdline())
    except GONE:
        return False
