"""`solve`: the only loop over iterates, and the only place that looks at a clock.

Design
  a. The clock runs while the solver works (`problem`, then each step of its generator) and
     stands still while a point of the curve is measured.
  b. The budget is looked at after each yield. A step that never returns is the business of
     the process that supervises the cell, not of this loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from math import inf
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from aucbench.data import NEEDS_LABELS, Data
from aucbench.data.arrays import Vector
from aucbench.data.targets import Labels
from aucbench.errors import UnsupportedError, require_above, require_at_least
from aucbench.protocols import Needs, Objective, Problem, Projector, Solver, State
from aucbench.records import Point, Run, Stop

DEFAULT_PASSES = 50
GAP_TOL = 1e-6
T = TypeVar("T")


class Clock:
    """Adds up the seconds spent inside the calls it times."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, call: Callable[..., T], *args: Any) -> T:
        """call(*args), on the clock even when it raises."""
        begin = perf_counter()
        try:
            return call(*args)
        finally:
            self.seconds += perf_counter() - begin


def solve(
    solver: Solver,
    data: Data,
    *,
    passes: float | None = None,
    seconds: float | None = None,
    gap_tol: float = GAP_TOL,
    seed: int = 0,
    every: float = 1.0,
    growth: float = 0.0,
    watch: Callable[[Point, Vector], None] | None = None,
) -> Run:
    """Run a solver on training data until the first limit is reached.

    Parameters
    ----------
    solver : Solver
        For example `get_solver("sht-auc", k=50)`.
    data : Data
        Training rows; quality on test rows is the caller's business.
    passes : float, optional
        Ends at the first state that has seen `passes * n` rows; 50 when neither this nor
        `seconds` is given.
    seconds : float, optional
        Ends at the first state past this many seconds inside the solver.
    gap_tol : float
        Ends when a certified gap is at most `gap_tol * max(1, |f|)`, f the objective at w or
        at 0, whichever is smaller in magnitude: no bad w makes the tolerance large.
    seed : int
        Same seed, same iterates.
    every : float
        Passes between points of the curve; infinity keeps the last point only.
    growth : float
        Points lie at least `growth * passes` apart too, so that a long curve has a point for
        each such step of log(passes); 0 keeps them equally spaced.
    watch : function (point, w), optional
        Called off the clock at each point of the curve but an invalid one; `w` is a live
        view. What it raises ends the run.

    Returns
    -------
    Run
        With `stop` INVALID where w was not finite or had a wrong shape; FINISHED where the
        solver ended by itself, STALLED where it did so with a gap beyond `gap_tol` and 1e-6.

    Raises
    ------
    UnsupportedError
        When the rows have breakpoints and the solver needs labels.
    """
    require_above(0, passes=passes, seconds=seconds)
    require_at_least(0, growth=growth)
    if not learns_from(solver, data):
        raise UnsupportedError(NEEDS_LABELS)
    if passes is None and seconds is None:
        passes = DEFAULT_PASSES
    problem_rng, rng = np.random.default_rng(seed).spawn(2)
    clock = Clock()
    solver = _with_planned_passes(solver, passes)
    problem = clock.timed(solver.problem, data, problem_rng)
    states = solver.iterates(problem, rng)
    limits = _Limits(problem, passes or inf, seconds or inf, gap_tol, every, growth)
    return _drive(states, clock, limits, watch)


@dataclass(frozen=True)
class _Limits:
    problem: Problem
    passes: float
    seconds: float
    gap_tol: float
    every: float
    growth: float

    def reached(self, point: Point, w: Any) -> Stop | None:
        """Return the first limit that this state has reached."""
        if point.gap is not None and self._certifies(point.gap, w, self.gap_tol):
            return Stop.CERTIFIED
        if point.passes >= self.passes:
            return Stop.PASSES
        return Stop.SECONDS if point.seconds >= self.seconds else None

    def ended(self, last: State) -> Stop:
        """Return why a solver that ended by itself did so."""
        tolerance = max(self.gap_tol, GAP_TOL)
        if last.gap is None or self._certifies(last.gap, last.w, tolerance):
            return Stop.FINISHED
        return Stop.STALLED

    def _certifies(self, gap: float, w: Any, tolerance: float) -> bool:
        """Whether the gap at w is within the tolerance."""
        if 0.0 <= gap <= tolerance:
            return True
        if not 0.0 <= gap <= tolerance * self._at_zero:
            return False
        return gap <= tolerance * abs(self.problem.value(w) or 0.0)

    @cached_property
    def _at_zero(self) -> float:
        """|f(0)|, which no bad w can inflate; 0 where it is not finite, or f is not listed."""
        f = self.problem.f
        value = 0.0 if f is None else abs(f.value(np.zeros(self.problem.data.d)))
        return value if value < inf else 0.0


def _drive(
    states: Iterator[State],
    clock: Clock,
    limits: _Limits,
    watch: Callable[[Point, Vector], None] | None,
) -> Run:
    problem = limits.problem
    n, d = problem.data.n, problem.data.d
    points: list[Point] = []
    state = State(0, problem.start(), 0)
    due = 0.0
    stop: Stop | None = None
    while stop is None:
        following = clock.timed(next, states, None)
        if following is None:
            stop = limits.ended(state)
        else:
            state = following
            if np.shape(state.w) != (d,) or not np.isfinite(state.w).all():
                stop = Stop.INVALID
        passes = state.rows_seen / n
        point = Point(state.step, passes, clock.seconds, None, state.gap, state.residual)
        stop = stop or limits.reached(point, state.w)
        if stop is not None or point.passes >= due:
            due = point.passes + max(limits.every, limits.growth * point.passes)
            with np.errstate(over="ignore"):  # infinity is the answer of a method that diverges
                value = None if stop is Stop.INVALID else problem.value(state.w)
            points.append(replace(point, objective=value))
            if watch is not None and stop is not Stop.INVALID:
                watch(points[-1], state.w)
    w = np.array(state.w, dtype=np.float64)
    return Run(w, problem, stop, tuple(points))


def _with_planned_passes(solver: Solver, passes: float | None) -> Solver:
    """Tell a method that plans its stages how many passes it will get."""
    if isinstance(solver, Around):
        return replace(solver, solver=_with_planned_passes(solver.solver, passes))
    if not is_dataclass(solver) or isinstance(solver, type):
        return solver
    planned = any(
        f.name == "passes" and getattr(solver, "passes", 0) is None for f in fields(solver)
    )
    return replace(solver, passes=passes) if planned else solver


@dataclass(frozen=True)
class Around:
    """A solver around another one, whose problem it changes; a Solver itself."""

    solver: Solver

    @property
    def space(self) -> Mapping[str, tuple[Any, ...]]:
        """The grid of the solver inside."""
        return self.solver.space

    @property
    def needs(self) -> Needs:
        """What the solver inside can be asked for."""
        return self.solver.needs

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Problem of the solver inside."""
        return self.solver.problem(data, rng)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Iterates of the solver inside."""
        return self.solver.iterates(problem, rng)


@dataclass(frozen=True)
class Started(Around):
    """A solver that starts from `w0` where they fit and it does not choose a start itself."""

    w0: Vector | None = None

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Problem of the solver inside, with the start."""
        own = self.solver.problem(data, rng)
        fits = self.w0 is not None and own.w0 is None and own.data.d == self.w0.size
        return replace(own, w0=self.w0) if fits else own


@dataclass(frozen=True)
class Recast(Around):
    """A solver on another objective or projector than its own."""

    objective: Callable[[Data], Objective] | None = None
    projector: Projector | None = None

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Problem of the solver inside, with f and Omega put in its place."""
        own = self.solver.problem(data, rng)
        f = own.f if self.objective is None else self.objective(own.data)
        return replace(own, f=f, project=self.projector or own.project)


def learns_from(solver: Solver, data: Data) -> bool:
    """Whether the solver learns from the target of these rows: labels, or breakpoints."""
    return isinstance(data.target, Labels) or bool(getattr(solver.needs, "breakpoints", False))


def recast(
    solver: Solver,
    *,
    objective: Callable[[Data], Objective] | None = None,
    projector: Projector | None = None,
) -> Solver:
    """Put another f or Omega into a solver that honours them.

    Raises
    ------
    UnsupportedError
        When the solver ignores what `Problem` holds, so that the option would do nothing.
    """
    name = type(solver).__name__
    for kind, given in (("objective", objective), ("projector", projector)):
        if given is not None and not getattr(solver.needs, kind):
            raise UnsupportedError(
                f"{name} is tied to its own {kind}; leave --{kind} out for this solver"
            )
    return Recast(solver, objective, projector) if objective or projector else solver
