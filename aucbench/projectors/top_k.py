"""Sparse vectors: at most k entries are not zero."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.errors import require_whole
from aucbench.kernels import select
from aucbench.projectors.argument import require_writable


@dataclass(frozen=True)
class TopK:
    """H_k(v): the k entries largest in magnitude stay, the rest become 0; O(d).

    A nearest point of {w : |w|_0 <= k}. Ties at the k-th magnitude go to the lowest index.
    NaN ranks above infinity, so that it stays where it can be seen.

    Parameters
    ----------
    k : int
        Non-zeros allowed, at least 1.
    free : int
        The last `free` coordinates are exempt: kept as they are and not counted (intercepts).

    Raises
    ------
    ParameterError
        When k < 1, free < 0, or one of them is not a whole number.
    """

    k: int = 50
    free: int = 0

    def __post_init__(self) -> None:
        require_whole(1, k=self.k)
        require_whole(0, free=self.free)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with H_k(v) and return it."""
        require_writable(v)
        select.top_k(v, max(0, v.size - self.free), self.k, np.empty(v.size, np.int64))
        return v

    def contains(self, w: Vector) -> bool:
        """Whether at most k coordinates that are not exempt differ from 0."""
        return bool(np.count_nonzero(w[: max(0, w.size - self.free)]) <= self.k)

    def value(self, w: Vector) -> float:
        """0 on the set, infinity elsewhere."""
        return 0.0 if self.contains(w) else inf
