"""Calls of jobs and steps: an interpreter is started, asked, followed, and ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from uuid import uuid4

from aucbench.processes import scratch
from aucbench.processes.answers import KEPT, Answer
from aucbench.processes.portable.errands import Errand
from aucbench.processes.portable.kept import FileKept
from aucbench.processes.portable.workers import Starts, Worker
from aucbench.processes.records import Ending, Job, Outcome, Step

MOST_STARTS = 3  # times in a row that an interpreter may end before it is ready
LIGHT_SECONDS = 2.0  # for a light step


class UnusableError(Exception):
    """No job can run; the message says why."""


class Ended(NamedTuple):
    """How a call has ended, what it has said, and the file that it has kept, if any."""

    outcome: Outcome
    answer: Answer
    kept: Path | None


class Calls:
    """Does calls, each in a fresh interpreter, but light steps in one; see light_steps.py of Linux.

    Methods may be called from several threads. An interpreter that waits for the first call is
    started at once. The others are started when they are needed, so that their imports disturb no
    job whose time is measured.
    """

    def __init__(self, starts: Starts, folder: Path, hidden: Mapping[str, str]) -> None:
        self._starts, self._folder, self._hidden = starts, folder, hidden
        self._lock, self._is_light_free = Lock(), Lock()
        self._numbers = count()
        self._light: Worker | None = None
        self._spare: Worker | None = starts.worker()

    def close(self) -> None:
        """End the interpreters that have no call."""
        with self._lock, self._is_light_free:
            for worker in (self._spare, self._light):
                if worker is not None:
                    worker.end()
            self._spare = self._light = None

    def call(
        self, errand: Errand, what: Job | Step, kept: Mapping[str, FileKept], folder: Path
    ) -> Ended:
        """Do a call and wait for its end; nothing is left of its processes then.

        Raises
        ------
        UnusableError
            When no interpreter can be started.
        RuntimeError
            When the modules of the job cannot be imported.
        WithdrawnError
            When the client has killed the job.
        """
        key = what.key if isinstance(what, Step) else None
        message = self._message(errand, key, what, kept, folder)
        outcome, answer = self._begun(errand, *message).follow(what.limits, errand)
        moved = self._moved(answer, folder)
        if key is not None:
            scratch.remove(folder)  # what a step has left there may be labels
        return Ended(outcome, answer, moved)

    def light(self, errand: Errand, step: Step, kept: Mapping[str, FileKept]) -> Ended | None:
        """Do a light step; None when it is none, or when it did not succeed."""
        if not _fits(errand, step) or not self._is_light_free.acquire(blocking=False):
            return None
        try:
            worker, self._light = self._light or self._starts.worker(), None
            folder = self._folder / f"light-{next(self._numbers)}"
            message = self._message(errand, step.key, step, kept, folder, again=True)
            try:
                answer = worker.answers(LIGHT_SECONDS, errand, *message)
            except BaseException:
                worker.end()
                raise
            if answer is None or answer.ending != Outcome(Ending.OK):
                worker.end()
                return None
            self._light, moved = worker, self._moved(answer, folder)
            scratch.remove(folder)
            return Ended(Outcome(Ending.OK), answer, moved)
        finally:
            self._is_light_free.release()

    def _begun(self, errand: Errand, told: Mapping[str, Any], blobs: Sequence[bytes]) -> Worker:
        """Return an interpreter that has begun a call."""
        for _ in range(MOST_STARTS):
            worker = self._taken()
            begins = False
            try:
                worker.ask(told, blobs)
                if begins := worker.begins(errand):
                    return worker
            finally:
                if not begins:
                    worker.end()
            if worker.hearing.is_ready:  # it imported modules of the job
                raise RuntimeError(worker.hearing.refusal or worker.how_it_ended())
            if worker.hearing.refusal:
                raise UnusableError(worker.hearing.refusal)
        raise UnusableError(
            f"the warm process could not be started ({worker.how_it_ended()}): {worker.last_line()}"
        )

    def _taken(self) -> Worker:
        with self._lock:
            spare, self._spare = self._spare, None
        return spare or self._starts.worker()

    def _message(
        self,
        errand: Errand,
        key: str | None,
        what: Job | Step,
        kept: Mapping[str, FileKept],
        folder: Path,
        *,
        again: bool = False,
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Return what an interpreter is told of a call, and the bytes that go with it."""
        fenced = what.fence.hidden if what.fence else ()
        told = {
            "call": what.call,
            "folder": str(folder),
            "preload": [*errand.job.preload],
            "variables": {n: value for n, value in self._hidden.items() if n not in fenced},
            "timeout": what.limits.timeout,
            "again": again,
            "steps": {
                name: [one.path and str(one.path), one.stamp, [*one.handed]]
                for name, one in kept.items()
            },
        }
        return told, [errand.requests[key], *(b for k in kept.values() for b in k.handed.values())]

    def _moved(self, answer: Answer, folder: Path) -> Path | None:
        """Move the file that a call has kept to where its folder does not take it away."""
        numbers = [frame.content for frame in answer.frames if frame.kind == KEPT]
        if not numbers or not numbers[-1].isdigit():
            return None
        target = self._folder / f"kept-{uuid4().hex}"
        with suppress(OSError):  # the call has removed its folder
            (folder / numbers[-1].decode()).replace(target)
        return target if target.exists() else None


def _fits(errand: Errand, step: Step) -> bool:
    """Whether a step is light, and is not narrowly limited."""
    limits = step.limits
    slow = limits.timeout is None or limits.timeout >= LIGHT_SECONDS
    return step.light and limits.memory is None and slow and step.key not in errand.job.handed
