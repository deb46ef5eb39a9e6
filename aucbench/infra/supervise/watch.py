"""Run one call in a child process, and wait until the child and its descendants have ended."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from aucbench.infra.supervise import child, job_folder, proc
from aucbench.infra.supervise.limits import Meter
from aucbench.infra.supervise.records import Ending, Report
from aucbench.infra.supervise.wire import PIPE_BYTES

TAIL = 2**14  # bytes of output that are kept
MOST_PROCESSES = 500
NEAR = 0.9  # of the memory budget: a process that dies above it ran out of memory
KILL_PATIENCE = 10.0  # seconds for processes to end after SIGKILL


@dataclass(frozen=True, slots=True)
class _Verdict:
    """How a call ended, and why."""

    ending: Ending
    reason: str | None = None
    error_type: str | None = None
    refusal: bool = False


def run(task: child.Task) -> Report:
    """Fork a child for the call, follow it, kill what is left, and report how it ended.

    This process must be a sub-reaper and must block SIGCHLD.
    """
    for name in (job_folder.ROOM, job_folder.TEMPORARY):
        (task.folder / name).mkdir(parents=True, exist_ok=True)  # steps may have left something
    meter = Meter(task.limits.memory)
    parent = os.getpid()
    output, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        child.main(task, write_end, parent)
    os.close(write_end)
    watch = _Watch(task, pid, output, meter)
    try:
        verdict = watch.follow()
        return watch.report(verdict)
    finally:
        watch.close()


class _Watch:
    """The child of one call: its time, its memory and its output."""

    def __init__(self, task: child.Task, pid: int, output: int, meter: Meter):
        os.set_blocking(output, False)
        self._task, self._pid, self._output, self._meter = task, pid, output, meter
        self._alive = os.pidfd_open(pid)
        self._tail = b""
        self._begin = monotonic()
        self._sample_at = self._begin + meter.pause(0.0)
        self._ends: dict[int, int] = {}
        self._poll = select.poll()
        self._poll.register(self._alive, select.POLLIN)
        self._poll.register(output, select.POLLIN)

    def close(self) -> None:
        """Close its descriptors."""
        os.close(self._alive)
        os.close(self._output)

    def follow(self) -> _Verdict | None:
        """Wait until the child has ended by itself (None) or has broken a limit."""
        timeout = self._task.limits.timeout
        deadline = float("inf") if timeout is None else self._begin + timeout
        while not self._ended_by(min(self._sample_at, deadline)):
            now = monotonic()
            if now >= deadline:
                reason = f"did not end within {timeout:g} s{self._terminate()}"
                return _Verdict(Ending.TIMEOUT, reason)
            if now >= self._sample_at and (verdict := self._sampled(now)):
                return verdict
        return None

    def report(self, verdict: _Verdict | None) -> Report:
        """Kill all processes that are left, then report."""
        seconds = monotonic() - self._begin
        gone = proc.end_descendants(self._ends, KILL_PATIENCE)
        while self._drain():
            continue
        found = verdict or self._verdict()
        reason = found.reason
        if not gone:
            reason = f"{reason or 'returned'}; a process that it left could not be killed"
        return Report(
            found.ending,
            reason,
            found.error_type,
            found.refusal,
            self._tail.decode(errors="replace"),
            seconds,
            self._meter.peak,
        )

    def _ended_by(self, moment: float) -> bool:
        """Read its output until it has ended (True) or until this moment (False)."""
        while True:
            wait = max(0.0, moment - monotonic())
            ready = {fd for fd, _ in self._poll.poll(wait * 1000)}
            if self._output in ready and self._drain() == b"":
                self._poll.unregister(self._output)  # it has closed stdout and stderr
            if self._alive in ready:
                return True
            if wait == 0.0:
                return False

    def _drain(self) -> bytes | None:
        """Read a chunk of its output; empty at the end, None when there is nothing to read."""
        try:
            fresh = os.read(self._output, PIPE_BYTES)
        except BlockingIOError:
            return None
        self._tail = (self._tail + fresh)[-TAIL:]
        return fresh

    def _terminate(self) -> str:
        """Send SIGTERM and wait for the grace time; return an addition to the reason."""
        with suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGTERM)
        obeyed = self._ended_by(monotonic() + self._task.limits.grace)
        return "" if obeyed else ", nor after SIGTERM"

    def _sampled(self, now: float) -> _Verdict | None:
        proc.reap(self._ends)
        family = proc.descendants(os.getpid())
        if len(family) > MOST_PROCESSES:
            return _Verdict(Ending.CRASH, f"had more than {MOST_PROCESSES} processes at once")
        if self._meter.over(family):
            return _Verdict(Ending.MEMOUT, f"took more than the {self._budget()}")
        self._sample_at = monotonic() + self._meter.pause(now - self._begin)
        return None

    def _verdict(self) -> _Verdict:
        """Return how the child ended by itself."""
        folder = self._task.folder
        if failure := job_folder.failure_of(folder):
            ending = Ending.MEMOUT if failure.memory else Ending.ERROR
            return _Verdict(ending, failure.reason, failure.error_type, failure.refusal)
        if (folder / job_folder.RESULT).exists():
            return _Verdict(Ending.OK)
        reason = proc.exit_text(self._ends.get(self._pid, 0))
        budget = self._meter.budget
        if budget is not None and self._meter.peak >= NEAR * budget:
            return _Verdict(Ending.MEMOUT, f"{reason} near the {self._budget()}")
        return _Verdict(Ending.CRASH, f"{reason} and without a result")

    def _budget(self) -> str:
        return f"{(self._meter.budget or 0) / 1e6:g} MB that are allowed"
