"""The box: bounds on every coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from aucbench.contract import Projector
from aucbench.data.arrays import Vector
from aucbench.errors import ParameterError
from aucbench.projectors.argument import require_writable_vector


@dataclass(frozen=True)
class Box(Projector):
    """Nearest point of {w : lo <= w_i <= hi}: min(hi, max(lo, v_i)). NaN stays NaN.

    Parameters
    ----------
    lo, hi : float
        Bounds, in units of w. With -inf or inf, there is no bound on that side.

    Raises
    ------
    ParameterError
        When lo > hi, or when no number lies between them (NaN, both +inf, both -inf).
    """

    lo: float = -1.0
    hi: float = 1.0

    def __post_init__(self) -> None:
        if not (self.lo <= self.hi and self.lo < inf and self.hi > -inf):
            raise ParameterError(
                f"a box needs lo <= hi and a number between them, got lo={self.lo} and hi={self.hi}"
            )

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with its nearest point and return it."""
        require_writable_vector(v)
        return np.clip(v, self.lo, self.hi, out=v)

    def contains(self, w: Vector) -> bool:
        """Return whether every entry lies between the bounds; False if one is NaN."""
        return bool(np.all((w >= self.lo) & (w <= self.hi)))
