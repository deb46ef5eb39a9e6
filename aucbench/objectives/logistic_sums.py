"""Sums of the logistic loss over all pairs, by sums of exponentials of distances."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError
from aucbench.kernels import logistic_pairs
from aucbench.pairs import Members
from aucbench.pairs.members import running_sums
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
    """Mean of log(1 + e^(s_j − s_i)) over pairs of fixed rows, and its derivatives in the scores.

    With x = s_j − s_i and z = e^(−|x|), the loss is [x]₊ + log(1 + z), and the last part is
    Σ_k a_k e^(−k|x|) with 20 terms. The sum of e^(−k|x|) over the rows on one side of a row
    follows from that of its neighbour in the order of the scores: the n₊n₋ pairs cost one sort and
    O(n). A loss errs by at most `ERROR`, and so does its derivative, besides the rounding of sums.
    The pairs are those of an upper and a lower row of one block, and count m_i m_j.

    Parameters
    ----------
    n : int
        Number of rows.
    starts : int64 array of shape (G + 1,)
        Where each block begins.
    rows : array of shape (R,)
        Numbers of rows, block after block.
    side : int8 array of shape (R,)
        Whether each is an upper row of its block (+1) or a lower one (−1).
    mass : array of shape (R,)
        m ≥ 0.
    total : float
        What the pairs count in sum.
    """

    ERROR = 2e-13

    def __init__(
        self,
        n: int,
        starts: NDArray[np.int64],
        rows: Index,
        side: NDArray[np.int8],
        mass: Vector,
        total: float,
    ):
        self.n, self.total = n, total
        self._starts, self._rows, self._side, self._mass = starts, rows, side, mass
        sizes = np.diff(starts)
        self._middle = starts[:-1] + sizes // 2
        self._block = np.repeat(np.arange(sizes.size, dtype=np.float64), sizes)

    @staticmethod
    def of_labels(y: NDArray[np.int8], weights: Vector | None) -> LogisticSums:
        """Return the sums over all pairs of a positive and a negative, rows with weights or not."""
        mass = np.ones(y.size) if weights is None else even_classes(weights, y > 0)
        total = float(mass[y > 0].sum()) * float(mass[y < 0].sum())
        starts = np.array([0, y.size])
        return LogisticSums(y.size, starts, np.arange(y.size, dtype=np.int32), y, mass, total)

    @staticmethod
    def of_blocks(of: Members) -> LogisticSums:
        """Return the sums over the pairs of blocks."""
        side = np.where(of.key == 0, 1, -1).astype(np.int8)
        return LogisticSums(of.n, of.starts, of.rows, side, of.a + of.b, 1.0)

    def __call__(self, s: Vector) -> tuple[float, Vector, float]:
        """Return the mean loss, its derivatives in s (n,), and 1: every pair has a loss.

        If a score is NaN or infinite, so is the mean, or NaN, and the derivatives have no meaning.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        if s.shape != (self.n,):
            raise DataError(f"scores have shape {s.shape} for {self.n} rows; give one per row")
        t, order = self._sorted(s[self._rows])
        v, y = self._mass[order], self._side[order]
        near, bend = np.empty((2, t.size)), np.empty((2, t.size))
        with np.errstate(over="ignore", invalid="ignore"):  # of scores that are not finite
            logistic_pairs.exponential_pass(self._starts, t, v, y, VALUE, SLOPE, near, bend)
            # A pair is wrong if its lower row is above. Hinges are sums over wrong pairs, of
            # distances from the middle score of the block, so that few digits cancel.
            middle = t - np.repeat(t[self._middle], np.diff(self._starts))
            upper = y > 0
            below = running_sums(self._starts, np.where(upper, v, 0.0))
            above = running_sums(self._starts, np.where(upper, 0.0, v), backwards=True)
            wrong = np.where(upper, -above, below)
            total = float(v @ (wrong * middle + near[0]))
            slopes = v * (wrong + bend[1] - bend[0])
        c = np.bincount(self._rows[order], slopes, self.n)
        return total / self.total, c / self.total, 1.0

    def _sorted(self, x: Vector) -> tuple[Vector, Index]:
        """Return the scores of the memberships, ascending in each block, and their order."""
        t, order = argsort(x)
        if self._middle.size == 1:
            return t, order
        again = argsort(self._block[order])[1]
        return t[again], order[again]
