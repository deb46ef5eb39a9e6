"""L-BFGS: products with an inverse Hessian that is never formed."""

from __future__ import annotations

from collections import deque
from math import sqrt

from aucbench.data.arrays import Vector

CURVED = 1e-10  # least sᵀy, in units of ‖s‖‖y‖, of a pair that is kept


class Lbfgs:
    """−H G for the inverse Hessian H that the last pairs of steps s and changes y of G tell.

    Each direction costs 4 m d products, m the pairs kept.

    Parameters
    ----------
    memory : int
        Pairs kept, ≥ 1.

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
        """Learn from a step s (d,) that changed the gradient by y (d,), if it saw curvature."""
        sy, yy = float(s @ y), float(y @ y)
        if sy > CURVED * sqrt(float(s @ s) * yy):
            self._pairs.append((s, y, sy))

    def direction(self, gradient: Vector) -> Vector:
        """Return −H G as a fresh array: −G before the first pair."""
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
