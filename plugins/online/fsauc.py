"""FSAUC: fast stochastic AUC maximisation, in stages on shrinking balls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.errors import require_above
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import L1Ball
from aucbench.protocols import Needs, Problem, State

from .stages import Stage, max_abs, staged_passes


@dataclass(frozen=True)
class Fsauc:
    """Descend in (w, a, b), ascend in α, one row at a time; ‖w‖₁ ≤ R and near the stage's start.

    y=+1: g = (1−p)(s−a−1−α) x, ∂a = −(1−p)(s−a), ∂α = −(1−p)(s + pα);
    y=−1: g = p(s−b+1+α) x, ∂b = −p(s−b), ∂α = p(s − (1−p)α); s = w·x, p the share of positives
    so far. Then |a|, |b| ≤ Rκ, |α| ≤ 2Rκ, ‖(w, a, b) − start‖₂ ≤ r and |α − start| ≤ D by
    projection. A stage starts at the mean of the last one, with r/2; w is the mean so far of its.

    A step costs O(d) dense. For CSR it costs O(stored values of the row) inside the ℓ1 ball;
    one that leaves it costs O(d): its projection moves every non-zero weight.

    Parameters
    ----------
    R : float
        Radius of the ℓ1 ball, in units of w.
    eta : float
        Step size η of the first stage, in squared units of w.
    kappa : float, optional
        κ, in units of x; None: max |x_ij| of the training rows. The published code has 1.
    passes : float, optional
        Planned passes, which set the stages; None: the budget of `solve`, 50 without one.
    shuffle : bool
        A fresh permutation of the rows for each pass; False keeps file order.

    References
    ----------
    Liu, Zhang, Chen, Wang & Yang, "Fast stochastic AUC maximization with O(1/n)-convergence
    rate", ICML 2018. Grid: Yang et al., "Stochastic hard thresholding ...", ICDM 2020, section V.
    """

    R: float = 10.0
    eta: float = 0.125
    kappa: float | None = None
    passes: float | None = None
    shuffle: bool = True

    space: ClassVar = {
        "R": tuple(10.0**e for e in range(-1, 6)),
        "eta": tuple(2.0**e for e in range(-10, 11)),
    }
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, R=self.R, eta=self.eta, kappa=self.kappa, passes=self.passes)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the pairwise square over the ℓ1 ball."""
        return Problem(PairwiseSquare(data), L1Ball(self.R))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per pass, until the stages are over."""
        kappa = self.kappa or max_abs(problem.data)
        stage = Stage.first(self.R, kappa, self.eta)
        return staged_passes(problem, rng, stage, passes=self.passes or 50, shuffle=self.shuffle)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"fsauc": Fsauc}
