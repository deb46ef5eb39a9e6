"""What is along a fit: learning curves, and which points of a cloud no other one beats.

Design
  a. A curve on the page is the median over the folds, at some of the passes or seconds that were
     stored. Each fit is interpolated there before the median is taken: medians of seconds and of
     AUCs at the same passes would make curves that run backwards in time. A fit that has ended
     keeps its last value, so that the median never jumps when one ends.
  b. No curve is smoothed. Between two points of a fit it is a line, and before the first one
     nothing is plotted. The number of points is chosen by who asks, and the page says it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aucbench.report.frame import CURVE, Array, Frame, Index, medians_of_known

PASSES, SECONDS, OBJECTIVE, TEST_AUC = range(len(CURVE))
UNITS = {"seconds": SECONDS, "passes": PASSES}


@dataclass(frozen=True, slots=True)
class MedianCurves:
    """Medians of some fits at some x; NaN where less than half of the fits know the value."""

    x: Array  # rises
    gap: Array  # (f − f*)/(f(0) − f*), with the least objective f* that is known of the problem
    test_auc: Array
    info: Mapping[str, Array]  # the diagnostics of the methods that are known somewhere


def median_curves(frame: Frame, rows: Index, unit: str, points: int) -> MedianCurves | None:
    """Return the median curves of fits against seconds or passes; None when no fit has one.

    They are at no more than `points` of the places at which the fits have points.
    """
    curves = {row: curve for row in rows if (curve := frame.facts["curve"][row]).size}
    if not curves:
        return None
    axis = UNITS[unit]
    union = np.unique(np.concatenate([curve[:, axis] for curve in curves.values()]))
    union = union[~np.isnan(union)]
    chosen = np.unique(np.linspace(0, union.size - 1, min(points, union.size)).round().astype(int))
    x = union[chosen]
    names = sorted({name for row in curves for name in frame.facts["info"][row]})
    gap, test_auc, *known = _medians(
        [
            [_at(x, curve[:, axis], y) for y in _columns(frame, row, names)]
            for row, curve in curves.items()
        ]
    )
    info = {name: y for name, y in zip(names, known, strict=True) if not np.isnan(y).all()}
    return MedianCurves(x, gap, test_auc, info)


def _columns(frame: Frame, row: int, names: Sequence[str]) -> list[Array]:
    """Return gap, test AUC and the diagnostics of some names at the points of a fit."""
    curve, info, descent = (frame.facts[name][row] for name in ("curve", "info", "descent"))
    gap = frame.optima.gaps(descent, curve[:, OBJECTIVE])
    unknown = np.full(gap.shape, np.nan)
    return [gap, curve[:, TEST_AUC], *(info.get(name, unknown) for name in names)]


def _at(places: Array, x: Array, y: Array) -> Array:
    """Interpolate between the points of a fit that know both; NaN before the first of them."""
    known = ~(np.isnan(x) | np.isnan(y))
    if not known.any():
        return np.full(places.shape, np.nan)
    return np.interp(places, x[known], y[known], left=np.nan)


def _medians(several: Sequence[Sequence[Array]]) -> Array:
    """Median over the first axis, without NaN; NaN where less than half of the values are known."""
    table = np.moveaxis(np.array(several), 0, -1)
    enough = 2 * (~np.isnan(table)).sum(axis=-1) >= table.shape[-1]
    return np.where(enough, medians_of_known(table), np.nan)


def front(cost: Array, auc: Array) -> tuple[int, ...]:
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
