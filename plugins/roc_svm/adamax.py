"""AdaMax: a gradient step divides each coordinate by its largest recent gradient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np

from aucbench.contract import Budget, Cut, Problem, Solver, State
from aucbench.data.arrays import Vector
from aucbench.data.rounding import gap_of_gradient
from aucbench.errors import ParameterError, UnsupportedError, require_above
from aucbench.optim import pair_square
from aucbench.projectors import ridge_of


class AdaMax(Solver):
    """Minimise P(w) = f(w) + λ‖w‖²/2 by w ← w − α/(1 − β₁ᵗ) · m/u, for ever.

    G is the subgradient of P at w, m ← β₁ m + (1 − β₁) G and u ← max(β₂ u, |G|), from m = u = 0. A
    coordinate with u = 0 does not move. With β₁ < β₂ no coordinate moves further in one step than
    α · (1 − β₁)/(1 − β₁/β₂)/(1 − β₁ᵗ).

    P is λ-strongly convex. So each state has a certified gap, P(w) − min P ≤ ‖G‖²/(2λ), plus a
    bound of rounding errors. The gap costs nothing more, nor does P(w), which comes with the
    subgradient. Near a kink of f the gap stays above zero, even when w is optimal.

    Attributes
    ----------
    step : float, optional
        α > 0, in units of w. None is 1/D, where D² is the mean square distance of a pair.
    beta1, beta2 : float
        Factors of the past in m and in u, in [0, 1).

    References
    ----------
    Kingma & Ba, "Adam: a method for stochastic optimization", ICLR 2015, Algorithm 2.
    """

    step: float | None
    beta1: float
    beta2: float

    expected_failures: ClassVar[Mapping[str, str]] = {
        f"{law} on larger rows": "each weight moves by about 1/D, so that scores change by √d "
        "in a step: on thousands of columns the first passes overshoot"
        for law in (
            *("optimum", "ranks"),
            *("weights", "group-pairs", "order-pairs", "range-pairs", "class-pairs"),
        )
    }

    def require_moves(self) -> None:
        """Raise `ParameterError` unless α > 0, and β₁ and β₂ are in [0, 1)."""
        require_above(0, step=self.step)
        for name, share in (("beta1", self.beta1), ("beta2", self.beta2)):
            if not 0 <= share < 1:
                raise ParameterError(f"{name} must be at least 0 and less than 1, got {share}")

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per step. A step reads all rows of f; so does what precedes the first."""
        f, lam, w = problem.objective, ridge_of(problem), w0
        alpha = self.step or pair_square(problem.data, "step") ** -0.5
        beta1, beta2, past = self.beta1, self.beta2, 1.0  # past = β₁ᵗ
        m, u, direction = np.zeros(w.size), np.zeros(w.size), np.zeros(w.size)
        G = _cut(problem, w).slope + lam * w  # equation 8 of Bae & Shin: ∂L at the weights
        while True:  # Algorithm 2 of Kingma & Ba
            past *= beta1
            m *= beta1  # m ← β₁ m + (1 − β₁) G
            m += (1 - beta1) * G
            u *= beta2  # u ← max(β₂ u, |G|)
            np.maximum(u, np.abs(G), out=u)
            direction.fill(0.0)
            np.divide(m, u, out=direction, where=u > 0)
            w -= alpha / (1 - past) * direction  # w ← w − α/(1 − β₁ᵗ) · m/u
            cut = _cut(problem, w)
            G = cut.slope + lam * w
            residual = float(np.linalg.norm(G))
            gap = gap_of_gradient(residual, w, lam, f.rounding(w))
            value = cut.value + problem.project.value(w)
            yield State(w, gap=gap, residual=residual, value=value)


def _cut(problem: Problem, w: Vector) -> Cut:
    cut = problem.objective.cut(w)
    if cut is None:
        raise UnsupportedError(
            f"{type(problem.f).__name__} has no cuts, and AdaMax takes its subgradient and its "
            "value from a cut; give a hinge over pairs"
        )
    return cut
