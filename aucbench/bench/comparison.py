"""`compare`: make a plan from arguments and run it on this host, for use from Python."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from aucbench.bench.engines import make_engine
from aucbench.bench.plan.plan import Plan, choices
from aucbench.bench.results.convergence import Optima, flat_row
from aucbench.bench.results.export import flat
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.bench.runner import run
from aucbench.budget import GAP_TOL
from aucbench.reading import Reading
from aucbench.registry.specs import split_specs

if TYPE_CHECKING:
    from pandas import DataFrame


PLAIN_READING = Reading()


def compare(
    solvers: str | Iterable[str],
    data: str | Iterable[str],
    *,
    features: str | Iterable[str] = "auto",
    objective: str | None = None,
    projector: str | None = None,
    reading: Reading = PLAIN_READING,
    splits: int | None = None,
    repeats: int = 1,
    passes: float | None = None,
    seconds: float | None = None,
    gap_tol: float = GAP_TOL,
    seed: int = 0,
    tune: bool = False,
    timeout: float | None = None,
    memory: float | None = None,
    holdout: float | None = None,
    jobs: int | None = None,
    out: Path | None = None,
) -> Results:
    """Fit every solver on every split of every data set, each in its own process.

    Parameters
    ----------
    solvers : str or iterable of str
        Specifications as `sht-auc[k=50,blocks=4],logistic`. Use `aucbench.solve`
        for a solver that is not a plugin.
    data : str or iterable of str
        Specifications, files, or URLs with `#sha256=`.
    features : str or iterable of str
        Feature maps, fitted on the training rows; `maxabs+nystroem[rank=50]` applies the second
        after the first. Every solver runs with each of them.
    tune : bool
        Tune each solver over its published grid, on the training rows only.
    timeout, memory : float, optional
        Seconds of wall time and megabytes of a cell; see `Plan`.
    jobs : int, optional
        Cells that run at once. Default: the number of cores.
    out : Path, optional
        Folder that keeps the results; cells that are in it already are not run again.
    reading : Reading
        How data sets that are files are read, such as `Reading(target="outcome")`.
    objective, projector, splits, holdout, repeats, passes, seconds, gap_tol, seed :
        See `Plan`.

    Returns
    -------
    Results
        A tuple of `Record`: one for each cell, failed or not, in the order of the plan.

    Raises
    ------
    AucbenchError
        Before the first fit, when the arguments make no sense.
    """
    plan = Plan(
        _specs(data),
        choices(_specs(solvers), tune=tune),
        _specs(features),
        objective,
        projector,
        reading,
        splits,
        repeats,
        (seed,),
        passes,
        seconds,
        gap_tol,
        timeout=timeout,
        memory=memory,
        holdout=holdout,
    )
    with ExitStack() as stack:
        folder = out or Path(stack.enter_context(TemporaryDirectory(prefix="aucbench-"))) / "out"
        store = stack.enter_context(Store(folder, create=True))
        order = {cell: number for number, cell in enumerate(plan.cells())}
        found = run(plan, store, make_engine(jobs=jobs))
        return Results(sorted(found, key=lambda record: order[record.cell]))


class Results(tuple[Record, ...]):
    """The records of a comparison, in the order of its plan."""

    __slots__ = ()

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with a row for each cell and a column for each plain field.

        The columns are those of `--json`; hyperparameters, conditions and the machine have a
        column for each entry, such as `parameters.k`.
        """
        from pandas import DataFrame

        optima = Optima(self)
        return DataFrame([flat(flat_row(record, optima)) for record in self])


def _specs(given: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(split_specs(given) if isinstance(given, str) else given)
