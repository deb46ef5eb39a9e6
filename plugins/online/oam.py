"""Buffers of rows: what the two methods of OAM share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Rows, Vector, rows, stack
from aucbench.kernels import oam


@dataclass(slots=True)
class Buffers:
    """Weights, and a uniform sample of the rows seen of each class (reservoir sampling).

    A slot holds a row's number: from 0 on a row of the chunk that is being read, from -1
    downwards a row of `kept`. After a chunk its rows in the buffers are copied to `kept`, so
    that nothing refers to the chunk and memory does not grow.

    Assumed, as generally implemented, since the paper's listing was not at hand: a full buffer
    takes the M-th row of its class with probability N/M, M counting this row, in a uniformly
    drawn slot; C_t = C max(1, N_o/N) counts all rows N_o of the other class so far, in all
    passes; C_t/2 caps (seq) or is (gra) the step of a pair. Whether a row enters before or
    after its update makes no difference: an update reads the other class's buffer only.

    Attributes
    ----------
    w : array of shape (d,)
        Weights.
    rng : Generator
        Draws two uniform numbers per row, in row order, so that chunk ends do not matter.
    kept : Rows
        At most 2N rows of earlier chunks, in the order of the slots and the layout of the
        last chunk that a row was taken from.
    slots : int32 array of shape (2, N)
        Row numbers; the line of a class (0: negatives) is filled from the left.
    squares : array of shape (2, N)
        |x|² of the rows in `slots`, where a method computes it.
    seen : int64 array of shape (2,)
        Rows seen of each class.
    work : array of shape (d,)
        Zeros, where a kernel spreads out a row.
    """

    w: Vector
    rng: np.random.Generator
    kept: Rows
    slots: Index
    squares: Vector
    seen: NDArray[np.int64]
    work: Vector

    @classmethod
    def empty(cls, w: Vector, rng: np.random.Generator, size: int) -> Self:
        """Return buffers of `size` slots for each class, all free."""
        return cls(
            w,
            rng,
            rows(np.empty((0, w.size))),
            np.zeros((2, size), dtype=np.int32),
            np.zeros((2, size)),
            np.zeros(2, dtype=np.int64),
            np.zeros(w.size),
        )

    def learn(self, chunk: Chunk, order: Index, C: float, *, at_once: bool) -> None:
        """Update w by the rows `order` and buffer them; `at_once` is oam-gra's update."""
        oam.oam_pass(
            *chunk.rows.arrays,
            *self.kept.arrays[:3],
            order,
            chunk.y,
            self.rng.random((order.size, 2)),
            C,
            at_once,
            self.w,
            self.work,
            np.empty(self.slots.shape[1], dtype=np.intp),
            self.slots,
            self.squares,
            self.seen,
        )
        self._leave(chunk)

    def _leave(self, chunk: Chunk) -> None:
        filled = np.arange(self.slots.shape[1]) < self.seen[:, np.newaxis]
        numbers = self.slots[filled]
        new = numbers >= 0
        if not new.any():
            return
        both = stack(chunk.rows.take(numbers[new]), self.kept.take(~numbers[~new]))
        place = np.empty_like(numbers)
        place[new] = np.arange(new.sum())
        place[~new] = np.arange(new.sum(), numbers.size)
        self.kept = both.take(place)
        self.slots[filled] = ~np.arange(numbers.size)
