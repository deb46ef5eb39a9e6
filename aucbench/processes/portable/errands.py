"""A job that runs, and the steps that were done for it and for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event

from aucbench.processes.portable.kept import FileKept
from aucbench.processes.records import Ending, Job, Outcome, Step, plain

LOOK = 0.1  # seconds between two looks whether a job was withdrawn


class WithdrawnError(Exception):
    """The client has killed the job."""


@dataclass(slots=True, eq=False)
class Errand:
    """A job, its request and those of its steps as text, and what was handed over for it."""

    job: Job
    requests: Mapping[str | None, bytes]  # by the keys of its steps; None: of the job
    handed: dict[str, Mapping[str, bytes]] = field(default_factory=dict)
    withdrawn: Event = field(default_factory=Event)

    @staticmethod
    def of(job: Job) -> Errand:
        """Return the errand of a job; `TypeError` or `ValueError`: a request is not JSON."""
        texts: dict[str | None, bytes] = {step.key: plain(step.request) for step in job.steps}
        return Errand(job, {None: plain(job.request), **texts})

    def require(self) -> None:
        """Raise `WithdrawnError` when the client has killed the job."""
        if self.withdrawn.is_set():
            raise WithdrawnError


@dataclass(frozen=True, slots=True)
class Done:
    """How a step has ended, and what it has kept."""

    outcome: Outcome
    kept: FileKept = field(default_factory=FileKept)


class Steps:
    """The steps of all jobs, by their identities; each is done once.

    Methods may be called from several threads.
    """

    def __init__(self) -> None:
        self._change = Condition()
        self._known: dict[str, Done | None] = {}  # None: a job does it at the moment
        self._killed: set[str] = set()  # identities of those that were killed once
        self._uses: Counter[Path] = Counter()  # jobs that have each file
        self._dropped: set[Path] = set()  # files that nobody will ask for any more

    def done(self, step: Step, errand: Errand, do: Callable[[], Done]) -> Done:
        """Return how a step has ended; do it if no job has. `release` what it has kept later."""
        while True:
            with self._change:
                if (known := self._waited_for(step.identity, errand)) is not None:
                    self._uses.update(_files(known))
                    return known
                self._known[step.identity] = None
            done = None
            try:
                done = do()
            finally:
                self._settle(step.identity, done)

    def release(self, some: Mapping[str, FileKept]) -> None:
        """Say that a job has ended which had these; remove what nobody needs any more."""
        with self._change:
            for path in [one.path for one in some.values() if one.path]:
                self._uses[path] -= 1
                self._remove_if_unused(path)

    def forget(self, identity: str) -> None:
        """Let go what a step has kept; a later job does it again. A failure stays known."""
        with self._change:
            known = self._known.get(identity)
            if known is not None and known.outcome.ending is Ending.OK:
                del self._known[identity]
                for path in _files(known):
                    self._dropped.add(path)
                    self._remove_if_unused(path)

    def _waited_for(self, identity: str, errand: Errand) -> Done | None:
        """Wait while another job does a step; None: it is to be done. The caller has the lock."""
        while identity in self._known and self._known[identity] is None:
            self._change.wait(LOOK)
            errand.require()
        return self._known.get(identity)

    def _settle(self, identity: str, done: Done | None) -> None:
        """Note how a step has ended; it is done once more if it was killed, or its job was."""
        with self._change:
            if done is None or (done.outcome.killed and identity not in self._killed):
                self._killed.update([] if done is None else [identity])
                del self._known[identity]
            else:
                self._known[identity] = done
            self._change.notify_all()

    def _remove_if_unused(self, path: Path) -> None:
        if path in self._dropped and not self._uses[path]:
            self._dropped.discard(path)
            del self._uses[path]
            with suppress(OSError):  # Windows keeps a file that is open; it goes with the folder
                path.chmod(0o600)
                path.unlink()


def _files(done: Done) -> list[Path]:
    return [done.kept.path] if done.kept.path else []
