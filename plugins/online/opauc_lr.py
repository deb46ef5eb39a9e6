"""OPAUC with low-rank sketches of the covariances, for many features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp2
from typing import ClassVar

import numpy as np

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import require_above, require_at_least, require_whole
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.optim import passes
from aucbench.projectors import ElasticNet
from aucbench.protocols import Needs, Problem, State

from .sketches import Sketches


@dataclass(frozen=True)
class OpaucLowRank:
    """w ← w − η[λw − y q + (q·w) q + Ŝ w], q = x − c; c, Ŝ of the other class so far.

    Ŝ = Y Yᵀ/N, Y = Σ (x − c) rᵀ, r ~ N(0, I)/√τ: unbiased, positive semi-definite. Aims at
    F(w) + λ‖w‖², F the pairwise square. Cost per row O((stored values of the row) τ + τ²).

    Parameters
    ----------
    eta, lam : float
        Step size η > 0 and ridge λ ≥ 0, in the units of `opauc`. η None: 1/(8(κ + λ)), κ the
        largest ‖q‖² + tr Ŝ so far.
    rank : int
        Columns τ of a sketch, 50 as in its experiments on high-dimensional data.
    shuffle : bool
        A fresh random order for each pass; False keeps file order.

    References
    ----------
    Gao, Jin, Zhu & Zhou, "One-pass AUC optimization", ICML 2013.
    """

    eta: float | None = None
    lam: float = 2.0**-10
    rank: int = 50
    shuffle: bool = True
    space: ClassVar = {"eta": (*map(exp2, range(-12, 11)),), "lam": (*map(exp2, range(-10, 3)),)}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, eta=self.eta)
        require_at_least(0, lam=self.lam)
        require_whole(1, rank=self.rank)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise F(w) + λ‖w‖²."""
        return Problem(PairwiseSquare(data), ElasticNet(0.0, 2 * self.lam))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per pass."""
        return passes(self, problem, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> Sketches:
        """Begin at w, without rows."""
        return Sketches.at(w, self.rank, rng)

    def update(self, memory: Sketches, chunk: Chunk, order: Index) -> None:
        """One step per row."""
        memory.learn(chunk, order, eta=self.eta, lam=self.lam)

    def weights(self, memory: Sketches) -> Vector:
        """Last iterate."""
        return memory.w


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"opauc-lr": OpaucLowRank}
