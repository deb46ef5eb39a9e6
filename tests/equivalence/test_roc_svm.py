"""roc-svm against roc-svm-full, and that against the exact optimum."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from layouts import LAYOUTS
from reference import adamax as naive
from stepping import posed, states

from aucbench.data import Data
from aucbench.objectives import IncompleteHinge
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve

BOTH = pytest.mark.parametrize("name", ["roc-svm", "roc-svm-full"])


def sample(layout=np.asarray, n=120, d=5, shift=0.5):
    rng = np.random.default_rng(12)
    y = np.where(rng.random(n) < 0.25, 1, -1)
    return Data.of(layout(rng.normal(size=(n, d)) + shift * y[:, None]), y)


def every_pair(data):
    pos, neg = (np.flatnonzero(data.y == side).astype(np.int32) for side in (1, -1))
    return IncompleteHinge(data, np.repeat(pos, neg.size), np.tile(neg, pos.size))


def path(solver, problem, steps=40, w0=None):
    made = states(solver, problem, np.random.default_rng(0), w0)
    return np.array([s.w.copy() for s in islice(made, steps)])


@LAYOUTS
def test_a_sample_of_every_pair_once_gives_the_iterates_of_all_pairs(layout):
    data = sample(layout)
    full = get_solver("roc-svm-full", lam=0.1, step=0.05)
    problem = posed(full, data, np.random.default_rng(0))
    sampled = replace(problem, f=every_pair(data))

    w = path(get_solver("roc-svm", lam=0.1, step=0.05), sampled)

    np.testing.assert_allclose(w, path(full, problem), rtol=1e-8, atol=1e-10)


def test_the_iterates_are_adamax_on_the_double_sum():
    data, lam = sample(), 0.05
    X, y = data.rows.matrix, data.y
    D = (X[y > 0][:, None, :] - X[y < 0][None, :, :]).reshape(-1, data.d)
    solver = get_solver("roc-svm-full", lam=lam, step=2e-3)
    found = path(solver, posed(solver, data, np.random.default_rng(0)), steps=30)
    starts = [np.zeros(data.d), *found[:-1]]
    gradients = [-D[D @ w < 1].sum(axis=0) / len(D) + lam * w for w in starts]

    expected = naive(gradients, np.zeros(data.d), 2e-3, 0.9, 0.999)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_pairs_are_drawn_once_as_many_as_asked():
    data, rng = sample(), np.random.default_rng(3)

    default = posed(get_solver("roc-svm"), data, rng).f
    few = posed(get_solver("roc-svm", pairs=7), data, np.random.default_rng(4)).f
    again = posed(get_solver("roc-svm", pairs=7, lam=1.0), data, np.random.default_rng(4)).f

    assert (default.positives.size, few.positives.size) == (data.n, 7)
    np.testing.assert_array_equal(few.positives, again.positives)
    np.testing.assert_array_equal(few.negatives, again.negatives)


@LAYOUTS
def test_the_full_model_reaches_the_certified_optimum(layout):
    data = sample(layout)
    exact = solve(get_solver("svm-or", lam=0.1), data, passes=2000, gap_tol=1e-9)
    least = exact.points[-1].objective

    run = solve(get_solver("roc-svm-full", lam=0.1), data, passes=4000)

    assert exact.stop is Stop.CERTIFIED
    assert -1e-8 <= run.points[-1].objective - least <= 1e-3 * least
    np.testing.assert_allclose(run.w, exact.w, atol=0.02)


@BOTH
def test_it_starts_where_the_problem_says(name):
    solver, data = get_solver(name, step=2e-3), sample()
    problem = posed(solver, data, np.random.default_rng(0))
    w0 = np.linspace(-1, 1, data.d)

    first = path(solver, problem, steps=1, w0=w0)[0]

    np.testing.assert_allclose(np.abs(first - w0), 2e-3, rtol=1e-12)


@BOTH
def test_the_default_step_is_one_over_the_mean_distance_of_a_pair(name):
    solver, data = get_solver(name), sample()
    X, y = data.rows.matrix, data.y
    apart = X[y > 0][:, None, :] - X[y < 0][None, :, :]

    first = path(solver, posed(solver, data, np.random.default_rng(0)), steps=1)[0]

    np.testing.assert_allclose(np.abs(first), (apart**2).sum(axis=2).mean() ** -0.5, rtol=1e-10)
