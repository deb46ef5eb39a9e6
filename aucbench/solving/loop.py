"""`solve`: the loop over the iterates of a fit, and the only place that looks at a clock.

Design
  a. The clock runs while the solver works (`problem`, then each step of its generator) and
     does not run while a point of the curve is measured. It also counts the rows that the
     solver reads meanwhile, see `aucbench.data.tally`.
  b. The budget is checked after each yield. This loop cannot stop a step that never returns;
     the process that supervises the cell can.
  c. Where a state claims its objective, the claim stands for it in the curve, so that no iterate is
     evaluated twice. The loop evaluates the states 1, 2, 4, 8, ... and the last one itself, and a
     false claim ends the run. So the objective of a result, and whether its gap is within the
     tolerance, never rest on a claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import repeat
from math import inf
from os import times
from time import perf_counter, process_time
from typing import Any, TypeVar
from warnings import warn

import numpy as np

import aucbench.kernels.linear  # noqa: F401 - before a clock runs: importing it takes 0.2 s
from aucbench.contract import Budget, NoMap, Problem, Solver, State, count_rows
from aucbench.data import Categories, Data
from aucbench.data.arrays import Vector
from aucbench.data.data import require_features
from aucbench.data.inputs import require_filled
from aucbench.data.tally import READ, counting, uncounted
from aucbench.errors import (
    AucbenchError,
    CollapsedWarning,
    DataError,
    PluginError,
    UnsupportedError,
    require_above,
    require_at_least,
    written_at,
)
from aucbench.features.chain import applied
from aucbench.pairs.range import COLLAPSED, Ranged
from aucbench.ranges import CLAIM, DEFAULT_PASSES, GAP_TOL
from aucbench.records import Point, Run, Stop
from aucbench.registry import get_solver
from aucbench.scale import ChunkedData
from aucbench.solving.classes import against_rest, join_runs, trained_on
from aucbench.solving.descent import descends
from aucbench.solving.laws import Laws, lacking_part, wrong_part
from aucbench.solving.refusals import why_refused
from aucbench.solving.scoring import Scorer
from aucbench.solving.values import objective_at, value_of
from aucbench.solving.wrappers import core

T = TypeVar("T")
LEAST = 1e-9  # seconds that are left for a fit, at least
ENDED: Any = object()  # in place of a state, when there is none


def cpu_seconds() -> float:
    """CPU seconds of all threads of this process, and of the processes it waited for."""
    spent = times()
    return process_time() + spent.children_user + spent.children_system


class Clock:
    """Adds up the seconds spent inside the calls it times, and the rows that these calls read.

    `cpu_seconds` are those since it was made, without the calls that are made `aside`: to read them
    at each step would take as long as a short step. `rows` are of the block `counting` in which it
    was made.
    """

    def __init__(self) -> None:
        self.seconds, self.rows, self._read = 0.0, 0, READ.get()
        self._cpu_begin = cpu_seconds()

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds until now."""
        return cpu_seconds() - self._cpu_begin

    def aside(self, call: Callable[..., T], *args: Any) -> T:
        """Return call(*args); its CPU time does not count."""
        begin = cpu_seconds()
        try:
            return call(*args)
        finally:
            self._cpu_begin += cpu_seconds() - begin

    def timed(self, call: Callable[..., T], *args: Any) -> T:
        """Return call(*args); its time counts even when it raises."""
        begin, self._read.rows = perf_counter(), self.rows  # the call finds the rows of all calls
        try:
            return call(*args)
        finally:
            self.seconds += perf_counter() - begin
            self.rows = self._read.rows


def solve(
    solver: str | Solver,
    data: Data | ChunkedData,
    *,
    passes: float | None = None,
    seconds: float | None = None,
    gap_tol: float = GAP_TOL,
    seed: int = 0,
    every: float = 1.0,
    growth: float = 0.0,
    watch: Callable[[Point, State], None] | None = None,
    w0: Vector | None = None,
) -> Run:
    """Run a solver on training data until the first limit is reached.

    Parameters
    ----------
    solver : str or Solver
        A name, such as "sht-auc[k=50]", or an instance, such as `get_solver("sht-auc", k=50)`.
    data : Data or ChunkedData
        Training rows, in memory or in chunks. The caller measures the quality on test rows.
    passes : float, optional
        Ends at the first state when `passes * n` rows were read. When neither this nor `seconds`
        is given, it is 50, or what the solver asks for (`Needs.passes`).
    seconds : float, optional
        Ends at the first state past this many seconds inside the solver.
    gap_tol : float
        Ends when a certified gap is at most `gap_tol * max(1, |f|)`. Here f is the objective at w
        or at 0, whichever is smaller in magnitude, so that a bad w cannot raise the tolerance.
    seed : int
        The same seed gives the same iterates.
    every : float
        Passes between points of the curve; infinity keeps the last point only.
    growth : float
        Points are also at least `growth * passes` apart, so that they become equally spaced in
        log(passes). With 0 they are equally spaced in passes.
    watch : function (point, state), optional
        Called at each valid point of the curve, while the clock does not run. The arrays of the
        state are live: copy what you keep. An exception in it ends the run.
    w0 : array of shape (d,), optional
        Weights from which the solver starts, of K classes (K, d). Default: zeros.

    Returns
    -------
    Run
        `stop` is INVALID when w was not finite. It is FINISHED when the solver ended by itself,
        and STALLED when it did so with a gap above both `gap_tol` and 1e-6; or without a gap, and a
        few plain steps from there come much lower, see `descent.descends`. Of three or more classes
        it has a fit for each class, `Run.parts`, see `classes`; then `passes` limit each fit, and
        `seconds` all of them together.

    Raises
    ------
    UnknownNameError, ParameterError, PluginError
        As `get_solver`, when a name is given. `PluginError` also when a state breaks one of the
        laws of the contract: it names the field, the law, the value, and the line of the yield.
    UnsupportedError
        When the rows have breakpoints and the solver needs labels, or when they have weights and
        the solver learns without them; or when it takes no `w0`.
    DataError
        When the rows are codes of a table, see `encode_table`; when they have far more columns
        than values; or when the solver has another number of weights than `w0`.

    Warns
    -----
    CollapsedWarning
        When the pairs are those in a range of the ROC curve, and w = 0 is certified to be the best.
    """
    if isinstance(solver, str):
        solver = get_solver(solver)
    require_above(0, passes=passes, seconds=seconds)
    require_at_least(0, growth=growth)
    if isinstance(data, Data):
        data = _ready(data)
    if reason := why_refused(solver, data):
        raise UnsupportedError(reason)
    if w0 is not None and "warm-start" not in solver.needs.capabilities:
        name = type(core(solver)).__name__
        raise UnsupportedError(f"{name} takes no start; leave w0, or warm_start=True, out")
    if isinstance(data, Data) and isinstance(data.target, Categories):
        fit = partial(solve, passes=passes, gap_tol=gap_tol, seed=seed, every=every)
        fit = partial(fit, growth=growth, watch=watch)
        if w0 is None:
            return solve_classes(solver, data, seconds, repeat(fit))
        if len(w0) != data.target.k:
            raise DataError(f"w0 has weights of {len(w0)} classes, the rows have {data.target.k}")
        return solve_classes(solver, data, seconds, [partial(fit, w0=own) for own in w0])
    passes = passes_limit(solver, passes, seconds)
    problem_rng, rng = np.random.default_rng(seed).spawn(2)
    with counting():
        clock = Clock()
        if isinstance(data, ChunkedData):
            clock.timed(_survey, data)
        budget = Budget(passes, seconds)
        problem = clock.timed(solver.problem, data, problem_rng, budget)
        start = start_of(solver, problem, w0)
        answer = clock.timed(solver.iterates, problem, start.copy(), rng, budget)
        states, alone = states_of(answer, solver), isinstance(answer, State)
        kind, d = type(core(solver)), problem.data.d
        ends = (passes or inf, seconds or inf, gap_tol)
        laws = Laws(states, kind, d, counts_passes=ends[0] < inf)
        try:
            run = _Fit(problem, start, clock, laws, alone, *ends).run(states, every, growth, watch)
        except Exception as error:
            explained = isinstance(error, AucbenchError) and not isinstance(error, PluginError)
            if not explained and (wrong := wrong_part(problem, start)):
                raise PluginError(wrong) from error
            raise
    READ.get().rows += clock.rows  # of a solver that calls `solve`
    if run.collapsed:
        warn(COLLAPSED, CollapsedWarning, stacklevel=2)
    return run


def _survey(data: ChunkedData) -> None:
    """Make the survey of the rows, which counts as one pass of each fit, even if it is known."""
    with uncounted():
        _ = data.survey
    count_rows(data.n)


def _ready(data: Data) -> Data:
    """Return rows in memory with the bounds of weights that their shapes ask for."""
    require_features(data)
    require_filled(data.rows)
    return applied(NoMap(), data) if data.shapes is not None and data.terms is None else data


def solve_classes(
    solver: Solver, data: Data, seconds: float | None, fits: Iterable[Callable[..., Run]]
) -> Run:
    """Fit each class against the rest, and return the joint run.

    `fits` are functions (solver, data, seconds=...), one for each class.
    Each fit may take its share of the seconds that are left. None follows one that is invalid.
    """
    runs: list[Run] = []
    parts = [*against_rest(solver, data)]
    for k, (part, fit) in enumerate(zip(parts, fits, strict=False)):
        spent = sum(run.seconds for run in runs)
        left = None if seconds is None else max(seconds - spent, LEAST) / (len(parts) - k)
        runs.append(fit(solver, part, seconds=left))
        if runs[-1].stop is Stop.INVALID:
            break
    return join_runs(runs, trained_on(solver, data))


def begin(
    solver: Solver,
    data: Data,
    seed: int = 0,
    budget: Budget | None = None,
    w0: Vector | None = None,
) -> tuple[Problem, Iterator[State]]:
    """Return the problem of a solver and its states, with the random numbers that `solve` gives.

    It is for who wants each state, and neither a clock nor a limit.
    """
    limits = budget or Budget()
    problem_rng, rng = np.random.default_rng(seed).spawn(2)
    problem = solver.problem(data, problem_rng, limits)
    start = start_of(solver, problem, w0)
    return problem, states_of(solver.iterates(problem, start, rng, limits), solver)


def start_of(solver: Solver, problem: Problem, w0: Vector | None = None) -> Vector:
    """Return a start that belongs to the solver, (d,): a copy of w0, or zeros.

    Raises
    ------
    PluginError
        When the problem is none, or lacks what the loop asks it for.
    DataError
        When w0 has another number of weights.
    """
    own: Any = core(solver)
    name = type(own).__name__
    if not isinstance(problem, Problem):
        raise PluginError(
            f"{name}.problem must return a Problem, got {type(problem).__name__}"
            f"{written_at(own.problem)}"
        )
    if wrong := lacking_part(problem):
        raise PluginError(f"{name}.problem returned a Problem {wrong}{written_at(own.problem)}")
    d = problem.data.d
    if w0 is not None and w0.size != d:
        raise DataError(
            f"{name} has {d} weights on these rows, and {w0.size} are there to start from; leave "
            "w0, or warm_start=True, out"
        )
    return np.zeros(d) if w0 is None else w0.copy()


def states_of(answer: Any, solver: Solver) -> Iterator[State]:
    """Return the states that `iterates` has returned: an iterator, since a list had done all work.

    Raises
    ------
    PluginError
        When it is neither an iterator nor a State.
    """
    if isinstance(answer, State):
        return iter((answer,))
    if isinstance(answer, Iterator):
        return answer
    own: Any = core(solver)
    raise PluginError(
        f"{type(own).__name__}.iterates must be a generator of states, or return one State, got "
        f"{type(answer).__name__}; yield them one by one{written_at(own.iterates)}"
    )


def passes_limit(solver: Solver, passes: float | None, seconds: float | None) -> float | None:
    """Return the passes at which `solve` ends a fit; None where only seconds limit it."""
    if passes is None and seconds is None:
        return solver.needs.passes or DEFAULT_PASSES
    return passes


def _gap(state: State) -> float | None:
    """The certified gap of weights. A model has no listed objective, and so no gap."""
    return state.gap if state.model is None else None


@dataclass(frozen=True)
class _Fit:
    """A fit: its problem and start, its clock, the laws of its states, and what ends it."""

    problem: Problem
    start: Vector
    clock: Clock
    laws: Laws
    alone: bool  # whether the solver has returned its only state
    passes: float
    seconds: float
    gap_tol: float

    def run(
        self,
        states: Iterator[State],
        every: float,
        growth: float,
        watch: Callable[[Point, State], None] | None,
    ) -> Run:
        """Take the states until the first limit; return the run, with a point where one is due."""
        clock, laws, points = self.clock, self.laws, list[Point]()
        state, due = State(self.start), 0.0
        stop: Stop | None = None
        while stop is None:
            following = clock.timed(next, states, ENDED)
            if following is ENDED:
                laws.require_a_state()
                stop = self._ended(state)
            else:
                state, finite = laws.check(following, clock.rows)
                if not finite:
                    stop = Stop.INVALID
            passes = clock.rows / self.problem.data.n
            point = Point(laws.step, passes, clock.seconds, None, _gap(state), state.residual)
            stop = stop or self._reached(point, state)
            if stop is not None or passes >= due:
                due = passes + max(every, growth * passes)
                if stop is not Stop.INVALID:
                    value = self._objective(state, last=stop is not None)
                    point = replace(point, objective=value)
                points.append(point)
                if watch is not None and stop is not Stop.INVALID:
                    clock.aside(watch, point, state)
        return Run(
            None if state.w is None else np.array(state.w, dtype=np.float64),
            Scorer.of(self.problem),
            stop,
            tuple(points),
            state.model,
            clock.cpu_seconds,
            collapsed=self._collapsed(points[-1]),
        )

    def _reached(self, point: Point, state: State) -> Stop | None:
        """Return the first limit that this state has reached."""
        if self._certifies(state, self.gap_tol):
            return Stop.CERTIFIED
        if self.alone:
            return self._ended(state)
        if point.passes >= self.passes:
            return Stop.PASSES
        return Stop.SECONDS if point.seconds >= self.seconds else None

    def _ended(self, last: State) -> Stop:
        """Return why a solver that ended by itself did so."""
        tolerance = max(self.gap_tol, GAP_TOL)
        if _gap(last) is None:
            stalled = last.w is not None and self.clock.aside(
                descends, self.problem, self.start, last.w, tolerance
            )
        else:
            stalled = not self._certifies(last, tolerance)
        return Stop.STALLED if stalled else Stop.FINISHED

    def _certifies(self, state: State, tolerance: float) -> bool:
        """Whether the state has a gap within the tolerance."""
        gap = _gap(state)
        if gap is None or state.w is None:
            return False
        if 0.0 <= gap <= tolerance:
            return True
        if not 0.0 <= gap <= tolerance * self._at_zero:
            return False
        if state.value is not None and not gap <= tolerance * abs(state.value):
            return False
        return gap <= tolerance * abs(objective_at(self.problem, state.w) or 0.0)

    def _collapsed(self, point: Point) -> bool:
        """Whether w = 0 is certified to be the best, to the tolerance, in a range of the ROC."""
        if not isinstance(self.problem.data.pairs, Ranged) or point.gap is None:
            return False
        below = (point.objective or 0.0) - point.gap
        return self._at_zero - below <= max(self.gap_tol, GAP_TOL) * self._at_zero

    def _objective(self, state: State, *, last: bool) -> float | None:
        """Return the objective at the weights: the claim of the state, or our own value."""
        if state.w is None:
            return None
        step = self.laws.step
        is_power_of_two = step & (step - 1) == 0
        if state.value is not None and not last and not is_power_of_two:
            return state.value
        with np.errstate(over="ignore"):  # infinity is the answer of a method that diverges
            value = self.clock.aside(objective_at, self.problem, state.w)
            if not self.clock.aside(self._allows, state, value):
                raise self.laws.false_value(state, value)
        return value

    def _allows(self, state: State, value: float | None) -> bool:
        """Whether the objective that the state claims is `value`, the one computed from its w."""
        claimed = state.value
        if claimed is None or value is None or not value < inf:
            return True
        f, w = self.problem.f, state.w
        error = inf if f is None or w is None else f.rounding(w)[0]
        size = max(abs(value), self._at_zero)
        return abs(claimed - value) <= CLAIM * size + (error if error < inf else 0.0)

    @cached_property
    def _at_zero(self) -> float:
        """|f(0)|, which does not depend on w; 0 when it is not finite or f is not listed."""
        f = self.problem.f
        value = 0.0 if f is None else abs(value_of(f, np.zeros(self.problem.data.d)))
        return value if value < inf else 0.0
