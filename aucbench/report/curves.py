"""What is along a fit: learning curves, and which points of a cloud no other one beats.

Design
  a. A curve on the page is the median over the folds, at some of the passes or seconds that were
     stored. Each fit is interpolated there before the median is taken: medians of seconds and of
     AUCs at the same passes would make curves that run backwards in time. A fit that has ended
     keeps its last value, so that the median never jumps when one ends.
  b. No curve is smoothed. Between two points of a fit it is a line, and before the first one
     nothing is drawn. The number of points is chosen by who asks, and the page says it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aucbench.bench.results.convergence import Optima
from aucbench.report.fits import CURVE, Fit
from aucbench.stats.vectors import Vector

PASSES, SECONDS, OBJECTIVE, TEST_AUC = range(len(CURVE))
UNITS = {"seconds": SECONDS, "passes": PASSES}


@dataclass(frozen=True, slots=True)
class Medians:
    """Medians of some fits at some x; NaN where less than half of the fits know the value."""

    x: Vector  # rises
    gap: Vector  # (f − f*)/(f(0) − f*), with the least objective f* that is known of the problem
    test_auc: Vector
    info: Mapping[str, Vector]  # the diagnostics of the methods that are known somewhere


def learning_curve(fits: Sequence[Fit], optima: Optima, unit: str, points: int) -> Medians | None:
    """Return the median curves of fits against seconds or passes; None when no fit has one.

    They are at no more than `points` of the places at which the fits have points.
    """
    fits = [fit for fit in fits if fit.curve.size]
    if not fits:
        return None
    axis = UNITS[unit]
    union = np.unique(np.concatenate([fit.curve[:, axis] for fit in fits]))
    union = union[~np.isnan(union)]
    chosen = np.unique(np.linspace(0, union.size - 1, min(points, union.size)).round().astype(int))
    x = union[chosen]
    names = sorted({name for fit in fits for name in fit.info})
    gap, test_auc, *told = _medians(
        [[_at(x, fit.curve[:, axis], y) for y in _columns(fit, optima, names)] for fit in fits]
    )
    info = {name: y for name, y in zip(names, told, strict=True) if not np.isnan(y).all()}
    return Medians(x, gap, test_auc, info)


def _columns(fit: Fit, optima: Optima, names: Sequence[str]) -> list[Vector]:
    """Return gap, test AUC and the diagnostics of some names at the points of a fit."""
    gap = optima.gaps(fit.descent, fit.curve[:, OBJECTIVE])
    unknown = np.full(gap.shape, np.nan)
    return [gap, fit.curve[:, TEST_AUC], *(fit.info.get(name, unknown) for name in names)]


def _at(places: Vector, x: Vector, y: Vector) -> Vector:
    """Interpolate between the points of a fit that know both; NaN before the first of them."""
    known = ~(np.isnan(x) | np.isnan(y))
    if not known.any():
        return np.full(places.shape, np.nan)
    return np.interp(places, x[known], y[known], left=np.nan)


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
