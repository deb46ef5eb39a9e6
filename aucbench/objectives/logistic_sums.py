"""Sums of the logistic loss over all pairs, by sums of exponentials of distances."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError
from aucbench.kernels import logistic_pairs
from aucbench.pairs import Blocks
from aucbench.pairs.sums import HINGE, Passes
from aucbench.stats.vectors import even_classes


def _coefficients() -> Vector:
    """Return a (TERMS,) with log(1 + z) = Σ_k a_k z^k, k from 1, to rounding for z in [0, 1].

    It is z times the Chebyshev interpolant of log(1 + z)/z. That function is analytic but for
    z ≤ −1, so its error falls by 3 + √8 with each term. All a_k are at most about 1.
    """

    def ratio(z: Vector) -> Vector:
        return np.asarray(np.log1p(z) / z)

    series = Chebyshev.interpolate(ratio, logistic_pairs.TERMS - 1, domain=[0.0, 1.0])
    return np.ascontiguousarray(series.convert(kind=Polynomial, domain=[-1.0, 1.0]).coef)


VALUE = _coefficients()
SLOPE = VALUE * np.arange(1.0, VALUE.size + 1.0)


class LogisticSums:
    """Mean of v_i v_j log(1 + e^(s_j − s_i)) over pairs of fixed labels, and its derivatives.

    With x = s_j − s_i and z = e^(−|x|), the loss is [x]₊ + log(1 + z), and the last part is
    Σ_k a_k e^(−k|x|) with 20 terms. The sum of e^(−k|x|) over the rows on one side of a row
    follows from that of its neighbour in the order of the scores: the n₊n₋ pairs cost one sort and
    O(n). A loss errs by at most `ERROR`, and so does its derivative, besides the rounding of sums.

    Parameters
    ----------
    y : array of shape (n,), int8 in {-1, +1}
        The labels, of both classes.
    weights : array of shape (n,), or None
        v > 0; None means 1.
    """

    ERROR = 2e-13

    def __init__(self, y: NDArray[np.int8], weights: Vector | None):
        self.y = y
        self.mass = np.ones(y.size) if weights is None else even_classes(weights, y > 0)
        self.total = float(self.mass[y > 0].sum()) * float(self.mass[y < 0].sum())

    def __call__(self, s: Vector) -> tuple[float, Vector, float]:
        """Return the mean loss, its derivatives in s (n,), and 1: every pair has a loss.

        If a score is NaN or infinite, so is the mean, or NaN, and the derivatives have no meaning.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        if s.shape != self.y.shape:
            raise DataError(f"scores have shape {s.shape} for {self.y.size} rows; give one per row")
        t, order = argsort(s)
        v, y = self.mass[order], self.y[order]
        near, bend = np.empty((2, t.size)), np.empty((2, t.size))
        with np.errstate(over="ignore", invalid="ignore"):  # of scores that are not finite
            logistic_pairs.exponential_pass(
                np.array([0, t.size]), t, v, y, VALUE, SLOPE, near, bend
            )
            # A pair is wrong if its negative is above. Hinges are sums over wrong pairs, of
            # distances from the middle score, so that few digits cancel.
            middle = t - t[t.size // 2]
            positive = y > 0
            below = np.cumsum(np.where(positive, v, 0.0))  # weight of positives up to here
            above = np.cumsum(np.where(positive, 0.0, v)[::-1])[::-1]  # of negatives from here
            wrong = np.where(positive, -above, below)
            total = float(v @ (wrong * middle + near[0]))
            slopes = v * (wrong + bend[1] - bend[0])
        c = np.empty(t.size)
        c[order] = slopes / self.total
        return total / self.total, c, 1.0


class LogisticBlockSums:
    """The same as `LogisticSums` over the pairs of blocks, Σ π_ij log(1 + e^(s_j − s_i)).

    Parameters
    ----------
    members : Blocks
        The pairs.
    """

    def __init__(self, members: Blocks):
        self.n, self._passes = members.n, Passes(members.segments)
        # Of equal scores the lower rows come first, as a hinge of 0 is no hinge.
        sides = (members.lower, members.upper)
        self._starts = members.upper.starts + members.lower.starts
        self._block = np.concatenate([side.each(np.arange(members.count)) for side in sides])
        self._rows = np.concatenate([side.rows for side in sides])
        self._mass = np.concatenate([side.shares for side in sides])
        self._side = np.where(np.arange(self._rows.size) < sides[0].rows.size, 1, -1).astype(
            np.int8
        )

    def __call__(self, s: Vector) -> tuple[float, Vector, float]:
        """Return the mean loss, its derivatives in s (n,), and 1: every pair has a loss.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        c, wrong, _ = self._passes(HINGE, 0.0, s)
        x, order = argsort(s[self._rows])
        again = argsort(self._block[order].astype(np.float64))[1]
        order, t = order[again], x[again]
        v, near, bend = self._mass[order], np.empty((2, t.size)), np.empty((2, t.size))
        with np.errstate(over="ignore", invalid="ignore"):  # of scores that are not finite
            logistic_pairs.exponential_pass(
                self._starts, t, v, self._side[order], VALUE, SLOPE, near, bend
            )
            value = wrong + float(v @ near[0])
            return value, c + np.bincount(self._rows[order], v * (bend[1] - bend[0]), self.n), 1.0
