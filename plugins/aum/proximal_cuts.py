"""Descent directions for a function with kinks, from its recent subgradients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from aucbench.contract import Projector
from aucbench.data.arrays import Vector
from aucbench.optim.bundle import Bundle
from aucbench.projectors import Hyperplane

TINY_SLOPE = 1e-300


def along(project: Projector, v: Vector) -> Vector:
    """Return v without the part that leads out of a hyperplane; a copy of v without such a set."""
    return project.along(v) if isinstance(project, Hyperplane) else v.copy()


@dataclass(frozen=True, slots=True)
class Direction:
    """Step along −p.

    Attributes
    ----------
    p : array of shape (d,)
        Aggregate subgradient.
    predicted : float
        Largest possible fall of f at the trial point w − t p.
    error : float
        Linearisation error of p: f(u) ≥ f(w) + p·(u − w) − error where f is convex.
    """

    p: Vector
    predicted: float
    error: float


class ProximalCuts:
    """Cuts f(u) ≥ b_k + g_k·u at recent points, and the minimum of their maximum near w.

    With the errors e_k = f(w) − b_k − g_k·w the direction is −p, p = Σ α_k g_k, where α of the
    simplex minimises (t/2)‖Σ α_k g_k‖² + Σ α_k e_k. So p is the shortest element of the convex hull
    of the subgradients, with a penalty for those of points far from w. Cuts beyond the memory are
    replaced by their aggregate (p, Σ α_k e_k), which predicts the same fall.

    A direction costs O(K² d) for K cuts.

    Parameters
    ----------
    memory : int
        Number of cuts, at least 2; one cut is the published descent, see `published`.
    along : function (vector) -> vector
        Removes the part of a vector that leads out of the feasible affine set.

    References
    ----------
    Kiwiel, "Proximity control in bundle methods for convex nondifferentiable minimization",
    Math. Programming 46, 1990. Wolfe, "A method of conjugate subgradients", 1975.
    """

    def __init__(self, memory: int, along: Callable[[Vector], Vector]) -> None:
        self.memory, self.along = memory, along
        self.t = 0.0  # trial step; the first one would be right if f fell linearly to 0
        self._g: list[Vector] = []
        self._b: list[float] = []
        self._last: tuple[Vector, Vector, float] | None = None  # shares of the cuts, and (p, b)

    def add(self, g: Vector, w: Vector, value: float) -> None:
        """Store the cut of a subgradient g of f at w, where f is `value`."""
        self._make_room()
        g = self.along(g)
        self.t = self.t or value / max(float(g @ g), TINY_SLOPE)
        self._g.append(g)
        self._b.append(value - float(g @ w))

    def error(self, w: Vector, value: float) -> float:
        """Return the linearisation error at w of the cut that was added last."""
        return abs(value - self._b[-1] - float(self._g[-1] @ w))

    def direction(self, w: Vector, value: float) -> Direction:
        """Return the descent direction at w, where f is `value`."""
        t = self.t
        errors = [abs(value - b - float(g @ w)) for g, b in zip(self._g, self._b, strict=True)]
        model = Bundle(w.size, 1.0 / t)
        for g, e in zip(self._g, errors, strict=True):
            model.add(g, -e)
        _, u = model.minimise()
        p, error = self.along(u / -t), float(model.shares @ errors)
        self._last = model.shares, p, value - error - float(p @ w)
        return Direction(p, 0.5 * t * float(p @ p) + error, error)

    def lengthen(self, step: float) -> None:
        """Change t towards twice the length of a step that was taken, by at most a factor of 2."""
        self.t *= min(max(2.0 * step / self.t, 0.5), 2.0)

    def shorten(self) -> None:
        """Halve t."""
        self.t *= 0.5

    def _make_room(self) -> None:
        if self._last is None or len(self._g) < self.memory:
            return
        shares, p, b = self._last
        self._last = None  # it is of the cuts that are here now
        largest = np.argsort(-shares, kind="stable")[: self.memory - 2].tolist()
        self._g = [*(self._g[k] for k in largest), p]
        self._b = [*(self._b[k] for k in largest), b]
