"""Pairwise squared hinge: a smooth loss over all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from aucbench.data.arrays import ALL, Block, Vector
from aucbench.objectives.all_pairs import AllPairs
from aucbench.objectives.pairwise_square import PairwiseSquare


@dataclass(frozen=True, eq=False)
class PairwiseSquaredHinge(AllPairs):
    """f(w) = 1/(n₊n₋) Σ_i Σ_j ([1 − w·(x_i − x_j)]₊)², i positive, j negative.

    With t_i = s_i − 1, let P_i and Q_j be the sums of s_j − t_i over the active pairs of a row.
    Then

        f = (1/n₊n₋) [Σ_i −t_i P_i + Σ_j s_j Q_j],  c_i = −2P_i/n₊n₋,  c_j = 2Q_j/n₊n₋,

    where c are the derivatives in the scores. Scores are measured from the lowest one of the
    sorted class, so that few digits cancel.

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.

    References
    ----------
    Rust & Hocking, "A log-linear gradient descent algorithm for unbalanced binary
    classification using the all pairs squared hinge loss", 2023.
    """

    squared: ClassVar[bool] = True

    @cached_property
    def _square(self) -> PairwiseSquare:
        return PairwiseSquare(self.data)

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return H v with the Hessian of the pairwise square, where every pair is active."""
        return self._square.curvature(v, rows)
