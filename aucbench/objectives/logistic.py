"""Logistic loss: the pointwise objective of StoIHT and HSG-HT."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aucbench.contract import Objective
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector, size
from aucbench.data.passes import margin
from aucbench.errors import require_count

ALIKE = np.ones(2)  # weights of negative and of positive rows


@dataclass(frozen=True, eq=False)
class Logistic(Objective):
    """f(w) = (1/n) Σ_i log(1 + exp(−y_i w·(x_i − m))).

    Rows are never centred: products with m are added up once per block. So the cost of a block is
    one reading of its stored values, plus O(d).

    Parameters
    ----------
    data : Data
        Training rows with labels, dense or CSR. An intercept is a last column of ones.
    centre : bool
        Whether m is the mean of the rows. With an intercept this has the same minimum, but gradient
        steps are much longer. False: m = 0.
    intercepts : int
        Number of last columns, of ones, in which m is 0.
    """

    data: Data
    centre: bool = False
    intercepts: int = 0

    def __post_init__(self) -> None:
        require_count(0, intercepts=self.intercepts)
        self.data.require_no_weights("logistic")

    @cached_property
    def mean(self) -> Vector:
        """m, shape (d,)."""
        n, d = self.data.n, self.data.d
        if not self.centre:
            return np.zeros(d)
        mean = self.data.pullback(np.full(n, 1.0 / n))
        mean[max(0, d - self.intercepts) :] = 0.0
        return mean

    def value(self, w: Vector) -> float:
        """Return f(w), without overflow at any score."""
        margins = self.data.y * (self.data.scores(w) - self._at_centre(w))
        return float(np.logaddexp(0.0, -margins).mean())

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return −(1/b) Σ_B y_i x̄_i / (1 + exp(y_i w·x̄_i)), x̄ = x − m, over a block of b rows."""
        data, shift = self.data, -self._at_centre(w)
        out, total = margin(data.rows, data.y, w, ALIKE, rows, logistic=True, shift=shift)
        if self.centre:
            out -= total * self.mean
        out /= size(rows, data.n)
        return out

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return (1/4b) X̄_Bᵀ X̄_B v; this matrix bounds the Hessian at every w, as σ′ ≤ 1/4."""
        data = self.data
        s = data.scores(v, rows) - self._at_centre(v)
        out = data.pullback(s, rows)
        if self.centre:
            out -= float(s.sum()) * self.mean
        return out / (4.0 * size(rows, data.n))

    def _at_centre(self, w: Vector) -> float:
        return float(self.mean @ w) if self.centre else 0.0
