"""A lower bound of the least AUM, and when it is worth the time to improve it."""

from __future__ import annotations

from math import inf

from aucbench.aum.steps import AumObjective
from aucbench.contract import Projector
from aucbench.data.arrays import Vector
from aucbench.data.layouts import stored_count
from aucbench.data.rounding import of_scores
from aucbench.data.targets import Labels
from aucbench.projectors import Hyperplane

from .vertex import Programmes

ROWS = 4  # rows of the first programme, per weight
LONG = 1e9  # nanoseconds that the programme at the end of the descent may always take
LAST = 10.0  # and it may take so many times longer than the steps since the last programme


class LowerBound:
    """The best lower bound of an AUM so far, and when another programme is worth the time.

    Attributes
    ----------
    known : bool
        Whether there is a bound: the AUM of labels is never negative.
    below : float
        The bound; -inf where there is none.
    """

    def __init__(self, f: AumObjective, programmes: Programmes | None, *, known: bool) -> None:
        self.f, self.programmes, self.known = f, programmes, known
        self.below = 0.0 if known else -inf
        n, d = f.data.rows.n, f.data.rows.d
        self.count = min(n, ROWS * (d + 1))
        self._spent = 0.0
        self._step = 1e6 + 2.0 * stored_count(f.data.rows) + 30.0 * n

    @staticmethod
    def of(f: AumObjective, project: Projector) -> LowerBound:
        """Return the bound for weights with a·w = 1, or for all weights without a hyperplane."""
        if not isinstance(f.data.target, Labels):
            return LowerBound(f, None, known=False)
        normal = project.normal if isinstance(project, Hyperplane) else None
        if normal is None and not f.shift.any():
            return LowerBound(f, None, known=True)  # the minimum is 0, at w = 0
        return LowerBound(f, Programmes(f.data, f.shift, normal), known=True)

    def gap(self, w: Vector, value: float) -> float:
        """Return f(w) − bound plus a bound of the rounding error of f(w) = `value`."""
        return max(0.0, value - self.below) + 4.0 * of_scores(self.f.data, w)

    def stepped(self) -> None:
        """Count a step of the descent."""
        self._spent += self._step

    def due(self) -> bool:
        """Return whether the steps since the last programme took as long as another will take."""
        return self.programmes is not None and self._spent >= self.programmes.work(self.count)

    def too_dear(self) -> bool:
        """Return whether a programme would take long, and much longer than the recent steps."""
        if self.programmes is None:
            return False
        return self.programmes.work(self.count) > LONG + LAST * self._spent

    def vertex(self, w: Vector, s: Vector) -> Vector | None:
        """Solve a programme at w with the scores s; raise the bound, and return the vertex."""
        self._spent = 0.0
        if self.programmes is None:
            return None
        vertex = self.programmes.vertex(w, s - self.f.shift, self.count)
        if vertex is None:
            return None
        self.below = max(self.below, vertex.below)
        return vertex.w

    def widen(self) -> bool:
        """Take twice as many rows from now on. Return False where all rows are taken already."""
        before, self.count = self.count, min(self.f.data.rows.n, 2 * self.count)
        return self.count > before

    def settle(self, w: Vector, s: Vector) -> None:
        """Raise the bound by one programme, with more and more rows until it has a solution."""
        going = self.programmes is not None and not self.too_dear()
        while going:
            going = self.vertex(w, s) is None and self.widen() and not self.too_dear()
