"""Run one call in a child process, and wait until the child and its descendants have ended."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import replace
from time import monotonic

from aucbench.processes import endings
from aucbench.processes.linux import child, proc
from aucbench.processes.linux.described import DescribedAnswer
from aucbench.processes.linux.hearing import Hearing
from aucbench.processes.linux.limits import Meter
from aucbench.processes.records import Outcome


def run(task: child.Task) -> tuple[Outcome, DescribedAnswer]:
    """Fork a child for the call, follow it, kill what is left, and report how it ended.

    This process must be a sub-reaper and must block SIGCHLD. The answer is not read here.
    """
    meter = Meter(task.call.limits.memory)
    parent = os.getpid()
    hearing = Hearing()
    pid = os.fork()
    if pid == 0:
        child.main(task, hearing.voice, parent)
    hearing.follow(pid)
    watch = _Watch(task, pid, hearing, meter)
    try:
        return watch.ended(watch.follow()), hearing.answer
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

    def follow(self) -> Outcome | None:
        """Wait until the child has ended by itself (None) or has broken a limit."""
        timeout = self._task.call.limits.timeout
        deadline = float("inf") if timeout is None else self._begin + timeout
        while not self._hearing.until(min(self._sample_at, deadline)):
            now = monotonic()
            if now >= deadline:
                self._ask_for_stacks()
                assert timeout is not None
                return endings.late(timeout, obeyed=self._terminate())
            if self._hearing.is_flooded:
                return endings.FLOODED
            if now >= self._sample_at and (broken := self._sampled(now)):
                self._ask_for_stacks()
                return broken
        return None

    def ended(self, broken: Outcome | None) -> Outcome:
        """Kill all processes that are left, then say how the call ended."""
        seconds = monotonic() - self._begin
        gone = proc.end_descendants(self._ends, endings.KILL_PATIENCE)
        self._hearing.to_the_end()
        outcome = broken or self._hearing.answer.ending or self._died()
        if any(step.is_changed() for step in self._task.steps.values()):
            outcome = endings.CHANGED
        reason = outcome.reason
        if not gone:
            reason = f"{reason or 'returned'}; a process that it left could not be killed"
        log, peak = self._hearing.log, self._meter.peak
        return replace(outcome, reason=reason, log=log, wall_seconds=seconds, peak_memory=peak)

    def _ask_for_stacks(self) -> None:
        """Let the process tell where it is, in whatever code that may be."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, child.STACKS)
        self._hearing.stacks()

    def _terminate(self) -> bool:
        """Send SIGTERM and wait for the grace time; whether it has ended then."""
        with suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGTERM)
        return self._hearing.until(monotonic() + self._task.call.limits.grace)

    def _sampled(self, now: float) -> Outcome | None:
        proc.reap(self._ends)
        self._guard.look()
        family = proc.descendants(os.getpid())
        if len(family) > endings.MOST_PROCESSES:
            return endings.CROWDED
        if self._meter.over(family):
            return endings.too_large(self._meter.budget or 0)
        self._sample_at = monotonic() + self._meter.pause(now - self._begin)
        return None

    def _died(self) -> Outcome:
        """How the child ended by itself, without a word."""
        code = self._ends.get(self._pid, 0)
        return endings.died(code, self._guard.words(), self._meter.peak, self._meter.budget)
