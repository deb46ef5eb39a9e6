"""Sparse vectors: at most k entries are not zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.contract import Projector
from aucbench.data.arrays import Vector
from aucbench.errors import require_count
from aucbench.kernels import select
from aucbench.projectors.argument import require_writable_vector


@dataclass(frozen=True)
class TopK(Projector):
    """H_k(v): the k entries with the largest magnitude stay, all others become 0.

    H_k(v) is a nearest point of {w : |w|_0 <= k}. Of entries tied at the k-th magnitude, those
    with the lowest index stay. NaN ranks above infinity, so that it stays visible. Time: O(d).

    Parameters
    ----------
    k : int
        Non-zeros allowed, at least 1.
    free : int
        The last `free` coordinates (intercepts) stay as they are and are not counted.

    Raises
    ------
    ParameterError
        When k < 1, free < 0, or one of them is not a whole number.
    """

    k: int = 50
    free: int = 0

    def __post_init__(self) -> None:
        require_count(1, k=self.k)
        require_count(0, free=self.free)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with H_k(v) and return it."""
        require_writable_vector(v)
        select.top_k(v, max(0, v.size - self.free), self.k, np.empty(v.size, np.int64))
        return v

    def contains(self, w: Vector) -> bool:
        """Return whether at most k coordinates, without the last `free` ones, differ from 0."""
        return bool(np.count_nonzero(w[: max(0, w.size - self.free)]) <= self.k)
