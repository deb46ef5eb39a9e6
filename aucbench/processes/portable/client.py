"""The portable supervisor: submit jobs, wait for outcomes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from threading import Condition, Thread
from time import monotonic
from typing import Self
from uuid import uuid4

from aucbench.errors import ParameterError, require_whole
from aucbench.processes import endings, scratch
from aucbench.processes.answers import with_answer
from aucbench.processes.portable.calls import Calls, Ended, UnusableError
from aucbench.processes.portable.errands import Done, Errand, Steps, WithdrawnError
from aucbench.processes.portable.kept import FileKept
from aucbench.processes.portable.workers import Starts
from aucbench.processes.records import Ending, Job, Outcome, Step
from aucbench.processes.supervisor import PORTABLE, require_usable
from aucbench.processes.tickets import Tickets

JOBS = "jobs"  # a folder, of which a job may remove all without harm to what others need
LOOK = 0.5  # seconds: on Windows nothing interrupts a wait that has no end
END_SECONDS = 60.0  # for the keeper to remove the folder
FENCE = "none: the portable supervisor closes no files"  # as records hold it


class PortableSupervisor:
    """Runs each job in an interpreter of its own, under limits that it looks at.

    See `Supervisor`, and `Calls` for when an interpreter is started.
    """

    def __init__(
        self, *, threads: int = 1, preload: Sequence[str] = (), hidden: Sequence[str] = ()
    ):
        require_whole(1, threads=threads)
        self._owner, self.token = os.getpid(), uuid4().hex
        known = {name: os.environ[name] for name in hidden if name in os.environ}
        self._change = Condition()
        self._tickets: Tickets[Errand] = Tickets()
        self._running: dict[int, Errand] = {}
        self._steps, self._waste = Steps(), scratch.Waste()
        self._end: str | None = None  # why it cannot run more jobs
        self._scratch = scratch.Scratch()
        self._folder = self._scratch.path
        try:
            starts = Starts(
                self._folder, threads=threads, token=self.token, preload=preload, hidden=hidden
            )
            self._keeper = starts.keeper()
            self._calls = Calls(starts, self._folder, known)
        except BaseException:
            self._scratch.remove()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, job: Job) -> int:
        """Start a job; see `Supervisor`."""
        try:
            errand = Errand.of(job)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"the request is not JSON: {error}; give plain values") from error
        with self._change:
            require_usable(self._owner, self._end)
            ticket = self._tickets.new()
            self._tickets.add(ticket, errand)
            self._start_due()
        return ticket

    def wait(self, timeout: float | None = None) -> list[tuple[int, Outcome]]:
        """Return tickets and outcomes since the last call; see `Supervisor`."""
        last = inf if timeout is None else monotonic() + timeout
        with self._change:
            while True:
                ended = self._tickets.take()
                if ended is not None:
                    return ended
                require_usable(self._owner, self._end)
                if (left := last - monotonic()) <= 0.0:
                    return []
                self._change.wait(min(LOOK, left))

    def kill(self, ticket: int) -> None:
        """End a job; `wait` will not return it. A step that it has begun is lost."""
        with self._change:
            self._tickets.withdraw(ticket)
            if errand := self._running.get(ticket):
                errand.withdrawn.set()

    def forget(self, step: Step) -> None:
        """Let go what a step has kept; see `Supervisor`."""
        self._steps.forget(step.identity)

    def close(self) -> None:
        """End all processes. A thread that waits gets an AucbenchError."""
        if os.getpid() != self._owner:
            return
        with self._change:
            self._end = self._end or "the supervisor is closed"
            for errand in self._running.values():
                errand.withdrawn.set()
            while self._running:
                self._change.wait(LOOK)
            self._change.notify_all()
        self._calls.close()
        self._waste.stop()
        assert self._keeper.stdin
        self._keeper.stdin.close()
        self._keeper.wait(END_SECONDS)
        self._scratch.remove()

    def _start_due(self) -> None:
        """Start the jobs that may run now; the caller has the lock."""
        for ticket, errand in self._tickets.due():
            self._tickets.start(ticket)
            self._running[ticket] = errand
            name = f"job {ticket}"
            Thread(target=self._run, args=(ticket, errand), name=name, daemon=True).start()

    def _run(self, ticket: int, errand: Errand) -> None:
        """Do a job in a thread of its own."""
        folder = self._folder / JOBS / str(ticket)
        outcome: Outcome | None = None
        try:
            outcome = self._outcome(errand, folder)
        except WithdrawnError:
            outcome = None  # nobody waits for it
        except UnusableError as error:
            with self._change:
                self._end = self._end or str(error)
        except Exception as error:
            why = f"no process could be started: {error or type(error).__name__}"
            outcome = Outcome(Ending.CRASH, why)
        scratch.remove(folder) if outcome and outcome.killed else self._waste.put(folder)
        with self._change:
            del self._running[ticket]
            if outcome is not None:
                self._tickets.end(ticket, outcome)
            if not self._end:
                self._start_due()
            self._change.notify_all()

    def _outcome(self, errand: Errand, folder: Path) -> Outcome:
        """Do the steps of a job that nobody has done, and then the job."""
        kept: dict[str, FileKept] = {}
        try:
            for number, step in enumerate(errand.job.steps):
                do = partial(self._done, errand, step, kept, folder / f"step-{number}")
                done = self._steps.done(step, errand, do)
                if done.outcome.ending is not Ending.OK:
                    return replace(done.outcome, step=step.key)
                kept[step.key] = done.kept
            handed = {
                key: replace(one, handed=errand.handed.get(key, {})) for key, one in kept.items()
            }
            ended = self._called(errand, errand.job, handed, folder)
            return with_answer(ended.outcome, ended.answer)
        finally:
            self._steps.release(kept)

    def _done(self, errand: Errand, step: Step, kept: Mapping[str, FileKept], folder: Path) -> Done:
        """Do a step for a job."""
        ended = self._calls.light(errand, step, kept) or self._called(errand, step, kept, folder)
        if ended.outcome.ending is not Ending.OK:
            return Done(ended.outcome)
        if step.key in errand.job.handed:
            errand.handed.setdefault(step.key, ended.answer.files)
        return Done(ended.outcome, FileKept.at(ended.kept))

    def _called(
        self, errand: Errand, what: Job | Step, kept: Mapping[str, FileKept], folder: Path
    ) -> Ended:
        """Do a call; its result does not count when what it shares has changed meanwhile."""
        ended = self._calls.call(errand, what, kept, folder)
        outcome = ended.outcome
        for step in errand.job.steps:
            if step.key in kept and kept[step.key].is_changed():
                outcome = replace(outcome, ending=Ending.ERROR, reason=endings.CHANGED.reason)
                self._steps.forget(step.identity)
        if what.fence is not None:
            outcome = replace(outcome, fence=FENCE)
        return ended._replace(outcome=replace(outcome, supervisor=PORTABLE))
