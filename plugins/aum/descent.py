"""Descent of the AUM of a linear model, with a search along a line in each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from aucbench.aum.steps import AumObjective, Line, LineSearches, search_called
from aucbench.contract import Projector, State
from aucbench.data.arrays import Vector

from .bound import LowerBound
from .proximal_cuts import Direction, ProximalCuts, along
from .settings import Settings
from .shown import BESIDE, Shown

ENOUGH_FALL = 0.1  # least share of the predicted fall that a good step reaches
REFRESH = 16  # steps after which scores are computed from the weights again
NULL_STEPS = 100  # steps in a row without a fall, each of which adds a cut
PRECISION = 1e-9  # least tolerance, relative to the AUM at the start


def aum_descent(
    settings: Settings, project: Projector, w: Vector, f: AumObjective, held: AumObjective | None
) -> Iterator[State]:
    """Yield one state per line search: the weights, or the best so far on validation rows.

    Each step costs a product with X, one with Xᵀ (together a pass), and the search. w moves when
    the search lowers the AUM. The step adds a cut at the new point. When the AUM falls by less than
    predicted, it adds a cut at the trial point w − t p instead, so that the next direction differs.

    When the cuts predict no fall, or when many steps in a row brought none, a linear programme of
    the rows near the threshold (`Programmes`) gives a better vertex and a lower bound. Without
    early stopping such a programme is also solved before, as soon as the steps took as long as it
    will take. The descent ends within `tol` of the bound, relative to the AUM at the start, or
    where it cannot go on.

    A programme reads the rows up to four times, and its vertex is one more reading. Every 16 moves
    the scores are computed again, which is a pass too. To judge the validation rows counts as well.

    A state has the certified gap to the bound. With early stopping the weights of a state are not
    meant to minimise the AUM. They have a gap only where the descent could not end at the minimum.

    Parameters
    ----------
    settings : Settings
        The parameters of the solver.
    project : Projector
        The feasible set.
    w : array of shape (d,)
        The start.
    f : AumObjective
        The AUM of the training rows.
    held : AumObjective or None
        The AUM of the validation rows.
    """
    descent, going = _Descent(settings, project, w, f, held), True
    while going:
        going = descent.step()
        yield State(descent.shown.weights, gap=descent.gap(ended=not going))


class _Descent:
    """The present point of the descent: weights, scores, AUM, cuts and the lower bound."""

    def __init__(
        self,
        settings: Settings,
        project: Projector,
        w: Vector,
        f: AumObjective,
        held: AumObjective | None,
    ) -> None:
        self.settings, self.f = settings, f
        self.search = search_called(settings.search(f.data))
        self.steps = LineSearches(f, held)
        self.cuts = ProximalCuts(settings.memory, partial(along, project))
        self.w, self.project = w, project
        self.moves, self.nulls = 0, 0
        self.s = f.data.scores(self.w)
        self.value, c = self.f.subgradient(self.s)
        self.cuts.add(f.data.pullback(c), self.w, self.value)
        self.bound = LowerBound.of(f, project)
        self.enough = max(settings.tol, PRECISION) * self.value
        self.shown = Shown(settings, f, held, self.w, self.s, self.value)

    def step(self) -> bool:
        """Search along the direction of the cuts, and return whether to go on."""
        near = self.value - self.bound.below <= self.enough  # else the slower question is spared
        if not self.value > 0.0 or (near and self._certified()):  # no area is less than 0
            return False
        self.bound.stepped()
        way = self.cuts.direction(self.w, self.value)
        stuck = self.nulls >= NULL_STEPS
        if (stuck or self._optimal(way)) and not self.bound.too_dear():
            return self._at_vertex()
        if stuck:
            return False
        self._along(way)
        if not self.settings.early_stopping and self.bound.due():
            self._at_vertex()
            return not self._certified()
        return True

    def _along(self, way: Direction) -> None:
        """Search, add a cut, and move where the AUM falls."""
        v = self.f.data.scores(way.p)
        eta = self.search(self.steps, Line(self.w, way.p, self.s, v))
        value = self.f.loss(self.s - eta * v).value if eta > 0.0 else self.value
        fall = self.value - value
        # Rounding decides which scores are tied at the kink η. So both sides of it are evaluated.
        sides = [self.s - eta * (1.0 + e) * v for e in (-BESIDE, BESIDE)]
        if fall >= ENOUGH_FALL * way.predicted:
            self._cut_at(self.w - eta * way.p, value, sides)
        else:
            self._cut_at_trial(way, v)
        if fall > 0.0:
            self._move(way.p, v, eta, value)
            self.shown.judge(self.w, sides[0], self.value, self.s)
        self.nulls = 0 if fall > 0.0 else self.nulls + 1

    def _at_vertex(self) -> bool:
        """Solve one programme, and return whether to go on."""
        if self.bound.programmes is None:
            return False
        vertex = self.bound.vertex(self.w, self.s)
        if vertex is None:
            return self.bound.widen()
        if not self._moved_to(vertex) and not self.bound.widen():
            return False
        return not self._certified()

    def _moved_to(self, vertex: Vector) -> bool:
        """Move to the vertex if the AUM is lower there, and return whether it is."""
        w = self.project(vertex)
        s = self.f.data.scores(w)
        value, c = self.f.subgradient(s)
        if not value < self.value:
            return False
        before = s + BESIDE * (self.s - s)
        self.cuts.add(self.f.data.pullback(c), w, value)
        self.w, self.s, self.value, self.nulls = w, s, value, 0
        self.shown.judge(w, before, value, s)
        return True

    def _certified(self) -> bool:
        return self.bound.gap(self.w, self.value) <= self.enough

    def gap(self, *, ended: bool) -> float | None:
        """Return the certified gap of the weights of the state, see `aum_descent`."""
        if not self.settings.early_stopping:
            return self.bound.gap(self.w, self.value) if self.bound.known or ended else None
        stalled = ended and not self._certified()
        return self.bound.gap(self.shown.weights, self.shown.value) if stalled else None

    def _optimal(self, way: Direction) -> bool:
        p = float(np.linalg.norm(way.p))
        radius = max(float(np.linalg.norm(self.w)), self.cuts.t * p)
        return p * radius + way.error <= self.settings.tol * self.value

    def _cut_at(self, w: Vector, value: float, scores: Sequence[Vector]) -> None:
        c = sum((self.f.subgradient(s)[1] for s in scores), np.zeros(self.s.size)) / len(scores)
        self.cuts.add(self.f.data.pullback(c), w, value)

    def _cut_at_trial(self, way: Direction, v: Vector) -> None:
        t = self.cuts.t
        value, c = self.f.subgradient(self.s - t * v)
        self.cuts.add(self.f.data.pullback(c), self.w - t * way.p, value)
        if self.cuts.error(self.w, self.value) > way.predicted:
            self.cuts.shorten()

    def _move(self, p: Vector, v: Vector, eta: float, value: float) -> None:
        self.moves += 1
        self.w, self.value = self.project(self.w - eta * p), value
        self.s = self.s - eta * v
        if self.moves % REFRESH == 0:
            self.s = self.f.data.scores(self.w)
        self.cuts.lengthen(eta)
