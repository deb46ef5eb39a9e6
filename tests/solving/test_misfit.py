"""Methods that return what they must not: the sentence names class, method, file and line."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from aucbench import Data, solve
from aucbench.bench.worker.features import map_split
from aucbench.contract import FeatureMap, Problem, Projector, Solver, State
from aucbench.errors import PluginError
from aucbench.features.chain import Chain, fitted
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import L2Ball
from aucbench.solving.laws import wrong_part
from aucbench.solving.values import contains

WRONG = {"None": None, "text": "abc", "tuple": (1, 2), "list": [0.0] * 4, "shape": np.zeros(3)}


def rows():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 3 == 0
    return Data.of(rng.normal(size=(40, 4)) + y[:, None], y)


class WrongGrad(PairwiseSquare):
    """grad returns anything."""

    def __init__(self, data, came):
        super().__init__(data)
        self.came = came

    def grad(self, w, rows=slice(None)):
        """Return it."""
        return self.came


@dataclass(frozen=True)
class WrongBall(Projector):
    """P(v) and `contains` are anything."""

    came: Any

    def __call__(self, v, step=1.0):
        """Return it."""
        return self.came

    def contains(self, w):
        """Return it."""
        return self.came


@dataclass(frozen=True)
class WrongMap(FeatureMap):
    """fit returns anything."""

    came: Any

    def fit(self, data, rng):
        """Return it."""
        return self.came


@dataclass(frozen=True)
class Descent(Solver):
    """w <- P(w - f'(w) / 100), on any problem and with any states."""

    made: Any = PairwiseSquare
    project: Any = field(default_factory=lambda: L2Ball(1.0))
    states: Any = None

    def problem(self, data, rng, budget):
        """min f + Ω."""
        return Problem(self.made(data), self.project) if callable(self.made) else self.made

    def iterates(self, problem, w0, rng, budget):
        """Return states, or what was given."""
        return self.descent(problem, w0) if self.states is None else self.states(problem)

    def descent(self, problem, w):
        """Yield states."""
        while True:
            w = problem.project(w - 0.01 * problem.f.grad(w), 0.01)
            yield State(w)


def line(function):
    return f" ({__file__}, line {function.__code__.co_firstlineno})"


def said(**parts):
    with pytest.raises(PluginError) as caught:
        solve(Descent(**parts), rows(), passes=2)
    return str(caught.value)


@pytest.mark.parametrize("name", WRONG)
def test_a_gradient_and_a_projection_that_are_no_vector(name):
    came = WRONG[name]
    shown = "an array of shape (3,)" if name == "shape" else repr(came)
    wanted = f"returned {shown}, wanted an array of shape (4,)"
    place = line(WrongGrad.grad)
    assert said(made=lambda data: WrongGrad(data, came)) == f"WrongGrad.grad {wanted}{place}"
    place = line(WrongBall.__call__)
    assert said(project=WrongBall(came)) == f"WrongBall.__call__ {wanted}{place}"
    with pytest.raises(PluginError) as caught:
        contains(WrongBall(came), np.zeros(4))
    assert str(caught.value).startswith("WrongBall.contains returned ")
    assert str(caught.value).endswith(f", wanted True or False{line(WrongBall.contains)}")


def test_a_part_that_is_right_is_not_blamed():
    def fails(problem):
        yield State(np.zeros(4) + 1 / 0)

    with pytest.raises(ZeroDivisionError):
        solve(Descent(states=fails), rows(), passes=2)
    assert wrong_part(Problem(PairwiseSquare(rows()), L2Ball(1.0)), np.zeros(4)) is None


PARTS = {
    "f is 3, which lacks data, value, grad": lambda data: Problem(3),
    "project is None, which lacks __call__, contains, value": lambda data: Problem(
        PairwiseSquare(data), None
    ),
    "features is [1], which lacks __call__, exempt": lambda data: Problem(
        PairwiseSquare(data), features=[1]
    ),
    "train is [1], wanted Data": lambda data: Problem(None, train=[1]),
}


@pytest.mark.parametrize("told", PARTS)
def test_a_part_of_another_kind(told):
    place = line(Descent.problem)
    made = PARTS[told](rows())
    told = f"Descent.problem returned a Problem whose {told}{place}"
    assert said(made=made) == told


def test_states_of_an_iterator_that_is_no_generator_have_the_place_of_their_method():
    assert said(states=lambda problem: iter([3])).endswith(f"got 3{line(Descent.iterates)}")


@pytest.mark.parametrize("came", [None, "abc", 3.0])
def test_a_map_whose_fit_returns_no_map(came):
    data, rng = rows(), np.random.default_rng(0)
    ways = (
        lambda: fitted(WrongMap(came), data, rng),
        lambda: Chain((WrongMap(came),)).fit(data, rng),
        lambda: map_split(data, data.rows, WrongMap(came), rng),
    )
    for way in ways:
        with pytest.raises(PluginError) as caught:
            way()
        told = f"WrongMap.fit must return a map that is fitted, got {came!r}{line(WrongMap.fit)}"
        assert str(caught.value).endswith(told)
