"""Weights with a given product with a vector."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.errors import ParameterError
from aucbench.projectors.argument import TOLERANCE, require_writable
from aucbench.projectors.l2_ball import SAFE


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """{w : a·w = 1}: the nearest point is w + (1 − a·w) a/‖a‖².

    Parameters
    ----------
    normal : array of shape (d,)
        a with ‖a‖ from 1e-125 to 1e125, so that its square has all its digits.
    """

    normal: Vector

    def __post_init__(self) -> None:
        if not SAFE[0] <= self._square <= SAFE[1]:
            raise ParameterError(
                f"the normal of a hyperplane has the square {self._square}; give one that is "
                "finite and not 0, with a length from 1e-125 to 1e125"
            )

    @cached_property
    def _square(self) -> float:
        with np.errstate(over="ignore"):
            return float(self.normal @ self.normal)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with the nearest point of the set and return it."""
        require_writable(v)
        v += (1.0 - float(self.normal @ v)) / self._square * self.normal
        return v

    def along(self, v: Vector) -> Vector:
        """Return v without its part along the normal: steps along it stay in the set."""
        return v - float(self.normal @ v) / self._square * self.normal

    def contains(self, w: Vector) -> bool:
        """Whether a·w = 1, up to rounding."""
        size = np.sqrt(self._square) * float(np.linalg.norm(w))
        return bool(abs(float(self.normal @ w) - 1.0) <= TOLERANCE * (1.0 + size))

    def value(self, w: Vector) -> float:
        """0 in the set, else infinity."""
        return 0.0 if self.contains(w) else inf
