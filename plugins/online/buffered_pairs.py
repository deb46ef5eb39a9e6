"""Online AUC maximisation with buffers: what oam-seq and oam-gra share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import require_above, require_whole
from aucbench.optim.streaming import passes
from aucbench.protocols import Needs, Problem, State

from .oam import Buffers


@dataclass(frozen=True)
class BufferedPairs:
    """Each row is paired with the buffered rows of the other class; a method says how.

    Parameters
    ----------
    C : float
        Weight C > 0 of a pair, in squared units of w per unit of the pairwise hinge.
    buffer : int
        N ≥ 1, slots of each class (100 in the paper).
    shuffle : bool
        A fresh random order in each pass; False keeps file order.
    """

    C: float = 1.0
    buffer: int = 100
    shuffle: bool = True

    at_once: ClassVar[bool]  # all pairs of a row at the old w, or one after the other
    space: ClassVar = {"C": tuple(2.0**e for e in range(-10, 11))}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, C=self.C)
        require_whole(1, buffer=self.buffer)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Lower the pairwise hinge of the buffered pairs: no listed objective."""
        return Problem(None, train=data)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per pass."""
        return passes(self, problem, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> Buffers:
        """Empty buffers."""
        return Buffers.empty(w, rng, self.buffer)

    def update(self, memory: Buffers, chunk: Chunk, order: Index) -> None:
        """Learn from the rows `order` of the chunk."""
        memory.learn(chunk, order, self.C, at_once=self.at_once)

    def weights(self, memory: Buffers) -> Vector:
        """Return w."""
        return memory.w
