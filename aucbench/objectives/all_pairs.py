"""The common part of the losses over all pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Index, Vector
from aucbench.objectives.differences import constant_columns, pulled
from aucbench.objectives.pair_sums import PairSums
from aucbench.objectives.weighted_pair_sums import WeightedPairSums

# Scores (n,) -> mean loss over pairs, its derivatives (n,), number of pairs with a loss above 0.
Sums = Callable[[Vector], tuple[float, Vector, int]]


def hinge_sums(data: Data, rows: Block, *, squared: bool) -> PairSums | WeightedPairSums:
    """Return the sums of hinges over the pairs within the block `rows`."""
    y, weights = data.y[rows], data.weights
    if weights is None:
        return PairSums(y, squared=squared)
    return WeightedPairSums(y, weights[rows], squared=squared)


@dataclass(frozen=True, eq=False)
class AllPairs(ABC):
    """f(w): the mean over all pairs (positive i, negative j) of a loss of w·(x_i − x_j).

    With weights v of rows it is the mean with weights v_i v_j.

    Parameters
    ----------
    data : Data
        Training rows with labels, dense or CSR.
    """

    expected_failures: ClassVar[Mapping[str, str]] = {
        "blocks": "pairs within a block are not all pairs, so blocks do not add up to the whole"
    }

    data: Data

    @abstractmethod
    def _sums_over(self, rows: Block) -> Sums:
        """Return the sums over the pairs within the block `rows`."""

    @cached_property
    def _pair_sums(self) -> Sums:
        return self._sums_over(ALL)

    @cached_property
    def _constant(self) -> Index:
        return constant_columns(self.data.rows, np.arange(self.data.n, dtype=np.int32))

    def of_scores(self, s: Vector) -> tuple[float, Vector]:
        """Return f and its derivatives c (n,) in the scores s (n,) of all rows; ∇f = Xᵀc."""
        value, c, _ = self._pair_sums(s)
        return value, c

    def active(self, s: Vector) -> int:
        """Return the number of pairs whose loss is above 0 at the scores s (n,)."""
        return self._pair_sums(s)[2]

    def pullback(self, c: Vector, rows: Block = ALL) -> Vector:
        """Return X_Bᵀc for such derivatives c; exactly 0 for columns that are constant."""
        return pulled(self.data, c, rows, self._constant)

    def value(self, w: Vector) -> float:
        """Return f(w)."""
        return self.of_scores(self.data.scores(w))[0]

    def both(self, w: Vector) -> tuple[float, Vector]:
        """Return f(w) and a subgradient from one evaluation."""
        value, c = self.of_scores(self.data.scores(w))
        return value, self.pullback(c)

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return a subgradient over the pairs within the block `rows`; 0 if it lacks a class."""
        if isinstance(rows, slice) and rows.indices(self.data.n) == (0, self.data.n, 1):
            return self.both(w)[1]
        s, y = self.data.scores(w, rows), self.data.y[rows]
        if abs(int(y.sum(dtype=np.int64))) == y.size:
            return np.zeros(self.data.d)
        return self.pullback(self._sums_over(rows)(s)[1], rows)
