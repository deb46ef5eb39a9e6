"""HSG-HT: hybrid stochastic gradient hard thresholding, on the logistic loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.errors import require_above, require_at_least, require_whole
from aucbench.features import AppendOne
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import Logistic
from aucbench.optim import lipschitz
from aucbench.projectors import TopK
from aucbench.protocols import Needs, Problem, State, identity


@dataclass(frozen=True)
class HsgHt:
    """w ← H_k(w − γ ∇f_B(w)), B drawn without replacement, |B| = ⌈τζᵗ⌉ up to n.
    The batch grows over the whole run. Cost per step: one reading of B, and O(d).

    Parameters
    ----------
    k : int
        Weights kept, the intercept not counted.
    gamma : float, optional
        Step size γ > 0; None: 1/L̂, L̂ the top curvature of ≤ 100 blocks of ≥ τ rows.
    tau, zeta : float
        Rows τ ≥ 1 of the first batch, and its growth ζ ≥ 1 per step.
    intercept : bool
        Append a feature 1 whose weight is stepped but never thresholded.

    References
    ----------
    Zhou, Yuan & Feng, "Efficient stochastic gradient hard thresholding", NeurIPS 2018.
    """

    k: int = 50
    gamma: float | None = None
    tau: float = 1.0
    zeta: float = 1.033
    intercept: bool = False

    space: ClassVar = {"k": tuple(range(10, 101, 10)), "tau": (1.0, 10.0, 100.0, 1000.0)}
    needs: ClassVar = Needs(objective=True, projector=True)

    def __post_init__(self) -> None:
        require_whole(1, k=self.k)
        require_above(0, gamma=self.gamma)
        require_at_least(1, tau=self.tau, zeta=self.zeta)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the logistic loss over k-sparse weights."""
        phi = AppendOne() if self.intercept else identity
        f = Logistic(data.with_rows(phi(data.rows)))
        return Problem(f, TopK(self.k, free=phi.exempt), phi)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per batch."""
        f, H, w = problem.objective, problem.project, problem.start()
        n, seen, t, grown = f.data.n, 0, 0, self.tau
        parts = min(100, n // min(n, ceil(self.tau)))
        gamma = self.gamma or 1.0 / lipschitz(f, f.data.blocks(parts, rng), rng)
        while True:
            b = min(n, ceil(grown))
            B = slice(None) if b == n else np.sort(rng.choice(n, b, replace=False).astype(np.int32))
            w = H(w - gamma * f.grad(w, B), gamma)
            seen, t, grown = seen + b, t + 1, min(n, self.zeta * grown)
            yield State(t, w, seen)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"hsg-ht": HsgHt}
