"""ROC and precision-recall curves of several test folds: their mean and their range.

Curves are averaged vertically: over the folds, at fixed false positive rates, or at fixed recalls.
Ties are straight segments of the ROC curve, as in the AUC; between two points of it the precision
is that of the interpolated counts, which is no straight line (Davis and Goadrich, 2006, "The
relationship between precision-recall and ROC curves", ICML).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from aucbench.errors import DataError, require_whole
from aucbench.stats.rows import Fold
from aucbench.stats.vectors import Vector

CROWDING = 1.7  # > 1 puts more points of the grid where a curve rises, at small rates
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """A mean curve over folds, with the least and the largest value of any fold at each x."""

    x: Vector
    mean: Vector
    low: Vector
    high: Vector


def corners(fold: Fold) -> tuple[Vector, Vector]:
    """Return false and true positives, in weights, above each distinct score, from (0, 0)."""
    order = np.argsort(fold.scores)[::-1]
    ordered = fold.scores[order]
    last = np.flatnonzero(np.append(ordered[:-1] != ordered[1:], ordered.size > 0))
    fp, tp = (
        np.append(0.0, np.cumsum((fold.weights * side)[order])[last])
        for side in (~fold.positive, fold.positive)
    )
    return fp, tp


def bands(folds: Sequence[Fold], points: int = 50, each: int = 1) -> tuple[Band, Band]:
    """Return the mean ROC curve and the mean precision-recall curve of folds of both classes.

    The first is at `points` false positive rates, more of them small, the second at the recalls
    1/points, 2/points, ..., 1. Of so many successive folds, `each`, the mean is taken first: these
    are the classes of one split, each against the rest.
    """
    require_whole(2, points=points)
    if not folds or not all(fold.has_both_classes for fold in folds):
        raise DataError("a curve needs folds that hold both classes; leave the others out")
    every = [corners(fold) for fold in folds]
    rates, recalls = np.linspace(0.0, 1.0, points) ** CROWDING, np.arange(1, points + 1) / points
    return _band(rates, every, _sensitivity, each), _band(recalls, every, _precision, each)


def _band(
    x: Vector,
    every: Sequence[tuple[Vector, Vector]],
    curve: Callable[[Vector, Vector, Vector], Vector],
    each: int,
) -> Band:
    curves = np.array([curve(x, fp, tp) for fp, tp in every])
    table = curves.reshape(-1, each, x.size).mean(axis=1)
    return Band(x, table.mean(axis=0), table.min(axis=0), table.max(axis=0))


def _sensitivity(x: Vector, fp: Vector, tp: Vector) -> Vector:
    """Return the true positive rate at false positive rates; at a vertical step, its upper end."""
    wanted = x * fp[-1]
    left = np.searchsorted(fp, wanted, side="right") - 1  # the last corner at or before it
    right = np.minimum(left + 1, fp.size - 1)
    width = fp[right] - fp[left]
    part = np.divide(wanted - fp[left], width, out=np.zeros(x.size), where=width > 0)
    return np.asarray((tp[left] + part * (tp[right] - tp[left])) / tp[-1])


def _precision(x: Vector, fp: Vector, tp: Vector) -> Vector:
    """Return the precision where a recall is first reached."""
    wanted = x * tp[-1]
    near = wanted - ROUNDING * tp[-1]  # k/n times n may be a little more than k
    right = np.searchsorted(tp, near, side="left")  # the first corner at or beyond it
    right = np.minimum(right, tp.size - 1)
    left = np.maximum(right - 1, 0)
    height = tp[right] - tp[left]
    part = np.divide(wanted - tp[left], height, out=np.ones(x.size), where=height > 0)
    false = fp[left] + part * (fp[right] - fp[left])
    return np.asarray(wanted / (wanted + false))
