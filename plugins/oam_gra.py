"""OAM-gra: online AUC maximisation with buffers, all buffered rows at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.arrays import Index, Vector
from aucbench.data import Chunk, Data
from aucbench.errors import require_above, require_whole
from aucbench.hookspecs import Factories, hookimpl
from aucbench.methods import Buffers, passes
from aucbench.protocols import Needs, Problem, State


@dataclass(frozen=True)
class OamGra:
    """w ← w + (C_t/2) k Σ (x − x′) over the buffered x′ with k w·(x − x′) ≤ 1.

    x is a row of class k, x′ a buffered row of the other class o, C_t = C max(1, N_o/N); all
    terms are evaluated at the old w. A row costs a product with each of N buffered rows and
    one addition for each that counts: O(N d) dense, O(N · stored values of a row) for CSR,
    nothing O(d); O(stored values of x) alone is not possible, since the update is a sum over
    the buffer.

    Parameters
    ----------
    C : float
        Weight C > 0 of a pair, in squared units of w per unit of the pairwise hinge.
    buffer : int
        N ≥ 1, slots of each class (100 in the paper).
    shuffle : bool
        A fresh random order in each pass; False keeps file order.

    References
    ----------
    Zhao, Hoi, Jin & Yang, "Online AUC maximization", ICML 2011. The listing was not at hand:
    `aucbench.methods.Buffers` says what is assumed.
    """

    C: float = 1.0
    buffer: int = 100
    shuffle: bool = True

    space: ClassVar = {"C": tuple(2.0**e for e in range(-10, 11))}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, C=self.C)
        require_whole(1, buffer=self.buffer)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Lower the pairwise hinge of the buffered pairs: no listed objective."""
        return Problem(None, train=data)

    def start(self, w: Vector, rng: np.random.Generator) -> Buffers:
        """Empty buffers."""
        return Buffers.empty(w, rng, self.buffer)

    def update(self, memory: Buffers, chunk: Chunk, order: Index) -> None:
        """Learn from the rows `order` of the chunk."""
        memory.learn(chunk, order, self.C, at_once=True)

    def weights(self, memory: Buffers) -> Vector:
        """Return w."""
        return memory.w

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per pass."""
        return passes(self, problem, rng, shuffle=self.shuffle)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"oam-gra": OamGra}
