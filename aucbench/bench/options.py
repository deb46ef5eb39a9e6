"""How a plan is run, and what is shown of its results: options of commands and of functions.

What is computed are the options of `aucbench.bench.plan.plan.Plan`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aucbench.errors import ParameterError, UnknownNameError, require_above, require_at_least

if TYPE_CHECKING:
    from aucbench.bench.engines import Engine
    from aucbench.bench.plan.plan import Plan

TIMED_FITS = 5  # of a cell under --timing, when the plan does not ask for more
SLURM = "slurm"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a plan is run. These options do not change the results of cells.

    Attributes
    ----------
    out : Path, optional
        Folder that keeps the results; cells that are in it already are not run again.
    timeout : float, optional
        Seconds of wall time after which a cell is killed; 0: never. [default: that of the plan,
        or 3600]
    memory : float, optional
        Megabytes that a cell may take beyond an idle one.
    jobs : int, optional
        Cells at once. [default: as many as cores, for local]
    threads : int
        Threads of aucbench, BLAS and OpenMP in each cell.
    engine : str
        local, slurm, or dask=ADDRESS with the address of a dask scheduler.
    cells_per_job : int, optional
        Cells that one job of SLURM runs. [default: 20]
    retry : tuple of str
        Statuses that are computed again, such as error,crash.
    timing : bool
        One cell at a time, kept to its cores and fitted 5 times.
    minutes : float, optional
        Minutes of wall time after which the run ends; cells that are missing then are run by the
        same command again.
    quiet : bool
        Show no progress on stderr.
    """

    out: Path | None = None
    timeout: float | None = None
    memory: float | None = None
    jobs: int | None = None
    threads: int = 1
    engine: str = "local"
    cells_per_job: int | None = None
    retry: tuple[str, ...] = ()
    timing: bool = False
    minutes: float | None = None
    quiet: bool = False

    def __post_init__(self) -> None:
        from aucbench.records import CellStatus

        known = [status.value for status in CellStatus]
        for status in self.retry:
            if status not in known:
                raise UnknownNameError("status in --retry", status, known)
        if self.timing and self.jobs not in (None, 1):
            raise ParameterError(
                f"--timing runs one cell at a time, got --jobs {self.jobs}; leave one of them out"
            )
        require_above(0, minutes=self.minutes, memory=self.memory)
        require_at_least(0, timeout=self.timeout)
        if self.minutes is not None:
            self.require_present("--minutes")

    @property
    def seconds(self) -> float | None:
        """The limit of the run in seconds."""
        return None if self.minutes is None else 60 * self.minutes

    def require_present(self, option: str) -> None:
        """Raise `ParameterError` if an option asks for cells that run while the command does."""
        if self.engine == SLURM:
            raise ParameterError(
                f"{option} counts the time of this command, and jobs of SLURM wait in its queue "
                "for as long as they have to; leave it out, or run with --engine local"
            )

    def limit(self, plan: Plan) -> Plan:
        """Return a plan with these limits in place of its own."""
        return replace(
            plan,
            timeout=plan.timeout if self.timeout is None else self.timeout,
            memory=plan.memory if self.memory is None else self.memory,
            repeat_fits=max(plan.repeat_fits, TIMED_FITS) if self.timing else plan.repeat_fits,
        )

    def make_engine(self) -> Engine:
        """Return the engine of the run."""
        from aucbench.bench.engines import make_engine

        return make_engine(
            self.engine,
            jobs=1 if self.timing else self.jobs,
            threads=self.threads,
            folder=self.out,
            cells_per_job=self.cells_per_job,
        )


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What is shown of results.

    Attributes
    ----------
    metrics : tuple of str
        auc, ap, pauc[max_fpr=.1], precision[k=10], recall[k=10], brier, log-loss, or what
        `list metrics` shows, from the stored scores; the verdict is on the first one; repeatable.
        [default: that of the pairs, which of all pairs is auc]
    reference : str, optional
        Solver with which each other one is compared. [default: logistic, if it takes part]
    rope : float
        Differences of the measure up to this size are practically zero.
    level : float
        Level of the intervals.
    mixed : bool
        Compare times of different hosts, threads or concurrency.
    """

    metrics: tuple[str, ...] = field(default=(), metadata={"whole": True})
    reference: str | None = None
    rope: float = 0.005
    level: float = 0.95
    mixed: bool = False

    def __post_init__(self) -> None:
        texts = (self.metrics,) if isinstance(self.metrics, str) else tuple(self.metrics)
        object.__setattr__(self, "metrics", texts)
