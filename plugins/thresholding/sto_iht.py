"""StoIHT: stochastic iterative hard thresholding, on the logistic loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.errors import require_above, require_whole
from aucbench.features import AppendOne
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import Logistic
from aucbench.projectors import TopK
from aucbench.protocols import Needs, Problem, State, identity

from .block_descent import block_descent


@dataclass(frozen=True)
class StoIht:
    """w ← H_k(w − γ ∇f_B(w)), B one of m blocks of rows, drawn uniformly.

    The loop of SHT-AUC on f = mean logistic loss; the choice of blocks is uniform.
    Cost per step O(b d) dense, O(stored values of the block + d) for CSR.

    Parameters
    ----------
    k : int
        Weights kept, the intercept not counted.
    gamma : float, optional
        Step size γ > 0; None means 1/L̂, L̂ = max over blocks of λ_max(X_Bᵀ X_B)/(4b).
    blocks : int
        Number m of blocks in a pass.
    shuffle : bool
        Blocks of a random permutation; False takes consecutive rows.
    intercept : bool
        Append a feature 1 whose weight is stepped but never thresholded.

    References
    ----------
    Nguyen, Needell & Woolf, "Linear convergence of stochastic iterative greedy algorithms
    with sparse constraints", IEEE Trans. Inf. Theory 63(11), 2017.
    """

    k: int = 50
    gamma: float | None = None
    blocks: int = 10
    shuffle: bool = True
    intercept: bool = False

    space: ClassVar = {"k": tuple(range(10, 101, 10)), "blocks": (1, 2, 4, 8, 10)}
    needs: ClassVar = Needs(objective=True, projector=True)

    def __post_init__(self) -> None:
        require_whole(1, k=self.k, blocks=self.blocks)
        require_above(0, gamma=self.gamma)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the logistic loss over k-sparse weights."""
        phi = AppendOne() if self.intercept else identity
        f = Logistic(data.with_rows(phi(data.rows)))
        return Problem(f, TopK(self.k, free=phi.exempt), phi)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per block."""
        return block_descent(problem, rng, gamma=self.gamma, m=self.blocks, shuffle=self.shuffle)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"sto-iht": StoIht}
