"""Sums of hinges over all pairs, from one sort of the smaller class."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError
from aucbench.kernels import hinge
from aucbench.kernels.parallel import count, mapped
from aucbench.pairs.sums import Bend

CELLS = 2  # cells of the grid per sorted score
BLOCK = 256  # rows whose sums are kept apart: that of cython/hinge.pyx
SHARED_FROM = 2**17  # rows of the larger class from which threads share them
MOVES = 4  # moves per sorted score after which insertion sort costs more than another sort
# sign, shift and step of the other class; a; centre, scale and table of the grid
Sorted = tuple[float, float, float, Vector, float, float, Index]
PAD = 4  # infinities behind the sorted scores: cython/hinge.h compares this many at once


class PairSums:
    """Loss, its derivatives and the share of active pairs, over all pairs of fixed labels.

    Only the smaller class is sorted (see cython/hinge.pyx). A call starts from the order of the
    last call. The object owns the memory that a call needs, so two threads must not share it.

    Parameters
    ----------
    y : array of shape (n,), int8 in {-1, +1}
        The labels, of both classes.
    squared : bool
        Whether the hinges are squared.
    """

    def __init__(self, y: NDArray[np.int8], *, squared: bool):
        pos, neg = (np.flatnonzero(y == side).astype(np.int32) for side in (1, -1))
        self.n, self.pairs, self.squared = y.size, pos.size * neg.size, squared
        self.reflected = neg.size < pos.size
        self.rows, self.others = (neg, pos) if self.reflected else (pos, neg)
        m = self.rows.size
        self.order, self.has_order = np.empty_like(self.rows), False
        self.a, self.spare = np.full(m + PAD, np.inf), np.empty(m)
        self.counts = np.empty(m + 1, np.int32)
        self.table = np.empty(CELLS * m + 2, np.int32)
        self.parts = np.empty(-(-self.others.size // BLOCK))
        self.rank = np.empty(self.others.size if squared else 0, np.int32)
        self.below, self.sums = (np.empty(m + 1 if squared else 0) for _ in range(2))

    def __call__(self, s: Vector) -> tuple[float, Vector, float]:
        """Return the mean loss, its derivatives in s (n,), and the share of active pairs.

        If a score is NaN or infinite, so is the mean, and the derivatives have no meaning.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        if s.shape != (self.n,):
            raise DataError(f"scores have shape {s.shape} for {self.n} rows; give one per row")
        s = np.ascontiguousarray(s)
        sign, shift, other = (-1.0, 0.0, 1.0) if self.reflected else (1.0, -1.0, 0.0)
        grid = self._sort(s, sign, shift)
        c, step = np.empty(self.n), sign / self.pairs
        if self.squared:
            hinge.square_below(self.a, self.rows.size, self.below)
        self._read_others((sign, other, step, self.a, *grid, self.table), s, c)
        if self.squared:
            front = (s, self.others, sign, other, step, self.a, self.order, self.counts)
            total, active = hinge.square_sorted(*front, self.parts, self.rank, self.sums, c)
        else:
            kept = (self.a, self.order, self.counts, self.parts)
            total, active = hinge.linear_sorted(step, *kept, c)
        return total / self.pairs, c, active / self.pairs

    def bend(self) -> Bend:
        """Return u -> D u, with the second derivatives D (n, n) at the scores of the last call.

        The product stays that of these scores, whatever is called later. It costs O(n).
        """
        kept = (self.order.copy(), self.counts.copy(), self.rank.copy())
        below, sums = np.empty_like(self.below), np.empty_like(self.sums)

        def product(u: Vector) -> Vector:
            out = np.empty(self.n)
            hinge.square_bend(u, self.others, 1.0 / self.pairs, *kept, below, sums, out)
            return out

        return product

    def _read_others(self, given: Sorted, s: Vector, c: Vector) -> None:
        """Find the ranks of the larger class; threads share its rows, and each counts on its own.

        Counts are whole numbers, and the sums of blocks are kept apart. So the number of threads
        changes no bit.
        """
        size = self.others.size
        shares = min(count(), self.parts.size) if size >= SHARED_FROM else 1
        cuts = [min(size, BLOCK * (self.parts.size * k // shares)) for k in range(shares + 1)]

        def read(cut: tuple[int, int]) -> Index:
            counts = self.counts if cut[0] == 0 else np.empty_like(self.counts)
            front = (s, self.others, *cut, *given, counts, self.parts)
            if self.squared:
                hinge.square_rows(*front, self.below, self.rank, c)
            else:
                hinge.linear_rows(*front, c)
            return counts

        for counts in mapped(read, [*pairwise(cuts)])[1:]:
            self.counts += counts

    def _sort(self, s: Vector, sign: float, shift: float) -> tuple[float, float]:
        """Update a, order and table for the scores s; return the centre and scale of the grid."""
        m, moves = self.rows.size, MOVES * self.rows.size
        if self.has_order:
            hinge.read(s, self.order, sign, shift, self.a)
            self.has_order = hinge.mend(self.a, self.order, moves)
        if self.has_order:
            grid = _grid(self.a[:m])
            hinge.index(self.a, m, *grid, self.counts, self.table)
            return grid
        hinge.read(s, self.rows, sign, shift, self.spare)
        grid = _grid(self.spare)
        table, order = self.table, self.order
        hinge.spread(self.spare, self.rows, *grid, self.counts, table, self.a, order)
        if not hinge.mend(self.a, order, moves):
            self.a[:m], again = argsort(self.a[:m])
            order[:] = order[again]
        self.has_order = True
        return grid


def _grid(a: Vector) -> tuple[float, float]:
    """Return the median of a sample, and 1 over the distance between its quartiles."""
    sample = np.sort(a[:: 1 + a.size // 128]).tolist()
    low, centre, high = (sample[part * (len(sample) - 1) // 4] for part in (1, 2, 3))
    widths = (high - low, sample[-1] - sample[0])
    width = next((width for width in widths if width > 0.0), 1.0)
    return centre, 1.0 / min(width, 1e300)
