"""spam-net: stochastic proximal AUC maximisation with the elastic net."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.errors import require_above, require_at_least
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import ElasticNet
from aucbench.protocols import Needs, Problem, State

from .spam import proximal_passes

POWERS = tuple(10.0**e for e in range(-5, 3))


@dataclass(frozen=True)
class SpamNet:
    """w ← soft(w − η_t g, η_t λ₁) / (1 + η_t λ₂), row by row.

    g = 2(1−p)(w·x − w·m₋ − 1) x for a positive row x, 2p(w·x − w·m₊ + 1) x for a negative one.
    E[g] = p(1−p) ∇F, F the pairwise square: it minimises F + (λ₁|w|₁ + λ₂|w|²/2)/(p(1−p)).
    Cost per row: O(d); for CSR rows of d/30 stored values and fewer O(those), amortised.

    Parameters
    ----------
    xi : float, optional
        Step η_t = ξ/√t for row t of all passes, ξ > 0, in squared units of w per unit of F. None:
        1/(2 max (1 − p_i)|x_i|²), p_i the share of the class of row i; no rows make it diverge.
        In file order less, as the file may be sorted: see `online.spam.first_step`.
    l1 : float
        λ₁ ≥ 0, weight of |w|₁ beside p(1−p) F.
    l2 : float
        λ₂ ≥ 0, weight of |w|²/2 beside p(1−p) F.
    average : bool
        The mean of w_1 ... w_t; False: w_t.
    shuffle : bool
        A fresh permutation for each pass; False keeps file order.

    References
    ----------
    Natole, Ying & Lyu, "Stochastic proximal algorithms for AUC maximization", ICML 2018,
    Algorithm 1. Grid: the experiments' code of Yang, Zhou, Lei & Ying, ICDM 2020 (their text
    has ξ ∈ [1:9:100], which diverges unless rows are short).
    """

    xi: float | None = None
    l1: float = 1e-3
    l2: float = 1e-3
    average: bool = True
    shuffle: bool = True

    space: ClassVar = {"xi": POWERS, "l1": POWERS, "l2": POWERS}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, xi=self.xi)
        require_at_least(0, l1=self.l1, l2=self.l2)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the pairwise square plus |w|₁ and |w|²/2, in units of F."""
        unit = data.p * (1 - data.p)
        return Problem(PairwiseSquare(data), ElasticNet(self.l1 / unit, self.l2 / unit))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per pass."""
        return proximal_passes(self, problem, rng, l1=self.l1, l2=self.l2)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"spam-net": SpamNet}
