"""`solve`: limits, clock, curve and recasting, with solvers that do next to nothing."""

import math
import os
from dataclasses import dataclass
from itertools import count, pairwise
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from threading import Thread
from time import perf_counter, process_time, sleep, thread_time
from typing import ClassVar

import numpy as np
import pytest

from aucbench.contract import Budget, Needs, Objective, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.objectives import Logistic, PairwiseSquare
from aucbench.projectors import L2Ball
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.descent import lowered
from aucbench.solving.loop import begin, solve
from aucbench.solving.replaceable import own_parameters
from aucbench.solving.wrappers import WithProblems, recast

DATA = Data.of(np.random.default_rng(0).normal(size=(20, 3)), [1, -1] * 10)


@dataclass(frozen=True)
class Counting(Solver):
    """w = step, five rows a step."""

    last: int | None = None
    gaps: tuple[float | None, ...] = ()
    bad: float = 1.0
    pause: float = 0.0

    def problem(self, data, rng, budget):
        sleep(self.pause)
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, w, rng, budget):
        gaps = iter(self.gaps)
        for t in count(1) if self.last is None else range(1, self.last + 1):
            sleep(self.pause)
            count_rows(5)
            w[:] = t * self.bad
            yield State(w, gap=next(gaps, None))


@dataclass(frozen=True)
class Slow(Objective):
    """An objective whose evaluation takes time."""

    data: Data

    def value(self, w):
        sleep(0.05)
        return 1.0

    def grad(self, w, rows=None):
        return np.zeros(3)


class Evaluated(Counting):
    """Counting, evaluated slowly."""

    def problem(self, data, rng, budget):
        return Problem(Slow(data))


def test_passes_end_at_the_first_state_that_saw_enough_rows():
    run = solve(Counting(), DATA, passes=1.3)

    assert run.stop is Stop.PASSES
    np.testing.assert_array_equal(run.w, [6.0, 6.0, 6.0])
    assert run.points[-1].passes == 1.5


@dataclass(frozen=True)
class OneStep(Counting):
    """All work in one step, which takes ten passes and ends at the minimum, or `off` from it."""

    off: float = 0.0

    def iterates(self, problem, w0, rng, budget):
        return State(lowered(problem, w0, 200).w + self.off, gap=next(iter(self.gaps), None))


class Chosen(OneStep):
    """The weights are chosen by another measure."""

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), early_stopping=True)


class Unlisted(OneStep):
    """What it minimises is not listed."""

    problem = Solver.problem

    def iterates(self, problem, w0, rng, budget):
        return State(np.ones(3))


class AtStart(Counting):
    """It ends where it starts."""

    def iterates(self, problem, w0, rng, budget):
        return State(w0)


@pytest.mark.parametrize("budget", [{"passes": 2}, {"passes": 50}, {"seconds": 1e-9}])
def test_the_budget_did_not_end_a_method_that_has_ended(budget):
    assert solve(OneStep(), DATA, **budget).stop is Stop.FINISHED
    assert solve(OneStep(gaps=(1e-9,)), DATA, **budget).stop is Stop.CERTIFIED
    assert solve(OneStep(gaps=(1.0,)), DATA, **budget).stop is Stop.STALLED
    assert solve(OneStep(off=0.3), DATA, **budget).stop is Stop.STALLED


def test_a_method_that_claims_nothing_and_ends_far_above_its_optimum_has_stalled():
    """A state that is returned is the last; three plain steps show that it was not the best."""
    assert solve(OneStep(off=1e-3), DATA).stop is Stop.FINISHED
    assert solve(OneStep(off=1.0), DATA).stop is Stop.STALLED
    assert solve(Chosen(off=1.0), DATA).stop is Stop.FINISHED, "chosen by another measure"
    assert solve(Unlisted(off=1.0), DATA).stop is Stop.FINISHED, "no listed objective"


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_scale_of_the_rows_does_not_decide_whether_a_method_has_stalled(scale):
    X = scale * np.random.default_rng(0).normal(size=(20, 3))
    data = Data.of(X + scale * 0.5 * np.array([[1.0], [-1.0]] * 10), [1, -1] * 10)

    assert solve(OneStep(), data).stop is Stop.FINISHED
    assert solve(AtStart(), data).stop is Stop.STALLED


def test_seconds_end_the_run_and_passes_alone_do_not_apply():
    run = solve(Counting(pause=0.01), DATA, seconds=0.1)

    assert run.stop is Stop.SECONDS
    assert run.seconds >= 0.1
    assert run.w[0] <= 10, "each step takes at least 0.01 s, so no more of them are begun"


def test_clock_stands_still_while_the_curve_is_measured():
    begin = perf_counter()
    run = solve(Evaluated(), DATA, passes=2)

    evaluated = 0.05 * len(run.points)
    assert evaluated > 0.1
    assert 0 < run.seconds <= perf_counter() - begin - evaluated


def test_problem_is_on_the_clock():
    assert solve(Counting(last=1, pause=0.05), DATA).seconds >= 0.1


def test_a_certified_gap_ends_the_run():
    run = solve(Counting(gaps=(1.0, 1e-2, 1e-9)), DATA, gap_tol=1e-3)

    assert run.stop is Stop.CERTIFIED
    assert run.points[-1].gap == 1e-2 or run.points[-1].step == 3


@dataclass(frozen=True)
class Lifted(Objective):
    """An objective that is `level` at 0 and grows with w."""

    data: Data
    level: float
    slope: float

    def value(self, w):
        return self.level + self.slope * float(np.abs(w).sum())

    def grad(self, w, rows=None):
        return np.zeros(3)


@dataclass(frozen=True)
class Told(Counting):
    """Counting on a lifted objective, with the gaps that it is told."""

    level: float = 0.0
    slope: float = 0.0

    def problem(self, data, rng, budget):
        return Problem(Lifted(data, self.level, self.slope))


def test_gap_is_relative_to_the_objective():
    falling = Told(gaps=(0.51, 0.49), level=1000.0, slope=-500.0 / 6.0)

    # It is 750 at the first state and 500 at the second.
    run = solve(falling, DATA, gap_tol=1e-3, passes=3)
    assert (run.stop, run.points[-1].step) == (Stop.CERTIFIED, 1)

    run = solve(Told(gaps=(0.8, 0.51, 0.2), level=1000.0, slope=-250.0 / 3.0), DATA, gap_tol=1e-3)
    assert (run.stop, run.points[-1].step) == (Stop.CERTIFIED, 3)


def test_no_bad_weights_make_the_tolerance_large():
    diverged = Told(last=3, gaps=(1e30,) * 3, level=1.0, slope=1e44)

    assert solve(diverged, DATA).stop is Stop.STALLED
    assert solve(Told(gaps=(0.5,), level=math.inf), DATA, passes=1).stop is Stop.PASSES


def test_a_method_that_ends_short_of_its_optimum_has_stalled():
    assert solve(Counting(last=2, gaps=(1.0, 0.5)), DATA).stop is Stop.STALLED
    assert solve(Counting(last=2, gaps=(1.0, math.inf)), DATA).stop is Stop.STALLED
    assert solve(Counting(last=2, gaps=(1.0, 1e-9)), DATA, gap_tol=0.0).stop is Stop.FINISHED


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_weights_that_are_not_finite_are_invalid(bad):
    run = solve(Counting(bad=bad), DATA)

    assert run.stop is Stop.INVALID
    assert run.points[-1].objective is None


def test_every_thins_the_curve():
    assert len(solve(Counting(), DATA, passes=10).points) == 11
    assert len(solve(Counting(), DATA, passes=10, every=math.inf).points) == 2
    assert len(solve(Counting(), DATA, passes=10, every=5).points) == 3


def test_the_result_does_not_alias_the_live_iterate():
    _, states = begin(Counting(), DATA)
    live = next(states).w
    run = solve(Counting(last=1), DATA)
    next(states)

    np.testing.assert_array_equal(live, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(run.w, [1.0, 1.0, 1.0])


heard = []  # what `Planner` was told


@dataclass(frozen=True)
class Planner(Counting):
    """Counting, with both methods reading the budget."""

    needs: ClassVar = Needs(frozenset({"any-objective"}))

    def problem(self, data, rng, budget):
        heard.append(budget)
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, w0, rng, budget):
        heard.append(budget)
        return super().iterates(problem, w0, rng, budget)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"passes": 3}, Budget(3)),
        ({"seconds": 60.0, "passes": 2}, Budget(2, 60.0)),
        ({"seconds": 1e-9}, Budget(None, 1e-9)),
        ({}, Budget(50.0)),
    ],
)
def test_the_budget_is_told_to_both_methods(limits, told):
    heard.clear()
    run = solve(Planner(), DATA, **limits)

    assert heard == [told, told]
    assert run.stop in (Stop.PASSES, Stop.SECONDS)


def test_the_budget_reaches_a_solver_inside_wrappers():
    solver = WithProblems(recast(Planner(), objective=Logistic))
    heard.clear()
    solve(solver, DATA, passes=3)

    assert heard == [Budget(3), Budget(3)]


@pytest.mark.parametrize("limit", [{"passes": 0}, {"seconds": -1.0}, {"passes": math.nan}])
def test_senseless_limits_are_refused(limit):
    with pytest.raises(ParameterError, match="must be greater than 0"):
        solve(Counting(), DATA, **limit)


def test_recast_puts_other_parts_in_place():
    @dataclass(frozen=True)
    class Open(Counting):
        needs: ClassVar = Needs(frozenset({"any-objective", "any-projector"}))

    other = recast(Open(), objective=Logistic, projector=L2Ball(2.0))
    problem, _ = begin(other, DATA)

    assert isinstance(problem.f, Logistic)
    assert problem.project == L2Ball(2.0)
    assert recast(Open()) == Open()
    assert solve(other, DATA, passes=1).stop is Stop.PASSES


@pytest.mark.parametrize("given", [{"objective": Logistic}, {"projector": L2Ball()}])
def test_recast_refuses_what_would_be_ignored(given):
    with pytest.raises(UnsupportedError, match="Counting is tied to its own"):
        recast(Counting(), **given)


def test_growth_spaces_points_by_a_factor():
    passes = [p.passes for p in solve(Counting(), DATA, passes=100, growth=0.5).points]

    assert passes[:5] == [0.25, 1.25, 2.25, 3.5, 5.25]
    assert all(b >= 1.5 * a for a, b in pairwise(passes[2:-1]))
    assert passes[-1] == 100
    with pytest.raises(ParameterError, match="growth must be at least 0"):
        solve(Counting(), DATA, growth=-1)


def test_watch_sees_each_point_off_the_clock(monkeypatch):
    seen, now = [], count()
    monkeypatch.setattr("aucbench.solving.loop.perf_counter", lambda: next(now))

    def watch(point, state):
        for _ in range(1000):
            next(now)
        seen.append((point, state.w.copy()))

    run = solve(Counting(), DATA, passes=2, watch=watch)

    assert [point for point, _ in seen] == list(run.points)
    np.testing.assert_array_equal(seen[-1][1], run.w)
    assert run.seconds == 10  # ticks: of the problem, of the generator, and of eight steps


@dataclass(frozen=True)
class Busy(Counting):
    """Takes CPU time in each step, and its objective takes more."""

    def problem(self, data, rng, budget):
        return Problem(Heavy(data))

    def iterates(self, problem, w0, rng, budget):
        for state in super().iterates(problem, w0, rng, budget):
            spin(0.02)
            yield state


@dataclass(frozen=True)
class Heavy(Slow):
    """An objective whose evaluation takes CPU time."""

    def value(self, w):
        spin(0.2)
        return 1.0


def spin(seconds, clock=process_time):
    end = clock() + seconds
    while clock() < end:
        pass


class Threaded(Counting):
    """Spends 0.1 CPU seconds in each of two threads, and in each of two processes, in a step."""

    def iterates(self, problem, w0, rng, budget):
        for state in super().iterates(problem, w0, rng, budget):
            workers = [Thread(target=spin, args=(0.1, thread_time)) for _ in range(2)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            for _ in range(2):
                if (pid := os.fork()) == 0:
                    spin(0.1)
                    os._exit(0)
                os.waitpid(pid, 0)
            yield state


TICKS = 0.02  # seconds: user and system time of children come in ticks of 0.01


def spent(*given, **budget):
    """A run, and the CPU seconds that the system counts for it: of this process and children."""
    before = sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    run = solve(*given, **budget)
    return run, sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)) - before


def test_cpu_seconds_are_those_of_all_threads_and_processes():
    run, whole = spent(Threaded(), DATA, passes=0.25)

    assert 0.4 - TICKS <= run.cpu_seconds <= whole + TICKS


def test_cpu_seconds_are_those_of_the_solver_and_not_of_the_curve():
    run, whole = spent(Busy(), DATA, passes=1)

    assert 0.08 <= run.cpu_seconds <= whole - 0.2 * len(run.points) + TICKS


@pytest.mark.parametrize(
    ("name", "of_f", "of_omega"),
    [("sht-auc", (), ("k",)), ("sto-iht", ("centre",), ("k",)), ("hsg-ht", ("centre",), ("k",))],
)
def test_parameters_of_its_own_parts_are_found(name, of_f, of_omega):
    solver = get_solver(name)

    assert own_parameters(solver, ["objective"]) == of_f
    assert own_parameters(solver, ["projector"]) == of_omega
    assert own_parameters(solver, []) == ()
