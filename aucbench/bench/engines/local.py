"""Supervised jobs on this host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from aucbench.infra.supervise import Supervisor
from aucbench.infra.supervise.records import Job, Outcome, Step

# What a supervisor of cells imports before it forks. The last one imports all of it; between
# two of them the warm process notices that its client has ended.
PRELOAD = ("numpy", "scipy.linalg", "sklearn.linear_model", "aucbench.fit.warm")


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """One supervisor, and at most so many jobs at once.

    Parameters
    ----------
    jobs : int
        Jobs that run at once.
    threads : int
        Threads of BLAS and OpenMP in each of them.
    supervisor : Supervisor, optional
        One that is open, and stays so; by default each run opens its own.
    """

    jobs: int = 1
    threads: int = 1
    supervisor: Supervisor | None = None

    def on(self, supervisor: Supervisor) -> LocalEngine:
        """Return this engine over a supervisor that is open."""
        return replace(self, supervisor=supervisor)

    def open(self) -> Supervisor:
        """Return a supervisor as this engine needs it."""
        return Supervisor(threads=self.threads, preload=PRELOAD)

    def run(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Outcome]]:
        """Yield (id, outcome) as the jobs end; closing the generator kills what runs."""
        given = self.supervisor
        opened: AbstractContextManager[Supervisor] = nullcontext(given) if given else self.open()
        with opened as supervisor:
            slots = _Slots(supervisor, iter(jobs), self.jobs)
            try:
                slots.fill()
                while slots.running:
                    # Filled before the yield: no slot stands empty while the caller writes.
                    yield from slots.ended()
            finally:
                slots.kill()


class _Slots:
    """What runs, and the steps that it needs."""

    def __init__(self, supervisor: Supervisor, waiting: Iterator[tuple[str, Job]], count: int):
        self._supervisor, self._waiting, self._count = supervisor, waiting, count
        self.running: dict[int, tuple[str, Job]] = {}
        self._kept: dict[str, Step] = {}  # steps whose folders are there, by identity
        self._last: tuple[Step, ...] = ()

    def fill(self) -> None:
        """Start jobs until all slots are taken, and remove rows that nobody needs any more."""
        while len(self.running) < self._count:
            job = next(self._waiting, None)
            if job is None:
                break
            self.running[self._supervisor.submit(job[1])] = job
            self._last = job[1].steps
            self._kept |= {step.identity: step for step in job[1].steps}
        self._forget()

    def ended(self) -> list[tuple[str, Outcome]]:
        """Wait for jobs to end and put others in their place."""
        done = [(self.running.pop(t)[0], outcome) for t, outcome in self._supervisor.wait()]
        self.fill()
        return done

    def kill(self) -> None:
        """End what runs."""
        for ticket in self.running:
            self._supervisor.kill(ticket)

    def _forget(self) -> None:
        # Jobs of one split are neighbours, so a step that neither a running job nor the last
        # one uses is over; without this a plan would keep every split of its data on disk.
        used = {s.identity for _, job in self.running.values() for s in job.steps}
        used |= {step.identity for step in self._last}
        for identity in self._kept.keys() - used:
            self._supervisor.forget(self._kept.pop(identity))
