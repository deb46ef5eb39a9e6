"""Pairwise squared hinge: a smooth loss over all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.rounding import Slack, of_scores, of_squared_hinge
from aucbench.errors import UnsupportedError
from aucbench.objectives.all_pairs import AllPairs
from aucbench.objectives.pairwise_square import PairwiseSquare
from aucbench.pairs import Members
from aucbench.pairs.sums import Bend, ClassSums, PairSums

KINKS = (
    "a range of the ROC curve has kinks where rows change places at its end, so that there are no "
    "second derivatives; take the hinge"
)


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

    def _of_labels(self, y: NDArray[np.int8], weights: Vector | None) -> ClassSums:
        return ClassSums.of_labels(y, weights, squared=True)

    def _of_members(self, members: Members) -> PairSums:
        return PairSums(members, squared=True)

    @cached_property
    def _square(self) -> PairwiseSquare:
        return PairwiseSquare(self.data)

    def bent(self, s: Vector) -> tuple[float, Vector, Bend]:
        """Return f and its derivatives c (n,) in the scores s (n,), and the product u -> D u.

        D (n, n) has the second derivatives in the scores, where those of a pair with a margin of 1
        are 0. With k_i and κ_j the numbers of active pairs of a row,

            (Du)_i = (2/n₊n₋) (k_i u_i − Σ_j u_j),  (Du)_j = (2/n₊n₋) (κ_j u_j − Σ_i u_i),

        summed over the active pairs of the row. So H v = Xᵀ D X v with the Hessian H of f, for
        O(n) and two readings of the rows.
        """
        sums = self._pair_sums
        if not isinstance(sums, ClassSums | PairSums):
            raise UnsupportedError(KINKS)
        value, c, _ = sums(s)
        return value, c, sums.bend()

    def rounding(self, w: Vector) -> Slack:
        """Return (e, η), bounds of the rounding of f and of its gradient at w."""
        return self.rounding_at(w, of_scores(self.data, w))

    def rounding_at(self, w: Vector, error: float, spread: float = inf) -> Slack:
        """Return (e, η) for scores of w that err by at most `error`, and are `spread` apart."""
        return of_squared_hinge(self.data, w, error, self._memberships, spread)

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return H v with the Hessian of the pairwise square, where every pair is active."""
        return self._square.curvature(v, rows)
