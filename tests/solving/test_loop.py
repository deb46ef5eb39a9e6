"""`solve`: limits, clock, curve and recasting, with solvers that do next to nothing."""

import math
import os
from dataclasses import dataclass, field
from itertools import count, pairwise
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from threading import Thread
from time import process_time, thread_time
from typing import ClassVar

import numpy as np
import pytest
from refusals import assert_refused, refusals
from samples import data as labelled

from aucbench.contract import Budget, Needs, Objective, Problem, Solver, State, count_rows
from aucbench.data import Categories, Data
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.objectives import Logistic, PairwiseSquare
from aucbench.projectors import L2Ball
from aucbench.records import Stop
from aucbench.solving.descent import lowered
from aucbench.solving.loop import begin, solve
from aucbench.solving.wrappers import WithProblems, recast

DATA = Data.of(np.random.default_rng(0).normal(size=(20, 3)), [1, -1] * 10)


@dataclass(frozen=True)
class Counting(Solver):
    """w = step, five rows a step."""

    last: int | None = None
    gaps: tuple[float | None, ...] = ()
    bad: float = 1.0
    heard: list = field(default_factory=list, compare=False)  # each budget that it is given

    needs: ClassVar = Needs(frozenset({"any-objective", "any-projector"}))

    def problem(self, data, rng, budget):
        self.heard.append(budget)
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, w, rng, budget):
        self.heard.append(budget)
        return self.steps(w)

    def steps(self, w):
        gaps = iter(self.gaps)
        for t in count(1) if self.last is None else range(1, self.last + 1):
            count_rows(5)
            w[:] = t * self.bad
            yield State(w, gap=next(gaps, None))


def test_passes_end_at_the_first_state_that_saw_enough_rows():
    run = solve(Counting(), DATA, passes=1.3)
    assert run.stop is Stop.PASSES
    np.testing.assert_array_equal(run.w, [6.0, 6.0, 6.0])
    assert run.points[-1].passes == 1.5
    assert solve(Counting(), DATA).points[-1].passes == 50.0


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

    def problem(self, data, rng, budget):
        return Problem(train=data)

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


def test_the_scale_of_the_rows_does_not_decide_whether_a_method_has_stalled():
    for scale in (1e-3, 1.0, 1e3):
        data = labelled(n=20, d=3, scale=scale)
        assert solve(OneStep(), data).stop is Stop.FINISHED
        assert solve(AtStart(), data).stop is Stop.STALLED


@pytest.mark.parametrize(
    ("gaps", "given", "stop"),
    [
        ((1.0, 0.5), {}, Stop.STALLED),
        ((1.0, math.inf), {}, Stop.STALLED),
        ((1.0, 1e-9), {"gap_tol": 0.0}, Stop.FINISHED),
        ((1.0, 1e-2, 1e-9), {"gap_tol": 1e-3}, Stop.STALLED),
        ((1.0, 1e-9, 1.0), {"gap_tol": 1e-3}, Stop.CERTIFIED),
    ],
)
def test_a_certified_gap_ends_the_run_and_one_above_the_tolerance_has_stalled(gaps, given, stop):
    assert solve(Counting(last=2, gaps=gaps), DATA, **given).stop is stop


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
class OnLifted(Counting):
    """Counting on a lifted objective, with the gaps that it is given."""

    level: float = 0.0
    slope: float = 0.0

    def problem(self, data, rng, budget):
        return Problem(Lifted(data, self.level, self.slope))


def test_gap_is_relative_to_the_objective_at_w_or_at_0_whichever_is_smaller():
    falling = OnLifted(gaps=(0.51, 0.49), level=1000.0, slope=-500.0 / 6.0)
    # It is 750 at the first state and 500 at the second.
    run = solve(falling, DATA, gap_tol=1e-3, passes=3)
    assert (run.stop, run.points[-1].step) == (Stop.CERTIFIED, 1)
    slow = OnLifted(gaps=(0.8, 0.51, 0.2), level=1000.0, slope=-250.0 / 3.0)
    run = solve(slow, DATA, gap_tol=1e-3)
    assert (run.stop, run.points[-1].step) == (Stop.CERTIFIED, 3)
    small = OnLifted(gaps=(1e-3,), level=0.01)  # below 1 the gap itself counts
    assert solve(small, DATA, gap_tol=1e-3).stop is Stop.CERTIFIED
    diverged = OnLifted(last=3, gaps=(1e30,) * 3, level=1.0, slope=1e44)
    assert solve(diverged, DATA).stop is Stop.STALLED
    assert solve(OnLifted(gaps=(0.5,), level=math.inf), DATA, passes=1).stop is Stop.PASSES


def test_weights_that_are_not_finite_are_invalid():
    for bad in (math.nan, math.inf):
        run = solve(Counting(bad=bad), DATA)
        assert (run.stop, run.points[-1].objective) == (Stop.INVALID, None)


def test_every_and_growth_space_the_points():
    for every, points in ((1.0, 11), (math.inf, 2), (5, 3)):
        assert len(solve(Counting(), DATA, passes=10, every=every).points) == points
    passes = [p.passes for p in solve(Counting(), DATA, passes=100, growth=0.5).points]
    assert passes[:5] == [0.25, 1.25, 2.25, 3.5, 5.25]
    assert all(b >= 1.5 * a for a, b in pairwise(passes[2:-1]))
    assert passes[-1] == 100


def test_the_result_does_not_alias_the_live_iterate():
    _, states = begin(Counting(), DATA)
    live = next(states).w
    run = solve(Counting(last=1), DATA)
    next(states)
    np.testing.assert_array_equal(live, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(run.w, [1.0, 1.0, 1.0])


# --- the budget and the parts of a problem -------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "budget"),
    [
        ({"passes": 3}, Budget(3)),
        ({"seconds": 60.0, "passes": 2}, Budget(2, 60.0)),
        ({"seconds": 1e-9}, Budget(None, 1e-9)),
        ({}, Budget(50.0)),
    ],
)
def test_both_methods_get_the_budget_also_inside_wrappers(limits, budget):
    plain, inside = Counting(), Counting()
    run = solve(plain, DATA, **limits)
    solve(WithProblems(recast(inside, objective=Logistic)), DATA, **limits)
    assert plain.heard == inside.heard[-2:] == [budget, budget]  # `recast` has looked, too
    assert run.stop in (Stop.PASSES, Stop.SECONDS)


def test_recast_puts_other_parts_in_place():
    other = recast(Counting(), objective=Logistic, projector=L2Ball(2.0))
    problem, _ = begin(other, DATA)
    assert isinstance(problem.f, Logistic)
    assert problem.project == L2Ball(2.0)
    assert recast(Counting()) == Counting()
    assert solve(other, DATA, passes=1).stop is Stop.PASSES


class Tied(Counting):
    """It has its own objective and projector, and starts anywhere."""

    needs: ClassVar = Needs(frozenset({"warm-start"}))


CLASSES = Data.of(np.eye(6), Categories.of([0, 1, 2] * 2))
REFUSED = refusals(
    *((f"limit {limit}", lambda limit=limit: solve(Counting(), DATA, **limit), ParameterError, "0")
      for limit in ({"passes": 0}, {"seconds": -1.0}, {"passes": math.nan}, {"growth": -1})),
    *((f"recast {given}", lambda given=given: recast(Tied(), **given), UnsupportedError, "tied")
      for given in ({"objective": Logistic}, {"projector": L2Ball()})),
    ("no start", lambda: solve(Counting(), DATA, w0=np.ones(3)), UnsupportedError, "start"),
    ("long start", lambda: solve(Tied(), DATA, w0=np.ones(4)), DataError, "3 weights"),
    ("starts of 2 of 3 classes", lambda: solve("svm-or", CLASSES, w0=np.ones((2, 6))), DataError,
     "2 classes"),
)  # fmt: skip


@REFUSED
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)


# --- the clock -----------------------------------------------------------------------------


def spin(seconds, clock=process_time):
    end = clock() + seconds
    while clock() < end:
        pass


@dataclass(frozen=True)
class Slow(Objective):
    """An objective whose evaluation takes time."""

    data: Data
    wait: object

    def value(self, w):
        self.wait()
        return 1.0

    def grad(self, w, rows=None):
        return np.zeros(3)


@dataclass(frozen=True)
class Evaluated(Counting):
    """Counting, evaluated slowly."""

    wait: object = None

    def problem(self, data, rng, budget):
        return Problem(Slow(data, self.wait))


@pytest.fixture
def ticks(monkeypatch):
    """A clock that ticks when it is read."""
    now = count()
    monkeypatch.setattr("aucbench.solving.loop.perf_counter", lambda: next(now))
    return now


def test_the_clock_runs_in_the_solver_only(ticks):
    seen = []

    def pause():
        for _ in range(1000):
            next(ticks)

    def watch(point, state):
        pause()
        seen.append((point, state.w.copy()))

    run = solve(Evaluated(wait=pause), DATA, passes=2, watch=watch)

    assert [point for point, _ in seen] == list(run.points)
    np.testing.assert_array_equal(seen[-1][1], run.w)
    assert run.seconds == 10  # ticks: of the problem, of the generator, and of eight steps


def test_seconds_end_the_run_and_passes_alone_do_not_apply(ticks):
    run = solve(Counting(), DATA, seconds=300)
    assert (run.stop, run.seconds, run.w[0]) == (Stop.SECONDS, 300, 298)
    assert run.points[-1].passes > 50


class Threaded(Evaluated):
    """Spends 0.1 CPU seconds in each of two threads, and in each of two processes, in a step."""

    def steps(self, w):
        for state in super().steps(w):
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


def test_cpu_seconds_are_those_of_all_threads_and_processes_and_not_of_the_curve():
    before = sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    run = solve(Threaded(wait=lambda: spin(0.2)), DATA, passes=0.25)
    after = sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    assert 0.4 - TICKS <= run.cpu_seconds <= after - before - 0.2 + TICKS
