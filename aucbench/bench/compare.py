"""Run a plan in this process, one cell after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

from aucbench.bench.cell import Row, Split, fit, prepare
from aucbench.bench.plan import Cell, Plan, Settings, make_plan
from aucbench.data import Data
from aucbench.protocols import Solver


def compare(
    solvers: str | Iterable[str | Solver],
    data: str | Iterable[str | tuple[str, Data]],
    *,
    preprocess: str = "maxabs",
    objective: str | None = None,
    projector: str | None = None,
    positive: Any = None,
    drop: Sequence[str | int] = (),
    splits: int = 5,
    repeats: int = 1,
    passes: float | None = None,
    seconds: float | None = None,
    gap_tol: float = 1e-6,
    seed: int = 0,
) -> tuple[Row, ...]:
    """Fit every solver on every stratified split of every data set.

    Parameters
    ----------
    solvers : str or iterable of str or Solver
        Specifications as `sht-auc[k=50,blocks=4],logistic`, or solvers, named by their repr.
    data : str or iterable of str or (str, Data)
        Specifications, files, URLs with `#sha256=`, or named `Data`.
    positive : label or list of labels, optional
        Which labels of files are positive, in place of the catalogue's choice.
    drop : sequence of names or numbers
        Columns of files left out, in place of the catalogue's choice.
    preprocess, objective, projector, splits, repeats, passes, seconds, gap_tol, seed :
        See `Settings`.

    Returns
    -------
    tuple of Row
        One for each cell, whatever happened to it: data set, repeat, split, solver.

    Raises
    ------
    AucbenchError
        Before the first fit, when the arguments make no sense.
    """
    settings = Settings(
        preprocess=preprocess,
        objective=objective,
        projector=projector,
        splits=splits,
        repeats=repeats,
        passes=passes,
        seconds=seconds,
        gap_tol=gap_tol,
        seed=seed,
    )
    return tuple(run(make_plan(solvers, data, settings, positive=positive, drop=drop)))


def run(plan: Plan) -> Iterator[Row]:
    """Yield the row of each cell as it ends."""

    @lru_cache(maxsize=1)
    def split_of(dataset: str, repeat: int, split: int) -> Split:
        cell = Cell("", dataset, repeat, split, plan.settings.seed + repeat)
        return prepare(cell, plan.data[dataset], plan.features, plan.settings)

    for cell in plan.cells:
        rows = partial(split_of, cell.dataset, cell.repeat, cell.split)
        yield fit(cell, plan.solvers[cell.solver], rows, plan.settings)
