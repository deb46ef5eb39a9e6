"""SHT-AUC: stochastic hard thresholding for AUC maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.errors import require_above, require_whole
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import TopK
from aucbench.protocols import Needs, Problem, State

from .block_descent import block_descent


@dataclass(frozen=True)
class ShtAuc:
    """w ← H_k(w − γ ∇f_B(w)), B one of m blocks of rows, drawn uniformly.

    f is the pairwise square, H_k keeps the k weights largest in magnitude.
    Cost per step O(b d) dense, O(stored values of the block + d) for CSR.

    Parameters
    ----------
    k : int
        Weights kept, 1 ≤ k; all of them when k ≥ d.
    gamma : float, optional
        Step size γ > 0, in squared units of w per unit of f; None means 1/L̂, L̂ the largest
        curvature of a block (found by power iteration).
    blocks : int
        Number m of blocks in a pass; a block holds b ≈ n/m rows.
    shuffle : bool
        Blocks of a random permutation; False takes consecutive rows.

    References
    ----------
    Yang, Zhou, Lei & Ying, "Stochastic hard thresholding algorithms for AUC
    maximization", ICDM 2020, Algorithm 1.
    """

    k: int = 50
    gamma: float | None = None
    blocks: int = 10
    shuffle: bool = True

    space: ClassVar = {"k": tuple(range(10, 101, 10)), "blocks": (1, 2, 4, 8, 10)}
    needs: ClassVar = Needs(objective=True, projector=True)

    def __post_init__(self) -> None:
        require_whole(1, k=self.k, blocks=self.blocks)
        require_above(0, gamma=self.gamma)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the pairwise square over k-sparse weights."""
        return Problem(PairwiseSquare(data), TopK(self.k))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per block."""
        return block_descent(problem, rng, gamma=self.gamma, m=self.blocks, shuffle=self.shuffle)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"sht-auc": ShtAuc}
