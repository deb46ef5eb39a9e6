"""SPDAM: stochastic primal-dual AUC maximisation with a linear rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aucbench.data import Data
from aucbench.errors import ParameterError, require_above
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import ElasticNet
from aucbench.protocols import Needs, Problem, State

from .primal_dual import primal_dual


@dataclass(frozen=True)
class Spdam:
    """Saddle point of (1/n) Σ [β_i w·x̄_i − β_i²/2] + g(w), x̄_i = (x_i − m_y)/√p_y,
    g(w) = ½(w·δ)² + w·δ + (λ/4)‖w‖², whose value is ½F(w) + (λ/4)‖w‖² up to a constant.

    For a mini-batch I: β_i ← (β_i + σ w̄·x̄_i)/(1 + σ); u = (1/n) Σ β_i x̄_i extrapolated to
    ū; w⁺ = argmin ⟨ū, w⟩ + g(w) + ‖w − w_t‖²/(2τ); w̄ = w⁺ + θ(w⁺ − w_t). σ, τ and θ are
    those of Theorem 4.1, rescaled: as printed they diverge for small λ. Cost of a step: two
    readings of the batch, and O(d). Once per pass the duality gap, in two further passes that
    are on the clock but not counted.

    Parameters
    ----------
    lam : float
        Ridge λ > 0, in units of the pairwise square F per squared unit of w.
    batch : float
        Share of the rows in a mini-batch, 0 < batch ≤ 1.
    sampling : {"uniform", "blocks"}
        Batches drawn without replacement, or one of a fixed random partition: longer steps.

    References
    ----------
    Natole, Ying & Lyu, Frontiers in Applied Mathematics and Statistics 5:30, 2019.
    """

    lam: float = 0.01
    batch: float = 0.1
    sampling: Literal["uniform", "blocks"] = "uniform"

    space: ClassVar = {"lam": tuple(10.0**e for e in range(-5, 2))}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, lam=self.lam, batch=self.batch)
        if self.batch > 1:
            raise ParameterError(f"batch={self.batch} of the rows; give a share in (0, 1]")
        if self.sampling not in ("uniform", "blocks"):
            raise ParameterError(f"sampling={self.sampling!r}; give 'uniform' or 'blocks'")

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the pairwise square with the ridge λ."""
        return Problem(PairwiseSquare(data), ElasticNet(0.0, self.lam))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per mini-batch."""
        m = max(1, round(self.batch * problem.data.n))
        return primal_dual(problem, rng, lam=self.lam, m=m, fixed=self.sampling == "blocks")


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"spdam": Spdam}
