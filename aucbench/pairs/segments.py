"""Tables of the rows that are in pairs: by blocks and sides, and by groups and keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector, lock


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
