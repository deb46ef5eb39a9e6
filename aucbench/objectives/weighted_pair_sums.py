"""Sums of hinges over all pairs of rows with weights, from a sort of each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError
from aucbench.kernels.vectors import even_classes
from aucbench.objectives.pair_sums import Bend


class WeightedPairSums:
    """Do as `PairSums`, where a pair (positive i, negative j) counts v_i v_j.

    With t_i = s_i − 1, a pair is active if s_j > t_i. The sums over the active pairs of a row are
    sums over the end of the sorted scores of the other class, or over their begin; they are added
    up from that end, so that no digits cancel.

    Parameters
    ----------
    y : array of shape (n,), int8 in {-1, +1}
        The labels, of both classes.
    weights : array of shape (n,)
        v > 0.
    squared : bool
        Whether the hinges are squared.
    """

    def __init__(self, y: NDArray[np.int8], weights: Vector, *, squared: bool):
        self.n, self.squared = y.size, squared
        self.pos, self.neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        self.weights = even_classes(weights, y > 0)
        self.total = float(self.weights[self.pos].sum()) * float(self.weights[self.neg].sum())

    def __call__(self, s: Vector) -> tuple[float, Vector, int]:
        """Return the mean loss, its derivatives in s (n,), and the number of active pairs.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        if s.shape != (self.n,):
            raise DataError(f"scores have shape {s.shape} for {self.n} rows; give one per row")
        with np.errstate(over="ignore", invalid="ignore"):  # of scores that are not finite
            return self._sums(s)

    def _sums(self, s: Vector) -> tuple[float, Vector, int]:
        (t, order), (u, other) = argsort(s[self.pos]), argsort(s[self.neg])
        pos, neg, t = self.pos[order], self.neg[other], t - 1.0
        base = float(t[t.size // 2])  # losses are differences, so that the origin is free
        t, u = t - base, u - base
        # The active partners of a positive are the negatives from `first` on; those of a negative
        # are the positives before `last`. Sorted values are found much faster than others.
        first, last = np.searchsorted(u, t, "right"), np.searchsorted(t, u, "left")
        of_pos, of_neg = self.weights[pos], self.weights[neg]
        above = _from_the_end(of_neg)[first]
        below = _from_the_begin(of_pos)[last]
        self._last = _Active(pos, neg, first, last, above, below)
        c, active = np.empty(self.n), int(last.sum())
        if not self.squared:
            c[pos], c[neg] = -of_pos * above, of_neg * below
            total = float(c[pos] @ t + c[neg] @ u)
            return total / self.total, c / self.total, active
        P = _from_the_end(of_neg * u)[first] - t * above
        Q = u * below - _from_the_begin(of_pos * t)[last]
        c[pos], c[neg] = -2.0 * of_pos * P, 2.0 * of_neg * Q
        total = 0.5 * float(c[pos] @ t + c[neg] @ u)
        return total / self.total, c / self.total, active

    def bend(self) -> Bend:
        """Return u -> D u, with the second derivatives D (n, n) at the scores of the last call.

        The product stays that of these scores, whatever is called later.
        """
        at, factor = self._last, 2.0 / self.total
        of_pos, of_neg = self.weights[at.pos], self.weights[at.neg]

        def product(u: Vector) -> Vector:
            base = u[at.pos[0]]  # the origin is free, as it is for the losses
            up, un = u[at.pos] - base, u[at.neg] - base
            out = np.empty(self.n)
            out[at.pos] = of_pos * (at.above * up - _from_the_end(of_neg * un)[at.first])
            out[at.neg] = of_neg * (at.below * un - _from_the_begin(of_pos * up)[at.last])
            return factor * out

        return product


@dataclass(frozen=True, slots=True)
class _Active:
    """Which pairs are active: of sorted rows, where partners begin and end, and their weights."""

    pos: NDArray[np.intp]
    neg: NDArray[np.intp]
    first: NDArray[np.intp]
    last: NDArray[np.intp]
    above: Vector
    below: Vector


def _from_the_begin(parts: Vector) -> Vector:
    """Return the sums of the first k parts, k = 0 to m."""
    sums = np.zeros(parts.size + 1)
    np.cumsum(parts, out=sums[1:])
    return sums


def _from_the_end(parts: Vector) -> Vector:
    """Return the sums of all parts but the first k, k = 0 to m."""
    return _from_the_begin(parts[::-1])[::-1]
