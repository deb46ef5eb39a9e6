"""Supervised jobs on this host."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from aucbench.processes import Supervisor
from aucbench.processes.records import Job, Outcome, Step

# What a supervisor of cells imports before it forks. The last one imports all of it; between
# two of them the warm process notices that its client has ended.
PRELOAD = ("numpy", "scipy.linalg", "aucbench.bench.worker.warm")

FOLDERS = ("AUCBENCH_CACHE", "AUCBENCH_DATA")  # variables that name folders with labels
HIDDEN = (*FOLDERS, "OLDPWD", "PWD")  # from cells: these may lead to a file of the user


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Runs jobs with one supervisor on this host.

    Parameters
    ----------
    jobs : int
        Jobs that run at once.
    threads : int
        Threads of aucbench, BLAS and OpenMP in each of them.
    supervisor : Supervisor, optional
        An open supervisor, which this engine does not close; by default each run opens one.
    """

    jobs: int = 1
    threads: int = 1
    supervisor: Supervisor | None = None

    def on(self, supervisor: Supervisor) -> LocalEngine:
        """Return this engine with an open supervisor."""
        return replace(self, supervisor=supervisor)

    def open(self) -> Supervisor:
        """Open a supervisor for this engine."""
        return Supervisor(threads=self.threads, preload=PRELOAD, hidden=HIDDEN)

    def run(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Outcome]]:
        """Yield (id, outcome) as the jobs end; closing the generator kills running jobs.

        The first jobs run when this returns.
        """
        outcomes = self._outcomes(iter(jobs))
        next(outcomes)
        return outcomes  # type: ignore[return-value] # None comes first only

    def _outcomes(
        self, jobs: Iterator[tuple[str, Job]]
    ) -> Generator[tuple[str, Outcome] | None, None, None]:
        """Yield None when the first jobs run, and then their outcomes."""
        given = self.supervisor
        opened: AbstractContextManager[Supervisor] = nullcontext(given) if given else self.open()
        with opened as supervisor:
            slots = _Slots(supervisor, jobs, self.jobs)
            try:
                slots.fill()
                yield None
                while slots.running:
                    # `ended` starts other jobs first, so that they run while the caller works.
                    yield from slots.ended()
            finally:
                slots.kill()


class _Slots:
    """The running jobs, and the steps whose folders exist."""

    def __init__(self, supervisor: Supervisor, waiting: Iterator[tuple[str, Job]], count: int):
        self._supervisor, self._waiting, self._count = supervisor, waiting, count
        self.running: dict[int, tuple[str, Job]] = {}
        self._kept: dict[str, Step] = {}  # steps whose folders exist, by identity
        self._last: tuple[Step, ...] = ()

    def fill(self) -> None:
        """Start jobs until all slots are taken, and remove steps that are not needed any more."""
        while len(self.running) < self._count:
            job = next(self._waiting, None)
            if job is None:
                break
            self.running[self._supervisor.submit(job[1])] = job
            self._last = job[1].steps
            self._kept |= {step.identity: step for step in job[1].steps}
        self._forget()

    def ended(self) -> list[tuple[str, Outcome]]:
        """Wait for jobs to end and start others in their place."""
        done = [(self.running.pop(t)[0], outcome) for t, outcome in self._supervisor.wait()]
        self.fill()
        return done

    def kill(self) -> None:
        """End all running jobs."""
        for ticket in self.running:
            self._supervisor.kill(ticket)

    def _forget(self) -> None:
        # Jobs that share a step follow one another. So a step is not needed any more when
        # neither a running job nor the last one uses it. Without this, all splits of all data
        # sets of a plan would stay on the disk until the end.
        used = {s.identity for _, job in self.running.values() for s in job.steps}
        used |= {step.identity for step in self._last}
        for identity in self._kept.keys() - used:
            self._supervisor.forget(self._kept.pop(identity))
