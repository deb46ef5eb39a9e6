"""The l1 ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.contract import Projector
from aucbench.data.arrays import Vector
from aucbench.errors import require_above
from aucbench.kernels import select
from aucbench.projectors.argument import DOWNSCALE, FEASIBLE_TO, LARGE, require_writable_vector


@dataclass(frozen=True)
class L1Ball(Projector):
    """Nearest point of {w : |w|_1 <= R}: sign(v_i) max(0, |v_i| - theta).

    theta is such that the result has the length R. It takes O(d) operations and no sort. A vector
    with a NaN or an infinite entry has no nearest point and stays as it is.

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
        if self.R < LARGE:
            _project(v, self.R)
        elif np.isfinite(v).all() and not self.contains(v):
            v *= DOWNSCALE  # the digits that underflow are far below the threshold
            _project(v, self.R * DOWNSCALE)
            v /= DOWNSCALE
        return v

    def contains(self, w: Vector) -> bool:
        """Return whether |w|_1 <= R, up to the relative rounding 1e-12 of a projection."""
        with np.errstate(over="ignore"):  # an infinite norm is a valid result
            unit = 1.0 if self.R < LARGE else DOWNSCALE
            return bool(np.abs(w * unit).sum() <= self.R * unit * (1 + FEASIBLE_TO))


def _project(v: Vector, R: float) -> None:
    select.l1_ball(v, R, R * (1 + FEASIBLE_TO), np.empty(v.size, np.int64))
