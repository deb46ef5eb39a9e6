"""OAM: online AUC maximisation with buffers of rows, in its two variants oam-seq and oam-gra.

The paper's listing was not at hand. What follows is assumed, as it is generally implemented:

- A full buffer of N rows takes the M-th row of its class with probability N/M, in a slot that is
  drawn uniformly. M counts this row too.
- The weight of a pair is C_t = C max(1, N_o/N), where N_o counts all rows of the other class so
  far, in all passes. C_t/2 is the largest step of a pair in oam-seq, and the step in oam-gra.
- It makes no difference whether a row enters its buffer before or after its update: an update
  reads only the buffer of the other class.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Chunk
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.data.layouts import stack_rows
from aucbench.errors import require_above, require_count
from aucbench.kernels import oam
from aucbench.optim import passes

from .aligned import aligned, padded
from .span import passes_in_span, worth_span

FEATURE_BYTES = 1 << 23  # of a dense copy of the buffers: up to 5000 features with 100 slots
MOST_SLOTS = 256  # with more, it is faster to read the few rows that move w


@dataclass(frozen=True)
class BufferedPairs(Solver):
    """What both variants share: each row is paired with the buffered rows of the other class.

    Parameters
    ----------
    C, buffer, shuffle
        As in `OamSeq`.
    """

    C: float = 1.0
    buffer: int = 100
    shuffle: bool = True

    at_once: ClassVar[bool]  # whether all pairs of a row are evaluated at the old w
    space: ClassVar = {"C": tuple(2.0**e for e in range(-10, 11))}
    needs: ClassVar = Needs(frozenset({"warm-start", "chunks"}), passes=1)

    def __post_init__(self) -> None:
        require_above(0, C=self.C)
        require_count(1, buffer=self.buffer)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        run = passes_in_span if worth_span(problem.data) else passes
        return run(self, problem, w0, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> Buffers:
        """Return empty buffers."""
        return Buffers.empty(w, rng, self.buffer, products=not self.at_once)

    def update(self, memory: Buffers, chunk: Chunk, order: Index) -> None:
        """Update w by each of the rows `order`, and sample the row into the buffer of its class."""
        uniforms = memory.rng.random((order.size, 2))  # which row enters, and in which slot
        oam.oam_pass(
            *chunk.rows.stored_arrays,
            *memory.kept.stored_arrays[:3],
            order,
            chunk.y,
            uniforms,
            self.C,
            self.at_once,
            memory.w,
            memory.work,
            np.empty(self.buffer, dtype=np.intp),
            memory.slots,
            memory.squares,
            memory.seen,
            memory.features,
            memory.products,
            aligned(2, memory.products.shape[1]),
        )
        memory.leave(chunk)

    def weights(self, memory: Buffers) -> Vector:
        """Return w."""
        return memory.w


@about("rows that come one by one, with small buffers; a step per pair", cites=("zhao2011",))
@dataclass(frozen=True)
class OamSeq(BufferedPairs):
    """w ← w + τ k (x − x′), τ = min(C_t/2, ℓ/|x − x′|²), for one buffered x′ after the other.

    x is a row of class k, x′ is a buffered row of the other class, and ℓ = [1 − k w·(x − x′)]₊ at
    the w that the rows before x′ have left. C_t = C max(1, N_o/N), where N_o is the number of rows
    of the other class so far. A row x′ = x is skipped. It is a streaming
    method, made for one pass: without a budget of the user, a fit is one pass.

    The cost per row is O(N · stored values of x) for its products with the buffered rows, and
    O(N + stored values of x′) for each x′ that moves w. The products of the buffered rows with w
    and with each other are kept. Rows themselves are read where products would lose digits
    (|x − x′|² below 1e-3 (|x|² + |x′|²)), with more than 256 slots, and where N d is large (more
    than 5000 features with 100 slots). Where rows store more than 2n values, `fit` works on their
    n coordinates in their span.

    Parameters
    ----------
    C : float
        Weight C > 0 of a pair, in squared units of w per unit of the pairwise hinge.
    buffer : int
        Number N ≥ 1 of slots for each class; 100 in the paper.
    shuffle : bool
        Whether each pass visits the rows in a fresh random order. False: in file order.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Zhao, Hoi, Jin & Yang, "Online AUC maximization", ICML 2011. The listing was not at hand:
    the module `aucbench_plugins.online.oam` says what is assumed.
    """

    at_once: ClassVar[bool] = False


@about("rows that come one by one, with small buffers; one step per row", cites=("zhao2011",))
@dataclass(frozen=True)
class OamGra(BufferedPairs):
    """w ← w + (C_t/2) k Σ (x − x′) over the buffered x′ with k w·(x − x′) ≤ 1.

    x is a row of class k, and x′ is a buffered row of the other class. C_t = C max(1, N_o/N), where
    N_o is the number of rows of the other class so far. All terms are evaluated at the old w. It is
    a streaming method, made for one pass: without a budget of the user, a fit is one pass.

    The cost per row is one product with each of N buffered rows, and one addition for each of
    them that is in the sum: O(N d) for dense rows and O(N · stored values of a row) for CSR, with
    no term O(d). O(stored values of x) alone is not possible, because the update is a sum over the
    buffer. Where rows store more than 2n values, `fit` works on their n coordinates in their span.

    Parameters
    ----------
    C : float
        Weight C > 0 of a pair, in squared units of w per unit of the pairwise hinge.
    buffer : int
        Number N ≥ 1 of slots for each class; 100 in the paper.
    shuffle : bool
        Whether each pass visits the rows in a fresh random order. False: in file order.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Zhao, Hoi, Jin & Yang, "Online AUC maximization", ICML 2011. The listing was not at hand:
    the module `aucbench_plugins.online.oam` says what is assumed.
    """

    at_once: ClassVar[bool] = True


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
    work : array of shape (d,)
        Zeros that the kernel uses as work space.
    features : array of shape (2, d, W), or (2, 0, W) where it would be large or is not needed
        Values of the buffered rows of each class, a column for each slot. W is N rounded up to a
        multiple of 8.
    products : array of shape (2W, 2W), or (0, 2W) likewise
        Products of the buffered rows: negatives, then positives.
    """

    w: Vector
    rng: np.random.Generator
    kept: Rows
    slots: Index
    squares: Vector
    seen: NDArray[np.int64]
    work: Vector
    features: Vector
    products: Vector

    @classmethod
    def empty(cls, w: Vector, rng: np.random.Generator, size: int, *, products: bool) -> Self:
        """Return buffers with `size` free slots for each class, with products of rows if small."""
        W = padded(size)
        known = products and size <= MOST_SLOTS and 16 * w.size * W <= FEATURE_BYTES
        return cls(
            w,
            rng,
            rows(np.empty((0, w.size))),
            np.zeros((2, size), dtype=np.int32),
            np.zeros((2, size)),
            np.zeros(2, dtype=np.int64),
            np.zeros(w.size),
            aligned(2, w.size if known else 0, W),
            aligned(2 * W if known else 0, 2 * W),
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
