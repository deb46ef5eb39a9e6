"""Pairwise square: the least-squares surrogate of 1 - AUC, computed as a sum over rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import ClassVar

import numpy as np

from aucbench.contract import Objective
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Index, Vector, size
from aucbench.data.passes import affine
from aucbench.data.rounding import UNIT, Slack, gamma, longest, of_scores
from aucbench.errors import UnsupportedError
from aucbench.objectives.differences import constant_over_pairs, pulled
from aucbench.pairs import Members, NoPairsError, members_of, pairs_of
from aucbench.pairs.range import Ranged
from aucbench.pairs.sums import Bend


@dataclass(frozen=True, eq=False)
class PairwiseSquare(Objective):
    """F(w) = 1/(n₊n₋) Σ_i Σ_j (1 − w·(x_i − x_j))², i positive, j negative.

    With weights v of rows a pair counts v_i v_j, and n₊ and n₋ are the sums of v: means and
    variances of a class are weighted by the shares a_i = v_i/Σv of its rows.

    It is computed as a sum over rows (SHT-AUC paper, Proposition 1). With the class means m₊ and
    m₋, and δ = m₋ − m₊,

        F(w) = (1/n₊) Σ₊ (w·(x_i−m₊))² + (1/n₋) Σ₋ (w·(x_j−m₋))² + (1 + w·δ)².

    Of other pairs (`Data.pairs`) it is 1 − 2 e·s + s·Ls, with the scores s and the Laplacian L and
    the degrees e of π. Those of groups, times and grades have this form, and those of a range do
    not: there is a largest margin beyond which the square falls no more, so that it is not convex.

    Rows are never centred. The coefficients of m₊, m₋ and δ are added up once per block. So the
    cost of a block is one reading of its stored values, plus O(d).

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.

    Raises
    ------
    UnsupportedError
        When the pairs are those of a range of the ROC curve.

    References
    ----------
    Yang, Zhou, Lei & Ying, "Stochastic hard thresholding algorithms for AUC
    maximization", ICDM 2020.
    """

    over_pairs: ClassVar[bool] = True

    data: Data

    def __post_init__(self) -> None:
        if isinstance(self.data.pairs, Ranged):
            raise UnsupportedError(
                "the square is not monotone, so that it has no convex partial form; use "
                "pairwise-squared-hinge"
            )

    @cached_property
    def members(self) -> Members | None:
        """The pairs; None: all pairs of labels, with their weights."""
        return None if pairs_of(self.data) is None else members_of(self.data)

    @cached_property
    def _constant(self) -> Index:
        return constant_over_pairs(self.data)

    @cached_property
    def _delta(self) -> Vector:
        """δ, shape (d,)."""
        m_neg, m_pos = self.data.means
        return m_neg - m_pos

    def value(self, w: Vector) -> float:
        """Return F(w), from two passes over the scores, so that no digits cancel.

        The mean of a class is two numbers, m and the mean of what scores differ from m by. So a
        constant that is added to all scores changes no digit, unless it rounds the scores.
        """
        return self._of_scores(self.data.scores(w))

    def _of_scores(self, s: Vector) -> float:
        if self.members is not None:
            return self._of_members(self.members, s)
        classes = []
        for rows in (self.data.y < 0, self.data.y > 0):
            shares = None if self.data.weights is None else self.data.labels.shares[rows]
            classes.append(_moments(s[rows], shares))
        (neg, rest_neg, spread_neg), (pos, rest_pos, spread_pos) = classes
        loss = 1.0 + (neg - pos) + (rest_neg - rest_pos)
        return spread_pos + spread_neg + loss * loss

    @staticmethod
    def _of_members(members: Members, s: Vector) -> float:
        s = s - float(s.mean())  # the origin is free
        return 1.0 - 2.0 * float(members.degrees @ s) + float(s @ members.laplacian(s))

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return the gradient over a block of b rows.

        (2/b) [Σ₊ (w·(x−m₊))(x−m₊)/p + Σ₋ (w·(x−m₋))(x−m₋)/(1−p)] + 2(1 + w·δ)δ, where the sums
        run over the positives and the negatives of the block. With weights, a row has the factor
        2na/b in place of 2/(bp).

        Of other pairs it is 2 Xᵀ(Ls − e) over those inside the block, and 0 where there is none.
        """
        return self._block_product(w, rows, offset=1.0)

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return H_B v, where H_B is the exact Hessian of a block."""
        return self._block_product(v, rows, offset=0.0)

    def bent(self, s: Vector) -> tuple[float, Vector, Bend]:
        """Return F and its derivatives c (n,) in the scores s (n,), and the product u -> D u.

        D (n, n) has the second derivatives in the scores, which are the same everywhere. With the
        shares a_i of the rows, and the means of u in both classes,

            (Du)_i = 2a_i (u_i − u₋),  (Du)_j = 2a_j (u_j − u₊)

        for a positive row i and a negative row j, and c is Ds − 2a_i, Ds + 2a_j.
        """
        bend = self._bend
        s = s - float(s.mean())  # the origin is free
        if self.members is not None:
            return self._of_scores(s), bend(s) - 2.0 * self.members.degrees, bend
        return self._of_scores(s), bend(s) - 2.0 * self.data.labels.shares * self.data.y, bend

    def _bend(self, u: Vector) -> Vector:
        if self.members is not None:
            return 2.0 * self.members.laplacian(u)
        a, positive = self.data.labels.shares, self.data.y > 0
        u_pos, u_neg = (float(a[rows] @ u[rows]) for rows in (positive, ~positive))
        out: Vector = 2.0 * a * (u - np.where(positive, u_neg, u_pos))
        return out

    def pullback(self, c: Vector) -> Vector:
        """Return Xᵀc of such derivatives c; exactly 0 for columns that are constant."""
        return pulled(self.data, c, ALL, self._constant)

    def rounding(self, w: Vector) -> Slack:
        """Return (e, η), bounds of the rounding of F(w) and of the length of ∇F(w)."""
        return self.rounding_at(w, of_scores(self.data, w))

    def rounding_at(self, w: Vector, error: float, spread: float = inf) -> Slack:
        """Return (e, η) for scores of w that err by at most `error`, and are `spread` apart.

        They follow from √F ≤ 1 + 4R‖w‖ with R = max ‖x_i‖. An error s of each score moves F by
        at most 4s√F + 12s². Class means and sums over rows have a relative error of γ_n. Where the
        computed scores are `spread` apart, √F ≤ 1 + 2 (spread + 2s): their origin is free.
        """
        R, s = longest(self.data), error
        root = 1.0 + min(4.0 * R * float(np.linalg.norm(w)), 2.0 * spread + 4.0 * s)
        if spread < inf:
            s += 2.0 * UNIT * root  # of scores that are measured from their mean
        e = 4.0 * s * (root + 3.0 * s) + 128.0 * UNIT * root * root
        if self.members is not None or self.data.weights is not None:
            # The shares are rounded too, and summed in any order.
            most = 0 if self.members is None else self.members.most
            sums = gamma(self.data.n + most + 8)
            return e + 8.0 * sums * root * root, R * (16.0 * s + 48.0 * sums * root)
        return e, R * (16.0 * s + 24.0 * gamma(self.data.n + 4) * root)

    def _block_product(self, w: Vector, rows: Block, offset: float) -> Vector:
        """Return (2/b) Σ_B n a_i (w·(x_i − m))(x_i − m) + 2(offset + w·δ)δ.

        Columns that are constant have no part in it. They are left out of the scores, so that a
        large weight of one, such as an intercept, rounds nothing.
        """
        if self.members is not None:
            return self._product_of_members(self.members, w, rows, offset)
        data, (m_neg, m_pos) = self.data, self.data.means
        constant = self._constant
        if constant.size:
            w = w.copy()
            w[constant] = 0.0
        a, move = w @ m_pos, w @ self._delta
        b, pull = a + move, 2.0 * (offset + move)
        if data.weights is not None:
            positive = data.y[rows] > 0
            c = data.scores(w, rows) - np.where(positive, a, b)
            c *= 2.0 * data.n / size(rows, data.n) * data.labels.shares[rows]
            out = data.pullback(c, rows)
            sums = np.array([c[~positive].sum(), c[positive].sum()])
        else:
            slope = 2.0 / size(rows, data.n) / np.array([1.0 - data.labels.p, data.labels.p])
            out, sums = affine(data.rows, data.y, w, slope, -slope * np.array([b, a]), rows)
        out += (pull - sums[0]) * m_neg
        out -= (pull + sums[1]) * m_pos
        if constant.size:
            out[constant] = 0.0
        return out

    def _product_of_members(
        self, members: Members, w: Vector, rows: Block, offset: float
    ) -> Vector:
        """Return 2 X_Bᵀ(L X_B w − offset e) of the pairs inside a block."""
        if not (isinstance(rows, slice) and rows.indices(self.data.n) == (0, self.data.n, 1)):
            try:
                members = members_of(self.data, rows)
            except NoPairsError:
                return np.zeros(self.data.d)
        s = self.data.scores(w, rows)
        c = 2.0 * (members.laplacian(s) - offset * members.degrees)
        return pulled(self.data, c, rows, self._constant)


def _moments(s: Vector, shares: Vector | None) -> tuple[float, float, float]:
    """Return m, the mean of s − m, and the variance of the scores of a class, which are lost."""
    middle = _mean(s, shares)
    s -= middle
    rest = _mean(s, shares)
    np.square(s, out=s)
    square = _mean(s, shares)
    return middle, rest, square - rest * rest if square < inf else square


def _mean(s: Vector, shares: Vector | None) -> float:
    if shares is not None:
        return float(shares @ s)
    return float(np.add.reduce(s)) / s.size  # np.mean is slow for a few hundred rows
