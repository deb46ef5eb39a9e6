"""Learning curves and tuning tables of one solver on one data set, thinned for a page.

Design
  a. A curve on the page is the median over the folds, at some of the passes that were stored. A
     fit that has ended keeps its last value, so that the median never jumps when one ends.
  b. No curve is smoothed. Between two points of a fit it is a line, and before the first one
     nothing is drawn. The number of points is chosen by who asks, and the page says it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.results.convergence import Optima
from aucbench.report.evidence import Group
from aucbench.report.fits import CURVE, Fit

Vector = NDArray[np.float64]
PASSES, SECONDS, OBJECTIVE, TRAIN_AUC, TEST_AUC = (
    CURVE.index(name) for name in ("passes", "seconds", "objective", "train_auc", "test_auc")
)


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The median curve of some fits; NaN where less than half of them know the value.

    Attributes
    ----------
    passes, seconds, train_auc, gap, test_auc : array of shape (points,)
        `gap` is (f − f*)/(f(0) − f*), with the least objective f* that is known of the problem.
    info : mapping of str to array of shape (points,)
        The diagnostics of the method, by name.
    """

    passes: Vector
    seconds: Vector
    train_auc: Vector
    gap: Vector
    test_auc: Vector
    info: Mapping[str, Vector] = field(default_factory=dict)


def learning_curve(fits: Sequence[Fit], optima: Optima, points: int) -> LearningCurve | None:
    """Return the median curve of fits at no more than `points` passes; None when none has one."""
    kept = [fit for fit in fits if fit.curve.size]
    if not kept:
        return None
    union = np.unique(np.concatenate([fit.curve[:, PASSES] for fit in kept]))
    union = union[~np.isnan(union)]
    chosen = np.unique(np.linspace(0, union.size - 1, min(points, union.size)).round().astype(int))
    passes = union[chosen]
    table = np.array([_at(passes, fit, optima) for fit in kept])
    names = sorted({name for fit in kept for name in fit.info})
    told = np.array([[_info_at(passes, fit, name) for name in names] for fit in kept])
    medians = _medians(told) if names else ()
    seconds, train_auc, gap, test_auc = _medians(table)
    info = dict(zip(names, medians, strict=True))
    return LearningCurve(passes, seconds, train_auc, gap, test_auc, info)


def _info_at(passes: Vector, fit: Fit, name: str) -> Vector:
    none = np.full(fit.curve.shape[:1], np.nan)
    return _of_some(passes, fit.curve[:, PASSES], fit.info.get(name, none))


def _at(passes: Vector, fit: Fit, optima: Optima) -> Vector:
    """Return seconds, training AUC, gap and test AUC at some passes, shape (4, points)."""
    x = fit.curve[:, PASSES]
    gap = optima.gaps(fit.descent, fit.curve[:, OBJECTIVE])
    columns = (fit.curve[:, SECONDS], fit.curve[:, TRAIN_AUC], gap)
    found = [np.interp(passes, x, column, left=np.nan) for column in columns]
    return np.array([*found, _of_some(passes, x, fit.curve[:, TEST_AUC])])


def _of_some(passes: Vector, x: Vector, y: Vector) -> Vector:
    """Interpolate a column that some points of a fit have; NaN before the first of them."""
    known = ~np.isnan(y)
    if not known.any():
        return np.full(passes.shape, np.nan)
    return np.interp(passes, x[known], y[known], left=np.nan)


def _medians(table: Vector) -> Vector:
    """Median over the first axis, without NaN; NaN where less than half of the values are known."""
    known = ~np.isnan(table)
    enough = 2 * known.sum(axis=0) >= len(table)
    last = np.sort(table, axis=0)  # NaN comes last
    count = np.maximum(known.sum(axis=0), 1)
    low = np.take_along_axis(last, ((count - 1) // 2)[None], axis=0)[0]
    high = np.take_along_axis(last, (count // 2)[None], axis=0)[0]
    return np.where(enough, (low + high) / 2, np.nan)


@dataclass(frozen=True, slots=True)
class TuningPoint:
    """A point of a grid.

    Attributes
    ----------
    values : tuple
        Of the axes of its table, in their order.
    auc : float
        Mean of the inner AUC over the folds; NaN when it failed in all of them.
    chosen : int
        In how many folds it was chosen.
    """

    values: tuple[Any, ...]
    auc: float
    chosen: int


@dataclass(frozen=True, slots=True)
class TuningTable:
    """The points that a solver was tuned by on one data set.

    Attributes
    ----------
    axes : tuple of str
        The parameters that vary, in the order of the grid.
    points : tuple of TuningPoint
    """

    axes: tuple[str, ...]
    points: tuple[TuningPoint, ...]


def tuning_table(group: Group) -> TuningTable | None:
    """Return the points that were tried in the folds of a group; None when it was not tuned."""
    tried: dict[str, tuple[Mapping[str, Any], list[float]]] = {}
    chosen: Counter[str] = Counter()
    for fit in group.ok:
        for parameters, auc in fit.tuned:
            tried.setdefault(_text(parameters), (parameters, []))[1].append(auc)
        if fit.chosen is not None:
            chosen[_text(fit.chosen)] += 1
    names = [*dict.fromkeys(name for parameters, _ in tried.values() for name in parameters)]
    axes = tuple(name for name in names if len({_text(p.get(name)) for p, _ in tried.values()}) > 1)
    if not axes:
        return None
    points = (
        TuningPoint(tuple(p.get(name) for name in axes), _mean(aucs), chosen[key])
        for key, (p, aucs) in tried.items()
    )
    return TuningTable(axes, tuple(points))


def front(cost: Vector, auc: Vector) -> tuple[int, ...]:
    """Return the numbers of the points on the Pareto front, in the order of the cost.

    No other point has a cost as low and an AUC as high, and one of them better. Points with a NaN
    are not on it.
    """
    known = np.flatnonzero(~np.isnan(cost) & ~np.isnan(auc))
    found: list[int] = []
    best = -np.inf
    for j in known[np.lexsort((-auc[known], cost[known]))]:
        twin = found and cost[found[-1]] == cost[j] and auc[found[-1]] == auc[j]
        if auc[j] > best or twin:
            found.append(int(j))
            best = auc[j]
    return tuple(found)


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
