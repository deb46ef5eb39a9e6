"""Run one call in a child process, and wait until the child and its descendants have ended."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from aucbench.processes import child, proc
from aucbench.processes.answers import MOST_FILES, MOST_STREAM, Answer
from aucbench.processes.hearing import Hearing
from aucbench.processes.limits import Meter
from aucbench.processes.records import Ending, Report

MOST_PROCESSES = 500
NEAR = 0.9  # of the memory budget: a process that dies above it ran out of memory
KILL_PATIENCE = 10.0  # seconds for processes to end after SIGKILL
# Signals that no fault of a process raises: it, another one or the kernel has sent them.
SENDABLE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
SENT = ", from outside unless it did that itself,"
CHANGED = (
    "what it shares with other jobs was changed while it ran, by its process or by another one; "
    "its result does not count: run it again"
)


@dataclass(frozen=True, slots=True)
class Ended:
    """A call that has ended.

    Attributes
    ----------
    report : Report
    answer : Answer
        What it has said.
    """

    report: Report
    answer: Answer


@dataclass(frozen=True, slots=True)
class _Verdict:
    """How a call ended, and why."""

    ending: Ending
    reason: str | None = None
    error_type: str | None = None
    refusal: bool = False
    killed: bool = False


def run(task: child.Task) -> Ended:
    """Fork a child for the call, follow it, kill what is left, and report how it ended.

    This process must be a sub-reaper and must block SIGCHLD.
    """
    meter = Meter(task.limits.memory)
    parent = os.getpid()
    hearing = Hearing()
    pid = os.fork()
    if pid == 0:
        child.main(task, hearing.voice, parent)
    hearing.follow(pid)
    watch = _Watch(task, pid, hearing, meter)
    try:
        verdict = watch.follow()
        return Ended(watch.report(verdict), hearing.answer)
    finally:
        hearing.close()


class _Watch:
    """The child of one call: its time and its memory."""

    def __init__(self, task: child.Task, pid: int, hearing: Hearing, meter: Meter):
        self._task, self._pid, self._hearing, self._meter = task, pid, hearing, meter
        self._begin = monotonic()
        self._sample_at = self._begin + meter.pause(0.0)
        self._ends: dict[int, int] = {}
        self._guard = proc.Guard(pid)

    def follow(self) -> _Verdict | None:
        """Wait until the child has ended by itself (None) or has broken a limit."""
        timeout = self._task.limits.timeout
        deadline = float("inf") if timeout is None else self._begin + timeout
        while not self._hearing.until(min(self._sample_at, deadline)):
            now = monotonic()
            if now >= deadline:
                self._ask_for_stacks()
                reason = f"did not end within {timeout:g} s{self._terminate()}"
                return _Verdict(Ending.TIMEOUT, reason)
            if self._hearing.is_flooded:
                most = f"{MOST_STREAM >> 20} MiB or {MOST_FILES} files"
                reason = f"said more than {most}; let it hand over less"
                return _Verdict(Ending.ERROR, reason)
            if now >= self._sample_at and (verdict := self._sampled(now)):
                self._ask_for_stacks()
                return verdict
        return None

    def report(self, verdict: _Verdict | None) -> Report:
        """Kill all processes that are left, then report."""
        seconds = monotonic() - self._begin
        gone = proc.end_descendants(self._ends, KILL_PATIENCE)
        self._hearing.to_the_end()
        found = self._unless_changed(verdict or self._verdict())
        reason = found.reason
        if not gone:
            reason = f"{reason or 'returned'}; a process that it left could not be killed"
        return Report(
            found.ending,
            reason,
            found.error_type,
            found.refusal,
            self._hearing.log,
            seconds,
            self._meter.peak,
            killed=found.killed,
        )

    def _unless_changed(self, found: _Verdict) -> _Verdict:
        """Return the verdict, or that the steps are not what they were."""
        changed = any(step.is_changed() for step in self._task.steps.values())
        return _Verdict(Ending.ERROR, CHANGED) if changed else found

    def _ask_for_stacks(self) -> None:
        """Let the process tell where it is, in whatever code that may be."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, child.STACKS)
        self._hearing.stacks()

    def _terminate(self) -> str:
        """Send SIGTERM and wait for the grace time; return an addition to the reason."""
        with suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGTERM)
        obeyed = self._hearing.until(monotonic() + self._task.limits.grace)
        return "" if obeyed else ", nor after SIGTERM"

    def _sampled(self, now: float) -> _Verdict | None:
        proc.reap(self._ends)
        self._guard.look()
        family = proc.descendants(os.getpid())
        if len(family) > MOST_PROCESSES:
            return _Verdict(Ending.CRASH, f"had more than {MOST_PROCESSES} processes at once")
        if self._meter.over(family):
            return _Verdict(Ending.MEMOUT, f"took more than the {self._budget()}")
        self._sample_at = monotonic() + self._meter.pause(now - self._begin)
        return None

    def _verdict(self) -> _Verdict:
        """Return how the child ended by itself."""
        answer = self._hearing.answer
        if failure := answer.failure:
            ending = Ending.MEMOUT if failure.memory else Ending.ERROR
            return _Verdict(ending, failure.reason, failure.error_type, failure.refusal)
        if answer.has_result:
            return _Verdict(Ending.OK)
        code = self._ends.get(self._pid, 0)
        sent = -code in SENDABLE
        reason = proc.exit_text(code) + self._guard.words() + (SENT if sent else "")
        budget = self._meter.budget
        if budget is not None and self._meter.peak >= NEAR * budget:
            return _Verdict(Ending.MEMOUT, f"{reason} near the {self._budget()}")
        return _Verdict(Ending.CRASH, f"{reason} and without a result", killed=sent)

    def _budget(self) -> str:
        return f"{(self._meter.budget or 0) / 1e6:g} MB that are allowed"
