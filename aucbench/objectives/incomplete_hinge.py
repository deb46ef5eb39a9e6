"""Incomplete pairwise hinge: the loss of the ROC-SVM over sampled pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from aucbench.contract import Cut, Objective
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Index, Vector
from aucbench.data.rounding import Slack, of_hinge
from aucbench.data.sorting import argsort
from aucbench.errors import DataError, UnsupportedError, require_count
from aucbench.kernels import hinge
from aucbench.objectives.differences import constant_columns, constant_in_parts, pulled
from aucbench.objectives.margins import Margins, spread_of_margins
from aucbench.pairs import members_of, pairs_of
from aucbench.pairs.range import Ranged


@dataclass(frozen=True, eq=False)
class IncompleteHinge(Objective):
    """f(w) = (1/B) Σ_b [1 − w·(x_{i_b} − x_{j_b})]₊ over B given pairs.

    If pairs are drawn uniformly with replacement, f is an unbiased estimate of the pairwise
    hinge, and its variance falls as 1/B. A pair is two row numbers, so memory is O(B), and no
    difference of rows is computed. If at least half of the rows are in no pair, those rows are
    not read.

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.
    positives, negatives : int32 arrays of shape (B,)
        Rows i_b and j_b of `data`, a positive and a negative one.

    Raises
    ------
    DataError
        When a row number does not exist, when a row is of the wrong class, or when there are
        not as many positives as negatives.

    References
    ----------
    Bae & Shin, "ROC-SVM" (2025), equation 7.
    """

    over_pairs: ClassVar[bool] = True

    data: Data
    positives: Index
    negatives: Index

    @staticmethod
    def draw(data: Data, pairs: int, rng: np.random.Generator) -> IncompleteHinge:
        """Draw `pairs` of the n₊n₋ pairs uniformly with replacement, or from `Data.pairs`.

        Raises
        ------
        UnsupportedError
            When the pairs are those in a range of the ROC curve, which needs all scores.
        """
        require_count(1, pairs=pairs)
        if isinstance(data.pairs, Ranged):
            raise UnsupportedError(
                "which pairs are in a range of the ROC curve is known from all scores only, and "
                "this loss draws pairs; take a loss over all pairs"
            )
        if pairs_of(data) is not None:
            return IncompleteHinge(data, *members_of(data).drawn(pairs, rng))
        pos, neg = (np.flatnonzero(data.y == side).astype(np.int32) for side in (1, -1))
        i = pos[rng.integers(0, pos.size, pairs)]
        return IncompleteHinge(data, i, neg[rng.integers(0, neg.size, pairs)])

    def __post_init__(self) -> None:
        """Check what the kernel does not check."""
        ordered = pairs_of(self.data) is not None  # they need not be of two classes
        if not ordered:
            self.data.require_no_weights("a hinge over drawn pairs")
        for rows, side in ((self.positives, 1), (self.negatives, -1)):
            whole = rows.dtype == np.int32 and rows.ndim == 1 and rows.size > 0
            if not whole or rows.min() < 0 or rows.max() >= self.data.n:
                raise DataError(
                    f"pairs are not int32 row numbers below {self.data.n}, at least one pair; use "
                    "IncompleteHinge.draw to make them"
                )
            if not ordered and (self.data.y[rows] != side).any():
                raise DataError(
                    "a pair has a row of the wrong class; give a positive and a negative row, in "
                    "this order"
                )
        if self.positives.size != self.negatives.size:
            raise DataError(
                f"{self.positives.size} positives and {self.negatives.size} negatives do not make "
                "pairs; give as many of each"
            )

    @cached_property
    def _pairs(self) -> tuple[Index, Index]:
        """The pairs in the order of their negatives, so that memory is read forwards."""
        order = argsort(self.negatives.astype(np.float64))[1]
        return self.positives[order], self.negatives[order]

    @cached_property
    def _used(self) -> tuple[Block, Index, Index]:
        """A block with all rows that are in a pair, and the pairs as positions in the block."""
        i, j = self._pairs
        seen = np.zeros(self.data.n, dtype=np.bool_)
        seen[i] = seen[j] = True
        block = np.flatnonzero(seen).astype(np.int32)
        if 2 * block.size > self.data.n:
            return ALL, i, j
        place = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        return block, place[i], place[j]

    @cached_property
    def _constant(self) -> Index:
        """Columns that are constant over all rows that are in a pair, or in each part of them."""
        rows = np.unique(np.concatenate([self.positives, self.negatives]))
        flat = constant_columns(self.data.rows, rows)
        if pairs_of(self.data) is None:
            return flat
        parts = members_of(self.data).components
        return np.union1d(flat, constant_in_parts(self.data.rows, *parts)).astype(np.int32)

    def of_scores(self, s: Vector) -> tuple[float, Vector]:
        """Return f and its derivatives c (n,) in the scores s (n,) of all rows; ∇f = Xᵀc."""
        return self.cut_of_scores(s)[:2]

    def margins(self, w: Vector, p: Vector) -> Margins:
        """Return mean and covariance of the margins of a pair in the scores of w and of p.

        Of pairs of the two classes, all rows show it.
        """
        own = None if pairs_of(self.data) is None else (self.positives, self.negatives)
        return spread_of_margins(self.data, own, w, p)

    def cut(self, w: Vector) -> Cut:
        """Return f(w) and its cut at w, from one reading of the rows that are in a pair."""
        block, i, j = self._used
        value, c, b = _mean_hinge(self.data.scores(w, block), i, j)
        return Cut(value, self.pullback(c, block), b)

    def cut_of_scores(self, s: Vector) -> tuple[float, Vector, float]:
        """Return f and its derivatives c (n,) at scores s (n,), and b with f(u) ≥ b + c·Xu.

        b is the share of active pairs.
        """
        if s.shape != (self.data.n,):
            raise DataError(f"scores have shape {s.shape} for {self.data.n} rows; give one per row")
        return _mean_hinge(s, *self._pairs)

    def pullback(self, c: Vector, rows: Block = ALL) -> Vector:
        """Return X_Bᵀc for such derivatives c; exactly 0 for columns constant over all pairs."""
        return pulled(self.data, c, rows, self._constant)

    def value(self, w: Vector) -> float:
        """Return f(w)."""
        block, i, j = self._used
        return _mean_hinge(self.data.scores(w, block), i, j)[0]

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return a subgradient over all given pairs.

        Raises
        ------
        UnsupportedError
            When `rows` is not all rows.
        """
        if not (isinstance(rows, slice) and rows.indices(self.data.n) == (0, self.data.n, 1)):
            raise UnsupportedError(
                "the gradient over a part of the rows was asked for, but a pair may join any two "
                "rows; ask for ALL, or draw pairs from data.take(rows)"
            )
        return self.cut(w).slope

    def rounding(self, w: Vector) -> Slack:
        """Return (e, η), bounds of the rounding of f and of its subgradient at w."""
        return of_hinge(self.data, w)


def _mean_hinge(s: Vector, i: Index, j: Index) -> tuple[float, Vector, float]:
    c = np.zeros(s.size)
    total, active = hinge.pair_pass(np.ascontiguousarray(s), i, j, 1.0 / i.size, c)
    return total / i.size, c, active / i.size
