"""Rows centred by the mean of their class, without a copy of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aucbench.data import Data, uncounted
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.summaries import whole_chunk


@dataclass(frozen=True, eq=False)
class CentredRows:
    """x̄_i = (x_i − m_y)/√p_y, where m_y is the mean and p_y the share of the class of row i.

    With weights of rows, 1/p_y is n a_i with the share a_i of the row in the weight of its class.
    With δ = m₋ − m₊, the pairwise square F is ½F(w) = (1/n) Σ ½(w·x̄_i)² + ½(1 + w·δ)². A product
    with a block costs one reading of its stored values, and O(d).

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.
    """

    data: Data

    @cached_property
    def scale(self) -> Vector:
        """Return 1/√p_y of each row, shape (n,)."""
        scale: Vector
        if self.data.weights is not None:
            scale = np.sqrt(self.data.n * self.data.labels.shares)
            return scale
        p = self.data.labels.p
        scale = np.where(self.data.y > 0, p, 1.0 - p) ** -0.5
        return scale

    def scores(self, w: Vector, block: Block = ALL) -> Vector:
        """Return X̄_B w, shape (|B|,)."""
        at_means = np.array([m @ w for m in self.data.means])
        side = (self.data.y[block] > 0).astype(np.intp)
        centred: Vector = self.data.scores(w, block) - at_means[side]
        return centred * self.scale[block]

    def pullback(self, r: Vector, block: Block = ALL) -> Vector:
        """Return X̄_Bᵀ r, shape (d,)."""
        c = r * self.scale[block]
        of_positives = float(c @ (self.data.y[block] > 0))
        m_neg, m_pos = self.data.means
        out = self.data.pullback(c, block)
        out -= of_positives * m_pos + (float(c.sum()) - of_positives) * m_neg
        return out

    def largest_norm(self) -> float:
        """Return R = max ‖x̄_i‖."""
        means = self.data.means
        with uncounted():  # no weights
            at_own = np.where(self.data.y > 0, *(self.data.scores(m) for m in means[::-1]))
        of_means = np.where(self.data.y > 0, *(float(m @ m) for m in means[::-1]))
        squares = whole_chunk(self.data).square_norms - 2.0 * at_own + of_means
        return float((np.sqrt(np.maximum(squares, 0.0)) * self.scale).max())
