"""The AUM of scores, its one-sided derivatives, and the area under the ROC curve beside it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.aum.order import in_order
from aucbench.data.arrays import Index, Vector
from aucbench.data.breakpoints import Breakpoints, Sides
from aucbench.data.concordance import concordance
from aucbench.errors import DataError
from aucbench.kernels import aum


@dataclass(frozen=True, slots=True, eq=False)
class AumLoss:
    """AUM of some scores, and its one-sided derivatives with respect to each of them.

    Those of binary labels take few values; a million examples have them in a megabyte, and
    `left`, `right` and `gradient` are new arrays whenever they are asked for.

    Attributes
    ----------
    value : the area
    slopes : (2, n) derivatives to the left and to the right, or (2, K) with `place`
    place : (n,) the column of `slopes` that each example has; None for its own
    """

    value: float
    slopes: Vector
    place: NDArray[np.int8] | None = None

    @property
    def left(self) -> Vector:
        """Left derivative with respect to each score, (n,)."""
        return self._of_examples(self.slopes[0])

    @property
    def right(self) -> Vector:
        """Right derivative with respect to each score, (n,)."""
        return self._of_examples(self.slopes[1])

    @property
    def gradient(self) -> Vector:
        """Mean of the one-sided derivatives, whose negative is the published direction, (n,)."""
        mean = self.slopes[0] + self.slopes[1]
        mean *= 0.5
        return self._of_examples(mean)

    def _of_examples(self, slopes: Vector) -> Vector:
        if self.place is None:
            return slopes
        out = np.empty(self.place.size)
        aum.look_up(self.place, slopes, out)
        return out


def aum_loss(breakpoints: Breakpoints, scores: ArrayLike) -> AumLoss:
    """Area under min(FP, FN) over all thresholds (Hillman & Hocking, JMLR 24 (2023) 1).

    O(B log B) for B breakpoints; for binary labels O(n), by weighted selection in place of the
    sort. Thresholds `value - score` are tied when they are equal as floats.

    Parameters
    ----------
    breakpoints : Breakpoints
        Where the errors of each example change.
    scores : array of shape (n,)
        Finite real scores, one per example.

    Raises
    ------
    DataError
        When scores have another shape or are not finite.
    """
    s = scores_of(breakpoints, scores)
    sides = breakpoints.sides
    if sides is not None and s.size:
        found = _by_selection(sides, s)
        if isfinite(found.value):
            return found
    # The sweep has no differences of scores where the area is 0: fewer of them overflow.
    require_finite(s)
    return _by_sort(breakpoints, s)


def roc_auc(breakpoints: Breakpoints, scores: ArrayLike) -> float:
    """Area under the ROC curve of rates, ties as straight lines.

    A curve of errors that are not monotone may run back and below 0 or beyond 1, and so may
    its area. Counts are divided by their total change over all thresholds.

    Raises
    ------
    DataError
        As `aum_loss`; when false positives do not grow or false negatives do not fall in all.
    """
    s = scores_of(breakpoints, scores)
    require_finite(s)
    sides = breakpoints.sides
    if sides is not None and 0 < sides.n_pos < s.size:
        return concordance(sides.y > 0, s, sides.n_pos)
    t, order = sorted_thresholds(breakpoints, s)
    ends = np.flatnonzero(np.r_[t[1:] != t[:-1], True][: t.size])
    fp = np.cumsum(breakpoints.fp_diff[order])[ends]
    found = -np.cumsum(breakpoints.fn_diff[order])[ends]
    if not (t.size and fp[-1] > 0.0 and found[-1] > 0.0):
        raise DataError(
            "an ROC curve needs errors of both kinds, false positives that grow and false "
            "negatives that fall over all thresholds; give both classes"
        )
    both = np.r_[0.0, found[:-1]] + found
    return float(np.diff(fp, prepend=0.0) @ both / (2.0 * fp[-1] * found[-1]))


def _by_selection(sides: Sides, s: Vector) -> AumLoss:
    place, slopes = np.empty(s.size, np.int8), np.empty((2, aum.PLACES))
    keys = np.empty(s.size + 2, np.uint64)
    value = aum.binary_loss(s, sides.y, sides.n_pos, sides.rates, keys, place, slopes)
    return AumLoss(value, slopes, place)


def _by_sort(breakpoints: Breakpoints, s: Vector) -> AumLoss:
    slopes = np.zeros((2, s.size))
    t, order = sorted_thresholds(breakpoints, s)
    b = breakpoints
    value = aum.sweep_loss(t, order, b.example, b.fp_diff, b.fn_diff, slopes[0], slopes[1])
    return AumLoss(value, slopes)


def sorted_thresholds(breakpoints: Breakpoints, s: Vector) -> tuple[Vector, Index]:
    """Ascending thresholds, and their breakpoints; those of one example keep their order."""
    t = breakpoints.value - s[breakpoints.example]
    return in_order(t, np.arange(t.size, dtype=np.int32))


def scores_of(breakpoints: Breakpoints, scores: ArrayLike) -> Vector:
    """Scores as float64, one per example; else a `DataError`."""
    s = np.ascontiguousarray(scores, dtype=np.float64)
    if s.shape != (breakpoints.n,):
        raise DataError(
            f"scores have shape {s.shape} and the breakpoints {breakpoints.n} examples; give one "
            "score per example"
        )
    return s


def require_finite(s: Vector) -> None:
    """Raise `DataError` unless all scores are finite."""
    bad = ~np.isfinite(s)
    if bad.any():
        where = int(bad.argmax())
        raise DataError(f"score {where} is {s[where]}; scores must be finite")
