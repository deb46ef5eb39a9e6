"""Uni-Exp: online minimisation of the weighted univariate exponential loss."""

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
from aucbench.objectives import UnivariateExp
from aucbench.optim import passes
from aucbench.projectors import ElasticNet
from aucbench.protocols import Needs, Problem, State

from .univariate import Univariate


@dataclass(frozen=True)
class UniExp:
    """w ← (1 − ηλ) w + η y exp(−y w·x) x / (2 p_y), p_y the share of class y so far.

    Cost per row O(d) dense, O(stored values) for CSR.

    Parameters
    ----------
    eta : float, optional
        Constant step η > 0, in squared units of w; one too large overflows. None: at each row
        1/(8(λ + L/(2p))), L the largest |x|² so far and p the share of the rarer class, and x
        is multiplied by at most 1/L, so that no margin moves by more than 1; see `Univariate`.
    lam : float
        Weight λ ≥ 0 of |w|²/2 in the objective.
    shuffle : bool
        A fresh random order in each pass; False keeps file order.

    References
    ----------
    Kotłowski, Dembczyński & Hüllermeier, "Bipartite ranking through minimization of univariate
    loss", ICML 2011; online as compared in Gao et al., "One-pass AUC optimization", ICML 2013.
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
        """Minimise the univariate exponential plus (λ/2)|w|²."""
        return Problem(UnivariateExp(data), ElasticNet(0.0, self.lam))

    def start(self, w: Vector, rng: np.random.Generator) -> Univariate:
        """No row seen."""
        return Univariate.at(w)

    def update(self, memory: Univariate, chunk: Chunk, order: Index) -> None:
        """One step per row."""
        memory.descend(chunk, order, eta=self.eta, lam=self.lam)

    def weights(self, memory: Univariate) -> Vector:
        """Return w."""
        return memory.w

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per pass."""
        return passes(self, problem, rng, shuffle=self.shuffle)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"uni-exp": UniExp}
