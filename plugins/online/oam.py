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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Chunk
from aucbench.data.arrays import Index, Vector
from aucbench.errors import require_above, require_count
from aucbench.kernels.oam import oam_pass

from .aligned import aligned
from .buffers import Buffers
from .span import passes_in_span


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
        return passes_in_span(self, problem, w0, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> Buffers:
        """Return empty buffers."""
        return Buffers.empty(w, rng, self.buffer, self.C, at_once=self.at_once)

    def update(self, memory: Buffers, chunk: Chunk, order: Index) -> None:
        """Take one step for each of the rows `order`: `reference_update`, by a kernel."""
        uniforms = memory.rng.random((order.size, 2))  # which row enters, and in which slot
        work = aligned(2, memory.products.shape[1]), np.empty(self.buffer, dtype=np.intp)
        oam_pass(chunk, order, memory, uniforms, work=work)
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


def reference_update(
    solver: BufferedPairs,
    w: Vector,
    B: Sequence[list[Vector]],
    seen: list[int],
    x: Vector,
    y: int,
    uniforms: Vector,
) -> Vector:
    """Take the step of OAM for the row x of class y, sample x into its buffer, and return w.

    This is the definition of the step in plain NumPy. `oam_pass` takes the same steps, up to
    rounding.

    Parameters
    ----------
    solver : BufferedPairs
        C, N (`buffer`), and which of the two variants it is.
    w : array of shape (d,)
        Weights.
    B : two lists of rows
        The buffers of the negative (0) and the positive class (1); that of y changes.
    seen : two counts
        Rows of each class so far; that of y changes.
    x, y : row of shape (d,), and its class, 1 or -1
    uniforms : array of shape (2,)
        Uniform numbers: whether x enters a full buffer, and in which slot.
    """
    k, o, N, old = int(y > 0), int(y < 0), solver.buffer, w
    C_t = solver.C * max(1, seen[o] / N)  # line 1
    for z in B[o]:
        square = np.dot(x - z, x - z)
        if solver.at_once:  # line 2, oam-gra: the gradient of all pairs at the old w
            if y * np.dot(old, x - z) <= 1:
                w = w + C_t / 2 * y * (x - z)
        elif square > 0:  # line 3, oam-seq: a passive-aggressive step for each pair in turn
            loss = max(0, 1 - y * np.dot(w, x - z))
            w = w + min(C_t / 2, loss / square) * y * (x - z)
    seen[k] += 1  # line 4; each row seen is in the buffer with the same probability
    if len(B[k]) < N:  # line 5
        B[k].append(x)
    elif uniforms[0] < N / seen[k]:  # line 6
        B[k][int(uniforms[1] * N)] = x
    return w
