"""roc-svm and roc-svm-full are AdaMax on the mean hinge of their pairs."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import LAYOUTS
from optima import differences
from reference import adamax as naive
from samples import data
from stepping import posed, states

from aucbench.contract import Cut, Objective, Problem
from aucbench.data import Data
from aucbench.objectives import IncompleteHinge
from aucbench.projectors import ElasticNet
from aucbench.registry import get_solver

SHARES = st.sampled_from([0.0, 0.5, 0.9, 0.999])
DATA = data(12, n=120, d=5, positives=0.25)
D = differences(DATA.rows.matrix, DATA.y)


class Given(Objective):
    """An objective whose subgradients are given, whatever the weights are."""

    def __init__(self, gradients):
        self.data, self.left = Data.of(np.eye(5), [1, -1, 1, -1, 1]), [*gradients]

    def cut(self, w):
        return Cut(0.0, self.left.pop(0), 0.0)


def path(solver, problem, steps=40, w0=None):
    made = states(solver, problem, np.random.default_rng(0), w0)
    return np.array([s.w.copy() for s in islice(made, steps)])


def of_data(solver, rows=DATA):
    return posed(solver, rows, np.random.default_rng(0))


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), SHARES, SHARES, st.floats(1e-6, 10.0))
def test_it_is_the_published_recurrence(seed, beta1, beta2, step):
    rng = np.random.default_rng(seed)
    gradients = rng.normal(size=(12, 5)) * (rng.random((12, 5)) < 0.5)  # zeros too
    w = rng.normal(size=5)
    solver = get_solver("roc-svm", step=step, beta1=beta1, beta2=beta2)
    found = path(solver, Problem(Given(gradients), ElasticNet(0.0, 0.0)), 10, w)
    expected = naive(gradients[:10], w, step, beta1, beta2)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@LAYOUTS
def test_a_sample_of_every_pair_once_gives_the_iterates_of_all_pairs(layout):
    rows = data(12, n=120, d=5, positives=0.25, layout=layout)
    full = get_solver("roc-svm-full", lam=0.1, step=0.05)
    problem = of_data(full, rows)
    pos, neg = (np.flatnonzero(rows.y == side).astype(np.int32) for side in (1, -1))
    every = IncompleteHinge(rows, np.repeat(pos, neg.size), np.tile(neg, pos.size))
    w = path(get_solver("roc-svm", lam=0.1, step=0.05), replace(problem, f=every))
    np.testing.assert_allclose(w, path(full, problem), rtol=1e-8, atol=1e-10)


def test_pairs_are_drawn_once_as_many_as_asked():
    solvers = [get_solver("roc-svm", **g) for g in ({}, {"pairs": 7}, {"pairs": 7, "lam": 1.0})]
    default, few, again = (of_data(solver).f for solver in solvers)
    assert (default.positives.size, few.positives.size) == (DATA.n, 7)
    np.testing.assert_array_equal(few.positives, again.positives)
    np.testing.assert_array_equal(few.negatives, again.negatives)


@pytest.mark.parametrize("name", ["roc-svm", "roc-svm-full"])
def test_the_first_step_is_from_the_start_and_as_long_as_the_mean_distance_of_a_pair_asks(name):
    w0 = np.linspace(-1, 1, 5)
    for how, step in (({"step": 2e-3}, 2e-3), ({}, (D**2).sum(axis=1).mean() ** -0.5)):
        solver = get_solver(name, **how)
        first = path(solver, of_data(solver), steps=1, w0=w0)[0]
        np.testing.assert_allclose(np.abs(first - w0), step, rtol=1e-10)
