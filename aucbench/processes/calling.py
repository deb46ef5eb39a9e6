"""The life of one call: from the start of its process until nothing of it is left."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from time import monotonic, sleep
from typing import Any, Self

from aucbench.processes import endings
from aucbench.processes.child import LOG, STACKS, STACKS_FILE
from aucbench.processes.family import Family
from aucbench.processes.hearing import Hear, Hearing
from aucbench.processes.records import CancelledError, Job, Outcome, plain
from aucbench.processes.starting import START_SECONDS, Started

KILL_SECONDS = 10.0  # for processes to end after SIGKILL
EXIT_SECONDS = 2.0  # for a process to end that has answered
STACKS_SECONDS, STACKS_PAUSE = 0.3, 0.01  # for the stacks of Python, and between two looks
LOOK = 0.1  # seconds between two looks whether a call was given up
MOST_LOG = 2**26  # bytes of output on the disk


class Call:
    """A call that a process does.

    Parameters
    ----------
    process : Started
        It waits for its order.
    folder : Path
        That of the call.
    hear : function (dict) -> object, optional
        Called with each line at once.
    given_up : function () -> bool
        Whether the client has given it up.
    """

    def __init__(
        self,
        process: Started,
        folder: Path,
        job: Job,
        hear: Hear | None,
        given_up: Callable[[], bool],
    ) -> None:
        self._process, self._limits, self._given_up = process, job.limits, given_up
        own = [step.limits.timeout or float("inf") for step in job.steps if step.trusted]
        self._start_seconds = START_SECONDS + sum(own)  # until the function is called
        self._output = Output(folder)
        self._hearing = Hearing(process.channel, hear)
        self._family = Family(process.pid, process.lost, job.limits.memory)
        self._begin: float | None = None  # when the function was called

    def run(self, order: Mapping[str, Any]) -> tuple[Outcome, bool]:
        """Give the order, and return how the call ended, and whether its process can do others.

        If not, nothing of it is left. `TypeError` or `ValueError`: the order is not JSON.
        """
        hearing, family, gone = self._hearing, self._family, False
        with self._output:
            is_clean = False
            try:
                self._process.order(plain(order))
                broken = self._followed()
                outcome = broken or hearing.outcome() or self._died()
                if broken is None and hearing.answer and not hearing.answer["left"]:
                    is_clean = self._process.serves or self._has_ended(EXIT_SECONDS)
            finally:
                gone = is_clean or family.end(KILL_SECONDS)
            seconds = 0.0 if self._begin is None else monotonic() - self._begin
            if not gone:
                left = f"{outcome.reason or 'returned'}; a process that it left could not be killed"
                outcome = replace(outcome, reason=left)
            outcome = replace(
                hearing.with_all(outcome),
                log=self._output.text(),
                wall_seconds=seconds,
                peak_memory=family.peak,
                fence=hearing.fence,
                step=hearing.step,
            )
        return outcome, is_clean and self._process.serves

    def _followed(self) -> Outcome | None:
        """Wait until the call is over (None) or has broken a limit."""
        hearing, limits = self._hearing, self._limits
        sample_at, deadline = float("inf"), monotonic() + self._start_seconds
        with DefaultSelector() as selector:
            selector.register(self._process.channel, EVENT_READ)
            while True:
                now = monotonic()
                selector.select(max(0.0, min(sample_at, deadline, now + LOOK) - now))
                hearing.read()
                now = monotonic()
                if self._given_up():
                    raise CancelledError
                if self._begin is None and hearing.begun is not None:
                    self._begin, self._family.base = now, hearing.begun
                    sample_at = now + self._family.pause(0.0)
                    deadline = now + (limits.timeout or float("inf"))
                if hearing.is_flooded:
                    return endings.FLOODED
                if hearing.is_over:
                    return None
                if now >= deadline:
                    return self._late(limits.timeout if self._begin else self._start_seconds)
                if now >= sample_at:
                    if (broken := self._sampled()) is not None:
                        return broken
                    if self._has_ended(0.0):  # what it has left may hold its channel open
                        hearing.read()
                        return None
                    sample_at = now + self._family.pause(now - (self._begin or now))

    def _died(self) -> Outcome:
        """Return the outcome of a call whose process has closed its channel without an answer."""
        code = self._process.code(EXIT_SECONDS)
        return endings.died(code, self._family.peak, self._family.budget)

    def _sampled(self) -> Outcome | None:
        self._output.trim()
        if self._family.size() > endings.MOST_PROCESSES:
            return endings.CROWDED
        if self._family.is_over():
            self._ask_for_stacks()
            return endings.too_large(self._family.budget or 0)
        return None

    def _late(self, timeout: float | None) -> Outcome:
        """Ask the processes to end, and return the outcome of a call that took too long."""
        assert timeout is not None
        self._ask_for_stacks()
        self._family.terminate()
        last, obeyed = monotonic() + self._limits.grace, False
        while not obeyed and monotonic() < last:
            obeyed = self._has_ended(max(0.0, min(LOOK, last - monotonic())))
        self._hearing.read()
        return endings.late(timeout, obeyed=obeyed)

    def _ask_for_stacks(self) -> None:
        """Let the process write where it is, in whatever code that may be."""
        if sys.platform != "win32":
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, STACKS)
            last = monotonic() + STACKS_SECONDS
            while not self._output.has_stacks() and monotonic() < last:
                sleep(STACKS_PAUSE)

    def _has_ended(self, seconds: float) -> bool:
        return self._process.code(seconds) is not None


class Output:
    """What a process prints, in files that the call may remove; a context manager."""

    def __init__(self, folder: Path) -> None:
        self._log, self._stacks = ((folder / n).open("a+b") for n in (LOG, STACKS_FILE))
        self._cut_off = b""  # the end of what was removed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.close()
        self._stacks.close()

    def trim(self) -> None:
        """Keep the end of a long output only."""
        if self._log.seek(0, os.SEEK_END) > MOST_LOG:
            self._cut_off = self._end()
            self._log.truncate(0)

    def has_stacks(self) -> bool:
        """Whether there are stacks of Python."""
        return self._stacks.seek(0, os.SEEK_END) > 0

    def text(self) -> str:
        """Return the end of the output, and then the stacks."""
        self._stacks.seek(0)
        return endings.log_of(self._cut_off + self._end(), self._stacks.read(endings.MOST_STACKS))

    def _end(self) -> bytes:
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - endings.TAIL))
        return self._log.read(endings.TAIL)
