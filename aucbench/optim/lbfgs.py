"""L-BFGS: its directions, and the search along them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf, sqrt

from aucbench.data.arrays import Vector

CURVED = 1e-10  # a pair is kept when sᵀy is greater than this, in units of ‖s‖‖y‖
ARMIJO, WOLFE = 1e-4, 0.9  # shares of the slope, in the two conditions of the search


class Lbfgs:
    """Directions −H G, where H approximates the inverse Hessian and G is the gradient.

    H is built from the last pairs of a step s and the change y of G along it. A direction costs
    4 m d multiplications for m pairs.

    Parameters
    ----------
    memory : int
        Number of pairs that are kept, ≥ 1.
    initial : callable, optional
        r -> M⁻¹ r, a product with a positive definite approximation of the inverse Hessian, which
        H is built on; it may return r itself. None means the identity.

    References
    ----------
    Nocedal & Wright, "Numerical optimization", 2nd edition, 2006, Algorithm 7.4.
    """

    def __init__(self, memory: int = 10, initial: Callable[[Vector], Vector] | None = None) -> None:
        self._initial = initial or (lambda r: r)
        self._begins_scaled = initial is not None
        self._scale: float | None = 1.0  # of M⁻¹; None where the last pair has not set it yet
        self._pairs: deque[tuple[Vector, Vector, float]] = deque(maxlen=memory)

    def __len__(self) -> int:
        """Return the number of pairs kept."""
        return len(self._pairs)

    @property
    def knows_scale(self) -> bool:
        """Whether a first step of length 1 makes sense: after a pair, and with an `initial`."""
        return bool(self._pairs) or self._begins_scaled

    def add(self, s: Vector, y: Vector) -> None:
        """Learn from a step s (d,) that changed the gradient by y (d,), if sᵀy is large enough."""
        sy, yy = float(s @ y), float(y @ y)
        if sy > CURVED * sqrt(float(s @ s) * yy):
            self._pairs.append((s, y, sy))
            self._scale = None

    def direction(self, gradient: Vector) -> Vector:
        """Return −H G as a fresh array. It is −M⁻¹ G before the first pair."""
        q = -gradient
        parts = []
        for s, y, sy in reversed(self._pairs):
            parts.append(float(s @ q) / sy)
            q -= parts[-1] * y
        q = self._initial(q)
        if self._scale is None:
            _, y, sy = self._pairs[-1]
            self._scale = sy / float(y @ self._initial(y))
        q *= self._scale
        for s, y, sy in self._pairs:
            q += (parts.pop() - float(y @ q) / sy) * s
        return q


class WeakWolfe:
    """Find η with φ(η) ≤ φ(0) + 1e-4 η φ'(0) and φ'(η) ≥ 0.9 φ'(0), by doubling and bisection.

    It also works for convex φ with kinks. When the bracket has shrunk to a tenth of its upper end
    before both conditions hold, its lower end is accepted, which satisfies the first one (Armijo).

    Parameters
    ----------
    value, slope : float
        φ(0) and φ'(0) < 0.
    step : float
        First trial, step > 0.

    Attributes
    ----------
    step : float
        The trial that comes next.
    ended : bool
        Whether to stop. The result is the last step that `tell` accepted; there may be none.

    References
    ----------
    Lewis & Overton, "Nonsmooth optimization via quasi-Newton methods", Mathematical
    Programming 141, 2013, Algorithm 2.6.
    """

    def __init__(self, value: float, slope: float, step: float) -> None:
        self.step, self.ended = step, not (slope < 0.0 < step < inf)
        self._value, self._slope = value, slope
        self._low, self._high, self._left = 0.0, inf, 25  # trials, after which it gives up

    def tell(self, value: float, slope: float) -> bool:
        """Take φ and φ' at `step`, and return whether this trial may be kept (Armijo)."""
        fits = value <= self._value + ARMIJO * self.step * self._slope
        if fits:
            self._low = self.step
            self.ended = slope >= WOLFE * self._slope
        else:
            self._high = self.step
        self._left -= 1
        narrow = self._low > 0.0 and self._high - self._low < 0.1 * self._high
        self.ended = self.ended or narrow or not self._left
        self.step = 2.0 * self._low if self._high == inf else 0.5 * (self._low + self._high)
        return fits
