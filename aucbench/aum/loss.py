"""The AUM of scores, its one-sided derivatives, and the area under the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.breakpoints import Breakpoints, Sides
from aucbench.data.concordance import concordance
from aucbench.data.sorting import argsort
from aucbench.errors import DataError
from aucbench.kernels import aum
from aucbench.stats.vectors import floats


@dataclass(frozen=True, slots=True, eq=False)
class AumLoss:
    """AUM of some scores, and its one-sided derivatives with respect to each of them.

    With binary labels the derivatives have few distinct values. So each example stores one byte
    that says which value it has. `left`, `right` and `gradient` make a new array at each call.

    Attributes
    ----------
    value : float
        The AUM, in units of the scores times the errors.
    slopes : array of shape (2, n), or (2, K) with `place`
        Derivatives to the left and to the right.
    place : array of shape (n,), optional
        The column of `slopes` that belongs to each example. Without it, example i has column i.
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
        """Mean of the left and right derivatives, (n,); its negative is the published direction."""
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
    """Area under min(FP, FN) over all thresholds, and its one-sided derivatives.

    AUM(s) = ∫ min(FP(t), FN(t)) dt over all thresholds t. A breakpoint b of example e lies at the
    threshold T_b = value_b − s_e. Two thresholds are tied when they are equal as floats. With the
    thresholds in ascending order, FP_k and FN_k are the errors between T_(k) and T_(k+1), and

        AUM = Σ_k (T_(k+1) − T_(k)) min(FP_k, FN_k).

    Let g be the errors before the breakpoints that are tied with b, and h those after them. The
    derivatives with respect to s_e are sums over the breakpoints of e, of which tied ones are one:

        right: Σ_b min(FP_g + Δfp_b, FN_g + Δfn_b) − min(FP_g, FN_g),
        left:  Σ_b min(FP_h, FN_h) − min(FP_h − Δfp_b, FN_h − Δfn_b).

    Time: O(B log B) for B breakpoints. For binary labels it is O(n), because a weighted
    selection takes the place of the sort.

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

    References
    ----------
    Hillman & Hocking, "Optimizing ROC curves with a sort-based surrogate loss for binary
    classification and changepoint detection", JMLR 24 (2023).
    """
    s = require_scores(breakpoints, scores)
    sides = breakpoints.sides
    if sides is not None and s.size:
        loss = select_loss(sides, s)
        if isfinite(loss.value):
            return loss
    # The sort leaves out differences of scores where the area is 0, so fewer of them overflow.
    require_finite(s)
    return sort_loss(breakpoints, s)


def roc_auc(breakpoints: Breakpoints, scores: ArrayLike) -> float:
    """Area under the ROC curve of error functions, as `ROChange` of penaltyLearning defines it.

    The points of the curve are (FP/P, 1 − FN/N), where P and N are the sums of `fp_possible` and
    of `fn_possible`. Errors that no threshold changes count. There is one point below all
    thresholds and one after each distinct threshold, so tied thresholds are one straight piece.
    The curve starts at the end that is nearer to (0, 0). It is completed by straight pieces from
    (0, 0) and to (1, 1). The area is Σ Δx (y + y')/2 over its pieces.

    If the errors of an example are not monotone in its score, the curve may run backwards. Then
    the area may lie outside [0, 1]. For labels it is the usual AUC.

    Parameters
    ----------
    breakpoints : Breakpoints
        Where the errors of each example change.
    scores : array of shape (n,)
        Finite real scores, one per example.

    Raises
    ------
    DataError
        When scores have another shape or are not finite, or when no false positive or no false
        negative is possible.

    References
    ----------
    T. D. Hocking, R package penaltyLearning, function ROChange.
    """
    s = require_scores(breakpoints, scores)
    require_finite(s)
    b, sides = breakpoints, breakpoints.sides
    if sides is not None and b.is_complete and 0 < sides.n_pos < s.size:
        return concordance(sides.y > 0, s, sides.n_pos)
    P, N = b.possible
    if not (P > 0.0 and N > 0.0):
        raise DataError(
            f"an ROC curve needs errors of both kinds, but {P:g} false positives and {N:g} false "
            "negatives are possible; give both classes"
        )
    t, order = sort_thresholds(b, s)
    ends = np.flatnonzero(np.r_[t[1:] != t[:-1], True][: t.size])
    fp = b.fp_base.sum() + np.r_[0.0, np.cumsum(b.fp_diff[order])[ends]]
    least = N - b.fn_base.sum() + b.fn_diff.sum()
    fn = least + np.r_[0.0, -np.cumsum(b.fn_diff[order])[ends]]
    first, last = (np.hypot(fp[k] / P, fn[k] / N) for k in (0, -1))
    way = slice(None, None, -1) if last < first else slice(None)
    x, y = np.r_[0.0, fp[way], P], np.r_[0.0, fn[way], N]
    return float(np.diff(x) @ (y[1:] + y[:-1]) / (2.0 * P * N))


def select_loss(sides: Sides, s: Vector) -> AumLoss:
    """Return the loss of binary labels by selections, in O(n)."""
    place, slopes = np.empty(s.size, np.int8), np.empty((2, aum.PLACES))
    work = np.empty(2 * s.size + 4)
    value = aum.binary_loss(s, sides.y, sides.n_pos, sides.rates, work, place, slopes)
    return AumLoss(value, slopes, place)


def sort_loss(breakpoints: Breakpoints, s: Vector) -> AumLoss:
    """Return the loss of any breakpoints by one sort, in O(B log B)."""
    slopes = np.zeros((2, s.size))
    t, order = sort_thresholds(breakpoints, s)
    b = breakpoints
    value = aum.sweep_loss(t, order, b.example, b.fp_diff, b.fn_diff, slopes[0], slopes[1])
    return AumLoss(value, slopes)


def sort_thresholds(breakpoints: Breakpoints, s: Vector) -> tuple[Vector, Index]:
    """Ascending thresholds, and the breakpoint of each; equal thresholds keep their order."""
    return argsort(breakpoints.value - s[breakpoints.example])


def require_scores(breakpoints: Breakpoints, scores: ArrayLike) -> Vector:
    """Return scores as float64; raise `DataError` unless there is one for each example."""
    s = floats("scores", scores)
    if s.shape != (breakpoints.n,):
        raise DataError(
            f"scores have shape {s.shape} and there are {breakpoints.n} examples; give one score "
            "per example"
        )
    return s


def require_finite(s: Vector) -> None:
    """Raise `DataError` unless all scores are finite."""
    bad = ~np.isfinite(s)
    if bad.any():
        where = int(bad.argmax())
        raise DataError(f"score {where} is {s[where]}; give finite scores")
