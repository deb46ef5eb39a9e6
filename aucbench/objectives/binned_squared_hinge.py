"""Pairwise squared hinge of rows in chunks: certified bounds from scores in bins."""

from __future__ import annotations

from operator import mul
from typing import ClassVar

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.data.rounding import Slack, gamma
from aucbench.objectives.binned import BINS, BinnedLoss, place_error
from aucbench.scale import ChunkedData
from aucbench.scale.bins import MARGIN, Binned, Counts, Grid, grid_between, sample_margins


class BinnedSquaredHinge(BinnedLoss):
    """Bounds of f(w) = 1/(n₊n₋) Σ_i Σ_j ([1 − w·(z_i − z_j)]₊)², i positive, j negative, and cuts.

    The square of a hinge is a maximum, [m]₊² = max_{t ≥ 0} 2tm − t². So *any* t_ij ≥ 0 give a cut,

        f(u) ≥ b + g·u,  b = mean (2t_ij − t_ij²),  g = 2 mean t_ij (z_j − z_i),  for all u.   (1)

    The scores s of w are put into bins of width h: a negative by s_j, a positive by t_i = s_i − 1
    (`aucbench.scale.bins`), so that a pair has the margin m_ij = s_j − t_i. Let k_ij be the number
    of its bins between, that of s_j less that of t_i, and t_ij = h [k_ij]₊. The sums of t_ij and of
    t_ij² over the pairs of a row depend on its bin only. So b and g follow from the counts of the
    bins and the sums of their rows, as those of `BinnedHinge` do.

    **Upper bound.** By (1) at u = w, f(w) − (b + g·w) is the mean of [m]₊² − 2tm + t², which is
    (m − t)² for m ≥ 0. Within the range of the bins m is less than h from h k. If k ≥ 1, then
    m ≥ 0, and it is less than h². If k = 0, it is [m]₊² ≤ h², and if k < 0, it is 0. A positive
    below the range is in the first bin, and its m is larger than the bins say, by at most o₋; so is
    that of a negative above it, by at most o₊. Other rows outside the range have k ≤ 0, and a
    smaller m than the bins say. So the pairs of k ≥ 0 have at most

        (h + o₋ [t_i is in the first bin] + o₊ [s_j is in the last bin])²                   (2)

    each, and f(w) ≤ b + g·w plus their mean, which is `Cut.slack`. It falls as h².

    **Rounding.** (1) holds for any t, so that the rounding of scores and of bins does not harm the
    cut. A computed score and the place of its bin err by at most δ/2, see `BinnedHinge`. So m is
    within δ of what the bins say, and (2) holds with h + δ for h; it also bounds the pairs with
    m < 0 ≤ k, where (m − t)² takes the place of t² + 2t|m|, and δ² is added for those of k < 0. A
    part of g adds up c_i z_i with Σ|c_i| = 4 mean t, of at most M additions and products, so that
    it errs by η = 4 γ_M R mean t, R = max ‖z‖. b is a quotient of whole numbers, but for the mean
    of t², and errs by at most γ mean (2t + t²), with γ for two additions for each bin.

    Parameters
    ----------
    data : ChunkedData
        Rows in chunks.
    bins : int
        How many there are at first.

    References
    ----------
    The variational form is that of the conjugate of a square. Bounds of rounded sums: Higham,
    "Accuracy and stability of numerical algorithms", 2002, section 3.1.
    """

    slope: ClassVar[float] = 2.0

    def __init__(self, data: ChunkedData, bins: int = BINS) -> None:
        super().__init__(data, bins)
        self.reach = MARGIN  # of the range of a sample, by which the bins reach farther
        self._largest = (0.0, 1.0)  # (error of b, mean of t) of the points so far

    def _grid(self, w: Vector) -> Grid:
        """Return bins for all active pairs of a sample: from the lowest t to the highest s₋."""
        neg, t = sample_margins(self.data, w)
        return grid_between(t.min(), neg.max(), self.reach, self.bins)

    def _weighed(self, rows: Binned, grid: Grid, w: Vector) -> tuple[Vector, float, float]:
        k, kappa, square = distances(*rows.counts)
        pairs = float(int(self.data.n_pos) * int(self.data.n_neg))
        step = 2.0 / grid.K / pairs
        mean = sum(map(mul, k.tolist(), rows.counts[1].tolist())) / pairs / grid.K
        square_mean = float(square @ rows.counts[1]) / pairs / grid.K**2
        error = 2.0 * gamma(2 * grid.count + 16) * (2.0 * mean + square_mean)
        self._largest = (max(self._largest[0], error), max(self._largest[1], mean))
        slack = self._within(rows, grid, w)
        self._reach_further(rows, grid)
        return np.stack([kappa * step, k * -step]), 2.0 * mean - square_mean, slack

    def _reach_further(self, rows: Binned, grid: Grid) -> None:
        """Let the next bins reach as far as all rows do, which the sample does not show."""
        below, above = beyond(rows, grid)
        inside = (grid.high - grid.low) / (1.0 + 2.0 * self.reach)
        self.reach += 1.1 * max(below, above) / inside

    def _within(self, rows: Binned, grid: Grid, w: Vector) -> float:
        """Return the mean of (2) over the pairs of k ≥ 0, and δ²."""
        neg, pos = (counts.astype(np.float64) for counts in rows.counts)
        below, above = beyond(rows, grid)
        error = 4.0 * gamma(w.size + 8) * self.data.longest * float(np.linalg.norm(w))
        error += place_error(grid)
        h = 1.0 / grid.K + error
        first, last = pos[0], neg[-1]
        active = float(pos @ np.cumsum(neg[::-1])[::-1])  # pairs of k >= 0
        corner = first * last
        of_first, of_last = first * neg.sum() - corner, last * pos.sum() - corner
        inside = max(active - corner - of_first - of_last, 0.0)
        total = inside * h * h + corner * (h + below + above) ** 2
        total += of_first * (h + below) ** 2 + of_last * (h + above) ** 2
        rounded = 1.0 + gamma(grid.count + 16)
        return float(total / (neg.sum() * pos.sum())) * rounded + error * error

    def rounding(self, w: Vector) -> Slack:
        """Return (e, η), see the class: the largest ones of the points so far."""
        error, mean = self._largest
        eta = 4.0 * self._sum_error * self.data.longest * mean
        return error + 2.0 * eta * float(np.linalg.norm(w)), eta


def distances(neg: Counts, pos: Counts) -> tuple[Counts, Counts, Vector]:
    """Return Σ [k]₊ of a positive and of a negative in each bin, and Σ [k]₊² of a positive.

    With A_e negatives above bin e, Σ_c [c − b]₊ q_c = Σ_{e ≥ b} A_e, and the sum of squares is
    Σ_{e ≥ b} (2 Σ_{f ≥ e} A_f − A_e). Whole numbers, but for the squares, which may exceed 2⁶³.
    """
    above = neg.sum() - np.cumsum(neg)
    k = np.cumsum(above[::-1])[::-1]
    below = np.cumsum(pos) - pos
    kappa = np.cumsum(below)
    square = np.cumsum((2.0 * k - above)[::-1])[::-1]
    return k, kappa, square


def beyond(rows: Binned, grid: Grid) -> tuple[float, float]:
    """Return how far a positive is below the bins, and a negative above them; 0 if none is."""
    below = grid.low + 1.0 - float(rows.ends[1, 0])
    above = float(rows.ends[0, 1]) - grid.high
    return max(below, 0.0), max(above, 0.0)
