"""The common part of the losses over pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.contract import Objective
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Index, Vector
from aucbench.objectives.differences import constant_over_pairs, pulled
from aucbench.objectives.margins import Margins, spread_of_margins
from aucbench.pairs import Members, NoPairsError, members_of, pairs_of
from aucbench.pairs.range import Ranged, RangeSums

# Scores (n,) -> mean loss over pairs, its derivatives (n,), share of pairs with a loss above 0.
Sums = Callable[[Vector], tuple[float, Vector, float]]
SAMPLE = 8192  # pairs that are drawn to see how margins are spread


@dataclass(frozen=True, eq=False)
class AllPairs(Objective, ABC):
    """f(w): the mean over pairs (i, j) of a loss of w·(x_i − x_j), where i should score higher.

    Which pairs count, and how much, is `Data.pairs` (`aucbench.pairs`): f = Σ π_ij φ(s_i − s_j).
    Without them, they are all pairs of a positive and a negative, and a pair of rows with weights
    counts v_i v_j.

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.
    """

    expected_failures: ClassVar[Mapping[str, str]] = {
        "blocks": "pairs within a block are not all pairs, so blocks do not add up to the whole"
    }

    over_pairs: ClassVar[bool] = True

    data: Data

    @abstractmethod
    def _of_labels(self, y: NDArray[np.int8], weights: Vector | None) -> Sums:
        """Return the sums over all pairs of a positive and a negative, rows with weights or not."""

    @abstractmethod
    def _of_members(self, members: Members) -> Sums:
        """Return the sums over other pairs."""

    def _sums_over(self, rows: Block) -> Sums:
        """Return the sums over the pairs within the block `rows`; raises `NoPairsError`."""
        pairs, v = pairs_of(self.data), self.data.weights
        if pairs is None:
            y = self.data.y[rows]
            if abs(int(y.sum(dtype=np.int64))) == y.size:
                raise NoPairsError(f"all {y.size} labels are of one class")
            return self._of_labels(y, None if v is None else v[rows])
        members = members_of(self.data, rows)
        if isinstance(pairs, Ranged):
            return RangeSums(pairs, members.blocks, self._of_members)
        return self._of_members(members)

    @cached_property
    def _pair_sums(self) -> Sums:
        return self._sums_over(ALL)

    def margins(self, w: Vector, p: Vector) -> Margins:
        """Return mean and covariance of the margins of a pair in the scores of w and of p."""
        return spread_of_margins(self.data, self._some_pairs, w, p)

    @cached_property
    def _some_pairs(self) -> tuple[Index, Index] | None:
        if pairs_of(self.data) is None:
            return None
        return members_of(self.data).drawn(SAMPLE, np.random.default_rng(0))

    @property
    def _memberships(self) -> int:
        """The most memberships of a row, for bounds of rounding; 0 where pairs are counted."""
        if pairs_of(self.data) is None:
            return 0 if self.data.weights is None else 1
        return members_of(self.data).most

    @cached_property
    def _constant(self) -> Index:
        return constant_over_pairs(self.data)

    def of_scores(self, s: Vector) -> tuple[float, Vector]:
        """Return f and its derivatives c (n,) in the scores s (n,) of all rows; ∇f = Xᵀc."""
        value, c, _ = self._pair_sums(s)
        return value, c

    def active(self, s: Vector) -> float:
        """Return the share of pairs whose loss is above 0 at the scores s (n,)."""
        return self._pair_sums(s)[2]

    def pullback(self, c: Vector, rows: Block = ALL) -> Vector:
        """Return X_Bᵀc for such derivatives c; exactly 0 for columns that are constant.

        A column is constant if it has one value in all rows that pairs connect.
        """
        return pulled(self.data, c, rows, self._constant)

    def value(self, w: Vector) -> float:
        """Return f(w)."""
        return self.of_scores(self.data.scores(w))[0]

    def both(self, w: Vector) -> tuple[float, Vector]:
        """Return f(w) and a subgradient from one evaluation."""
        value, c = self.of_scores(self.data.scores(w))
        return value, self.pullback(c)

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return a subgradient over the pairs within the block `rows`; 0 if it has none."""
        if isinstance(rows, slice) and rows.indices(self.data.n) == (0, self.data.n, 1):
            return self.both(w)[1]
        s = self.data.scores(w, rows)
        try:
            sums = self._sums_over(rows)
        except NoPairsError:
            return np.zeros(self.data.d)
        return self.pullback(sums(s)[1], rows)
