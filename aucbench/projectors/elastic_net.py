"""The elastic-net penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.contract import Problem, Projector
from aucbench.data.arrays import Vector
from aucbench.errors import UnsupportedError, require_at_least, require_count
from aucbench.projectors.argument import require_writable_vector
from aucbench.projectors.soft_threshold import soft


@dataclass(frozen=True)
class ElasticNet(Projector):
    """Ω(w) = l1 |w|_1 + (l2/2) |w|²; its prox is soft(v, step l1) / (1 + step l2).

    Here soft(v, t)_i = sign(v_i) max(0, |v_i| - t). NaN stays NaN.

    Parameters
    ----------
    l1, l2 : float
        Weights of |w|_1 and of |w|^2 / 2 in the objective, at least 0.
    free : int
        The last `free` coordinates (intercepts) have no penalty.

    Raises
    ------
    ParameterError
        When l1 or l2 is not a finite number of at least 0, or free is not a whole number of at
        least 0.
    """

    l1: float = 0.01
    l2: float = 0.01
    free: int = 0

    def __post_init__(self) -> None:
        require_at_least(0, l1=self.l1, l2=self.l2)
        require_count(0, free=self.free)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with its prox and return it."""
        require_writable_vector(v)
        penalised = v[: self.count(v)]
        soft(penalised, step * self.l1)
        penalised /= 1 + step * self.l2
        return v

    def count(self, w: Vector) -> int:
        """Return how many coordinates of `w` have a penalty."""
        return max(0, w.size - self.free)

    def value(self, w: Vector) -> float:
        """Return l1 |w|_1 + (l2/2) |w|²."""
        u = w[: self.count(w)]
        with np.errstate(over="ignore"):  # an infinite penalty is a valid result
            return float(np.abs(self.l1 * u).sum()) + float(np.dot(self.l2 / 2 * u, u))


def ridge_of(problem: Problem) -> float:
    """Return λ of the ridge (λ/2)‖w‖² that the problem has as Ω.

    Raises
    ------
    UnsupportedError
        When Ω is something else.
    """
    if isinstance(problem.project, ElasticNet) and not problem.project.l1:
        return problem.project.l2
    raise UnsupportedError(
        f"this solver needs a ridge, and the problem has {problem.project!r}; leave the projector "
        "as its `problem` makes it"
    )
