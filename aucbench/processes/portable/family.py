"""The processes of a call: those that can be found, and their memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from time import monotonic

import psutil

from aucbench.processes.endings import MOST_STOPS, stops_text
from aucbench.processes.host import kill_group
from aucbench.processes.metering import Samples

PAUSE = 0.02  # seconds between two looks at processes that were killed
GONE = (psutil.Error, OSError)  # it has ended, or belongs to another user


class Family:
    """A process, its descendants, and what carries its mark: a variable with a value of its own."""

    def __init__(self, pid: int, mark: tuple[str, str]) -> None:
        self._root, self._mark = psutil.Process(pid), mark
        self._since = self._root.create_time()
        self._known = {self._root}
        self._base = 0  # bytes that they had when the call began
        self._stops = 0

    def begin(self) -> None:
        """Count memory from now on.

        In a virtual environment of Windows the root is a program that starts the interpreter.
        """
        self._base = sum(map(_quick, self.look()))

    def look(self) -> list[psutil.Process]:
        """Return the processes that descend from it, or did so when this was called before."""
        with suppress(*GONE):
            self._known.update(self._root.children(recursive=True))
        self._known = {process for process in self._known if is_alive(process)}
        return [*self._known]

    def is_over(self, samples: Samples, some: Iterable[psutil.Process]) -> bool:
        """Take a sample of their memory; whether they certainly hold more than their budget."""
        some = [*some]
        quick = max(0, sum(map(_quick, some)) - self._base)
        return samples.certainly_over(quick, quick, lambda: min(quick, sum(map(_unique, some))))

    def terminate(self) -> None:
        """Ask the processes to end; on Windows they have no choice."""
        for process in self.look():
            with suppress(*GONE):
                process.terminate()

    def resume(self) -> None:
        """Continue the process if it was stopped; kill it if that happens again and again."""
        with suppress(*GONE):
            if self._root.status() == psutil.STATUS_STOPPED:
                self._stops += 1
                (self._root.resume if self._stops <= MOST_STOPS else self._root.kill)()

    def words(self) -> str:
        """Return an addition to the reason why it has ended."""
        return stops_text(self._stops)

    def end(self, patience: float) -> bool:
        """Kill all that can be found; False when one is left after `patience` seconds."""
        last = monotonic() + patience
        self.look()
        while True:
            kill_group(self._root.pid)  # also those that it has left behind
            left = {*self.look(), *marked(*self._mark, self._since)}
            _kill(left)
            if not left or monotonic() > last:
                return not left
            psutil.wait_procs(left, PAUSE)


def marked(name: str, value: str, since: float) -> Iterator[psutil.Process]:
    """Yield other processes that began after `since` and have a variable with this value."""
    for pid in set(psutil.pids()) - {os.getpid()}:
        with suppress(*GONE):
            process = psutil.Process(pid)
            young = process.create_time() >= since - 1.0  # clocks are rounded
            if young and process.environ().get(name) == value and is_alive(process):
                yield process


def end_marked(name: str, value: str, since: float, patience: float) -> None:
    """Kill all processes that have a variable with this value."""
    last = monotonic() + patience
    while (left := [*marked(name, value, since)]) and monotonic() < last:
        _kill(left)
        psutil.wait_procs(left, PAUSE)


def _kill(some: Iterable[psutil.Process]) -> None:
    for process in some:
        with suppress(*GONE):
            process.kill()


def is_alive(process: psutil.Process) -> bool:
    """Whether a process runs; one that has ended may wait for its parent to ask how."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except GONE:
        return False


def _quick(process: psutil.Process) -> int:
    """Bytes that a process has for itself, or too many: forks may share them."""
    try:
        info = process.memory_info()
    except GONE:
        return 0
    if sys.platform == "linux":
        return int(info.rss - info.shared)
    return int(getattr(info, "private", info.rss))


def _unique(process: psutil.Process) -> int:
    """Bytes that no other process shares; slow."""
    try:
        return int(process.memory_full_info().uss)
    except GONE:
        return 0
