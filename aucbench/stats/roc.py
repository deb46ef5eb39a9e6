"""ROC and precision-recall curves of several test folds: their mean and their range.

Curves are averaged vertically: over the folds, at fixed false positive rates, or at fixed recalls.
Ties are straight segments of the ROC curve, as in the AUC; between two points of it the precision
is that of the interpolated counts, which is no straight line (Davis and Goadrich, 2006, "The
relationship between precision-recall and ROC curves", ICML).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError, require_whole

Vector = NDArray[np.float64]
CROWDING = 1.7  # > 1 puts more points of the grid where a curve rises, at small rates
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Band:
    """A mean curve over folds.

    Attributes
    ----------
    x, mean, low, high : array of shape (points,)
        `low` and `high` are the least and the largest value of any fold at this x.
    folds : int
        Number of folds with both classes; the others have no curve.
    """

    x: Vector
    mean: Vector
    low: Vector
    high: Vector
    folds: int


def roc_band(folds: Sequence[tuple[ArrayLike, ArrayLike]], points: int = 50) -> Band:
    """Mean true positive rate at fixed false positive rates.

    Parameters
    ----------
    folds : sequence of (y, scores)
        Labels, of which those > 0 are positive, and scores of the rows of each fold.
    points : int
        Size of the grid of false positive rates; it is finer at small rates.

    Raises
    ------
    DataError
        When `y` and `scores` differ in shape, or scores are NaN.
    ParameterError
        When there are fewer than two points.
    """
    require_whole(2, points=points)
    x = np.linspace(0.0, 1.0, points) ** CROWDING
    return _band(x, [_sensitivity(x, *counts) for counts in _counted(folds)])


def pr_band(folds: Sequence[tuple[ArrayLike, ArrayLike]], points: int = 50) -> Band:
    """Mean precision at fixed recalls 1/points, 2/points, ..., 1; the rest is as in `roc_band`."""
    require_whole(2, points=points)
    x = np.arange(1, points + 1) / points
    return _band(x, [_precision(x, *counts) for counts in _counted(folds)])


def _band(x: Vector, curves: Sequence[Vector]) -> Band:
    if not curves:
        nothing = np.full(x.size, np.nan)
        return Band(x, nothing, nothing, nothing, 0)
    table = np.array(curves)
    return Band(x, table.mean(axis=0), table.min(axis=0), table.max(axis=0), len(table))


def _counted(
    folds: Sequence[tuple[ArrayLike, ArrayLike]],
) -> list[tuple[Vector, Vector]]:
    """Return the corners of the ROC curve of each fold with both classes, in counts from (0, 0)."""
    counted = [_corners(*fold) for fold in folds]
    return [(fp, tp) for fp, tp in counted if fp[-1] > 0 and tp[-1] > 0]


def _corners(y: ArrayLike, scores: ArrayLike) -> tuple[Vector, Vector]:
    """Return false and true positives above each threshold: one corner per distinct score."""
    positive, s = np.asarray(y) > 0, np.asarray(scores, dtype=np.float64)
    if positive.shape != s.shape or s.ndim != 1 or np.isnan(s).any():
        raise DataError(
            f"labels and scores must be vectors of one length without NaN, got shapes "
            f"{positive.shape} and {s.shape}"
        )
    order = np.argsort(-s)
    last = np.append(np.flatnonzero(np.diff(s[order])), s.size - 1) if s.size else np.empty(0, int)
    tp = np.cumsum(positive[order], dtype=np.float64)[last]
    fp = last + 1.0 - tp
    return np.append(0.0, fp), np.append(0.0, tp)


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
    found = fp[left] + part * (fp[right] - fp[left])
    return np.asarray(wanted / (wanted + found))
