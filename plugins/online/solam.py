"""SOLAM: stochastic online AUC maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import require_above
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.optim import passes
from aucbench.projectors import L2Ball
from aucbench.protocols import Needs, Problem, State

from .saddle_point import SaddlePoint


@dataclass(frozen=True)
class Solam:
    """(w, a, b) ← Π((w, a, b) − γ_t ∂), α ← Π(α + γ_t ∂_α), γ_t = ξ/√t, one row at a time.

    The saddle point of the pairwise square on ‖w‖ ≤ R; the output is Σ γ_t w_t / Σ γ_t over
    the points before each step. Streaming; the share p of positives is that of the rows seen.
    Cost per row O(d) dense, O(stored values) for CSR.

    Parameters
    ----------
    xi : float
        Step size ξ > 0, in squared units of w.
    R : float
        Radius R > 0, in units of w.
    kappa : float, optional
        Bound κ on ‖x‖ in |a|, |b| ≤ Rκ, |α| ≤ 2Rκ; None: the largest norm seen so far.
    shuffle : bool
        A fresh random order for each pass; False keeps file order.

    References
    ----------
    Ying, Wen & Lyu, "Stochastic online AUC maximization", NeurIPS 2016, Algorithm 1.
    """

    xi: float = 1.0
    R: float = 1.0
    kappa: float | None = None
    shuffle: bool = True

    space: ClassVar = {"xi": tuple(range(1, 101, 9)), "R": tuple(10.0**e for e in range(-1, 6))}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, xi=self.xi, R=self.R, kappa=self.kappa)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the pairwise square over the ball of radius R."""
        return Problem(PairwiseSquare(data), L2Ball(self.R))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per pass."""
        return passes(self, problem, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> SaddlePoint:
        """Begin at (w, 0, 0), 0."""
        return SaddlePoint.at(w, self.kappa)

    def update(self, memory: SaddlePoint, chunk: Chunk, order: Index) -> None:
        """One step per row."""
        memory.move(chunk, order, xi=self.xi, lam=0.0, R=self.R)

    def weights(self, memory: SaddlePoint) -> Vector:
        """Weighted mean of the points."""
        return memory.mean


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"solam": Solam}
