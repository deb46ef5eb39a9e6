"""Tuning: find the best point of a grid by stratified folds of the training rows alone.

Design
  a. Every solver gets the same number of points, `tune_evals`, or its whole grid if that is
     smaller. (Rejected: the same number of seconds. Results would depend on the load.)
  b. Folds are the outer loop, so that the rows of one fold are in memory at a time.
  c. The feature map is fitted again for each inner fold, unless it declares that it may be
     shared (see `features`). It never sees a test row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter
from typing import Any

from aucbench.bench.cell import Cell
from aucbench.bench.worker.features import Refitted
from aucbench.bench.worker.grid import points_of
from aucbench.bench.worker.measure import auc_or_none, fit, invalid
from aucbench.bench.worker.plain import canonical_json, message
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.folds import drawn_few, rarest
from aucbench.errors import DataError, ParameterError
from aucbench.protocols import Solver
from aucbench.solving.points import chains

Build = Callable[[Mapping[str, Any]], Solver]


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result of tuning.

    Attributes
    ----------
    point : mapping of str to value, or None
        The chosen hyperparameters; None when every point failed.
    seconds : float
        Time inside the solver, for all points and folds, plus `map_seconds`.
    map_seconds : float
        Time inside the feature maps of inner folds; 0 when the map is shared.
    table : tuple of dict
        A row for each point in the order of the grid: parameters, status ("ok", "error" or
        "invalid"; a point that failed is not tried on the folds that follow), reason,
        error_type, auc (mean over the inner folds), aucs, seconds.
    """

    point: Mapping[str, Any] | None
    seconds: float
    map_seconds: float
    table: tuple[dict[str, Any], ...]

    @property
    def best(self) -> Mapping[str, Any]:
        """The chosen hyperparameters.

        Raises
        ------
        ParameterError
            When every point failed.
        """
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

    Parameters
    ----------
    cell : Cell
        Solver, grid, seed, number of points and folds; the budget of each inner fit.
    build : function (point) -> Solver
    train : Data
        The training rows of the cell, mapped.
    refit : Refitted, optional
        Makes the rows of each fold where the map is not shared.

    Raises
    ------
    DataError, PluginError
        As `inner_folds`.
    ParameterError, PluginError
        As `points_of`.
    """
    points = points_of(cell)
    trials = [_Trial(point.values) for point in points]
    if len(points) > 1:
        path = getattr(build({}).needs, "path", None)
        ordered = [[trials[j] for j in chain] for chain in chains(points, path)]
        for rest, held in inner_folds(train, cell, refit):
            for chain in ordered:
                _walk(cell, build, chain, rest, held)
    return _best_point(trials, refit.clock.seconds if refit else 0.0)


def inner_folds(
    train: Data, cell: Cell, refit: Refitted | None = None
) -> Iterator[tuple[Data, Data]]:
    """Yield (rest, held) for each drawn fold.

    There are no more folds than the rarer class has rows.

    Raises
    ------
    DataError
        When there are fewer than two rows, or rows of a class; as `refit`.
    PluginError
        As `refit`.
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


@dataclass(slots=True)
class _Trial:
    """A point of the grid, and the results of its inner fits so far."""

    point: Mapping[str, Any]
    aucs: list[float] = field(default_factory=list)
    seconds: float = 0.0
    status: str = "ok"
    reason: str | None = None
    error_type: str | None = None

    @property
    def auc(self) -> float | None:
        return fmean(self.aucs) if self.status == "ok" and self.aucs else None

    @property
    def row(self) -> dict[str, Any]:
        return {
            "parameters": canonical_json(self.point),
            "status": self.status,
            "reason": self.reason,
            "error_type": self.error_type,
            "auc": self.auc,
            "aucs": list(self.aucs),
            "seconds": self.seconds,
        }


def _best_point(trials: Sequence[_Trial], map_seconds: float) -> Tuned:
    valid = [trial for trial in trials if trial.status == "ok"]
    best = max(valid, key=lambda trial: trial.auc or 0.0, default=None)
    return Tuned(
        None if best is None else best.point,
        sum(trial.seconds for trial in trials) + map_seconds,
        map_seconds,
        tuple(trial.row for trial in trials),
    )


def _walk(cell: Cell, build: Build, chain: Sequence[_Trial], rest: Data, held: Data) -> None:
    """Fit the trials that did not fail yet, each from the weights of the one before it."""
    w: Vector | None = None
    for trial in chain:
        if trial.status == "ok":
            w = _tried(cell, build, trial, rest, held, w)


def _tried(
    cell: Cell, build: Build, trial: _Trial, rest: Data, held: Data, w0: Vector | None
) -> Vector | None:
    """Fit one trial on one fold and keep the result; return valid weights, else None."""
    begin = perf_counter()
    try:
        run, problem = fit(cell, build(trial.point), rest, w0=w0)
        fault = invalid(run, problem)
        score = None if fault else auc_or_none(held, run.decision_function(held.rows))
    except MemoryError:  # this ends the cell, because its limit of memory holds for all points
        raise
    except (Exception, SystemExit) as error:
        trial.seconds += perf_counter() - begin
        trial.status, trial.reason, trial.error_type = "error", message(error), type(error).__name__
        return None
    trial.seconds += run.seconds
    if score is None:
        trial.status, trial.reason = "invalid", fault or "Scores of held rows are NaN."
        return None
    trial.aucs.append(score)
    return run.w
