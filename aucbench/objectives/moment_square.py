"""Pairwise square of rows in chunks, by their moments: one reading serves every w."""

from __future__ import annotations

from functools import cached_property
from math import sqrt
from typing import ClassVar

import numpy as np

from aucbench.contract import Objective
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.rounding import UNIT, Slack, gamma, gap_of_gradient
from aucbench.objectives.binned import require_all
from aucbench.objectives.pairwise_square import PairwiseSquare
from aucbench.scale import ChunkedData
from aucbench.scale.moments import chain
from aucbench.scale.row_sums import additions, square_sums

DIRECT = 4000  # features up to which there are moments: 256 MB, and as much for each part at work


class MomentSquare(Objective):
    """F(w) = wᵀ(C₊ + C₋)w + (1 + w·δ)², δ = m₋ − m₊, which is `PairwiseSquare` of the same rows.

    C₊, C₋ and m₊, m₋ are the covariances and the means of the classes, from one reading that
    serves every w. The gradient and the Hessian times a vector read the rows: so they do not have
    the rounding errors of the covariances, and certify what was solved by them more closely than
    `solved` does. Beyond 4000
    features there are no covariances, and the value reads the rows too.

    Parameters
    ----------
    data : ChunkedData
        Training rows in chunks.
    """

    over_pairs: ClassVar[bool] = True

    def __init__(self, data: ChunkedData) -> None:
        self.data = data  # type: ignore[assignment]  # rows in chunks
        self._last: tuple[bytes, Vector] | None = None  # a point, and its product with the Hessian

    @property
    def is_direct(self) -> bool:
        """Whether there are few enough features for their covariances."""
        return bool(self.data.d <= DIRECT)

    @cached_property
    def delta(self) -> Vector:
        """δ, (d,); exactly 0 for columns that are constant."""
        m_neg, m_pos = self.data.means
        delta: Vector = m_neg - m_pos
        delta[self.data.constant] = 0.0
        return delta

    @cached_property
    def covariance(self) -> Vector:
        """C₊ + C₋, (d, d); exactly 0 for columns that are constant."""
        C = self.data.moments.covariance
        C /= np.outer(self.data.scale, self.data.scale)
        flat = self.data.constant
        C[flat], C[:, flat] = 0.0, 0.0
        return C

    def value(self, w: Vector) -> float:
        """Return F(w), without a reading but that of the moments."""
        if not w.any():
            return 1.0
        loss = 1.0 + float(w @ self.delta)
        if self.is_direct:
            return max(float(w @ (self.covariance @ w)), 0.0) + loss * loss
        return 1.0 + 2.0 * float(w @ self.delta) + 0.5 * float(w @ self.curvature(w))

    def matrix(self, lam: float) -> Vector:
        """Return the Hessian of F + (λ/2)‖·‖², 2(C₊ + C₋ + δδᵀ) + λI."""
        H = self.covariance + np.outer(self.delta, self.delta)
        H *= 2.0
        H[np.diag_indices(self.data.d)] += lam
        return H

    def diagonal(self, lam: float) -> Vector:
        """Return the diagonal of `matrix`, by the survey and without a reading."""
        total: Vector = 2.0 * (self.data.variances.sum(axis=0) + self.delta**2) + lam
        return total

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return the gradient over all rows; it costs one reading, but at w = 0."""
        return self.curvature(w, rows) + 2.0 * self.delta

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return H v with the Hessian H of F, for one reading, but at v = 0.

        It is 2 Σ_i a_i (z_i·v − v·m)(z_i − m) + 2(v·δ)δ, where a_i is 1/n of the class of row i and
        m its mean.

        Raises
        ------
        UnsupportedError
            When `rows` is not all rows.
        """
        require_all(rows)
        if not v.any():
            return np.zeros(v.size)
        key = v.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = (key, self._product(v))
        return self._last[1].copy()

    def _product(self, v: Vector) -> Vector:
        data, means, flat = self.data, self.data.means, self.data.constant
        u = v / data.scale
        u[flat] = 0.0
        weights = 2.0 / np.array(data.survey.counts, float)
        answer = data.reduce(square_sums, data.centre, u, means @ (u * data.scale), weights)
        out: Vector = answer.total / data.scale
        out -= answer.numbers[:, 0] @ means
        out += 2.0 * float(v @ self.delta) * self.delta
        out[flat] = 0.0
        return out

    def solved(self, w: Vector, lam: float) -> tuple[float, float]:
        """Return the length of the gradient by `matrix`, and the gap, both without a reading.

        An entry of Σ zzᵀ adds up products in a chain of M operations. So its error is at most
        γ Σ |z||z|ᵀ, γ = γ_M, and that of the matrix is at most γ t in length, where t is the mean
        of ‖z‖² over both classes. A class mean errs by γ√t. The survey has the means of δ, from
        squares around another shift, so that t is the sum of both. With the products of means, and
        the operations on matrices and vectors of d numbers, ∇F(w) errs by 24 γ t‖w‖ + 16 γ√t at
        most, and F(w) by ‖w‖ times that and 8γ.
        """
        data, counts = self.data, np.array(self.data.survey.counts, float)[:, None]
        diagonals = np.diagonal(data.moments.products, axis1=1, axis2=2)
        t = float((diagonals / counts / data.scale**2).sum())
        t += float((data.survey.squares / counts / data.scale**2).sum())
        most = max(data.parts.sizes[i] for i in data.numbers)
        operations = max(chain(data.d, most), additions(data)) + len(data.numbers).bit_length()
        g, length = gamma(operations + data.d + 32), float(np.linalg.norm(w))
        eta = g * (24.0 * t * length + 16.0 * sqrt(t))
        gradient = self.matrix(lam) @ w + 2.0 * self.delta
        residual = float(np.linalg.norm(gradient))
        return residual, gap_of_gradient(residual, w, lam, (eta * length + 8.0 * g, eta))

    def rounding(self, w: Vector) -> Slack:
        """Return (e, η), bounds of the rounding of F(w) and of the length of ∇F(w).

        They are those of `PairwiseSquare.rounding_at`: √F ≤ 1 + 4R‖w‖ with R = max ‖z_i‖, and each
        score errs by at most s = γ R‖w‖. A sum over the rows chains as many additions as a part
        has, and those of the tree.
        """
        R, length = self.data.longest, float(np.linalg.norm(w))
        sums = gamma(additions(self.data))
        s = gamma(self.data.d + 16) * R * length
        root = 1.0 + 4.0 * R * length
        e = 4.0 * s * (root + 3.0 * s) + (128.0 * UNIT + 8.0 * sums) * root * root
        return e, R * (16.0 * s + 48.0 * sums * root)


def square_over(data: Data) -> Objective:
    """Return the pairwise square of rows in memory, or in parts."""
    if isinstance(data, ChunkedData):
        return MomentSquare(data)
    return PairwiseSquare(data)
