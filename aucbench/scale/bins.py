"""Scores in bins: counts and sums of rows, from which cuts of losses over pairs follow.

A negative with score s is in bin floor((s − low) K), and a positive in bin floor((s − 1 − low) K),
K bins for each unit of the score. So a pair whose bins are ⟨i, j⟩ has a margin violated for certain
if j > i, satisfied for certain if j < i, and within one bin of the kink if j = i. Rows outside the
range are in its first and last bin.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from operator import mul

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.data.tally import uncounted
from aucbench.kernels import bins
from aucbench.scale.data import ChunkedData
from aucbench.scale.parts import Piece
from aucbench.scale.tiles import room, tile_rows

Counts = NDArray[np.int64]
MARGIN = 0.15  # of the range of a sample, by which the bins reach farther
NARROW = 1e-9  # least width of a range, relative to the size of its ends
SUMS = 1 << 23  # numbers of the sums of rows, 64 MB: with more, two readings take their place


@dataclass(frozen=True)
class Grid:
    """Bins of equal width.

    Attributes
    ----------
    low : float
        Where the first bin begins, for negatives; for positives it begins at low + 1.
    K : float
        Bins for each unit of the score.
    count : int
        Number of bins.
    """

    low: float
    K: float
    count: int

    @property
    def lows(self) -> Vector:
        """Where the first bin begins, for negatives and for positives."""
        return np.array([self.low, self.low + 1.0])

    @property
    def high(self) -> float:
        """Where the last bin ends, for negatives."""
        return self.low + self.count / self.K


@dataclass(frozen=True, eq=False)
class Binned:
    """Rows by class (0 negative, 1 positive) and bin.

    Attributes
    ----------
    counts : array of shape (2, bins), int64
    sums : array of shape (2, bins, d), or None
        Σ (x − m) over the rows of a bin.
    ends : array of shape (2, 2)
        The lowest and the highest score of each class.
    most : int
        Additions that a row passes through, at most: for bounds of rounding.
    """

    counts: Counts
    sums: Vector | None
    ends: Vector
    most: int

    def merge(self, other: Binned) -> Binned:
        """Return the rows of both."""
        sums = None if self.sums is None or other.sums is None else self.sums + other.sums
        low = np.minimum(self.ends[:, 0], other.ends[:, 0])
        ends = np.stack([low, np.maximum(self.ends[:, 1], other.ends[:, 1])], axis=1)
        return Binned(self.counts + other.counts, sums, ends, max(self.most, other.most) + 1)


def binned(piece: Piece, centre: Vector, v: Vector, grid: Grid, *, sums: bool = True) -> Binned:
    """Return the rows of a piece by bins of the scores (x − m)·v."""
    d = v.size
    counts = np.zeros((2, grid.count), np.int64)
    totals = np.zeros((2, grid.count, d)) if sums else None
    ends = np.array([[inf, -inf], [inf, -inf]])
    m = tile_rows(d)
    own = (room(d), np.empty(m), np.empty(m, np.int32))
    place = (centre, v, grid.lows, grid.K)
    bins.binned(piece.arrays, piece.y, *place, counts, totals, ends, *own)
    return Binned(counts, totals, ends, int(counts.max()))


@dataclass(frozen=True, eq=False)
class Pulled:
    """Σ c_i (x_i − m), (d,), and the additions that a row passes through, at most."""

    total: Vector
    most: int

    def merge(self, other: Pulled) -> Pulled:
        """Return the sum of both."""
        return Pulled(self.total + other.total, max(self.most, other.most) + 1)


def pulled(piece: Piece, centre: Vector, v: Vector, grid: Grid, c: Vector) -> Pulled:
    """Return Σ c_i (x_i − m) over a piece, where c (2, bins) is by class and bin."""
    d, out = v.size, np.zeros(v.size)
    own = (room(d), np.empty(tile_rows(d)), np.empty(d))
    bins.pulled(piece.arrays, piece.y, centre, v, grid.lows, grid.K, c, out, *own)
    return Pulled(out, tile_rows(d) + -(-piece.n // tile_rows(d)))


def grid_of(data: ChunkedData, w: Vector, count: int) -> Grid:
    """Return the bins for the scores of w: where the classes overlap in a sample, and beyond.

    Bins below all t = s₊ − 1 or above them decide nothing, and neither do those beyond all
    negatives. Rows that are not in the sample may lie outside, which harms no bound.
    """
    neg, t = sample_margins(data, w)
    return grid_between(max(neg.min(), t.min()), min(neg.max(), t.max()), MARGIN, count)


def sample_margins(data: ChunkedData, w: Vector) -> tuple[Vector, Vector]:
    """Return the scores of the negatives of the sample, and t = s − 1 of its positives."""
    with uncounted():  # it is in memory
        s = data.sample.scores(w)
    n_neg = data.survey.samples[0].keys.size
    return s[:n_neg], s[n_neg:] - 1.0


def grid_between(one: float, other: float, margin: float, count: int) -> Grid:
    """Return the bins between two scores, and beyond them by a share of their distance."""
    low, high = float(min(one, other)), float(max(one, other))
    beyond = margin * (high - low) + NARROW * (1.0 + abs(low) + abs(high))
    low -= beyond
    return Grid(low, count / (high + beyond - low), count)


def auc_between(rows: Binned, grid: Grid) -> tuple[float, float]:
    """Return bounds of the AUC of the scores as they were computed, from the counts of the bins.

    A positive of bin b has a score s with (s − low) K in [b + K, b + 1 + K), a negative of bin j in
    [j, j + 1). So the positive is above for certain if j + 1 ≤ b + K, and below if j ≥ b + 1 + K.
    Rows outside the range may be further away: a positive in the first bin above none for certain,
    one in the last bin below none, and a negative in the last bin below none.
    """
    neg, pos = rows.counts
    b, last = np.arange(grid.count), grid.count
    above = np.clip(np.floor(b + grid.K).astype(np.int64), 0, last)
    reach = np.clip(np.ceil(b + 1 + grid.K).astype(np.int64), 0, last)
    if rows.ends[0, 1] > grid.high:
        above = np.minimum(above, last - 1)
    if rows.ends[1, 0] - 1.0 < grid.low:
        above[0] = 0
    reach[-1] = last
    below = [0, *np.cumsum(neg).tolist()]
    pairs = int(neg.sum()) * int(pos.sum())
    low, high = (
        sum(map(mul, pos.tolist(), [below[j] for j in bound.tolist()])) / pairs
        for bound in (above, reach)
    )
    return low, high


def fits(data: ChunkedData, count: int) -> bool:
    """Return whether the sums of so many bins fit, or two readings must take their place."""
    return 2 * count * int(data.d) <= SUMS
