"""Tuning of a cell: its grid, inner folds of its training rows, and its limits.

Every solver gets the same number of points, or its whole grid if that is smaller. (Rejected: the
same number of seconds. Results would depend on the load.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from aucbench.bench.cell import Cell
from aucbench.bench.worker.build import points_of
from aucbench.bench.worker.features import Refitted
from aucbench.bench.worker.measure import fit
from aucbench.bench.worker.plain import canonical_json, message
from aucbench.data import Data
from aucbench.data.folds import drawn_few, rarest
from aucbench.errors import DataError, ParameterError
from aucbench.protocols import Solver
from aucbench.solving.points import chains
from aucbench.solving.tuning import Trial, first_best, try_on_folds

Build = Callable[[Mapping[str, Any]], Solver]


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result of tuning."""

    point: Mapping[str, Any] | None  # the chosen hyperparameters; None when every point failed
    seconds: float  # time inside the solver, for all points and folds, plus `map_seconds`
    map_seconds: float  # time inside the feature maps of inner folds; 0 when the map is shared
    # A row for each point in the order of the grid, see `_row`; one that failed is not tried on the
    # folds that follow.
    table: tuple[dict[str, Any], ...]

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
        return {"chosen": chosen, "map_seconds": self.map_seconds, "table": [*self.table]}


def tune(cell: Cell, build: Build, train: Data, refit: Refitted | None = None) -> Tuned:
    """Try points of the grid on inner folds and choose the first with the highest mean AUC.

    A grid of one point is not tried, since there is nothing to choose.
    """
    points = points_of(cell)
    trials = [Trial(point.values, build) for point in points]
    if len(points) > 1:
        path = getattr(build({}).needs, "path", None)
        ordered = [[trials[j] for j in chain] for chain in chains(points, path)]
        try_on_folds(ordered, inner_folds(train, cell, refit), partial(fit, cell))
    best, map_seconds = first_best(trials), refit.clock.seconds if refit else 0.0
    return Tuned(
        None if best is None else best.values,
        sum(trial.seconds for trial in trials) + map_seconds,
        map_seconds,
        tuple(map(_row, trials)),
    )


def inner_folds(
    train: Data, cell: Cell, refit: Refitted | None = None
) -> Iterator[tuple[Data, Data]]:
    """Yield (rest, held) for each drawn fold.

    There are no more folds than the rarer class has rows.
    """
    least, what = rarest(train)
    if least < 2:
        raise DataError(
            f"tuning needs two training rows of each kind, this split has {least} {what}; "
            "take the solver without tuning"
        )
    try:
        folds = [*drawn_few(train, cell.inner_splits, cell.seed)]
    except DataError as error:  # groups or times leave no fold with both classes
        raise DataError(f"tuning cannot divide the training rows: {error}") from error
    for rest, held in folds:
        yield refit(rest, held) if refit else (train.take(rest), train.take(held))


def _row(trial: Trial) -> dict[str, Any]:
    error = trial.error
    return {
        "parameters": canonical_json(trial.values),
        "status": "ok" if trial.ok else "invalid" if error is None else "error",
        "reason": trial.fault if error is None else message(error),
        "error_type": None if error is None else type(error).__name__,
        "auc": trial.auc,
        "aucs": list(trial.aucs),
        "seconds": trial.seconds,
    }
