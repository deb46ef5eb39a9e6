"""The Euclidean ball."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from aucbench.contract import Projector
from aucbench.data.arrays import Vector
from aucbench.errors import require_above
from aucbench.projectors.argument import DOWNSCALE, FEASIBLE_TO, LARGE, require_writable_vector

SAFE = 1e-250, 1e250  # a squared length between these had no overflow and no underflow


def length(v: Vector) -> float:
    """Return |v|_2, also where squares overflow or underflow; inf above the largest float."""
    with np.errstate(over="ignore"):
        squared = float(np.dot(v, v))
    if SAFE[0] < squared < SAFE[1]:
        return sqrt(squared)
    peak = float(np.abs(v).max(initial=0.0))
    return peak * sqrt(float(np.sum((v / peak) ** 2))) if 0 < peak < inf else peak


@dataclass(frozen=True)
class L2Ball(Projector):
    """Nearest point of {w : |w|_2 <= R}: v R / max(R, |v|_2).

    A vector with a NaN or an infinite entry has no nearest point and stays as it is.

    Parameters
    ----------
    R : float
        Radius, in units of w, greater than 0.

    Raises
    ------
    ParameterError
        When R is not a finite number greater than 0.
    """

    R: float = 1.0

    def __post_init__(self) -> None:
        require_above(0, R=self.R)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with its nearest point and return it; a point in the ball stays."""
        require_writable_vector(v)
        norm = length(v)
        if norm == inf or self.R >= LARGE:
            return self._far(v)
        if norm > self.R * (1 + FEASIBLE_TO):
            v /= norm  # v *= R / norm would lose digits if the quotient is tiny
            v *= self.R
        return v

    def _far(self, v: Vector) -> Vector:
        if np.isfinite(v).all() and not self.contains(v):
            v *= DOWNSCALE
            v /= length(v)
            v *= self.R
        return v

    def contains(self, w: Vector) -> bool:
        """Return whether |w|_2 <= R, up to the relative rounding 1e-12 of a projection."""
        unit = 1.0 if self.R < LARGE else DOWNSCALE
        return length(w * unit) <= self.R * unit * (1 + FEASIBLE_TO)
