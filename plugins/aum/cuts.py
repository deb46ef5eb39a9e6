"""Descent of the AUM along directions that come from the subgradients of many steps.

The published direction comes from one point, and gets stuck at kinks. Here each step adds a cut,
which is a subgradient together with where it was found, and the cuts give the next direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

import numpy as np

from aucbench.aum.search import Search
from aucbench.contract import Projector, State
from aucbench.data.arrays import Vector
from aucbench.data.summaries import breakpoints_of
from aucbench.objectives import Aum
from aucbench.optim.bundle import Bundle

from .certificate import LowerBound
from .early_stopping import Shown
from .published import BESIDE, along

ENOUGH_FALL = 0.1  # least share of the predicted fall that a good step reaches
REFRESH = 16  # steps after which scores are computed from the weights again
NULL_STEPS = 100  # steps in a row without a fall, each of which adds a cut
PRECISION = 1e-9  # least tolerance, relative to the AUM at the start
TINY_SLOPE = 1e-300


class BundleDescent:
    """A descent whose states have the latest weights, or the best so far on validation rows.

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
    f : Aum
        The AUM of the training rows.
    project : Projector
        The feasible set.
    w : array of shape (d,)
        The start.
    search : function
        One of `SEARCHES`.
    tol : float
        Relative optimality at which the descent ends.
    shown : Shown
        The weights of the states.
    memory : int
        Number of cuts, at least 2; one cut is the published descent, see `published.py`.
    """

    def __init__(
        self,
        f: Aum,
        project: Projector,
        w: Vector,
        search: Search,
        tol: float,
        shown: Shown,
        memory: int,
    ) -> None:
        self.f, self.project, self.w, self.search = f, project, w, search
        self.tol, self.shown = tol, shown
        self.cuts = ProximalCuts(memory, partial(along, project))
        self.moves, self.nulls = 0, 0
        self.s = f.data.scores(w)
        self.value, c = f.subgradient(self.s)
        self.cuts.add(f.data.pullback(c), w, self.value)
        self.bound = LowerBound.of(f, project)
        self.enough = max(tol, PRECISION) * self.value
        shown.show(w, self.s, self.value)

    def states(self) -> Iterator[State]:
        """Yield one state per line search."""
        going = True
        while going:
            going = self.step()
            yield State(self.shown.weights, gap=self.gap(ended=not going))

    def step(self) -> bool:
        """Search along the direction of the cuts, and return whether to go on."""
        near = self.value - self.bound.below <= self.enough  # else the slower question is spared
        if not self.value > 0.0 or (near and self._is_certified()):  # no area is less than 0
            return False
        self.bound.count_step()
        way = self.cuts.direction(self.w, self.value)
        stuck = self.nulls >= NULL_STEPS
        if (stuck or self._is_optimal(way)) and not self.bound.is_too_expensive():
            return self._go_to_vertex()
        if stuck:
            return False
        self._search_along(way)
        if not self.shown.early_stopping and self.bound.is_due():
            self._go_to_vertex()
            return not self._is_certified()
        return True

    def _search_along(self, way: Direction) -> None:
        """Search, add a cut, and move where the AUM falls."""
        v = self.f.data.scores(way.p)
        eta = self.search(breakpoints_of(self.f.data), self.s - self.f.shift, v)
        value = self.f.loss(self.s - eta * v).value if eta > 0.0 else self.value
        fall = self.value - value
        # Rounding decides which scores are tied at the kink η. So both sides of it are evaluated.
        sides = [self.s - eta * (1.0 + e) * v for e in (-BESIDE, BESIDE)]
        if fall >= ENOUGH_FALL * way.predicted:
            self._add_cut(self.w - eta * way.p, value, sides)
        else:
            self._add_trial_cut(way, v)
        if fall > 0.0:
            self._move(way.p, v, eta, value)
            self.shown.judge(self.w, sides[0], self.value, self.s)
        self.nulls = 0 if fall > 0.0 else self.nulls + 1

    def _go_to_vertex(self) -> bool:
        """Solve one programme, and return whether to go on."""
        if self.bound.programmes is None:
            return False
        vertex = self.bound.vertex(self.w, self.s)
        if vertex is None:
            return self.bound.widen()
        if not self._move_to(vertex) and not self.bound.widen():
            return False
        return not self._is_certified()

    def _move_to(self, vertex: Vector) -> bool:
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

    def _is_certified(self) -> bool:
        return self.bound.gap(self.w, self.value) <= self.enough

    def gap(self, *, ended: bool) -> float | None:
        """Return the certified gap of the weights of the state, see above."""
        if not self.shown.early_stopping:
            return self.bound.gap(self.w, self.value) if self.bound.below > -inf or ended else None
        stalled = ended and not self._is_certified()
        return self.bound.gap(self.shown.weights, self.shown.value) if stalled else None

    def _is_optimal(self, way: Direction) -> bool:
        p = float(np.linalg.norm(way.p))
        radius = max(float(np.linalg.norm(self.w)), self.cuts.t * p)
        return p * radius + way.error <= self.tol * self.value

    def _add_cut(self, w: Vector, value: float, scores: Sequence[Vector]) -> None:
        c = sum((self.f.subgradient(s)[1] for s in scores), np.zeros(self.s.size)) / len(scores)
        self.cuts.add(self.f.data.pullback(c), w, value)

    def _add_trial_cut(self, way: Direction, v: Vector) -> None:
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


@dataclass(frozen=True, slots=True)
class Direction:
    """Step along −p.

    Attributes
    ----------
    p : array of shape (d,)
        Aggregate subgradient.
    predicted : float
        Largest possible fall of f at the trial point w − t p.
    error : float
        Linearisation error of p: f(u) ≥ f(w) + p·(u − w) − error where f is convex.
    """

    p: Vector
    predicted: float
    error: float


class ProximalCuts:
    """Cuts f(u) ≥ b_k + g_k·u at recent points, and the minimum of their maximum near w.

    With the errors e_k = f(w) − b_k − g_k·w the direction is −p, p = Σ α_k g_k, where α of the
    simplex minimises (t/2)‖Σ α_k g_k‖² + Σ α_k e_k. So p is the shortest element of the convex hull
    of the subgradients, with a penalty for those of points far from w. Cuts beyond the memory are
    replaced by their aggregate (p, Σ α_k e_k), which predicts the same fall.

    A direction costs O(K² d) for K cuts.

    Parameters
    ----------
    memory : int
        Number of cuts, at least 2.
    along : function (vector) -> vector
        Removes the part of a vector that leads out of the feasible affine set.

    References
    ----------
    Kiwiel, "Proximity control in bundle methods for convex nondifferentiable minimization",
    Math. Programming 46, 1990. Wolfe, "A method of conjugate subgradients", 1975.
    """

    def __init__(self, memory: int, along: Callable[[Vector], Vector]) -> None:
        self.memory, self.along = memory, along
        self.t = 0.0  # trial step; the first one would be right if f fell linearly to 0
        self._g: list[Vector] = []
        self._b: list[float] = []
        self._last: tuple[Vector, Vector, float] | None = None  # shares of the cuts, and (p, b)

    def add(self, g: Vector, w: Vector, value: float) -> None:
        """Store the cut of a subgradient g of f at w, where f is `value`."""
        self._make_room()
        g = self.along(g)
        self.t = self.t or value / max(float(g @ g), TINY_SLOPE)
        self._g.append(g)
        self._b.append(value - float(g @ w))

    def error(self, w: Vector, value: float) -> float:
        """Return the linearisation error at w of the cut that was added last."""
        return abs(value - self._b[-1] - float(self._g[-1] @ w))

    def direction(self, w: Vector, value: float) -> Direction:
        """Return the descent direction at w, where f is `value`."""
        t = self.t
        errors = [abs(value - b - float(g @ w)) for g, b in zip(self._g, self._b, strict=True)]
        model = Bundle(w.size, 1.0 / t)
        for g, e in zip(self._g, errors, strict=True):
            model.add(g, -e)
        _, u = model.minimise()
        p, error = self.along(u / -t), float(model.shares @ errors)
        self._last = model.shares, p, value - error - float(p @ w)
        return Direction(p, 0.5 * t * float(p @ p) + error, error)

    def lengthen(self, step: float) -> None:
        """Change t towards twice the length of a step that was taken, by at most a factor of 2."""
        self.t *= min(max(2.0 * step / self.t, 0.5), 2.0)

    def shorten(self) -> None:
        """Halve t."""
        self.t *= 0.5

    def _make_room(self) -> None:
        if self._last is None or len(self._g) < self.memory:
            return
        shares, p, b = self._last
        self._last = None  # it is of the cuts that are here now
        largest = np.argsort(-shares, kind="stable")[: self.memory - 2].tolist()
        self._g = [*(self._g[k] for k in largest), p]
        self._b = [*(self._b[k] for k in largest), b]
