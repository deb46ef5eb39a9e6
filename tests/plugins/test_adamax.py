"""AdaMax against the recurrence written out."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import adamax as naive

from aucbench.contract import Budget, Cut, Objective, Problem
from aucbench.data import Data
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import ElasticNet
from aucbench.registry import get_solver

SHARES = st.sampled_from([0.0, 0.5, 0.9, 0.999])
DATA = Data.of(np.eye(5), [1, -1, 1, -1, 1])


class Given(Objective):
    """An objective whose subgradients are given, whatever the weights are."""

    def __init__(self, gradients):
        self.data, self.left = DATA, [*gradients]

    def cut(self, w):
        return Cut(0.0, self.left.pop(0), 0.0)


def states(solver, f, w):
    problem = Problem(f, ElasticNet(0.0, 0.0))
    return solver.iterates(problem, w, np.random.default_rng(0), Budget())


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), SHARES, SHARES, st.floats(1e-6, 10.0))
def test_it_is_the_published_recurrence(seed, beta1, beta2, step):
    rng = np.random.default_rng(seed)
    gradients = rng.normal(size=(12, 5)) * (rng.random((12, 5)) < 0.5)  # zeros too
    w = rng.normal(size=5)
    solver = get_solver("roc-svm", step=step, beta1=beta1, beta2=beta2)

    found = [state.w.copy() for state in islice(states(solver, Given(gradients), w.copy()), 10)]

    expected = naive(gradients[:10], w, step, beta1, beta2)
    for v, u in zip(found, expected, strict=True):
        np.testing.assert_allclose(v, u, rtol=1e-12, atol=1e-12)


def test_it_needs_cuts():
    with pytest.raises(UnsupportedError, match="PairwiseSquare has no cuts"):
        next(states(get_solver("roc-svm"), PairwiseSquare(DATA), np.zeros(5)))


@pytest.mark.parametrize("solver", ["roc-svm", "roc-svm-full"])
def test_parameters_are_checked(solver):
    for wrong in ({"beta1": 1.0}, {"beta2": -0.1}, {"beta2": float("nan")}):
        with pytest.raises(ParameterError, match="less than 1, got"):
            get_solver(solver, **wrong)
    for wrong in ({"lam": 0.0}, {"step": -1.0}):
        with pytest.raises(ParameterError, match="greater than 0"):
            get_solver(solver, **wrong)
