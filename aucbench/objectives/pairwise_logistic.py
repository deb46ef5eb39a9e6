"""Pairwise logistic loss: the loss of RankNet, over all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import ALL, Block, Vector
from aucbench.objectives.all_pairs import AllPairs
from aucbench.objectives.logistic_sums import LogisticSums
from aucbench.objectives.pairwise_square import PairwiseSquare
from aucbench.pairs import Members


@dataclass(frozen=True, eq=False)
class PairwiseLogistic(AllPairs):
    """f(w) = 1/(n₊n₋) Σ_i Σ_j log(1 + exp(−w·(x_i − x_j))), i positive, j negative.

    No way is known to add up these losses exactly in O(n log n). Here log(1 + z) is replaced by a
    polynomial with 20 terms, in z = exp(−|w·(x_i − x_j)|). The loss of a pair and its derivative
    err by at most 2·10⁻¹³. All pairs then cost one sort and O(n), see `LogisticSums`.

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.

    References
    ----------
    Burges et al., "Learning to rank using gradient descent", ICML 2005.
    """

    def _of_labels(self, y: NDArray[np.int8], weights: Vector | None) -> LogisticSums:
        return LogisticSums.of_labels(y, weights)

    def _of_members(self, members: Members) -> LogisticSums:
        return LogisticSums.of_blocks(members.blocks)

    @cached_property
    def _square(self) -> PairwiseSquare:
        return PairwiseSquare(self.data)

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return H v, where H is an eighth of the Hessian of the pairwise square.

        It bounds the Hessian, because the loss bends by at most 1/4, and a square by 2.
        """
        return 0.125 * self._square.curvature(v, rows)
