"""Supervised jobs on this host."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from aucbench.processes import Job, Outcome, Supervisor
from aucbench.processes.isolated import ends

# What cells find imported. The last one imports all of it.
PRELOAD = ("numpy", "scipy.linalg", "aucbench.bench.worker.warm")


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Runs jobs with one supervisor on this host."""

    jobs: int = 1  # jobs that run at once
    threads: int = 1  # threads of aucbench, BLAS and OpenMP in each of them
    supervisor: Supervisor | None = None  # an open one, which stays open; else each run opens one

    def open(self, further: Iterable[str] = ()) -> Supervisor:
        """Open a supervisor for this engine, whose jobs find further modules imported."""
        return Supervisor(threads=self.threads, preload=(*PRELOAD, *further))

    @contextmanager
    def opened(self, further: Iterable[str] = ()) -> Iterator[LocalEngine]:
        """Yield this engine with an open supervisor: its own one, or a new one for the context."""
        if self.supervisor is not None:
            yield self
            return
        with self.open(further) as supervisor:
            yield replace(self, supervisor=supervisor)

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
        with self.opened() as engine:
            assert engine.supervisor is not None
            with closing(ends(engine.supervisor, jobs, self.jobs)) as outcomes:
                next(outcomes)
                yield None
                for ended in outcomes:  # others run meanwhile, while the caller works
                    yield from ended
