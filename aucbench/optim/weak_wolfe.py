"""A search along a line that also works where a convex function has kinks."""

from __future__ import annotations

from math import inf

ARMIJO = 1e-4
WOLFE = 0.9
NARROW = 0.1  # width, relative to the upper end, of a bracket in which a kink is assumed
TRIALS = 25  # after which the search gives up


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
        self._low, self._high, self._left = 0.0, inf, TRIALS

    def tell(self, value: float, slope: float) -> bool:
        """Take φ and φ' at `step`, and return whether this trial may be kept (Armijo)."""
        fits = value <= self._value + ARMIJO * self.step * self._slope
        if fits:
            self._low = self.step
            self.ended = slope >= WOLFE * self._slope
        else:
            self._high = self.step
        self._left -= 1
        narrow = self._low > 0.0 and self._high - self._low < NARROW * self._high
        self.ended = self.ended or narrow or not self._left
        self.step = 2.0 * self._low if self._high == inf else 0.5 * (self._low + self._high)
        return fits
