"""AdaMax against the recurrence written out, and what it promises."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import adamax as naive

from aucbench.errors import ParameterError
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import ElasticNet
from aucbench.protocols import Problem
from aucbench.registry import get_dataset, get_solver
from aucbench_plugins.roc_svm.adamax import adamax, adamax_ridge

PAPER = {"step": 2e-3, "beta1": 0.9, "beta2": 0.999}
SHARES = st.sampled_from([0.0, 0.5, 0.9, 0.999])


def run(gradient, w, count, **moves):
    return [(v.copy(), G.copy()) for v, G in islice(adamax(gradient, w, **moves), count)]


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), SHARES, SHARES, st.floats(1e-6, 10.0))
def test_it_is_the_published_recurrence(seed, beta1, beta2, step):
    rng = np.random.default_rng(seed)
    gradients = rng.normal(size=(12, 5)) * (rng.random((12, 5)) < 0.5)  # zeros too
    w = rng.normal(size=5)
    kept = [*gradients]

    found = run(lambda _: kept.pop(0), w.copy(), 10, step=step, beta1=beta1, beta2=beta2)

    expected = naive(gradients[:10], w, step, beta1, beta2)
    for (v, _), u in zip(found, expected, strict=True):
        np.testing.assert_allclose(v, u, rtol=1e-12, atol=1e-12)


def test_the_first_step_has_the_same_length_in_every_direction():
    w = np.zeros(4)

    next(adamax(lambda v: np.array([1e-200, -3.0, 1e200, 0.0]), w, **PAPER))

    np.testing.assert_allclose(w, [-2e-3, 2e-3, -2e-3, 0.0], rtol=1e-12)


def test_no_step_is_longer_than_said():
    rng = np.random.default_rng(1)
    found = run(lambda _: rng.standard_cauchy(6), np.zeros(6), 200, **PAPER)
    lengths = np.abs(np.diff([v for v, _ in found], axis=0)).max(axis=1)

    t = np.arange(2, 201)
    assert (lengths <= 2e-3 * 0.1 / (1 - 0.9 / 0.999) / (1 - 0.9**t) * (1 + 1e-9)).all()


def test_each_gradient_is_that_of_the_weights_it_comes_with():
    for w, G in run(lambda v: v - 3.0, np.zeros(2), 5, **PAPER):
        np.testing.assert_array_equal(G, w - 3.0)


def test_the_gap_bounds_the_distance_to_the_minimum():
    data = get_dataset("digits-8")
    f, lam = PairwiseSquare(data), 0.5
    problem = Problem(f, ElasticNet(0.0, lam))
    exact = get_solver("ls-svm", lam=lam)
    rng = np.random.default_rng(0)
    *_, best = exact.iterates(exact.problem(data, rng), rng)
    least = problem.value(best.w)

    states = islice(adamax_ridge(problem, step=1e-4, beta1=0.9, beta2=0.999), 400)
    seen = [(s.rows_seen, problem.value(s.w) - least, s.gap, s.residual) for s in states]

    assert [rows for rows, *_ in seen] == [(t + 1) * data.n for t in range(1, 401)]
    assert all(-1e-12 <= excess <= gap for _, excess, gap, _ in seen)
    assert all(gap == pytest.approx(r**2 / (2 * lam)) for *_, gap, r in seen)
    assert seen[-1][1] < 0.05 * seen[0][1]


@pytest.mark.parametrize("name", ["roc-svm", "roc-svm-full"])
def test_a_state_has_the_objective_of_its_weights(name):
    solver, data, rng = get_solver(name), get_dataset("digits-8"), np.random.default_rng(0)
    problem = solver.problem(data, rng)

    for state in islice(solver.iterates(problem, rng), 5):
        assert state.value == problem.value(state.w)


@pytest.mark.parametrize("solver", ["roc-svm", "roc-svm-full"])
def test_parameters_are_checked(solver):
    for wrong in ({"beta1": 1.0}, {"beta2": -0.1}, {"beta2": float("nan")}):
        with pytest.raises(ParameterError, match="less than 1, got"):
            get_solver(solver, **wrong)
    for wrong in ({"lam": 0.0}, {"step": -1.0}):
        with pytest.raises(ParameterError, match="greater than 0"):
            get_solver(solver, **wrong)
