"""Tables of the rows that are in pairs: by blocks and sides, and by groups and keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector, lock
from aucbench.kernels import hinge


@dataclass(frozen=True, eq=False)
class Segments:
    """Pairs as rows in groups, in the order of their keys: a smaller key is the upper row.

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
        Shares as upper row and as lower row, at least 0: π sums a_i b_j over the groups.
    """

    n: int
    rows: Index
    key: Index
    starts: NDArray[np.int64]
    a: Vector
    b: Vector

    def __post_init__(self) -> None:
        lock(self, "rows", "key", "starts", "a", "b")


@dataclass(frozen=True, eq=False)
class Side:
    """The upper rows of all blocks, or the lower ones, block after block.

    Attributes
    ----------
    starts : array of shape (G + 1,)
        Where the rows of each block begin; no block is empty.
    rows : int32 array of shape (R,)
        Numbers of rows.
    shares : array of shape (R,)
        What each counts for in its block, above 0.
    """

    starts: NDArray[np.int64]
    rows: Index
    shares: Vector

    def __post_init__(self) -> None:
        lock(self, "starts", "rows", "shares")

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows each block has, (G,)."""
        return np.diff(self.starts)

    @cached_property
    def masses(self) -> Vector:
        """Σ of the shares of each block, (G,)."""
        return self.sums(self.shares)

    def sums(self, x: Vector) -> Vector:
        """Return the sum over each block, (G,), of a number for each membership, (R,)."""
        return np.add.reduceat(x, self.starts[:-1])

    def each(self, of_blocks: NDArray[Any]) -> NDArray[Any]:
        """Return for each membership, (R,), what its block has, (G,)."""
        return np.repeat(of_blocks, self.sizes)

    def added(self, x: Vector, n: int) -> Vector:
        """Return the sum over the memberships of each row, (n,), of numbers (R,)."""
        sums: Vector = np.bincount(self.rows, x, n).astype(np.float64)
        return sums


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


def draw_inside(
    starts: NDArray[np.int64],
    shares: Vector,
    group: NDArray[np.int64],
    first: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Draw a row of each of some groups by its share, from a first row of the group on.

    Parameters
    ----------
    starts : int64 array of shape (G + 1,)
        Where each group begins.
    shares : array of shape (n,)
        Shares of the rows, group after group; those from `first` on have a positive sum.
    group : int array of shape (m,)
        Of which group each row is drawn.
    first : int array of shape (m,)
        From which row on.
    rng : numpy.random.Generator
        Draws one number for each row.
    """
    upto = running_sums(starts, shares)
    last = starts[1:] - 1
    before = np.where(first > starts[:-1][group], upto[first - 1], 0.0)
    high = upto[last][group]
    # Places g + share of group g ascend over all groups.
    sizes = np.diff(starts)
    places = np.repeat(np.arange(sizes.size), sizes) + upto / np.repeat(upto[last], sizes)
    drawn = group + (before + rng.random(group.size) * (high - before)) / high
    return np.clip(np.searchsorted(places, drawn, side="right"), first, last[group])
