"""Supervised jobs on this host."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace

from aucbench.processes import Supervisor, open_supervisor
from aucbench.processes.isolated import ends
from aucbench.processes.records import Job, Outcome, Step

# What a supervisor of cells imports before it forks. The last one imports all of it; between
# two of them the warm process notices that its client has ended.
PRELOAD = ("numpy", "scipy.linalg", "aucbench.bench.worker.warm")

FOLDERS = ("AUCBENCH_CACHE", "AUCBENCH_DATA")  # variables that name folders with labels
HIDDEN = (*FOLDERS, "OLDPWD", "PWD")  # from cells: these may lead to a file of the user


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Runs jobs with one supervisor on this host."""

    jobs: int = 1  # jobs that run at once
    threads: int = 1  # threads of aucbench, BLAS and OpenMP in each of them
    supervisor: Supervisor | None = None  # an open one, which stays open; else each run opens one

    def on(self, supervisor: Supervisor) -> LocalEngine:
        """Return this engine with an open supervisor."""
        return replace(self, supervisor=supervisor)

    def open(self) -> Supervisor:
        """Open a supervisor for this engine."""
        return open_supervisor(threads=self.threads, preload=PRELOAD, hidden=HIDDEN)

    @contextmanager
    def opened(self) -> Iterator[Supervisor]:
        """Open a supervisor for the context, unless this engine has one."""
        known = self.supervisor
        with nullcontext(known) if known else self.open() as supervisor:
            yield supervisor

    def run(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Outcome]]:
        """Yield (id, outcome) as the jobs end; closing the generator kills running jobs.

        The first jobs run when this returns.
        """
        outcomes = self._outcomes(jobs)
        next(outcomes)
        return outcomes  # type: ignore[return-value] # None comes first only

    def _outcomes(
        self, jobs: Iterable[tuple[str, Job]]
    ) -> Generator[tuple[str, Outcome] | None, None, None]:
        """Yield None when the first jobs run, and then their outcomes."""
        with self.opened() as supervisor:
            steps = _Steps(supervisor)
            with closing(ends(supervisor, steps.noted(jobs), self.jobs)) as outcomes:
                next(outcomes)
                yield None
                for ended in outcomes:  # others run meanwhile, while the caller works
                    steps.forget(key for key, _ in ended)
                    yield from ended


class _Steps:
    """The steps of the jobs that run, and those that were kept."""

    def __init__(self, supervisor: Supervisor):
        self._supervisor = supervisor
        self._running: dict[str, tuple[Step, ...]] = {}  # by the key of the job
        self._kept: dict[str, Step] = {}  # by identity
        self._last: tuple[Step, ...] = ()

    def noted(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Job]]:
        """Yield jobs as they are started, and note their steps."""
        for key, job in jobs:
            self._last = self._running[key] = job.steps
            self._kept |= {step.identity: step for step in job.steps}
            yield key, job

    def forget(self, ended: Iterable[str]) -> None:
        """Let go what is not needed any more, since these jobs have ended."""
        # Jobs that share a step follow one another. So a step is not needed any more when
        # neither a running job nor the last one uses it. Without this, all splits of all data
        # sets of a plan would stay in memory until the end.
        for key in ended:
            self._running.pop(key, None)
        used = {s.identity for some in (*self._running.values(), self._last) for s in some}
        for identity in self._kept.keys() - used:
            self._supervisor.forget(self._kept.pop(identity))
