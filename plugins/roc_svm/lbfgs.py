"""L-BFGS: products with an approximate inverse Hessian that is never formed."""

from __future__ import annotations

from collections import deque
from math import sqrt

from aucbench.data.arrays import Vector

CURVED = 1e-10  # a pair is kept when sᵀy is greater than this, in units of ‖s‖‖y‖


class Lbfgs:
    """Directions −H G, where H approximates the inverse Hessian and G is the gradient.

    H is built from the last pairs of a step s and the change y of G along it. A direction costs
    4 m d multiplications for m pairs.

    Parameters
    ----------
    memory : int
        Number of pairs that are kept, ≥ 1.

    References
    ----------
    Nocedal & Wright, "Numerical optimization", 2nd edition, 2006, Algorithm 7.4.
    """

    def __init__(self, memory: int = 10) -> None:
        self._pairs: deque[tuple[Vector, Vector, float]] = deque(maxlen=memory)

    def __len__(self) -> int:
        """Return the number of pairs kept."""
        return len(self._pairs)

    def add(self, s: Vector, y: Vector) -> None:
        """Learn from a step s (d,) that changed the gradient by y (d,), if sᵀy is large enough."""
        sy, yy = float(s @ y), float(y @ y)
        if sy > CURVED * sqrt(float(s @ s) * yy):
            self._pairs.append((s, y, sy))

    def direction(self, gradient: Vector) -> Vector:
        """Return −H G as a fresh array. It is −G before the first pair."""
        q = -gradient
        parts = []
        for s, y, sy in reversed(self._pairs):
            parts.append(float(s @ q) / sy)
            q -= parts[-1] * y
        if self._pairs:
            _, y, sy = self._pairs[-1]
            q *= sy / float(y @ y)
        for s, y, sy in self._pairs:
            q += (parts.pop() - float(y @ q) / sy) * s
        return q
