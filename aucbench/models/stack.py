"""A stack: the mean of the ranks that several models give a row.

The rank of a score is the share of training rows with lower scores of the same model. It lies on
lines between `knots`, and goes on beyond them with a small slope, so that no two scores tie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.data import scores as weighted
from aucbench.data.arrays import Rows, Vector
from aucbench.errors import DataError
from aucbench.optim.trees import TreeSum
from aucbench.protocols import FeatureMap

KNOTS = 201
BEYOND = 0.01  # of the slope over all knots, beyond the first and the last one


@dataclass(frozen=True, eq=False)
class Member:
    """A model of a stack.

    Attributes
    ----------
    name : str
        Its solver.
    maps : tuple of FeatureMap
        Applied to the rows before it, one after the other.
    weights : array of shape (d,), or None
    trees : TreeSum or None
        One of both.
    knots : array of shape (m,)
        Scores of training rows, ascending, without repetitions.
    shares : array of shape (m,)
        The rank of each, in [0, 1].
    spread : array of shape (d,), or None
        As in `Model`.
    """

    name: str
    maps: tuple[FeatureMap, ...]
    weights: Vector | None
    trees: TreeSum | None
    knots: Vector
    shares: Vector
    spread: Vector | None = None

    def ranks(self, rows: Rows) -> Vector:
        """Return the rank of each row, (n, d) -> (n,)."""
        for phi in self.maps:
            rows = phi(rows)
        s = scored(self.weights, self.trees, rows)
        low, high = self.knots[0], self.knots[-1]
        further = np.minimum(s - low, 0.0) + np.maximum(s - high, 0.0)
        inside = np.interp(s, self.knots, self.shares)
        return np.asarray(inside + BEYOND * further / max(high - low, np.finfo(float).tiny))


@dataclass(frozen=True, eq=False)
class Stack:
    """The mean of the ranks of its members.

    Attributes
    ----------
    members : tuple of Member
    d : int
        Number of features of the rows that they all get.
    """

    members: tuple[Member, ...]
    d: int

    @property
    def name(self) -> str:
        """Its members."""
        return f"stack of {', '.join(member.name for member in self.members)}"

    def scores(self, rows: Rows) -> Vector:
        """Return the mean rank of each row, (n, d) -> (n,)."""
        return np.asarray(np.mean([member.ranks(rows) for member in self.members], axis=0))


def scored(weights: Vector | None, trees: TreeSum | None, rows: Rows) -> Vector:
    """Return the scores of mapped rows by weights or trees."""
    return weighted(rows, np.asarray(weights)) if trees is None else trees.scores(rows)


def knots_of(scores: Vector) -> tuple[Vector, Vector]:
    """Return scores of training rows, at most 201 of them, and the rank of each."""
    shares = np.linspace(0.0, 1.0, KNOTS)
    knots, where = np.unique(np.quantile(scores, shares), return_inverse=True)
    return knots, np.bincount(where, weights=shares) / np.bincount(where)


def require_ranks(member: Member) -> None:
    """Raise `DataError` unless the ranks of a member rise with its scores."""
    knots, shares = member.knots, member.shares
    rises = knots.size and knots.shape == shares.shape and (np.diff(knots) > 0).all()
    if not (rises and (np.diff(shares) >= 0).all() and shares[0] >= 0 and shares[-1] <= 1):
        raise DataError(f"the ranks of {member.name} do not rise with its scores")
    if (member.weights is None) == (member.trees is None):
        raise DataError("a member of a stack has weights or trees, one of them")
