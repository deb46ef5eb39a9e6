"""Pairwise hinge: the loss of the ROC-SVM over all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aucbench.data.arrays import Vector
from aucbench.data.rounding import Slack, of_hinge
from aucbench.objectives.all_pairs import AllPairs


@dataclass(frozen=True, eq=False)
class PairwiseHinge(AllPairs):
    """f(w) = 1/(n₊n₋) Σ_i Σ_j [1 − w·(x_i − x_j)]₊, i positive, j negative.

    With t_i = s_i − 1 a pair is active iff s_j > t_i (margin exactly 1: subgradient 0), and
    f = (1/n₊n₋) [Σ_i −k_i t_i + Σ_j κ_j s_j], c_i = −k_i/n₊n₋, c_j = κ_j/n₊n₋, where k_i and
    κ_j count the active pairs of a row. One sort of the smaller class and one search for
    each row of the other: O(n log n), and less when the order of the last call almost holds.

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.

    References
    ----------
    Joachims, "Training linear SVMs in linear time", KDD 2006.
    """

    squared: ClassVar[bool] = False

    def rounding(self, w: Vector) -> Slack:
        """(e, η): what rounding does to f and its subgradient at w, at most."""
        return of_hinge(self.data, w)
