"""Pairwise hinge of rows in chunks: certified bounds from scores in bins."""

from __future__ import annotations

from operator import mul
from typing import ClassVar

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.data.rounding import Slack, gamma
from aucbench.objectives.binned import BinnedLoss, place_error
from aucbench.scale.bins import Binned, Counts, Grid, grid_of


class BinnedHinge(BinnedLoss):
    """Bounds of f(w) = 1/(n₊n₋) Σ_i Σ_j [1 − w·(z_i − z_j)]₊, i positive, j negative, and cuts.

    The hinge is a maximum, [m]₊ = max_{0 ≤ a ≤ 1} a m. So *any* weights a_ij of pairs give a cut,

        f(u) ≥ b + g·u,  b = mean a_ij,  g = mean a_ij (z_j − z_i),  for all u.           (1)

    The scores s of w are put into bins of width h: a negative by s_j, a positive by t_i = s_i − 1
    (`aucbench.scale.bins`). A pair has the margin m_ij = s_j − t_i. Let a_ij be 1 if the bin of
    s_j is above that of t_i, 1/2 if it is the same, and 0 if it is below. Then 2 a_ij is a whole
    number, and with k_i = Σ_j 2a_ij and κ_j = Σ_i 2a_ij, which are the same for all rows of a bin,

        b = Σ_i k_i / 2n₊n₋,  g = (Σ_j κ_j z_j − Σ_i k_i z_i) / 2n₊n₋

    follow from the counts of the bins and the sums of their rows. There is no sort and no exchange
    of scores, and the counts are the same whatever the parts are. Σ_i k_i = Σ_j κ_j, so that a
    constant may be subtracted from z.

    **Upper bound.** By (1) at u = w, f(w) − (b + g·w) is the mean of [m]₊ − a m. It is 0 for a = 1
    and a = 0 where the bins tell the sign of m. In the same bin it is |m|/2, and |m| is at most the
    distance that two scores of one bin have: h, and in the first and the last bin h + o, where o is
    how far the scores of all rows reach beyond the range. So

        f(w) ≤ b + g·w + Σ_bins (h + o_bin) p_bin q_bin / 2n₊n₋                           (2)

    with p positives and q negatives in a bin. The last term is `Cut.slack`. It falls as h².

    **Rounding.** (1) holds for any a, so that the rounding of scores and of bins does not harm the
    cut; only b and g are rounded. b is a quotient of integers. A part of g adds up c_i z_i with
    Σ|c_i| = 2b ≤ 2, where a row passes through at most M additions and products: those of its bin
    in its part, of the merges, of the sum over the bins, and 8 more for x − m, c, the division by
    2n₊n₋ and by σ. So the computed g errs by at most η = 2γ_M R, R = max ‖z‖, and the cut by η‖u‖.
    In (2), a computed score errs by ε ≤ γ_{d+8} R‖w‖, and the place of its bin by 3u of the range
    and u(|low| + 1), u = 2⁻⁵³. A pair whose bins differ may then have the other sign, with |m| at
    most twice the sum of those; the mean errs by no more. So with

        e = 2ε + 2η‖w‖ + 2γ_{d+8} R‖w‖

    f(w) ≤ value + e and f(u) ≥ b + g·u − e − η‖u − w‖, which is what `rounding` promises.

    Parameters
    ----------
    data : ChunkedData
        Rows in chunks.
    bins : int
        How many there are at first.

    References
    ----------
    The weights of pairs are the dual variables of Joachims, "A support vector method for
    multivariate performance measures", ICML 2005. Bounds of rounded sums: Higham, "Accuracy and
    stability of numerical algorithms", 2002, section 3.1.
    """

    slope: ClassVar[float] = 1.0

    def _grid(self, w: Vector) -> Grid:
        return grid_of(self.data, w, self.bins)

    def _weighed(self, rows: Binned, grid: Grid, w: Vector) -> tuple[Vector, float, float]:
        neg, pos = rows.counts
        k, kappa = active(neg, pos)
        twice = 2 * int(self.data.n_pos) * int(self.data.n_neg)
        c = np.stack([kappa / float(twice), -k / float(twice)])
        b = sum(map(mul, k.tolist(), pos.tolist())) / twice
        return c, b, within_bins(rows, grid) / twice + place_error(grid)

    def rounding(self, w: Vector) -> Slack:
        """Return (e, η), see the class."""
        R, length = self.data.longest, float(np.linalg.norm(w))
        eta = 2.0 * self._sum_error * R
        return 4.0 * gamma(self.data.d + 8) * R * length + 2.0 * eta * length, eta


def active(neg: Counts, pos: Counts) -> tuple[Counts, Counts]:
    """Return k (bins,) of positives and κ (bins,) of negatives, from the rows of each bin."""
    k = 2 * (neg.sum() - np.cumsum(neg)) + neg
    kappa = 2 * (np.cumsum(pos) - pos) + pos
    return k, kappa


def within_bins(rows: Binned, grid: Grid) -> float:
    """Return Σ_bins (h + o) p q, a bound of 2 n₊n₋ (f(w) − b − g·w)."""
    neg, pos = (counts.astype(np.float64) for counts in rows.counts)
    lowest = min(rows.ends[0, 0], rows.ends[1, 0] - 1.0)
    highest = max(rows.ends[0, 1], rows.ends[1, 1] - 1.0)
    width = np.full(grid.count, 1.0 / grid.K)
    width[0] += max(0.0, grid.low - lowest)
    width[-1] += max(0.0, highest - grid.high)
    return float(width @ (neg * pos)) * (1.0 + gamma(grid.count + 8))
