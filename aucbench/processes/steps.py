"""The steps of all jobs: each is done once, and what it has kept is there while jobs need it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Condition, Lock
from typing import Any

from aucbench.processes.records import CancelledError, Ending, Job, Outcome

LOOK = 0.1  # seconds between two looks whether a job was given up


@dataclass(slots=True)
class _Step:
    """A step; a job that does it holds the lock."""

    lock: Any = field(default_factory=Lock)
    outcome: Outcome | None = None  # None: it is to be done
    folder: Path | None = None  # with what it has kept


class Steps:
    """The steps, by their identities. Methods may be called from several threads."""

    def __init__(self, folder: Path, remove: Callable[[Path], object]) -> None:
        self._folder, self._remove, self._numbers = folder, remove, count()
        self._change = Condition()
        self._known: dict[str, _Step] = {}
        self._uses: Counter[str] = Counter()  # jobs that run and need each step
        self._last: frozenset[str] = frozenset()  # steps of the job that came last, if it had some
        self._running = 0

    @contextmanager
    def used_by(self, job: Job) -> Iterator[None]:
        """Keep what the steps of a job leave while it runs.

        Jobs that share a step follow one another. So what neither a running job nor the last one
        needs is removed: otherwise the rows of all splits of a plan would be there at its end.
        """
        used = {step.identity for step in (*job.steps, *([job] if job.key else []))}
        with self._change:
            self._running += 1
            self._uses.update(used)
            self._last = frozenset(used) or self._last
        try:
            yield
        finally:
            with self._change:
                self._running -= 1
                self._uses.subtract(used)
                self._remove_unused()
                self._change.notify_all()

    def done(
        self, step: Job, do: Callable[[Path], Outcome], given_up: Callable[[], bool]
    ) -> tuple[Outcome, Path]:
        """Return how a step has ended, and its folder; do it in a new folder if no job has."""
        with self._change:
            known = self._known.setdefault(step.identity, _Step())
        while not known.lock.acquire(timeout=LOOK):
            if given_up():
                raise CancelledError
        try:
            if known.outcome is None or known.folder is None or not known.folder.exists():
                known.folder = self._new_folder()
                known.outcome = do(known.folder)
            return known.outcome, known.folder
        finally:
            known.lock.release()

    def folder(self, step: Job) -> Path:
        """Return the folder of a step that processes of jobs do, under a lock in it."""
        with self._change:
            known = self._known.setdefault(step.identity, _Step())
            if known.folder is None or not known.folder.exists():
                known.folder = self._new_folder()
            return known.folder

    def wait(self, seconds: float) -> None:
        """Wait until no job runs."""
        with self._change:
            self._change.wait_for(lambda: not self._running, seconds)

    def _new_folder(self) -> Path:
        folder = self._folder / f"step-{next(self._numbers)}"
        folder.mkdir(parents=True)  # a job may have removed ours
        return folder

    def _remove_unused(self) -> None:
        """Remove what is not needed; how a step has failed stays known."""
        for identity, step in [*self._known.items()]:
            failed = step.outcome is not None and step.outcome.ending is not Ending.OK
            if not failed and not self._uses[identity] and identity not in self._last:
                del self._known[identity], self._uses[identity]
                if step.folder is not None:
                    self._remove(step.folder)
