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
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError, require_whole
from aucbench.kernels.vectors import floats, numeric
from aucbench.stats.rows import checked_weights

Vector = NDArray[np.float64]
CROWDING = 1.7  # > 1 puts more points of the grid where a curve rises, at small rates
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Corners:
    """The corners of the ROC curve of one fold, in counts or weights of rows from (0, 0).

    Attributes
    ----------
    fp, tp : array of shape (m + 1,)
        False and true positives above each of the m distinct scores, ascending.
    """

    fp: Vector
    tp: Vector

    @staticmethod
    def of(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> Corners:
        """Return the corners of a fold; time O(n log n).

        Parameters
        ----------
        y : array of shape (n,)
            Labels, of which those > 0 are positive.
        scores : array of shape (n,)
            A larger score means more positive.
        weights : array of shape (n,), optional
            What each row counts for, above 0.

        Raises
        ------
        DataError
            When `y` and `scores` differ in shape, a score is NaN, or a weight is not above 0.
        """
        positive, s = numeric("y", y) > 0, floats("scores", scores)
        if positive.shape != s.shape or s.ndim != 1 or np.isnan(s).any():
            raise DataError(
                f"labels and scores must be vectors of one length without NaN, got shapes "
                f"{positive.shape} and {s.shape}"
            )
        order = np.argsort(s)[::-1]
        ordered = s[order]
        last = np.flatnonzero(np.append(ordered[:-1] != ordered[1:], s.size > 0))
        masses = checked_weights(weights, s.size)[order]
        tp, fp = (np.cumsum(masses * side[order])[last] for side in (positive, ~positive))
        return Corners(np.append(0.0, fp), np.append(0.0, tp))

    @property
    def has_both_classes(self) -> bool:
        """Whether the fold has curves."""
        return bool(self.fp[-1] > 0 and self.tp[-1] > 0)


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """A mean curve over folds.

    Attributes
    ----------
    x, mean, low, high : array of shape (points,)
        `low` and `high` are the least and the largest value of any fold at this x.
    """

    x: Vector
    mean: Vector
    low: Vector
    high: Vector


def roc_band(folds: Sequence[Corners], points: int = 50) -> Band:
    """Mean true positive rate at fixed false positive rates.

    Parameters
    ----------
    folds : sequence of Corners
        At least one, all with both classes.
    points : int
        Size of the grid of false positive rates; it is finer at small rates.

    Raises
    ------
    DataError
        When there is no fold, or one holds one class.
    ParameterError
        When there are fewer than two points.
    """
    require_whole(2, points=points)
    return _band(np.linspace(0.0, 1.0, points) ** CROWDING, folds, _sensitivity)


def pr_band(folds: Sequence[Corners], points: int = 50) -> Band:
    """Mean precision at fixed recalls 1/points, 2/points, ..., 1; the rest is as in `roc_band`."""
    require_whole(2, points=points)
    return _band(np.arange(1, points + 1) / points, folds, _precision)


def _band(
    x: Vector, folds: Sequence[Corners], curve: Callable[[Vector, Vector, Vector], Vector]
) -> Band:
    if not folds or not all(fold.has_both_classes for fold in folds):
        raise DataError("a curve needs folds that hold both classes; leave the others out")
    table = np.array([curve(x, fold.fp, fold.tp) for fold in folds])
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
    found = fp[left] + part * (fp[right] - fp[left])
    return np.asarray(wanted / (wanted + found))
