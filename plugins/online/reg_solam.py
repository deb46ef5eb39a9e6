"""regSOLAM: SOLAM with a ridge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import require_above
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.optim import passes
from aucbench.projectors import ElasticNet
from aucbench.protocols import Needs, Problem, State

from .saddle_point import SaddlePoint


@dataclass(frozen=True)
class RegSolam:
    """SOLAM with λw added to ∂w, on ‖w‖ ≤ √(2/λ), which holds the minimiser.

    It minimises p(1−p) F + (λ/2)‖w‖², F the pairwise square. Streaming. Cost per row: O(d)
    dense, O(stored values + c d) for CSR, c ≈ ξλ/(9√t).

    Parameters
    ----------
    xi : float
        γ_t = ξ/√t, ξ > 0, in squared units of w.
    lam : float
        Ridge λ > 0, in units of p(1−p) F per squared unit of w.
    kappa : float, optional
        Bound κ on ‖x‖ in |a|, |b| ≤ Rκ, |α| ≤ 2Rκ; None: the largest norm seen so far.
    shuffle : bool
        A fresh random order for each pass; False keeps file order.

    References
    ----------
    Natole, Ying & Lyu, Frontiers in Applied Mathematics and Statistics 5:30, 2019, section 5.
    """

    xi: float = 1.0
    lam: float = 0.1
    kappa: float | None = None
    shuffle: bool = True

    space: ClassVar = {"xi": tuple(range(1, 101, 9)), "lam": tuple(10.0**e for e in range(-5, 6))}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, xi=self.xi, lam=self.lam, kappa=self.kappa)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the pairwise square with the ridge λ/(p(1−p))."""
        return Problem(PairwiseSquare(data), ElasticNet(0.0, self.lam / (data.p * (1 - data.p))))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per pass."""
        return passes(self, problem, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> SaddlePoint:
        """Begin at (w, 0, 0), 0."""
        return SaddlePoint.at(w, self.kappa)

    def update(self, memory: SaddlePoint, chunk: Chunk, order: Index) -> None:
        """One step per row."""
        memory.move(chunk, order, xi=self.xi, lam=self.lam, R=sqrt(2.0 / self.lam))

    def weights(self, memory: SaddlePoint) -> Vector:
        """Weighted mean of the points."""
        return memory.mean


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"reg-solam": RegSolam}
