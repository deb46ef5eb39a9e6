"""The memory of OAM: a sample of the rows of each class, as its kernel reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.data.layouts import stack_rows

from .aligned import aligned, padded

FEATURE_BYTES = 1 << 23  # of a dense copy of the buffers: up to 5000 features with 100 slots
MOST_SLOTS = 256  # with more, it is faster to read the few rows that move w


@dataclass(slots=True)
class Buffers:
    """Weights, and a uniform sample of the rows seen of each class (reservoir sampling).

    A slot holds the number of a row. Numbers 0, 1, … are rows of the chunk that is being read, and
    -1, -2, … are rows of `kept`. After a chunk, its rows in the buffers are copied to `kept`. So
    nothing refers to the chunk any more, and the memory does not grow.

    Attributes
    ----------
    w : array of shape (d,)
        Weights.
    C : float
        Weight of a pair.
    at_once : bool
        Whether all pairs of a row are evaluated at the old w.
    rng : Generator
        Draws two uniform numbers per row, in the order of the rows, so that the result does not
        depend on where chunks end.
    kept : Rows
        At most 2N rows of earlier chunks, in the order of the slots. Their layout is that of the
        last chunk from which a row was taken.
    slots : int32 array of shape (2, N)
        Row numbers, negatives in the first line. A line is filled from the left.
    squares : array of shape (2, N)
        |x|² of the rows in `slots`, where the method computes it.
    seen : int64 array of shape (2,)
        Number of rows seen of each class.
    zeros : array of shape (d,)
        Work space of the kernel, which leaves zeros.
    features : array of shape (2, d, W), or (2, 0, W) where it would be large or is not needed
        Values of the buffered rows of each class, a column for each slot. W is N rounded up to a
        multiple of 8.
    products : array of shape (2W, 2W), or (0, 2W) likewise
        Products of the buffered rows: negatives, then positives.
    """

    w: Vector
    C: float
    at_once: bool
    rng: np.random.Generator
    kept: Rows
    slots: Index
    squares: Vector
    seen: NDArray[np.int64]
    zeros: Vector
    features: Vector
    products: Vector

    @classmethod
    def empty(
        cls, w: Vector, rng: np.random.Generator, size: int, C: float, *, at_once: bool
    ) -> Self:
        """Return `size` free slots for each class, with products of rows where it is fast."""
        W = padded(size)
        known = not at_once and size <= MOST_SLOTS and 16 * w.size * W <= FEATURE_BYTES
        return cls(
            w,
            C,
            at_once,
            rng,
            kept=rows(np.empty((0, w.size))),
            slots=np.zeros((2, size), dtype=np.int32),
            squares=np.zeros((2, size)),
            seen=np.zeros(2, dtype=np.int64),
            zeros=np.zeros(w.size),
            features=aligned(2, w.size if known else 0, W),
            products=aligned(2 * W if known else 0, 2 * W),
        )

    def leave(self, chunk: Chunk) -> None:
        """Copy the buffered rows of the chunk to `kept`."""
        filled = np.arange(self.slots.shape[1]) < self.seen[:, np.newaxis]
        numbers = self.slots[filled]
        new = numbers >= 0
        if not new.any():
            return
        both = stack_rows(chunk.rows.take(numbers[new]), self.kept.take(~numbers[~new]))
        place = np.empty_like(numbers)
        place[new] = np.arange(new.sum())
        place[~new] = np.arange(new.sum(), numbers.size)
        self.kept = both.take(place)
        self.slots[filled] = ~np.arange(numbers.size)
