"""Which pairs count, and how much: a table of rows in groups, in the order of their keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector, lock
from aucbench.data.sorting import argsort
from aucbench.errors import DataError, NoPairsError
from aucbench.kernels import hinge
from aucbench.stats.vectors import Mask

MOST_PAIRS = 2**62  # their numbers are added up in 64 bits
Pair = tuple[Index, Index]  # numbers of upper rows, and of the lower rows beside them


@dataclass(frozen=True, eq=False)
class Members:
    """A distribution π of pairs (i, j), where row i should score higher than row j.

    Rows are members of groups, and have a key in each. π_ij sums a_i b_j over the groups in which
    key_i < key_j, so that a smaller key is better. π_ij ≥ 0, and Σ π_ij = 1. A row may be the upper
    one in some pairs and the lower one in others, and it may be in several groups.

    A group of two keys is a block: all pairs of its upper rows, of key 0, and its lower rows, of
    key 1. Sums over the pairs of more keys follow from sums over the rows in the order of their
    keys. A loss needs them in the order of their scores too. Two keys differ first in one bit ℓ, so
    that a pair lies in exactly one block (ℓ, key >> (ℓ + 1)) of a binary trie: the row with bit 0
    is the upper one. So `blocks` has at most R⌈log₂ K⌉ members for K keys, and lists each pair
    once.

    Attributes
    ----------
    n : int
        Number of rows.
    rows : int32 array of shape (R,)
        Numbers of rows, group after group, keys ascending within a group.
    key : int32 array of shape (R,)
        The key of each, dense ranks from 0 within the group.
    starts : int64 array of shape (G + 1,)
        Where each group begins.
    a, b : arrays of shape (R,)
        Shares as upper row and as lower row, at least 0.
    left_out : int
        Number of groups in which no two rows can be compared. They have no part in π.
    """

    n: int
    rows: Index
    key: Index
    starts: NDArray[np.int64]
    a: Vector
    b: Vector
    left_out: int = 0

    def __post_init__(self) -> None:
        lock(self, "rows", "key", "starts", "a", "b")

    @staticmethod
    def of_blocks(
        n: int,
        rows: NDArray[Any],
        block: NDArray[Any],
        upper: Mask,
        shares: Vector,
        weight: Vector | Literal["equal"] | None = None,
        nothing: str = "no two rows can be compared",
    ) -> Members:
        """Return all pairs of an upper and a lower row of the same block.

        Blocks that lack a side are left out. The shares of upper rows are scaled so that Σ π = 1.

        Parameters
        ----------
        n : int
            Number of rows.
        rows, block : arrays of int of shape (R,)
            The row and the block of each member, blocks from 0.
        upper : mask of shape (R,)
            Whether the row is an upper one of the block.
        shares : array of shape (R,)
            At least 0; members of share 0 are dropped.
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
        count = int(block[use].max(initial=-1)) + 1
        sizes = [np.bincount(block[use & side], minlength=count) for side in (upper, ~upper)]
        whole = (sizes[0] > 0) & (sizes[1] > 0)
        if not whole.any():
            raise NoPairsError(nothing)
        kept = np.flatnonzero(use)[whole[block[use]]]
        key = (~upper[kept]).astype(np.int32)
        order = argsort(2.0 * block[kept] + key)[1]
        kept, key = kept[order], key[order]
        starts = np.append(0, np.cumsum((sizes[0] + sizes[1])[whole]))
        a, b = np.where(key == 0, shares[kept], 0.0), np.where(key == 0, 0.0, shares[kept])
        masses = np.add.reduceat(a, starts[:-1]) * np.add.reduceat(b, starts[:-1])
        factor = np.ones(masses.size)
        if weight is not None:
            factor = (1.0 if isinstance(weight, str) else weight[whole]) / masses
        factor = factor / float(factor @ masses)
        a *= np.repeat(factor, np.diff(starts))
        seen = int(((sizes[0] > 0) | (sizes[1] > 0)).sum())
        left_out = seen - int(whole.sum())
        return Members(n, rows[kept].astype(np.int32), key, starts, a, b, left_out)

    @staticmethod
    def of_keys(
        key: NDArray[np.int64],
        a: Vector,
        b: Vector,
        group: NDArray[np.int64] | None = None,
        nothing: str = "no two rows can be compared",
        *,
        even: bool = False,
    ) -> Members:
        """Return all pairs of rows of one group with key_i < key_j; groups without one stay.

        The shares a are scaled so that Σ π = 1.

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
        # No row is above one of key 0, or below one of the largest key of its group.
        last = np.repeat(rank[starts[1:] - 1], np.diff(starts))
        a, b = np.where(rank < last, a[order], 0.0), np.where(rank > 0, b[order], 0.0)
        raw = Members(key.size, order, rank.astype(np.int32), starts, a, b)
        masses = np.add.reduceat(raw._masses[0] * raw.a, starts[:-1])
        total: Any = float(masses.sum())
        if not total > 0.0:
            raise NoPairsError(nothing)
        empty = masses == 0.0
        if even:
            masses[empty] = inf
            total = np.repeat(masses, np.diff(starts)) * np.count_nonzero(~empty)
        return replace(raw, a=raw.a / total, left_out=int(empty.sum()))

    @property
    def count(self) -> int:
        """Number G of groups."""
        return self.starts.size - 1

    @cached_property
    def is_blocks(self) -> bool:
        """Whether each group has two keys at most."""
        return bool(self.key.max() <= 1)

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """The group of each member, (R,)."""
        return np.repeat(np.arange(self.count), np.diff(self.starts))

    @cached_property
    def sides(self) -> tuple[NDArray[np.int64], Vector, Vector]:
        """Of blocks: where each side begins (2G + 1,), shares (R,), and their sums by side (2G,).

        The sides are the upper rows of the first block, the lower ones, those of the next, and on.
        """
        lower = self.starts[1:] - np.add.reduceat(self.key, self.starts[:-1], dtype=np.int64)
        starts = np.append(np.stack([self.starts[:-1], lower], axis=1), self.starts[-1])
        shares = self.a + self.b
        return starts, shares, np.add.reduceat(shares, starts[:-1])

    @cached_property
    def most(self) -> int:
        """The most blocks that a row is a member of."""
        bits = max(int(self.key.max()).bit_length(), 1)
        return bits * int(np.bincount(self.rows).max())

    @cached_property
    def _ties(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where the run of equal keys of each member begins, and where it ends."""
        new = np.append(True, self.key[1:] != self.key[:-1])
        new[self.starts[:-1]] = True
        first = np.flatnonzero(new)
        sizes = np.diff(np.append(first, self.key.size))
        return np.repeat(first, sizes), np.repeat(first + sizes, sizes)

    @cached_property
    def _masses(self) -> tuple[Vector, Vector]:
        """The sums of b over larger keys, and of a over smaller ones, for each member."""
        return self._above(self.b), self._below(self.a)

    def _above(self, x: Vector) -> Vector:
        """Return the sums of x, (R,) or (R, p), over the members of the group with larger keys.

        x is a multiple of b, which is 0 for keys of 0; sums of rows that are above none are free.
        """
        if self.is_blocks:
            return np.add.reduceat(x, self.starts[:-1])[self.group]
        after, end = self._ties[1], self.starts[1:][self.group]
        sums = running_sums(self.starts, x, backwards=True)[np.minimum(after, after.size - 1)]
        sums[after == end] = 0.0
        return sums

    def _below(self, x: Vector) -> Vector:
        """Return for each member the sum of x, a multiple of a, over those with smaller keys."""
        if self.is_blocks:
            return np.add.reduceat(x, self.starts[:-1])[self.group]
        before, begin = self._ties[0], self.starts[:-1][self.group]
        return np.where(before > begin, running_sums(self.starts, x)[before - 1], 0.0)

    @cached_property
    def pairs(self) -> int:
        """The number of pairs with π_ij > 0; of pairs that lie in several groups, in how many.

        Raises
        ------
        DataError
            When there are too many for 64 bits.
        """
        counts = self._above((self.b > 0.0).astype(np.float64))[self.a > 0.0]
        if float(counts.sum()) > MOST_PAIRS:
            raise DataError("there are more than 2**62 pairs; take fewer rows")
        return int(counts.astype(np.int64).sum())

    @cached_property
    def row_masses(self) -> tuple[Vector, Vector]:
        """Σ_j π_ij of each row as the upper one, and Σ_i π_ij as the lower one, each (n,)."""
        above, below = self._masses
        return self.added(self.a * above), self.added(self.b * below)

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

    def times(self, u: Vector) -> tuple[Vector, Vector]:
        """Return Πu and Πᵀu, each (n,): Σ_j π_ij u_j as upper row, and Σ_i π_ij u_i as lower."""
        x = u[self.rows]
        above, below = self._above(self.b * x), self._below(self.a * x)
        return self.added(self.a * above), self.added(self.b * below)

    def laplacian(self, u: Vector) -> Vector:
        """Return Lu, (n,), where u·Lu = Σ π_ij (u_i − u_j)²; O(R).

        u is measured from the middle of each group, so that few digits go.
        """
        x = u[self.rows]
        x -= (np.add.reduceat(x, self.starts[:-1]) / np.diff(self.starts))[self.group]
        above, below = self._masses
        up = self.a * (x * above - self._above(self.b * x))
        return self.added(up + self.b * (x * below - self._below(self.a * x)))

    def inner(self, X: Vector) -> float:
        """Return Σ π_ij x_i·x_j for columns X (n, p), O(Rp)."""
        x = X[self.rows]
        behind = self._above(self.b[:, None] * x)
        x *= self.a[:, None]
        return float(np.einsum("ij,ij->", x, behind))

    def drawn(self, count: int, rng: np.random.Generator) -> Pair:
        """Draw pairs from π, with replacement: an upper row, and one with a larger key by its b."""
        mass = np.cumsum(self.a * self._masses[0])
        i = np.searchsorted(mass, rng.random(count) * mass[-1], side="right")
        # Places g + share of group g ascend over all groups.
        upto, last = running_sums(self.starts, self.b), self.starts[1:] - 1
        group, first = self.group[i], self._ties[1][i]
        before = upto[first - 1]
        high = upto[last][group]
        whole = np.where(upto[last] > 0.0, upto[last], 1.0)
        places = self.group + upto / whole[self.group]
        drawn = group + (before + rng.random(count) * (high - before)) / high
        j = np.clip(np.searchsorted(places, drawn, side="right"), first, last[group])
        return self.rows[i], self.rows[j]

    @cached_property
    def components(self) -> tuple[Index, NDArray[np.int64]]:
        """The rows that have a pair, part after part of the graph of pairs, and their parts.

        Two rows are in one part if pairs lead from one to the other. All rows of a group that have
        a pair have one with its upper row of the smallest key, or with the lower rows of that one.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        has = (self.a * self._masses[0] > 0.0) | (self.b * self._masses[1] > 0.0)
        rows, group = self.rows[has], self.group[has]
        used = np.bincount(rows, minlength=self.n)
        if used.max() <= 1:
            return rows, group
        size = self.n + self.count
        graph = coo_array((np.ones(rows.size), (rows, self.n + group)), shape=(size, size))
        part = connected_components(graph, directed=False)[1]
        each = np.flatnonzero(used)
        order = each[np.argsort(part[each], kind="stable")].astype(np.int32)
        return order, part[order].astype(np.int64)

    @cached_property
    def blocks(self) -> Members:
        """The same pairs in blocks, without rows of share 0: itself, or those of the trie."""
        if self.is_blocks and (self.a + self.b > 0.0).all():
            return self
        parts, base = [], 0
        for level in range(max(int(self.key.max()).bit_length(), 1)):
            node = self.key.astype(np.int64) >> (level + 1)
            block = base + self.group * (int(node.max()) + 1) + node
            upper = (self.key >> level) & 1 == 0
            parts.append((self.rows, block, upper, np.where(upper, self.a, self.b)))
            base = int(block.max()) + 1
        row, block, upper, share = (np.concatenate(x) for x in zip(*parts, strict=True))
        use = np.unique(block, return_inverse=True)[1]
        return Members.of_blocks(self.n, row, use, upper, share)

    def added(self, x: Vector) -> Vector:
        """Return the sum over the memberships of each row, (n,), of numbers (R,)."""
        return np.bincount(self.rows, x, self.n).astype(np.float64, copy=False)


def running_sums(starts: NDArray[np.int64], x: Vector, *, backwards: bool = False) -> Vector:
    """Return for each row the sum of x over the rows of its group up to it, and with it.

    A running sum over all groups, less its value at the start of one, would lose the digits of
    this group behind a heavy one.

    Parameters
    ----------
    starts : int64 array of shape (G + 1,)
        Where each group begins.
    x : array of shape (n,) or (n, p)
        Numbers of the rows, group after group.
    backwards : bool
        Whether the sum begins with the last row of the group.
    """
    out = np.empty((len(x), x.size // len(x)))
    hinge.running_sums(starts, np.ascontiguousarray(x).reshape(out.shape), out, backwards)
    return out.reshape(x.shape)
