"""The l1 penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.contract import Projector
from aucbench.data.arrays import Vector
from aucbench.errors import require_at_least
from aucbench.projectors.argument import require_writable_vector


def soft(v: Vector, t: float) -> None:
    """v_i <- sign(v_i) max(0, |v_i| - t), in place."""
    v -= np.clip(v, -t, t)


@dataclass(frozen=True)
class SoftThreshold(Projector):
    """Ω(w) = t |w|_1; its prox is sign(v_i) max(0, |v_i| - step t). NaN stays NaN.

    Parameters
    ----------
    t : float
        Weight of |w|_1 in the objective, at least 0.

    Raises
    ------
    ParameterError
        When t is not a finite number of at least 0.
    """

    t: float = 0.01

    def __post_init__(self) -> None:
        require_at_least(0, t=self.t)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with its prox and return it."""
        require_writable_vector(v)
        soft(v, step * self.t)
        return v

    def value(self, w: Vector) -> float:
        """Return t |w|_1."""
        with np.errstate(over="ignore"):  # an infinite penalty is a valid result
            return float(np.abs(self.t * w).sum())
