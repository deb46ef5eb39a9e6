"""Options that `run` and `compare` share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from aucbench.bench.engines import Engine
    from aucbench.bench.plan.plan import Plan
    from aucbench.stats import Measure

TIMED_FITS = 5  # of a cell under --timing, when the plan does not ask for more

Texts = list[str] | None
Timeout = Annotated[
    float | None, typer.Option(help="Seconds of wall time after which a cell is killed.")
]
Memory = Annotated[
    float | None, typer.Option(help="Megabytes that a cell may take beyond an idle one.")
]
Jobs = Annotated[
    int | None, typer.Option(help="Cells at once. [default: as many as cores, for local]")
]
Threads = Annotated[int, typer.Option(help="Threads of BLAS and OpenMP in each cell.")]
EngineName = Annotated[str, typer.Option(help="local, dask or slurm.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of a dask scheduler.")]
CellsPerJob = Annotated[
    int | None, typer.Option(help="Cells that one job of SLURM runs. [default: 20]")
]
Retry = Annotated[
    Texts, typer.Option(help="Statuses that are computed again, such as error,crash.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")]
Timing = Annotated[
    bool, typer.Option("--timing", help=f"One cell at a time, each fitted {TIMED_FITS} times.")
]
MetricNames = Annotated[
    Texts,
    typer.Option(
        "--metrics",
        help="Also ap, pauc[max_fpr=.1], precision[k=10] or recall[k=10], from the stored scores; "
        "repeatable.",
    ),
]


@dataclass(frozen=True, slots=True)
class Options:
    """How a plan is run. These options do not change the results of cells."""

    jobs: int | None = None
    threads: int = 1
    engine: str = "local"
    scheduler: str | None = None
    cells_per_job: int | None = None
    retry: tuple[str, ...] = ()
    quiet: bool = False
    timing: bool = False

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

    def make_engine(self, folder: Path | None) -> Engine:
        """Engine for results that are kept in `folder`; None: they are not kept."""
        from aucbench.bench.engines import make_engine

        return make_engine(
            self.engine,
            jobs=1 if self.timing else self.jobs,
            threads=self.threads,
            scheduler=self.scheduler,
            folder=folder,
            cells_per_job=self.cells_per_job,
        )


def limited(
    plan: Plan, timeout: float | None, memory: float | None, *, timing: bool = False
) -> Plan:
    """Plan with the limits of the command line in place of its own."""
    fits = max(plan.repeat_fits, TIMED_FITS) if timing else plan.repeat_fits
    return replace(
        plan,
        timeout=plan.timeout if timeout is None else timeout,
        memory=plan.memory if memory is None else memory,
        repeat_fits=fits,
    )


def measures(texts: Texts) -> tuple[Measure, ...]:
    """Return the measures that --metrics names, each once; errors are those of `measure`."""
    if not texts:
        return ()  # the imports below take time
    from aucbench.registry.specs import split_specs
    from aucbench.stats import measure

    return tuple(dict.fromkeys(measure(spec) for text in texts for spec in split_specs(text)))


def entries(option: str, texts: Texts) -> tuple[str, ...]:
    """Return the entries of an option that can be repeated and takes commas.

    Raises
    ------
    ParameterError
        When an entry is empty.
    """
    found = [part.strip() for text in texts or () for part in text.split(",")]
    if "" in found:
        raise ParameterError(f"--{option} has an empty entry; write it like --{option} a,b")
    return tuple(found)
