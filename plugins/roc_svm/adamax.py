"""AdaMax: a gradient step divides each coordinate by its largest recent gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable

import numpy as np

from aucbench.contract import Problem, State
from aucbench.data.arrays import Vector
from aucbench.data.rounding import gap_of_gradient, slack_of
from aucbench.errors import ParameterError, require_above
from aucbench.optim import pair_square
from aucbench.projectors import ridge_of


@runtime_checkable
class Evaluated(Protocol):
    """An objective that knows f(w) where it computes a subgradient over all rows."""

    def both(self, w: Vector) -> tuple[float, Vector]:
        """Return f(w) and a subgradient from one evaluation."""
        ...


def require_moves(step: float | None, beta1: float, beta2: float) -> None:
    """Raise `ParameterError` unless step > 0, and β₁ and β₂ are in [0, 1)."""
    require_above(0, step=step)
    for name, share in (("beta1", beta1), ("beta2", beta2)):
        if not 0 <= share < 1:
            raise ParameterError(f"{name} must be at least 0 and less than 1, got {share}")


def adamax(
    gradient: Callable[[Vector], Vector], w: Vector, *, step: float, beta1: float, beta2: float
) -> Iterator[tuple[Vector, Vector]]:
    """Yield (w_t, G_t) for t = 1, 2, …, where G_t is the subgradient at w_t.

    The update is m ← β₁ m + (1 − β₁) G, u ← max(β₂ u, |G|), w ← w − step/(1 − β₁ᵗ) · m/u, from
    m = u = 0. A coordinate with u = 0 does not move. With β₁ < β₂ no coordinate moves further in
    one step than step · (1 − β₁)/(1 − β₁/β₂)/(1 − β₁ᵗ).

    Parameters
    ----------
    gradient : function (w) -> array of shape (d,)
        A subgradient of the whole objective.
    w : array of shape (d,)
        The start. It is overwritten, and yielded as a live view.
    step : float
        Step size α, in units of w.
    beta1, beta2 : float
        Factors of the past in m and in u, in [0, 1).

    References
    ----------
    Kingma & Ba, "Adam: a method for stochastic optimization", ICLR 2015, Algorithm 2.
    """
    m, u, direction = np.zeros(w.size), np.zeros(w.size), np.zeros(w.size)
    past = 1.0
    G = gradient(w)
    while True:
        past *= beta1
        m *= beta1
        m += (1 - beta1) * G
        u *= beta2
        np.maximum(u, np.abs(G), out=u)
        direction.fill(0.0)
        np.divide(m, u, out=direction, where=u > 0)
        w -= step / (1 - past) * direction
        G = gradient(w)
        yield w, G


def adamax_ridge(
    problem: Problem, *, step: float | None, beta1: float, beta2: float
) -> Iterator[State]:
    """Run AdaMax on P(w) = f(w) + λ‖w‖²/2 with full subgradients G, and yield states for ever.

    P is λ-strongly convex. So each state has a certified gap, P(w) − min P ≤ ‖G‖²/(2λ), plus a
    bound of rounding errors where f has one. The gap costs nothing more. Near a kink of f it stays
    above zero, even when w is optimal. Where f computes P(w) with its subgradient, a state has it
    too.

    Parameters
    ----------
    problem : Problem
        f, its rows, the ridge λ > 0, and the start.
    step, beta1, beta2 : float
        As for `adamax`. The step None is 1/D, where D² is the mean square distance of a pair.
    """
    f, n, lam = problem.objective, problem.data.n, ridge_of(problem)
    alpha = step or pair_square(problem.data, "step") ** -0.5

    value: float | None = None

    def gradient(w: Vector) -> Vector:
        nonlocal value
        if not isinstance(f, Evaluated):
            return f.grad(w) + lam * w
        loss, g = f.both(w)
        value = loss + problem.project.value(w)
        return g + lam * w

    moves = adamax(gradient, problem.start(), step=alpha, beta1=beta1, beta2=beta2)
    for t, (w, G) in enumerate(moves, 1):
        residual = float(np.linalg.norm(G))
        gap = gap_of_gradient(residual, w, lam, slack_of(f, w))
        yield State(t, w, (t + 1) * n, gap, residual, value)
