"""Which pairs count, and how much: the memberships of rows in blocks of pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError
from aucbench.pairs.segments import Segments, Side, draw_inside
from aucbench.pairs.sums import concordant
from aucbench.stats.vectors import Mask

MOST_PAIRS = 2**62  # their numbers are added up in 64 bits
Pair = tuple[Index, Index]  # numbers of upper rows, and of the lower rows beside them


class NoPairsError(DataError):
    """No two of the rows can be compared."""


class Members(ABC):
    """A distribution π of pairs (i, j), where row i should score higher than row j.

    π_ij ≥ 0 is what the pair counts, and Σ π_ij = 1. A row may be the upper one in some pairs and
    the lower one in others.

    Attributes
    ----------
    n : int
        Number of rows.
    pairs : int
        Number of pairs with π_ij > 0; of pairs that lie in several blocks, in how many.
    left_out : int
        Number of groups in which no two rows can be compared. They have no part in π.
    """

    n: int
    left_out: int

    @property
    @abstractmethod
    def pairs(self) -> int:
        """The number of pairs."""

    @abstractmethod
    def times(self, u: Vector) -> tuple[Vector, Vector]:
        """Return Πu and Πᵀu, each (n,): Σ_j π_ij u_j as upper row, and Σ_i π_ij u_i as lower."""

    @abstractmethod
    def laplacian(self, u: Vector) -> Vector:
        """Return Lu, (n,), where u·Lu = Σ π_ij (u_i − u_j)²."""

    @abstractmethod
    def inner(self, X: Vector) -> float:
        """Return Σ π_ij x_i·x_j for columns X (n, p)."""

    @abstractmethod
    def drawn(self, count: int, rng: np.random.Generator) -> Pair:
        """Draw pairs from π, with replacement."""

    @property
    @abstractmethod
    def blocks(self) -> Blocks:
        """The same pairs as a table of memberships."""

    @property
    @abstractmethod
    def segments(self) -> Segments:
        """The same pairs as rows in the order of their keys, from which losses add them up."""

    @property
    @abstractmethod
    def components(self) -> tuple[Index, NDArray[np.int64]]:
        """The rows that have a pair, part after part of the graph of pairs, and their parts.

        Two rows are in one part if pairs lead from one to the other.
        """

    @property
    @abstractmethod
    def most(self) -> int:
        """The most blocks that a row is a member of."""

    @cached_property
    def row_masses(self) -> tuple[Vector, Vector]:
        """Σ_j π_ij of each row as the upper one, and Σ_i π_ij as the lower one, each (n,)."""
        return self.times(np.ones(self.n))

    @property
    def degrees(self) -> Vector:
        """e_i = Σ_j π_ij − Σ_j π_ji, (n,): Σ π_ij (u_i − u_j) = e·u."""
        above, below = self.row_masses
        return above - below

    @property
    def concentration(self) -> float:
        """κ = Σ_i [(Σ_j π_ij)² + (Σ_j π_ji)²]; of all pairs, it is 1/n₊ + 1/n₋."""
        above, below = self.row_masses
        return float(above @ above + below @ below)

    def concordance(self, s: Vector) -> tuple[float, Vector, Vector]:
        """Return θ, A and B for scores s (n,).

        θ = Σ π_ij k_ij with k = 1[s_i > s_j] + ½ 1[s_i = s_j], the share of pairs in order.
        A_r (n,) is the sum of π k over the pairs of row r, and B_r (n,) that of π.
        """
        A = concordant(self.segments, np.asarray(s, np.float64))
        above, below = self.row_masses
        return 0.5 * float(A.sum()), A, above + below


@dataclass(frozen=True, eq=False)
class Blocks(Members):
    """π_ij = Σ_g u_gi v_gj: in each block, all pairs of an upper and a lower row.

    Attributes
    ----------
    n : int
        Number of rows.
    upper, lower : Side
        The memberships, with the shares u and v; a row may be in many blocks.
    left_out : int
        Number of blocks without upper or without lower rows, which have no pair.
    """

    n: int
    upper: Side
    lower: Side
    left_out: int = 0

    @staticmethod
    def of(
        n: int,
        rows: NDArray[Any],
        block: NDArray[Any],
        upper: Mask,
        shares: Vector,
        weight: Vector | Literal["equal"] | None = None,
        nothing: str = "no two rows can be compared",
    ) -> Blocks:
        """Drop blocks that lack a side, and scale the shares of uppers so that Σ π = 1.

        Parameters
        ----------
        n : int
            Number of rows.
        rows, block : arrays of int of shape (R,)
            The row and the block of each membership, blocks from 0.
        upper : mask of shape (R,)
            Whether the row is an upper one of the block.
        shares : array of shape (R,)
            At least 0; memberships of share 0 are dropped.
        weight : array of shape (G,), or "equal", optional
            What each block counts for; "equal": all the same. None: a pair counts for the product
            of its shares.
        nothing : str
            What the error says.

        Raises
        ------
        NoPairsError
            When no block has a pair.
        """
        use = shares > 0.0
        rows, block, upper, shares = rows[use], block[use], upper[use], shares[use]
        count = int(block.max()) + 1 if block.size else 0
        sizes = [np.bincount(block[side], minlength=count) for side in (upper, ~upper)]
        whole = (sizes[0] > 0) & (sizes[1] > 0)
        if not whole.any():
            raise NoPairsError(nothing)
        sides = [_side(rows, block, shares, side & whole[block]) for side in (upper, ~upper)]
        masses = sides[0].masses * sides[1].masses
        factor = np.ones(masses.size)
        if weight is not None:
            factor = (1.0 if isinstance(weight, str) else weight[whole]) / masses
        factor = factor / float(factor @ masses)
        scaled = Side(sides[0].starts, sides[0].rows, sides[0].shares * sides[0].each(factor))
        seen = int(((sizes[0] > 0) | (sizes[1] > 0)).sum())
        members = Blocks(n, scaled, sides[1], seen - int(whole.sum()))
        members._require_countable()
        return members

    def _require_countable(self) -> None:
        if float(self.upper.sizes.astype(np.float64) @ self.lower.sizes) > MOST_PAIRS:
            raise DataError("there are more than 2**62 pairs; take fewer rows")

    @property
    def blocks(self) -> Blocks:
        """Itself."""
        return self

    @cached_property
    def most(self) -> int:
        """The most blocks that a row is a member of."""
        return int(np.bincount(self.segments.rows).max())

    @cached_property
    def segments(self) -> Segments:
        """The upper rows of each block, of key 0, and after them the lower ones, of key 1."""
        starts = self.upper.starts + self.lower.starts
        upper, lower = (
            np.arange(side.rows.size) + side.each(shift)
            for side, shift in (
                (self.upper, self.lower.starts[:-1]),
                (self.lower, self.upper.starts[1:]),
            )
        )
        rows, key = np.empty(starts[-1], np.int32), np.ones(starts[-1], np.int32)
        a, b = np.zeros(starts[-1]), np.zeros(starts[-1])
        rows[upper], rows[lower] = self.upper.rows, self.lower.rows
        key[upper], a[upper], b[lower] = 0, self.upper.shares, self.lower.shares
        return Segments(self.n, rows, key, starts, a, b)

    @property
    def count(self) -> int:
        """Number G of blocks."""
        return self.upper.starts.size - 1

    @cached_property
    def pairs(self) -> int:
        """The number of pairs."""
        return int(self.upper.sizes @ self.lower.sizes)

    def times(self, u: Vector) -> tuple[Vector, Vector]:
        """Return Πu and Πᵀu, O(R)."""
        sums = [side.sums(side.shares * u[side.rows]) for side in (self.upper, self.lower)]
        above = self.upper.added(self.upper.shares * self.upper.each(sums[1]), self.n)
        return above, self.lower.added(self.lower.shares * self.lower.each(sums[0]), self.n)

    def laplacian(self, u: Vector) -> Vector:
        """Return Lu, O(R); u is measured from the middle of each block, so that few digits go."""
        sides = self.upper, self.lower
        means = [side.sums(side.shares * u[side.rows]) / side.masses for side in sides]
        middle = 0.5 * (means[0] + means[1])
        out = np.zeros(self.n)
        centred = [u[side.rows] - side.each(middle) for side in sides]
        sums = [side.sums(side.shares * x) for side, x in zip(sides, centred, strict=True)]
        for k, (side, x) in enumerate(zip(sides, centred, strict=True)):
            other = sides[1 - k]
            moved = x * side.each(other.masses) - side.each(sums[1 - k])
            out += side.added(side.shares * moved, self.n)
        return out

    def inner(self, X: Vector) -> float:
        """Return Σ π_ij x_i·x_j for columns X (n, p), O(Rp)."""
        upper, lower = (
            np.add.reduceat(side.shares[:, None] * X[side.rows], side.starts[:-1])
            for side in (self.upper, self.lower)
        )
        return float((upper * lower).sum())

    def drawn(self, count: int, rng: np.random.Generator) -> Pair:
        """Draw pairs from π: a block by its mass, then one row of each side by its share."""
        masses = self.upper.masses * self.lower.masses
        upto = np.cumsum(masses)
        block = np.searchsorted(upto, rng.random(count) * upto[-1], side="right")
        upper, lower = (
            side.rows[draw_inside(side.starts, side.shares, block, side.starts[block], rng)]
            for side in (self.upper, self.lower)
        )
        return upper, lower

    @cached_property
    def components(self) -> tuple[Index, NDArray[np.int64]]:
        """The rows that have a pair, and their parts in the graph of rows and blocks."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        sides = (self.upper, self.lower)
        rows = np.concatenate([side.rows for side in sides])
        block = np.concatenate([side.each(np.arange(self.count)) for side in sides])
        size = self.n + self.count
        graph = coo_array((np.ones(rows.size), (rows, self.n + block)), shape=(size, size))
        part = connected_components(graph, directed=False)[1]
        used = np.flatnonzero(np.bincount(rows, minlength=self.n))
        order = used[np.argsort(part[used], kind="stable")].astype(np.int32)
        return order, part[order].astype(np.int64)


def _side(rows: Any, block: Any, shares: Vector, mask: Mask) -> Side:
    """Return the masked memberships, sorted by block; within a block their order stays."""
    rows, block, shares = rows[mask], block[mask], shares[mask]
    order = argsort(block.astype(np.float64))[1]
    starts = np.append(0, np.cumsum((sizes := np.bincount(block))[sizes > 0]))
    return Side(starts.astype(np.int64), rows[order].astype(np.int32), shares[order])
