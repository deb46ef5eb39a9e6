"""Logistic loss: the pointwise objective of StoIHT and HSG-HT."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector, size, span
from aucbench.kernels import linear


@dataclass(frozen=True, eq=False)
class Logistic:
    """f(w) = (1/n) Σ_i log(1 + exp(−y_i w·(x_i − m))).

    Rows are never centred: products with m are added up once per block. So the cost of a block is
    one reading of its stored values, plus O(d).

    Parameters
    ----------
    data : Data
        Training rows with labels, dense or CSR. An intercept is a last column of ones.
    centre : array of shape (d,), optional
        m. None means 0. With an intercept, the minimum is the same for each m that is 0 at the
        intercept, but gradient steps are much longer where m is the mean of the rows.
    """

    data: Data
    centre: Vector | None = None

    def value(self, w: Vector) -> float:
        """Return f(w), without overflow at any score."""
        margins = self.data.y * (self.data.scores(w) - self._at_centre(w))
        return float(np.logaddexp(0.0, -margins).mean())

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return −(1/b) Σ_B y_i x̄_i / (1 + exp(y_i w·x̄_i)), x̄ = x − m, over a block of b rows."""
        data, out = self.data, np.zeros(self.data.d)
        block = span(rows, data.n)
        shift = -self._at_centre(w)
        total = linear.margin_pass(
            *data.rows.arrays, *block, data.y, w, np.ones(2), True, out, shift
        )
        if self.centre is not None:
            out -= total * self.centre
        out /= size(rows, data.n)
        return out

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return (1/4b) X̄_Bᵀ X̄_B v; this matrix bounds the Hessian at every w, as σ′ ≤ 1/4."""
        data = self.data
        s = data.scores(v, rows) - self._at_centre(v)
        out = data.pullback(s, rows)
        if self.centre is not None:
            out -= float(s.sum()) * self.centre
        return out / (4.0 * size(rows, data.n))

    def _at_centre(self, w: Vector) -> float:
        return 0.0 if self.centre is None else float(self.centre @ w)
