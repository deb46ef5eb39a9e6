"""Logistic loss: the pointwise objective of StoIHT and HSG-HT."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector, size, span
from aucbench.kernels import linear


@dataclass(frozen=True, eq=False)
class Logistic:
    """f(w) = (1/n) Σ_i log(1 + exp(−y_i w·x_i)).

    Parameters
    ----------
    data : Data
        Training rows with labels, dense or CSR. An intercept is a last column of ones.
    """

    data: Data

    def value(self, w: Vector) -> float:
        """Return f(w), without overflow at any score."""
        return float(np.logaddexp(0.0, -self.data.y * self.data.scores(w)).mean())

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return −(1/b) Σ_B y_i x_i / (1 + exp(y_i w·x_i)) over a block B of b rows."""
        data, out = self.data, np.zeros(self.data.d)
        block = span(rows, data.n)
        linear.margin_pass(*data.rows.arrays, *block, data.y, w, np.ones(2), True, out)
        out /= size(rows, data.n)
        return out

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return (1/4b) X_Bᵀ X_B v; this matrix bounds the Hessian at every w, as σ′ ≤ 1/4."""
        data = self.data
        return data.pullback(data.scores(v, rows), rows) / (4.0 * size(rows, data.n))
