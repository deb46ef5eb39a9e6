"""What is known of the least AUM from below, and when it pays to ask for more."""

from __future__ import annotations

from math import inf

from aucbench.aum.steps import AumObjective
from aucbench.data.arrays import Vector
from aucbench.data.rounding import of_scores
from aucbench.data.targets import Labels

from .vertex import Programmes

ROWS = 4  # rows of the first programme, per weight
LONG = 1e9  # nanoseconds that the programme at an end may take, whatever the steps took
LAST = 10.0  # and times those of the steps since the last programme


class LowerBound:
    """The best bound of an AUM from below so far, and when another programme is worth its while.

    Attributes
    ----------
    known : bool
        Whether there is a bound: the AUM of labels is never negative.
    below : float
        The bound; -inf where none is known.
    """

    def __init__(self, f: AumObjective, programmes: Programmes | None, *, known: bool) -> None:
        self.f, self.programmes, self.known = f, programmes, known
        self.below = 0.0 if known else -inf
        n, d = f.data.rows.n, f.data.rows.d
        self.count, self._spent = min(n, ROWS * (d + 1)), 0.0
        self._step = 1e6 + 2.0 * f.data.rows.values.size + 30.0 * n

    @staticmethod
    def of(f: AumObjective, normal: Vector | None) -> LowerBound:
        """For weights with a·w = 1, or all of them where there is no normal a."""
        if not isinstance(f.data.target, Labels):
            return LowerBound(f, None, known=False)
        if normal is None and not f.shift.any():
            return LowerBound(f, None, known=True)  # it is 0, at w = 0
        return LowerBound(f, Programmes(f.data, f.shift, normal), known=True)

    def gap(self, w: Vector, value: float) -> float:
        """f(w) − bound, and what rounding hides in f(w) = `value`."""
        return max(0.0, value - self.below) + 4.0 * of_scores(self.f.data, w)

    def stepped(self) -> None:
        """Count a step of the descent."""
        self._spent += self._step

    def due(self) -> bool:
        """Whether the steps since the last programme took as long as another one will."""
        return self.programmes is not None and self._spent >= self.programmes.work(self.count)

    def too_dear(self) -> bool:
        """Whether a programme would take long, and much longer than the steps since the last."""
        if self.programmes is None:
            return False
        return self.programmes.work(self.count) > LONG + LAST * self._spent

    def vertex(self, w: Vector, s: Vector) -> Vector | None:
        """Solve a programme at w with the scores s; raise the bound, and return the vertex."""
        self._spent = 0.0
        if self.programmes is None:
            return None
        found = self.programmes.vertex(w, s - self.f.shift, self.count)
        if found is None:
            return None
        self.below = max(self.below, found.below)
        return found.w

    def widen(self) -> bool:
        """Take twice as many rows from now on; False where all were taken."""
        before, self.count = self.count, min(self.f.data.rows.n, 2 * self.count)
        return self.count > before
