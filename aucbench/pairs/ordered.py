"""All pairs of rows whose keys are in order, without a list of blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector, lock
from aucbench.errors import DataError
from aucbench.pairs.members import MOST_PAIRS, Blocks, Members, NoPairsError, Pair
from aucbench.pairs.segments import Segments, draw_inside, running_sums


@dataclass(frozen=True, eq=False)
class Ordered(Members):
    """π_ij = a_i b_j / Σ for the pairs of one group with key_i < key_j; a smaller key is better.

    Sums over pairs follow from sums over the rows in the order of their keys. A loss needs them
    in the order of their scores too. Two keys differ first in one bit ℓ, so that a pair lies in
    exactly one block (ℓ, key >> (ℓ + 1)) of a binary trie: the row with bit 0 is the upper one. So
    `blocks` has at most n⌈log₂ K⌉ memberships for K keys, and lists each pair once.

    Attributes
    ----------
    order : int32 array of shape (n,)
        The rows by group, then by key.
    key : int64 array of shape (n,)
        The key of each of them, dense ranks from 0 within the group.
    starts : int64 array of shape (G + 1,)
        Where the rows of each group begin in this order.
    a, b : arrays of shape (n,)
        Shares as upper row and as lower row, in this order, at least 0; a is scaled so that Σπ = 1.
    left_out : int
        Number of groups without a pair, which keep their rows here.
    """

    order: Index
    key: NDArray[np.int64]
    starts: NDArray[np.int64]
    a: Vector
    b: Vector
    left_out: int = 0

    def __post_init__(self) -> None:
        lock(self, "order", "key", "starts", "a", "b")

    @staticmethod
    def of(
        key: NDArray[np.int64],
        a: Vector,
        b: Vector,
        group: NDArray[np.int64] | None = None,
        nothing: str = "no two rows can be compared",
        *,
        even: bool = False,
    ) -> Ordered:
        """Sort the rows by group and key, and scale the shares a so that Σ π = 1.

        Parameters
        ----------
        key : array of int of shape (n,)
            A smaller one should score higher.
        a, b : arrays of shape (n,)
            Shares as upper and as lower row, at least 0.
        group : array of int of shape (n,), optional
            Pairs are those of one group; None: all rows are one group.
        nothing : str
            What the error says.
        even : bool
            Whether each group counts the same; else each pair does, by its shares.

        Raises
        ------
        NoPairsError
            When no pair counts.
        """
        group = np.zeros(key.size, np.int64) if group is None else group
        order = np.lexsort((key, group)).astype(np.int32)
        key, group = key[order], group[order]
        new = np.append(True, group[1:] != group[:-1])
        starts = np.append(np.flatnonzero(new), key.size)
        rank = np.cumsum(new | np.append(True, key[1:] != key[:-1])) - 1
        rank -= np.repeat(rank[starts[:-1]], np.diff(starts))
        raw = Ordered(order, rank, starts.astype(np.int64), a[order], b[order])
        masses = np.add.reduceat(raw._above(raw.b) * raw.a, raw.starts[:-1])
        total: Any = float(masses.sum())
        if not total > 0.0:
            raise NoPairsError(nothing)
        empty = masses == 0.0
        if even:
            masses[empty] = inf
            total = np.repeat(masses, np.diff(starts)) * np.count_nonzero(~empty)
        return Ordered(order, rank, raw.starts, raw.a / total, raw.b, int(empty.sum()))

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return self.order.size

    @cached_property
    def _groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the group of each row in order begins, and where it ends."""
        sizes = np.diff(self.starts)
        return np.repeat(self.starts[:-1], sizes), np.repeat(self.starts[1:], sizes)

    @cached_property
    def _ties(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where the run of equal keys of each row in order begins, and where it ends."""
        new = np.append(True, self.key[1:] != self.key[:-1])
        new[self.starts[:-1]] = True
        first = np.flatnonzero(new)
        sizes = np.diff(np.append(first, self.n))
        return np.repeat(first, sizes), np.repeat(first + sizes, sizes)

    @cached_property
    def _masses(self) -> tuple[Vector, Vector]:
        """The sums of b over larger keys, and of a over smaller ones, for each row in order."""
        return self._above(self.b), self._below(self.a)

    def _above(self, x: Vector) -> Vector:
        """Return the sums of x, (n,) or (n, p), over the rows of the group with larger keys."""
        after, end = self._ties[1], self._groups[1]
        sums = running_sums(self.starts, x, backwards=True)[np.minimum(after, self.n - 1)]
        sums[after == end] = 0.0
        return sums

    def _below(self, x: Vector) -> Vector:
        """Return for each row the sum of x over the rows of its group with smaller keys."""
        before, begin = self._ties[0], self._groups[0]
        return np.where(before > begin, running_sums(self.starts, x)[before - 1], 0.0)

    @cached_property
    def pairs(self) -> int:
        """The number of pairs."""
        counts = self._above((self.b > 0.0).astype(np.float64))
        total = float(counts[self.a > 0.0].sum())
        if total > MOST_PAIRS:
            raise DataError("there are more than 2**62 pairs; take fewer rows")
        return int(counts[self.a > 0.0].astype(np.int64).sum())

    def times(self, u: Vector) -> tuple[Vector, Vector]:
        """Return Πu and Πᵀu, O(n)."""
        x = u[self.order]
        return self._placed(self.a * self._above(self.b * x)), self._placed(
            self.b * self._below(self.a * x)
        )

    def laplacian(self, u: Vector) -> Vector:
        """Return Lu, O(n); u is measured from the middle of each group, so that few digits go."""
        x, sizes = u[self.order], np.diff(self.starts)
        x = x - np.repeat(np.add.reduceat(x, self.starts[:-1]) / sizes, sizes)
        above, below = self._masses
        up = self.a * (x * above - self._above(self.b * x))
        return self._placed(up + self.b * (x * below - self._below(self.a * x)))

    def inner(self, X: Vector) -> float:
        """Return Σ π_ij x_i·x_j for columns X (n, p), O(np)."""
        x = X[self.order]
        behind = self._above(self.b[:, None] * x)
        x *= self.a[:, None]
        return float(np.einsum("ij,ij->", x, behind))

    def drawn(self, count: int, rng: np.random.Generator) -> Pair:
        """Draw pairs from π: an upper row by its mass, then a row with a larger key by its b."""
        mass = np.cumsum(self.a * self._masses[0])
        i = np.searchsorted(mass, rng.random(count) * mass[-1], side="right")
        group = np.searchsorted(self.starts, i, side="right") - 1
        j = draw_inside(self.starts, self.b, group, self._ties[1][i], rng)
        return self.order[i], self.order[j]

    @cached_property
    def components(self) -> tuple[Index, NDArray[np.int64]]:
        """The rows that have a pair, group after group, and their groups.

        All of them in a group have a pair with the upper row of the smallest key, or with its
        lower rows.
        """
        has = (self.a * self._masses[0] > 0.0) | (self.b * self._masses[1] > 0.0)
        return self.order[has], self._groups[0][has]

    def _placed(self, x: Vector) -> Vector:
        """Return numbers of the rows in order as those of the rows as they came."""
        out = np.empty(self.n)
        out[self.order] = x
        return out

    @property
    def most(self) -> int:
        """The most blocks that a row is a member of: the bits of the keys."""
        return max(int(self.key.max()).bit_length(), 1)

    @cached_property
    def segments(self) -> Segments:
        """The rows in order."""
        return Segments(self.n, self.order, self.key.astype(np.int32), self.starts, self.a, self.b)

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of the trie as a table of memberships."""
        group = np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))
        parts, base = [], 0
        for level in range(max(int(self.key.max()).bit_length(), 1)):
            node = self.key >> (level + 1)
            block = group * (int(node.max()) + 1) + node
            upper = (self.key >> level) & 1 == 0
            parts.append((self.order, base + block, upper, np.where(upper, self.a, self.b)))
            base += int(block.max()) + 1
        row, block, upper, share = (np.concatenate(x) for x in zip(*parts, strict=True))
        use = np.unique(block, return_inverse=True)[1]
        return Blocks.of(self.n, row, use, upper, share)
