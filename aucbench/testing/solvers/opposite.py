"""An objective that no solver can have as its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from aucbench.data import ALL, Data, Labels
from aucbench.data.arrays import Block, Vector
from aucbench.objectives import PairwiseSquare


@dataclass(frozen=True, eq=False)
class Opposite:
    """The pairwise square of the opposite labels, on rows that keep their own.

    It rises wherever an objective of the labels falls, and is as easy to minimise.
    """

    data: Data

    @cached_property
    def _square(self) -> PairwiseSquare:
        target = Labels.of(-self.data.y, None, None, None)
        return PairwiseSquare(replace(self.data, target=target))

    def value(self, w: Vector) -> float:
        """Return f(w)."""
        return self._square.value(w)

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return the gradient of a block."""
        return self._square.grad(w, rows)

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return H v of a block."""
        return self._square.curvature(v, rows)
