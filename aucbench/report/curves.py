"""Learning curves and Pareto fronts, thinned for a page.

Design
  a. A curve on the page is the median over the folds, at some of the passes that were stored. A
     fit that has ended keeps its last value, so that the median never jumps when one ends.
  b. No curve is smoothed. Between two points of a fit it is a line, and before the first one
     nothing is drawn. The number of points is chosen by who asks, and the page says it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from aucbench.bench.results.convergence import Optima
from aucbench.kernels.vectors import Vector
from aucbench.report.fits import CURVE, Fit

PASSES, SECONDS, OBJECTIVE, TRAIN_AUC, TEST_AUC = (
    CURVE.index(name) for name in ("passes", "seconds", "objective", "train_auc", "test_auc")
)


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The median curve of some fits; NaN where less than half of them know the value."""

    passes: Vector
    seconds: Vector
    train_auc: Vector
    gap: Vector  # (f − f*)/(f(0) − f*), with the least objective f* that is known of the problem
    test_auc: Vector
    info: Mapping[str, Vector] = field(default_factory=dict)  # the diagnostics of the method


def learning_curve(fits: Sequence[Fit], optima: Optima, points: int) -> LearningCurve | None:
    """Return the median curve of fits at no more than `points` passes; None when none has one."""
    fits = [fit for fit in fits if fit.curve.size]
    if not fits:
        return None
    union = np.unique(np.concatenate([fit.curve[:, PASSES] for fit in fits]))
    union = union[~np.isnan(union)]
    chosen = np.unique(np.linspace(0, union.size - 1, min(points, union.size)).round().astype(int))
    passes = union[chosen]
    seconds, train_auc, gap, test_auc = _medians([_at(passes, fit, optima) for fit in fits])
    names = sorted({name for fit in fits for name in fit.info})
    told = [[_info_at(passes, fit, name) for name in names] for fit in fits]
    info = dict(zip(names, _medians(told), strict=True)) if names else {}
    return LearningCurve(passes, seconds, train_auc, gap, test_auc, info)


def _info_at(passes: Vector, fit: Fit, name: str) -> Vector:
    none = np.full(fit.curve.shape[:1], np.nan)
    return _of_some(passes, fit.curve[:, PASSES], fit.info.get(name, none))


def _at(passes: Vector, fit: Fit, optima: Optima) -> list[Vector]:
    """Return seconds, training AUC, gap and test AUC at some passes."""
    x = fit.curve[:, PASSES]
    gap = optima.gaps(fit.descent, fit.curve[:, OBJECTIVE])
    columns = (fit.curve[:, SECONDS], fit.curve[:, TRAIN_AUC], gap)
    known = [np.interp(passes, x, column, left=np.nan) for column in columns]
    return [*known, _of_some(passes, x, fit.curve[:, TEST_AUC])]


def _of_some(passes: Vector, x: Vector, y: Vector) -> Vector:
    """Interpolate a column that some points of a fit have; NaN before the first of them."""
    known = ~np.isnan(y)
    if not known.any():
        return np.full(passes.shape, np.nan)
    return np.interp(passes, x[known], y[known], left=np.nan)


def _medians(several: Sequence[Sequence[Vector]]) -> Vector:
    """Median over the first axis, without NaN; NaN where less than half of the values are known."""
    table = np.array(several)
    known = ~np.isnan(table)
    enough = 2 * known.sum(axis=0) >= len(table)
    last = np.sort(table, axis=0)  # NaN comes last
    count = np.maximum(known.sum(axis=0), 1)
    low = np.take_along_axis(last, ((count - 1) // 2)[None], axis=0)[0]
    high = np.take_along_axis(last, (count // 2)[None], axis=0)[0]
    return np.where(enough, (low + high) / 2, np.nan)


def front(cost: Vector, auc: Vector) -> tuple[int, ...]:
    """Return the numbers of the points on the Pareto front, in the order of the cost.

    No other point has a cost as low and an AUC as high, and one of them better. Points with a NaN
    are not on it.
    """
    known = np.flatnonzero(~np.isnan(cost) & ~np.isnan(auc))
    best: list[int] = []
    highest = -np.inf
    for j in known[np.lexsort((-auc[known], cost[known]))]:
        twin = best and cost[best[-1]] == cost[j] and auc[best[-1]] == auc[j]
        if auc[j] > highest or twin:
            best.append(int(j))
            highest = auc[j]
    return tuple(best)
