"""What a solver and its parts must not return: the error names the class, the file and the line."""

import math
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import pytest
from refusals import assert_refused, refusals

from aucbench.bench.worker.features import map_split
from aucbench.contract import FeatureMap, Identity, Problem, Projector, Solver, State, count_rows
from aucbench.data import Data
from aucbench.errors import PluginError
from aucbench.features.chain import Chain, fitted
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import L2Ball
from aucbench.records import Stop
from aucbench.solving.laws import STUCK, wrong_part
from aucbench.solving.loop import solve
from aucbench.solving.values import contains
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


def said(*states):
    return lambda: solve(Says(states), DATA, passes=3)


@refusals(
    ("nothing", said(None), PluginError, "None"),
    ("a pair", said((W, 0.0)), PluginError, "tuple"),
    ("negative gap", said(State(W, gap=-1e-9)), PluginError, "State.gap"),
    ("gap of NaN", said(State(W, gap=math.nan)), PluginError, "State.gap"),
    ("float32", said(State(W.astype(np.float32))), PluginError, "float32"),
    ("other bytes", said(State(W.astype(">f8"))), PluginError, ">f8"),
    ("a list", said(State([1.0, 1.0, 1.0])), PluginError, "list"),
    ("another length", said(State(np.ones(7))), PluginError, "(7,)"),
    ("masked", said(State(np.ma.array(W))), PluginError, "masked"),
    ("neither", said(State()), PluginError, "neither"),
    ("both", said(State(W, model=Unscored())), PluginError, "both"),
    ("no scores", said(State(model=Unscored())), PluginError, "Unscored"),
    ("a list of info", said(State(W, info=[1.0])), PluginError, "State.info"),
    ("21 names", said(State(W, info={str(k): 1.0 for k in range(21)})), PluginError, "20"),
    ("a name of info", said(State(W, info={5: 1.0})), PluginError, "got 5"),
    ("a long name", said(State(W, info={41 * "a": 1.0})), PluginError, "40"),
)
def test_a_broken_law_ends_the_run_and_names_the_yield(call, error, word):
    sentence = assert_refused(call, error, word)
    assert sentence.startswith("Says: ")
    assert sentence.endswith(f" ({__file__}, line {LINE})")


TOO_LARGE = 10**400
NO_FLOATS = [
    *(TOO_LARGE, -TOO_LARGE, Fraction(TOO_LARGE), Decimal(1)),
    *(True, np.True_, np.array(1.0), 1j, "1"),
]


@pytest.mark.parametrize("name", ["gap", "residual", "value", "info"])
def test_a_number_of_a_state_is_one_that_a_float_holds(name):
    for came in NO_FLOATS:
        state = State(W, **{name: {"width": came} if name == "info" else came})
        assert_refused(said(state), PluginError, f"State.{name}")


def test_the_numbers_of_a_state_come_out_plain():
    given = State(W, gap=Fraction(1, 2), residual=np.float32(0.25), info={"width": np.int8(3)})
    seen = []
    run = solve(Says([given]), DATA, watch=lambda point, state: seen.append(state))
    point, state = run.points[0], seen[0]
    assert (point.step, point.gap, point.residual) == (1, 0.5, 0.25)
    assert [*map(type, (point.step, point.gap, point.residual))] == [int, float, float]
    assert state.info == {"width": 3.0}
    assert type(state.info["width"]) is float


def test_what_the_laws_allow():
    for gap in (0.0, 0, np.float32(1.0), math.inf):
        solve(Says([State(W, gap=gap)]), DATA, passes=1)
    for w in (np.arange(6.0)[::2], np.full(3, 1e300), W.view(np.memmap)):
        solve(Says([State(w)]), DATA, passes=1)
    diverged = State(np.array([1.0, math.nan, 1.0]), gap=math.nan)
    assert solve(Says([diverged]), DATA).stop is Stop.INVALID


@pytest.mark.parametrize("value", [TOO_LARGE, Fraction(TOO_LARGE), None, "1", True, 1j, np.ones(1)])
@pytest.mark.parametrize("part", ["f", "project"])
def test_an_objective_is_a_number_that_a_float_holds(part, value):
    class Wrong(PairwiseSquare if part == "f" else Identity):
        def value(self, w):
            return value

    class Posed(Says):
        def problem(self, data, rng, budget):
            own = Problem(PairwiseSquare(data))
            return replace(own, **{part: Wrong(data) if part == "f" else Wrong()})

    assert_refused(lambda: solve(Posed([State(W)]), DATA), PluginError, "Wrong.value")


class After(Says):
    """Yields one state, and goes on in its live weights until it ends."""

    def iterates(self, problem, w, rng, budget):
        count_rows(20)
        yield State(w)
        for _ in range(9):
            w -= 0.01 * problem.objective.grad(w)


def test_the_end_of_a_run_has_the_rows_that_were_read_after_the_last_state():
    run = solve(After(()), DATA)
    assert run.stop is Stop.STALLED
    assert [p.passes for p in run.points] == [1, 10]


def inner():
    yield State(W)
    yield State(2.0 * W, gap=-1.0)


class Delegates(Says):
    def iterates(self, problem, w0, rng, budget):
        yield from inner()


def test_the_yield_of_a_delegate_is_named_and_the_solver_inside_a_wrapper():
    line = f"line {inner.__code__.co_firstlineno + 2})"
    assert_refused(lambda: solve(WithProblems(Delegates([])), DATA), PluginError, line)


def test_states_without_progress_are_allowed_up_to_a_number_and_under_seconds():
    class Idle(Says):
        def iterates(self, problem, w0, rng, budget):
            for t in count(1):
                if t % self.states == 0:
                    count_rows(20)
                yield State(w0)

    assert solve(Idle(STUCK), DATA, passes=1).stop is Stop.PASSES
    assert solve(Idle(math.inf), DATA, seconds=0.05).stop is Stop.SECONDS
    assert_refused(lambda: solve(Idle(STUCK + 1), DATA), PluginError, "count_rows")


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
    assert_refused(lambda: solve(Claims(factor, at), DATA), PluginError, "State.value")


def test_a_large_claim_does_not_raise_the_tolerance_of_the_gap():
    true = PairwiseSquare(DATA).value(np.full(3, 0.4))
    tolerance = 0.1 / max(1.0, true, PairwiseSquare(DATA).value(np.zeros(3))) / 2.0
    for at, budget in ((None, {}), (3, {"passes": 3})):
        claims = Claims(1e6, at=at, gap=0.1)
        with pytest.raises(PluginError, match=r"State\.value"):
            solve(claims, DATA, gap_tol=tolerance, **budget)
    assert solve(Claims(1e6, at=3, gap=0.1), DATA, gap_tol=tolerance).stop is Stop.STALLED


def test_a_claim_may_err_by_the_rounding_of_long_rows_and_by_no_more():
    rows = Data.of(DATA.rows.matrix + 1e9, DATA.y)
    f = PairwiseSquare(rows)
    value, error = f.value(W), f.rounding(W)[0]
    assert error > 1e-3 * value
    assert solve(Says([State(W, value=value + 0.9 * error)]), rows, passes=1).stop is Stop.PASSES
    wrong = Says([State(W, value=value + 1.1 * error)])
    assert_refused(lambda: solve(wrong, rows, passes=1), PluginError, "State.value")


# --- parts of a problem --------------------------------------------------------------------


class WrongGrad(PairwiseSquare):
    """grad returns anything."""

    def __init__(self, data, came):
        super().__init__(data)
        self.came = came

    def grad(self, w, rows=slice(None)):
        return self.came


@dataclass(frozen=True)
class WrongBall(Projector):
    """P(v) and `contains` are anything."""

    came: Any

    def __call__(self, v, step=1.0):
        return self.came

    def contains(self, w):
        return self.came


class WrongMap(WrongBall, FeatureMap):
    """fit returns anything."""

    def fit(self, data, rng):
        return self.came


@dataclass(frozen=True)
class Descent(Solver):
    """w <- P(w - f'(w) / 100), on any problem and with any states."""

    made: Any = PairwiseSquare
    project: Any = field(default_factory=lambda: L2Ball(1.0))
    states: Any = None

    def problem(self, data, rng, budget):
        return Problem(self.made(data), self.project) if callable(self.made) else self.made

    def iterates(self, problem, w, rng, budget):
        return self.states(problem) if self.states else self.descent(problem, w)

    def descent(self, problem, w):
        while True:
            w = problem.project(w - 0.01 * problem.f.grad(w), 0.01)
            yield State(w)


class Vague(Says):
    """Poses something else."""

    def problem(self, data, rng, budget):
        return PairwiseSquare(data)


def descent(**parts):
    return lambda: solve(Descent(**parts), DATA, passes=2)


def place(method):
    return f" ({__file__}, line {method.__code__.co_firstlineno})"


RNG = np.random.default_rng(0)
WAYS = {
    "fitted": lambda phi: fitted(phi, DATA, RNG),
    "chain": lambda phi: Chain((phi,)).fit(DATA, RNG),
    "split": lambda phi: map_split(DATA, DATA.rows, phi, RNG),
}
PLACES = {
    "grad": WrongGrad.grad,
    "project": WrongBall.__call__,
    "contains": WrongBall.contains,
    "problem": Descent.problem,
    "Vague": Vague.problem,
    "iterates": Descent.iterates,
    "Says": Says.iterates,
    "fit": WrongMap.fit,
}
WRONG = [None, "abc", (1, 2), [0.0] * 3, np.zeros(4)]
LACKING = [
    (Problem(3), "f is 3"),
    (Problem(PairwiseSquare(DATA), None), "project is None"),
    (Problem(PairwiseSquare(DATA), features=[1]), "features is [1]"),
    (Problem(None, train=[1]), "train is [1]"),
    (Problem(None), "neither"),
]


@refusals(
    *((f"grad {w!r}", descent(made=lambda data, w=w: WrongGrad(data, w)), PluginError,
       "WrongGrad.grad") for w in WRONG),
    *((f"project {w!r}", descent(project=WrongBall(w)), PluginError, "WrongBall.__call__")
      for w in WRONG),
    *((f"contains {w!r}", lambda w=w: contains(WrongBall(w), W), PluginError, "WrongBall.contains")
      for w in WRONG),
    *((f"problem {word}", descent(made=made), PluginError, word) for made, word in LACKING),
    ("Vague", lambda: solve(Vague([]), DATA), PluginError, "PairwiseSquare"),
    ("iterates list", descent(states=lambda problem: [State(W)]), PluginError, "list"),
    ("iterates iterator", descent(states=lambda problem: iter([3])), PluginError, "got 3"),
    ("Says no state", lambda: solve(Says([]), DATA), PluginError, "at least one"),
    *((f"fit {name} {came}", lambda way=way, came=came: way(WrongMap(came)), PluginError,
       f"got {came!r}") for name, way in WAYS.items() for came in (None, "abc", 3.0)),
)  # fmt: skip
def test_a_wrong_part_is_named_with_its_method_and_line(call, error, word, request):
    sentence = assert_refused(call, error, word)
    if "no state" not in request.node.name:  # whose generator has ended, at any line
        method = PLACES[request.node.callspec.id.split()[0]]
        assert sentence.endswith(place(method))


def test_a_part_that_is_right_is_not_blamed():
    def fails(problem):
        yield State(W + 1 / 0)

    with pytest.raises(ZeroDivisionError):
        solve(Descent(states=fails), DATA, passes=2)
    assert wrong_part(Problem(PairwiseSquare(DATA), L2Ball(1.0)), W) is None
