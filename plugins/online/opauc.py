"""OPAUC: one-pass AUC optimisation with running class means and covariances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp2
from typing import ClassVar

import numpy as np

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import require_above, require_at_least
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.optim import passes
from aucbench.projectors import ElasticNet
from aucbench.protocols import Needs, Problem, State

from .covariances import Covariances


@dataclass(frozen=True)
class Opauc:
    """w ← w − η[λw − y q + (q·w) q + S w], q = x − c; c, S of the other class so far.

    Minimises F(w) + λ‖w‖², F the pairwise square. Cost per row O(d²), also for CSR rows: S w
    takes all of S, which is not sparse. Memory 16 d² bytes.

    Parameters
    ----------
    eta : float, optional
        Step size η > 0, in squared units of w. None: 1/(8(κ + λ)), κ the largest ‖q‖² + tr S so
        far, the mean ‖x − x′‖² over the rows x′ of the other class. No rows make it diverge:
        Theorem 1 asks for η ≤ 1/(2(κ + λ)), with κ = 4 where ‖x‖ ≤ 1.
    lam : float
        Ridge λ ≥ 0, in units of F per squared unit of w; 2⁻¹⁰, the least of the grid.
    shuffle : bool
        A fresh random order for each pass; False keeps file order.

    References
    ----------
    Gao, Jin, Zhu & Zhou, "One-pass AUC optimization", ICML 2013.
    """

    eta: float | None = None
    lam: float = 2.0**-10
    shuffle: bool = True

    space: ClassVar = {"eta": (*map(exp2, range(-12, 11)),), "lam": (*map(exp2, range(-10, 3)),)}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, eta=self.eta)
        require_at_least(0, lam=self.lam)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise F(w) + λ‖w‖²."""
        return Problem(PairwiseSquare(data), ElasticNet(0.0, 2 * self.lam))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per pass."""
        return passes(self, problem, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> Covariances:
        """Begin at w, without rows."""
        return Covariances.at(w)

    def update(self, memory: Covariances, chunk: Chunk, order: Index) -> None:
        """One step per row."""
        memory.learn(chunk, order, eta=self.eta, lam=self.lam)

    def weights(self, memory: Covariances) -> Vector:
        """Last iterate."""
        return memory.w


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"opauc": Opauc}
