"""Tuning of a cell: its grid, inner folds of its training rows, and its limits.

Every solver gets the same number of points, or its whole grid if that is smaller. Results of a cell
with a limit of seconds depend on the load, those with a limit of work do not. Its record says how
far the search has come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from aucbench.bench.cell import Cell
from aucbench.bench.worker.build import points_of
from aucbench.bench.worker.features import Refitted
from aucbench.bench.worker.measure import fit
from aucbench.bench.worker.plain import canonical_json, message
from aucbench.contract import Solver
from aucbench.data import Data
from aucbench.data.arrays import Index
from aucbench.data.folds import Split, drawn_few, rarest
from aucbench.errors import DataError, ParameterError
from aucbench.optim.trials import Fit, Fitting, Trial, first_best, try_on_folds
from aucbench.solving.halving import MOST_ROWS, Halving, Search, in_order, rungs_of
from aucbench.solving.points import chains
from aucbench.solving.tuning import fit_and_judge

JUDGES = 5  # held rows of a fold, for each row of a fit of a search
Build = Callable[[Mapping[str, Any]], Solver]
Point = Trial[Mapping[str, Any], Fit]


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result of tuning."""

    point: Mapping[str, Any] | None  # the chosen hyperparameters; None when every point failed
    seconds: float  # time inside the solver, for all points and folds, plus `map_seconds`
    map_seconds: float  # time inside the feature maps of inner folds; 0 when the map is shared
    # A row for each point in the order of the grid, see `_row`; one that failed is not tried on the
    # folds that follow.
    table: tuple[dict[str, Any], ...]
    search: Search | None = None  # within a limit of work or of seconds

    @property
    def best(self) -> Mapping[str, Any]:
        """The chosen hyperparameters."""
        if self.point is None:
            raise ParameterError(
                f"none of the {len(self.table)} points of the grid could be fitted, the first "
                f"because of {self.table[0]['reason']}; give another grid"
            )
        return self.point

    def to_json(self) -> dict[str, Any]:
        """Return the chosen hyperparameters, the seconds of feature maps and the table."""
        chosen = canonical_json(self.point)
        plain = {"chosen": chosen, "map_seconds": self.map_seconds, "table": [*self.table]}
        return plain if self.search is None else {**plain, "search": asdict(self.search)}


def tune(cell: Cell, build: Build, train: Data, refit: Refitted | None = None) -> Tuned:
    """Try points of the grid on inner folds and choose the first with the highest mean AUC.

    A grid of one point is not tried, since there is nothing to choose.
    """
    points = points_of(cell)
    trials = [Point(point.values) for point in points]
    fitted = partial(fit_and_judge, build, partial(fit, cell))
    search = None
    if len(points) > 1 and (cell.tune_seconds is not None or cell.tune_work is not None):
        search = halved(trials, cell, train, fitted, refit).search()
    elif len(points) > 1:
        path = build({}).needs.path
        ordered = [[trials[j] for j in chain] for chain in chains(points, path)]
        splits = inner_splits(train, cell)
        try_on_folds(ordered, splits, lambda split: _mapped(train, *split, refit), fitted)
    best = first_best(trials)
    map_seconds = refit.clock.seconds if refit else 0.0
    return Tuned(
        None if best is None else best.point,
        sum(trial.seconds for trial in trials) + map_seconds,
        map_seconds,
        tuple(map(_row, trials)),
        search,
    )


def halved(
    trials: Sequence[Point],
    cell: Cell,
    train: Data,
    fitted: Fitting[Any, tuple[Data, Data], Fit],
    refit: Refitted | None = None,
) -> Halving:
    """Return the search within the limit of a cell: its seconds if there are any, or its work."""
    folds = inner_splits(train, cell)
    strata = train.target.strata
    orders = [tuple(part[in_order(strata[part], cell.seed)] for part in split) for split in folds]

    def folded(fold: int, rows: int) -> tuple[Data, Data]:
        rest, held = orders[fold]
        return _mapped(
            train, np.sort(rest[:rows]), np.sort(held[: min(JUDGES * rows, MOST_ROWS)]), refit
        )

    fewest, rare = min(rest.size for rest, _ in folds), rarest(train)[0]
    stored = max(1, train.rows.stored.size // train.n)  # numbers of a row, without its zeros
    rungs = rungs_of(fewest, stored, rare * fewest // train.n, len(folds))
    timed = cell.tune_seconds is not None
    limit = cell.tune_seconds if timed else cell.tune_work
    assert limit is not None
    return Halving(trials, rungs, folded, fitted, limit, train.n, timed=timed)


def _mapped(train: Data, rest: Index, held: Index, refit: Refitted | None) -> tuple[Data, Data]:
    return refit(rest, held) if refit else (train.take(rest), train.take(held))


def inner_splits(train: Data, cell: Cell) -> list[Split]:
    """Return (rest, held) of each fold: no more folds than the rarer class has rows."""
    least, what = rarest(train)
    if least < 2:
        raise DataError(
            f"tuning needs two training rows of each kind, this split has {least} {what}; "
            "take the solver without tuning"
        )
    try:
        return drawn_few(train, cell.inner_splits, cell.seed)
    except DataError as error:  # groups or times leave no fold with both classes
        raise DataError(f"tuning cannot divide the training rows: {error}") from error


def _row(trial: Point) -> dict[str, Any]:
    reason = trial.failure
    error = reason if isinstance(reason, BaseException) else None
    levels = {"levels": trial.levels} if trial.levels else {}
    return {
        "parameters": canonical_json(trial.point),
        "status": "ok" if trial.ok else "invalid" if error is None else "error",
        "reason": reason if error is None else message(error),
        "error_type": None if error is None else type(error).__name__,
        "auc": trial.mean,
        "aucs": trial.scores,
        "seconds": trial.seconds,
        **levels,
    }
