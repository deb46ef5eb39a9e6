"""The logistic loss with an l1 penalty, which celer and skglm minimise, and its certified gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from aucbench.contract import Problem, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.rounding import UNIT
from aucbench.features import AppendOne
from aucbench.objectives import Logistic
from aucbench.optim import proximal_newton
from aucbench.projectors import ElasticNet
from aucbench.ranges import Range

from .baseline import logistic_slope

RATIOS = Range(1e-3, 0.5, log=True)
TINY = 1e-300  # an α whose logarithm is finite


@dataclass(frozen=True, eq=False)
class LogisticScores(Logistic):
    """The mean logistic loss, with the functions of scores that a gap is made of."""

    def of_scores(self, s: Vector) -> tuple[float, Vector]:
        """Return f and its derivatives −y_i σ(−y_i s_i)/n in the scores."""
        margins = self.data.y * s
        loss = float(np.logaddexp(0.0, -margins).mean())
        return loss, self.data.y * logistic_slope(margins) / s.size

    def conjugate(self, c: Vector) -> float:
        """Return max_s c·s − f(s) = −(1/n) Σ_i H(α_i), with α_i = −n y_i c_i in [0, 1].

        H(α) = −α log α − (1 − α) log(1 − α) is the entropy.
        """
        alpha = np.clip(-float(c.size) * self.data.y * c, TINY, 1.0 - UNIT)
        return float((alpha * np.log(alpha) + (1.0 - alpha) * np.log1p(-alpha)).mean())


def l1_problem(data: Data, ratio: float) -> Problem:
    """Minimise the mean logistic loss + λ‖w‖₁ with a free intercept, λ = `ratio` λ_max.

    λ_max is the least λ at which all weights are 0.
    """
    phi = AppendOne()
    f = LogisticScores(data.with_rows(phi(data.rows)), intercepts=1)
    largest = float(np.abs(slopes_at_zero(data)).max())
    return Problem(f, ElasticNet(ratio * (largest or 1.0), 0.0, free=1), phi)


def slopes_at_zero(data: Data) -> Vector:
    """Return the gradient Σ_i x_i (p − [y_i = 1])/n at w = 0 and the best intercept, (d,).

    p is the share of positive rows. Its largest magnitude is λ_max.
    """
    return data.pullback((data.labels.p - (data.y > 0)) / data.n)


def certified(problem: Problem, w: Vector) -> State:
    """Return the state of w, with its objective and a gap by the dual of `l1_problem`.

    A dual point is α_i = σ(−y_i s_i), with the larger class multiplied so that Σ_i y_i α_i = 0, and
    all of it so that |Σ_i y_i α_i x_ij| ≤ n λ: the gap of `aucbench.optim.proximal_newton`.
    """
    f, penalty = cast(Any, problem.objective), cast(ElasticNet, problem.project)
    return next(proximal_newton(f, penalty, w))
