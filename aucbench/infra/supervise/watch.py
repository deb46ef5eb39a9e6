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

TAIL = 2**14  # bytes of output that are kept, with the stacks of Python
MOST_STACKS = 2**13  # bytes of these; the innermost calls come first
STACKS_PATIENCE, STACKS_PAUSE = 0.3, 0.03  # seconds for the first line, and between two of them
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
    (output, its_output), (stacks, its_stacks) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        child.main(task, child.Streams(its_output, its_stacks), parent)
    os.close(its_output)
    os.close(its_stacks)
    watch = _Watch(task, pid, output, stacks, meter)
    try:
        verdict = watch.follow()
        return watch.report(verdict)
    finally:
        watch.close()


class _Watch:
    """The child of one call: its time, its memory and its output."""

    def __init__(self, task: child.Task, pid: int, output: int, stacks: int, meter: Meter):
        self._task, self._pid, self._meter = task, pid, meter
        self._output, self._stacks = output, stacks
        for fd in (output, stacks):
            os.set_blocking(fd, False)
        self._alive = os.pidfd_open(pid)
        self._tail = self._told = b""  # what came from these pipes
        self._begin = monotonic()
        self._sample_at = self._begin + meter.pause(0.0)
        self._ends: dict[int, int] = {}
        self._poll = select.poll()
        self._poll.register(self._alive, select.POLLIN)
        self._poll.register(output, select.POLLIN)

    def close(self) -> None:
        """Close its descriptors."""
        for fd in (self._alive, self._output, self._stacks):
            os.close(fd)

    def follow(self) -> _Verdict | None:
        """Wait until the child has ended by itself (None) or has broken a limit."""
        timeout = self._task.limits.timeout
        deadline = float("inf") if timeout is None else self._begin + timeout
        while not self._ended_by(min(self._sample_at, deadline)):
            now = monotonic()
            if now >= deadline:
                self._ask_for_stacks()
                reason = f"did not end within {timeout:g} s{self._terminate()}"
                return _Verdict(Ending.TIMEOUT, reason)
            if now >= self._sample_at and (verdict := self._sampled(now)):
                self._ask_for_stacks()
                return verdict
        return None

    def report(self, verdict: _Verdict | None) -> Report:
        """Kill all processes that are left, then report."""
        seconds = monotonic() - self._begin
        gone = proc.end_descendants(self._ends, KILL_PATIENCE)
        while self._drain():
            continue
        self._hear_stacks(0.0, 0.0)
        found = verdict or self._verdict()
        reason = found.reason
        if not gone:
            reason = f"{reason or 'returned'}; a process that it left could not be killed"
        return Report(
            found.ending,
            reason,
            found.error_type,
            found.refusal,
            self._log(),
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

    def _ask_for_stacks(self) -> None:
        """Let the process tell where it is, in whatever code that may be."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, child.STACKS)
        self._hear_stacks(STACKS_PATIENCE, STACKS_PAUSE)

    def _hear_stacks(self, patience: float, pause: float) -> None:
        """Read stacks, which have no end that can be seen, until none come for a moment."""
        poll = select.poll()
        poll.register(self._stacks, select.POLLIN)
        last = monotonic() + 2 * patience
        while poll.poll(patience * 1000) and (fresh := os.read(self._stacks, PIPE_BYTES)):
            self._told = (self._told + fresh)[:MOST_STACKS]
            patience = min(pause, max(0.0, last - monotonic()))

    def _log(self) -> str:
        """Return the end of its output, and then the stacks."""
        room = TAIL - len(self._told)
        return b"".join((self._tail[-room:], self._told)).decode(errors="replace")

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
