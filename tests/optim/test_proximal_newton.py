"""Proximal Newton steps: the optimum, its certificate, and the quadratic problem inside."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sequences import wide

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.objectives import IntervalHinge
from aucbench.optim.proximal_newton import feature_signs, proximal_newton
from aucbench.projectors import ElasticNet


def quadratic(H, q, l1, v):
    return 0.5 * v @ H @ v + q @ v + l1 @ np.abs(v)


def best_of_all_signs(H, q, l1):
    """Minimiser by trying every pattern of signs."""
    best = np.zeros(q.size)
    for signs in product([-1.0, 0.0, 1.0], repeat=q.size):
        A = np.flatnonzero(np.array(signs) != 0.0)
        v = np.zeros(q.size)
        v[A] = np.linalg.solve(H[np.ix_(A, A)], -q[A] - l1[A] * np.array(signs)[A])
        if quadratic(H, q, l1, v) < quadratic(H, q, l1, best):
            best = v
    return best


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_feature_signs_find_the_best_signs(seed, d):
    rng = np.random.default_rng(seed)
    R, q = rng.normal(size=(d + 1, d)), 2.0 * rng.normal(size=d)
    H, l1 = R.T @ R + 0.01 * np.eye(d), rng.choice([0.0, 0.5, 2.0], d)
    expected = best_of_all_signs(H, q, l1)
    for start in (np.zeros(d), rng.normal(size=d), expected):
        before = start.copy()
        found = feature_signs(H, q, l1, start)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert (found[l1 > 0.0] == 0.0).tolist() == (expected[l1 > 0.0] == 0.0).tolist()
        np.testing.assert_array_equal(start, before)


def hinge(n=40, d=3, seed=0, columns=None):
    data = wide(n, d, seed)
    X = data.rows.matrix if columns is None else columns(data.rows.matrix)
    return IntervalHinge(Data(rows(np.c_[X, np.ones(n)]), data.target))


def last(f, omega):
    *_, at = proximal_newton(f, omega, np.zeros(f.data.d))
    return at


PENALTIES = [ElasticNet(0.1, 0.0, 1), ElasticNet(0.0, 0.1, 1), ElasticNet(0.05, 0.05, 1)]


@pytest.mark.parametrize("omega", PENALTIES)
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_is_that_of_a_general_method(omega, seed):
    f = hinge(seed=seed)
    at = last(f, omega)

    def split(v):  # w = p − m, p and m at least 0, makes the problem smooth
        w = np.append(v[:3] - v[3:6], v[6])
        g = f.grad(w)
        own = g[:3] + omega.l2 * w[:3]
        slopes = np.r_[own + omega.l1, -own + omega.l1, g[3:]]
        return f.value(w) + omega.l1 * v[:6].sum() + omega.l2 / 2 * w[:3] @ w[:3], slopes

    bounds = [(0.0, None)] * 6 + [(None, None)]
    general = minimize(
        split, np.zeros(7), jac=True, bounds=bounds, method="L-BFGS-B", options={"gtol": 1e-10}
    )
    assert at.value == pytest.approx(general.fun, rel=1e-8)
    assert at.value == pytest.approx(f.value(at.w) + omega.value(at.w), rel=1e-12)
    assert 0.0 <= at.gap <= 1e-8 * f.value(np.zeros(4))


@pytest.mark.parametrize("omega", [*PENALTIES, ElasticNet(1e-4, 0.0, 1), ElasticNet(0.0, 1e-4, 1)])
def test_every_gap_holds_and_every_step_goes_down(omega):
    f = hinge(200, 8, columns=lambda X: X * 10.0 ** np.arange(-2, X.shape[1] - 2) + 3.0)
    points = list(proximal_newton(f, omega, np.zeros(9)))
    values = np.array([at.value for at in points])
    assert (np.diff(values) < 0.0).all()
    for at in points:
        assert at.gap >= at.value - values[-1]
    assert len(points) < 30
    assert points[-1].gap < 1e-6 * values[0]  # features differ by 10⁷ in scale


def test_copies_of_a_feature_and_constant_features_do_no_harm():
    def columns(X):
        return np.c_[X, X[:, 0], X[:, 0] * (1.0 + 1e-9), np.full(len(X), 3.0), np.zeros(len(X))]

    for omega in PENALTIES:
        at = last(hinge(columns=columns), omega)
        assert at.gap <= 1e-8
        assert at.value <= last(hinge(), omega).value * (1.0 + 1e-9)
        assert at.w[6] == 0.0


def test_a_penalty_that_is_too_large_leaves_the_intercept_only():
    f = hinge()
    w = last(f, ElasticNet(1e300, 0.0, 1)).w
    np.testing.assert_array_equal(w[:3], 0.0)
    values = [f.value(np.array([0.0, 0.0, 0.0, w[3] + h])) for h in (-1e-4, 0.0, 1e-4)]
    assert min(values) == values[1]


def test_rows_that_any_score_satisfies_leave_the_start_as_it_is():
    free = np.arange(3, 40, 4, dtype=np.int32)  # the sequences without errors
    f = IntervalHinge(hinge().data.take(free))
    [only] = proximal_newton(f, ElasticNet(0.0, 0.0, 1), np.ones(4))
    np.testing.assert_array_equal(only.w, 1.0)
    assert (only.value, only.gap) == (0.0, 0.0)
