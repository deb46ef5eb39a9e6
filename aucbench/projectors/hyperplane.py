"""A hyperplane: the weights w with a·w = 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aucbench.contract import Projector
from aucbench.data.arrays import Vector
from aucbench.errors import ParameterError
from aucbench.projectors.argument import FEASIBLE_TO, require_writable_vector
from aucbench.projectors.l2_ball import SAFE


@dataclass(frozen=True, eq=False)
class Hyperplane(Projector):
    """{w : a·w = 1}: the nearest point is w + (1 − a·w) a/‖a‖².

    Parameters
    ----------
    normal : array of shape (d,)
        The vector a. Its length is from 1e-125 to 1e125, so that the square keeps its digits.

    Raises
    ------
    ParameterError
        When the length is outside these limits.
    """

    normal: Vector

    def __post_init__(self) -> None:
        if not SAFE[0] <= self._square <= SAFE[1]:
            raise ParameterError(
                f"the normal of a hyperplane has the squared length {self._square}; give one with "
                "a length from 1e-125 to 1e125"
            )

    @cached_property
    def _square(self) -> float:
        with np.errstate(over="ignore"):
            return float(self.normal @ self.normal)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with the nearest point of the set and return it."""
        require_writable_vector(v)
        v += (1.0 - float(self.normal @ v)) / self._square * self.normal
        if not self.contains(v):  # far from the set the first step loses digits
            v += (1.0 - float(self.normal @ v)) / self._square * self.normal
        return v

    def along(self, v: Vector) -> Vector:
        """Return v without its part along the normal; a step along the result stays in the set."""
        return v - float(self.normal @ v) / self._square * self.normal

    def contains(self, w: Vector) -> bool:
        """Return whether a·w = 1, up to rounding."""
        size = np.sqrt(self._square) * float(np.linalg.norm(w))
        return bool(abs(float(self.normal @ w) - 1.0) <= FEASIBLE_TO * (1.0 + size))
