"""The laws of a state: what breaks one ends the run, with the line of the yield."""

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import pytest

from aucbench.contract import Identity, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.errors import PluginError
from aucbench.objectives import PairwiseSquare
from aucbench.records import Stop
from aucbench.solving.laws import STUCK
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import WithProblems

DATA = Data.of(np.random.default_rng(0).normal(size=(20, 3)), [1, -1] * 10)
W = np.ones(3)


@dataclass(frozen=True)
class Says(Solver):
    """Yields what it is given, each after a pass."""

    states: Any

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, w0, rng, budget):
        for state in self.states:
            count_rows(20)
            yield state


LINE = Says.iterates.__code__.co_firstlineno + 3


class Unscored:
    """No method `scores`."""

    def decision_function(self, X):
        return np.zeros(len(X))


@pytest.mark.parametrize(
    ("states", "sentence"),
    [
        ([None], "iterates must yield a State, got None"),
        ([(W, 0.0)], "iterates must yield a State, got an object of the class tuple"),
        (
            [State(W, gap=-1e-9)],
            r"State.gap must be None, or a bound of at least 0 .*-1e-09",
        ),
        ([State(W, gap=math.nan)], "State.gap must be None, or a bound .*, got nan"),
        ([State(W, gap="0")], "State.gap must be .*, got an object of the class str"),
        (
            [State(W.astype(np.float32))],
            r"State.w must be a NumPy array of float64 with shape \(3,\), got an array of float32 "
            r"with shape \(3,\)",
        ),
        ([State(W.astype(int))], "State.w must be .* got an array of int64"),
        ([State(W.astype(complex))], "State.w must be .* got an array of complex128"),
        ([State(W.astype(">f8"))], "State.w must be .* got an array of >f8"),
        ([State([1.0, 1.0, 1.0])], "State.w must be .* got an object of the class list"),
        ([State(1.0)], "State.w must be .* got 1.0"),
        ([State(np.ones(7))], r"State.w must be .* got an array of float64 with shape \(7,"),
        ([State(np.ones((3, 1)))], r"State.w must be .* with shape \(3, 1\)"),
        ([State(np.ma.array(W))], "State.w must be .* got a masked array of float64"),
        ([State()], "a State must have w or a model, one of them, got neither"),
        ([State(W, model=Unscored())], "must have w or a model, one of them, got both"),
        (
            [State(model=Unscored())],
            r"State.model must be an object with a method scores\(rows\), got an object of the "
            "class Unscored",
        ),
    ],
)
def test_a_broken_law_ends_the_run_and_names_the_yield(states, sentence):
    place = rf" \({re.escape(__file__)}, line {LINE}\)$"
    with pytest.raises(PluginError, match=f"^Says: .*{sentence}.*{place}"):
        solve(Says(states), DATA)


@pytest.mark.parametrize(
    "came",
    [10**400, -(10**400), Fraction(10**400), Decimal(1), True, np.True_, np.array(1.0), 1j, "1"],
    ids=lambda came: f"{type(came).__name__}",
)
@pytest.mark.parametrize("field", ["gap", "residual", "value", "info"])
def test_a_number_of_a_state_is_one_that_a_float_holds(field, came):
    state = State(W, **{field: {"width": came} if field == "info" else came})
    with pytest.raises(
        PluginError, match=rf"^Says: State\.{field}.* must be .*number|bound|length"
    ):
        solve(Says([state]), DATA)


def test_the_numbers_of_a_state_come_out_plain():
    said = State(
        W,
        gap=Fraction(1, 2),
        residual=np.float32(0.25),
        info={"width": np.int8(3)},
    )
    seen = []
    run = solve(Says([said]), DATA, watch=lambda point, state: seen.append(state))

    point, state = run.points[0], seen[0]
    assert (point.step, point.gap, point.residual) == (1, 0.5, 0.25)
    assert [*map(type, (point.step, point.gap, point.residual))] == [int, float, float]
    assert state.info == {"width": 3.0}
    assert type(state.info["width"]) is float


def test_a_state_that_changes_its_mind_is_read_once():
    gaps = iter([0.5, 10**400])

    class Fickle(State):
        @property
        def gap(self):
            return next(gaps)

        @gap.setter
        def gap(self, value):
            pass

    assert solve(Says([Fickle(W)]), DATA).points[0].gap == 0.5


@pytest.mark.parametrize("value", [10**400, Fraction(10**400), None, "1", True, 1j, np.ones(1)])
@pytest.mark.parametrize("part", ["f", "project"])
def test_an_objective_is_a_number_that_a_float_holds(part, value):
    class Wrong(PairwiseSquare if part == "f" else Identity):
        def value(self, w):
            return value

    class Posed(Says):
        def problem(self, data, rng, budget):
            own = Problem(PairwiseSquare(data))
            return replace(own, **{part: Wrong(data) if part == "f" else Wrong()})

    with pytest.raises(
        PluginError, match=r"^Wrong\.value returned .*, wanted a number that a float"
    ):
        solve(Posed([State(W)]), DATA)


class After(Says):
    """Tells of one state, and goes on in its live weights until it ends."""

    def iterates(self, problem, w, rng, budget):
        count_rows(20)
        yield State(w)
        for _ in range(9):
            w -= 0.01 * problem.objective.grad(w)


def test_the_end_of_a_run_tells_of_rows_that_were_read_after_the_last_state():
    run = solve(After(()), DATA)
    assert run.stop is Stop.STALLED
    assert [p.passes for p in run.points] == [1, 10]


def test_a_generator_that_ends_without_a_state_is_broken():
    with pytest.raises(PluginError, match=r"^Says: iterates must yield at least one State, and it"):
        solve(Says([]), DATA)


def test_iterates_is_a_generator_and_problem_returns_a_problem():
    class Listed(Says):
        def iterates(self, problem, w0, rng, budget):
            return [State(W)]

    class Vague(Says):
        def problem(self, data, rng, budget):
            return PairwiseSquare(data)

    with pytest.raises(
        PluginError, match=r"Listed\.iterates must be a generator of states, .*got lis"
    ):
        solve(Listed([]), DATA)
    with pytest.raises(
        PluginError, match=r"Vague\.problem must return a Problem, got PairwiseSquar"
    ):
        solve(Vague([]), DATA)


def test_the_yield_of_a_delegate_is_named_and_the_solver_inside_a_wrapper():
    def inner():
        yield State(W)
        yield State(2.0 * W, gap=-1.0)

    class Delegates(Says):
        def iterates(self, problem, w0, rng, budget):
            yield from inner()

    line = inner.__code__.co_firstlineno + 2
    with pytest.raises(PluginError, match=rf"^Delegates: .*, line {line}\)$"):
        solve(WithProblems(Delegates([])), DATA)


@pytest.mark.parametrize(
    "state",
    [
        State(W, gap=0.0),
        State(W, gap=0),
        State(W, gap=np.float32(1.0)),
        State(W, gap=math.inf),
        State(np.arange(6.0)[::2]),
        State(np.full(3, 1e300)),
        State(W.view(np.memmap)),
    ],
)
def test_what_the_laws_allow(state):
    solve(Says([state]), DATA, passes=1)


def test_a_method_may_diverge_whatever_its_gap_is_then():
    state = State(np.array([1.0, math.nan, 1.0]), gap=math.nan)

    assert solve(Says([state]), DATA).stop is Stop.INVALID


def test_states_without_progress_are_allowed_up_to_a_number_and_under_seconds():
    class Idle(Says):
        def iterates(self, problem, w0, rng, budget):
            for t in count(1):
                if t % self.states == 0:
                    count_rows(20)
                yield State(w0)

    assert solve(Idle(STUCK), DATA, passes=1).stop is Stop.PASSES
    assert solve(Idle(math.inf), DATA, seconds=0.05).stop is Stop.SECONDS
    with pytest.raises(PluginError, match=f"no row was read for {STUCK} states in a row; .*count_"):
        solve(Idle(STUCK + 1), DATA)


class Counting(PairwiseSquare):
    """Counts its evaluations."""

    def value(self, w):
        self.__dict__["calls"] = self.__dict__.get("calls", 0) + 1
        return super().value(w)


@dataclass(frozen=True)
class Claims(Solver):
    """Moves w a little at each step, and claims `factor` times its objective at the step `at`."""

    factor: float = 1.0
    at: int | None = None
    gap: float | None = None
    steps: int = 40

    def problem(self, data, rng, budget):
        return Problem(Counting(data))

    def iterates(self, problem, w0, rng, budget):
        for t in range(1, self.steps + 1):
            w = np.full(problem.data.d, 0.01 * t)
            value = PairwiseSquare.value(problem.f, w)
            false = self.factor if self.at in (None, t) else 1.0
            yield State(w, gap=self.gap, value=false * value)


def test_a_claimed_objective_is_not_evaluated_again():
    watched = WithProblems(Claims(steps=50))
    run = solve(watched, DATA, passes=40)

    value = PairwiseSquare(DATA).value
    assert [p.objective for p in run.points] == [
        pytest.approx(value(np.full(3, 0.01 * t)), rel=1e-14) for t in range(1, 41)
    ]
    # 1, 2, 4, 8, 16, 32 and the last one, and once at 0 for the size of a claim.
    assert watched.problems[0].f.calls == 8


@pytest.mark.parametrize("factor", [0.5, 2.0, -1.0, 0.0, 1.0 + 1e-5, math.nan, math.inf])
@pytest.mark.parametrize("at", [None, 1, 16, 40])
def test_a_false_claim_ends_the_run(factor, at):
    with pytest.raises(PluginError, match=r"State\.value must be the objective .* leave it out"):
        solve(Claims(factor, at), DATA)


def test_a_large_claim_does_not_raise_the_tolerance_of_the_gap():
    true = PairwiseSquare(DATA).value(np.full(3, 0.4))
    tolerance = 0.1 / max(1.0, true, PairwiseSquare(DATA).value(np.zeros(3))) / 2.0

    with pytest.raises(PluginError, match=r"State\.value must be the objective"):
        solve(Claims(1e6, gap=0.1), DATA, gap_tol=tolerance)
    with pytest.raises(PluginError, match=r"State\.value must be the objective"):
        solve(Claims(1e6, at=3, gap=0.1), DATA, gap_tol=tolerance, passes=3)
    assert solve(Claims(1e6, at=3, gap=0.1), DATA, gap_tol=tolerance).stop is Stop.STALLED
