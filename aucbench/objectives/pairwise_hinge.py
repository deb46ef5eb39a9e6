"""Pairwise hinge: the loss of the ROC-SVM over all pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aucbench.contract import Cut
from aucbench.data.arrays import Vector
from aucbench.data.rounding import Slack, of_hinge
from aucbench.objectives.all_pairs import AllPairs
from aucbench.objectives.margins import scores_at
from aucbench.pairs import Members
from aucbench.pairs.sums import ClassSums, PairSums


@dataclass(frozen=True, eq=False)
class PairwiseHinge(AllPairs):
    """f(w) = 1/(n₊n₋) Σ_i Σ_j [1 − w·(x_i − x_j)]₊, i positive, j negative.

    With t_i = s_i − 1, a pair is active if s_j > t_i; at a margin of exactly 1 the subgradient
    is 0. Let k_i and κ_j count the active pairs of a row. Then

        f = (1/n₊n₋) [Σ_i −k_i t_i + Σ_j κ_j s_j],  c_i = −k_i/n₊n₋,  c_j = κ_j/n₊n₋,

    where c are the derivatives in the scores. Other pairs than all of two classes have weights π_ij
    (`Data.pairs`), and k_i and κ_j are sums of them.

    It takes one sort of the smaller class, and one search for each row of the other class:
    O(n log n). It is faster when the order of the scores is almost that of the last call.

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.

    References
    ----------
    Joachims, "Training linear SVMs in linear time", KDD 2006.
    """

    def _of_labels(self, y: NDArray[np.int8], weights: Vector | None) -> ClassSums:
        return ClassSums.of_labels(y, weights, squared=False)

    def _of_members(self, members: Members) -> PairSums:
        return PairSums(members, squared=False)

    def cut(self, w: Vector) -> Cut:
        """Return f(w) and its cut at w, from one evaluation."""
        s = scores_at(self.data, w)
        value, c, b = self.cut_of_scores(s)
        return Cut(value, self.pullback(c), b, scores=s)

    def cut_of_scores(self, s: Vector) -> tuple[float, Vector, float]:
        """Return f at the scores s (n,), its derivatives c (n,), and b with f(u) ≥ b + c·Xu.

        b = Σ π_ij over the active pairs. With all of c, it is a valid cut for any scores s, so that
        the rounding of scores does not harm the bound.
        """
        return self._pair_sums(s)

    def rounding(self, w: Vector) -> Slack:
        """Return (e, η), bounds of the rounding of f and of its subgradient at w."""
        return of_hinge(self.data, w, self._memberships)
