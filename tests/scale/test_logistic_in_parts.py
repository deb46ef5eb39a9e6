"""Logistic regression in chunks: its sums, its certificate, and the optimum in memory."""

import numpy as np
import pytest
from parts_problems import in_parts, rows_with_labels
from scipy.optimize import minimize

import aucbench
from aucbench.data import Data
from aucbench.objectives import LogisticInParts
from aucbench.records import Stop

CASES = [{}, {"offset": 30.0}, {"sparse": True}]


def naive(data, C, theta):
    """P at (w, c) of rows as they are, with its gradient, in long doubles."""
    X = data.rows.dense().matrix.astype(np.longdouble)
    m = data.y * (X @ theta[:-1] + theta[-1])
    alpha = 1 / (1 + np.exp(m))
    value = C * np.logaddexp(0, -m).sum() + theta[:-1] @ theta[:-1] / 2
    slope = np.append(theta[:-1] - C * X.T @ (alpha * data.y), -C * (alpha * data.y).sum())
    return float(value), slope.astype(float)


def least(data, C):
    """P at its minimum, by Newton's method in long doubles."""
    Z = np.column_stack([data.rows.dense().matrix, np.ones(data.n)]).astype(np.longdouble)
    theta = np.zeros(data.d + 1)
    for _ in range(60):
        m = data.y * (Z @ theta)
        alpha = (1 / (1 + np.exp(m))).astype(float)
        H = C * (Z.T * (alpha * (1 - alpha))) @ Z + np.diag([*np.ones(data.d), 0])
        theta = theta - np.linalg.solve(H.astype(float), naive(data, C, theta)[1])
    return naive(data, C, theta)[0]


def of_rows(f, theta):
    """The same point for rows as they are: the intercept without the centre."""
    return np.append(theta[:-1], theta[-1] - theta[:-1] @ f.data.centre)


@pytest.mark.parametrize("case", CASES)
def test_value_and_gradient_are_sums_over_the_rows(case):
    data = rows_with_labels(51, **case)
    f = LogisticInParts(in_parts(data), 2.0)
    theta = np.random.default_rng(0).standard_normal(data.d + 1) / 5
    at = f.at(theta)
    value, slope = naive(data, 2.0, of_rows(f, theta))
    assert at.value == pytest.approx(value, rel=1e-12)
    slope[:-1] -= f.data.centre * slope[-1]  # z is centred
    np.testing.assert_allclose(at.gradient, slope, rtol=1e-9, atol=1e-9 * abs(slope).max())


@pytest.mark.parametrize("C", [1e-4, 0.1, 100.0])
@pytest.mark.parametrize("case", CASES)
def test_the_gap_is_at_least_the_true_one_at_any_point(case, C):
    data = rows_with_labels(52, n=80, d=3, **case)
    f = LogisticInParts(in_parts(data, 11), C)
    best = least(data, C)
    rng = np.random.default_rng(1)
    run = aucbench.solve(aucbench.get_solver("logistic", C=C), f.data)
    near = np.append(run.w, 0.0)
    for theta in [0.3 * rng.standard_normal((20, 4)), near + 1e-3 * rng.standard_normal((20, 4))]:
        for t in theta:
            at = f.at(t)
            assert at.value - best <= at.gap * (1 + 1e-12)
    assert f.value(run.w) + run.w @ run.w / 2 - best <= run.points[-1].gap


def test_the_gap_is_quadratic_at_the_best_intercept():
    data = rows_with_labels(53)
    f = LogisticInParts(in_parts(data), 1.0)
    at = f._best(np.full(data.d, 0.01))
    assert at.gap == pytest.approx(0.5 * at.residual**2, rel=1e-3)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("C", [1e-2, 1.0])
def test_logistic_by_parts_is_that_in_memory(case, C):
    data = rows_with_labels(54, n=2000, **case)
    solver = aucbench.get_solver("logistic", C=C)
    parts = in_parts(data, 300)
    run, exact = aucbench.solve(solver, parts, gap_tol=1e-11), aucbench.solve(solver, data)
    assert run.stop in (Stop.CERTIFIED, Stop.FINISHED)
    assert run.points[-1].gap <= 1e-9 * run.points[-1].objective
    keep = np.arange(data.d) != data.d // 2  # scikit-learn leaves the constant one unfinished
    np.testing.assert_allclose(run.w[keep], exact.w[keep], rtol=2e-4, atol=1e-4)


def test_the_best_intercept_is_found_at_any_weights():
    data = rows_with_labels(57, n=200)
    f = LogisticInParts(in_parts(data), 3.0)
    for w in (np.zeros(data.d), np.linspace(-2.0, 2.0, data.d)):
        c = minimize(lambda c, w=w: naive(data, 3.0, np.append(w, c))[0], [0.0]).x[0]
        P = naive(data, 3.0, np.append(w, c))[0] - w @ w / 2
        assert f.value(w) == pytest.approx(P, rel=1e-9)
        e = 1e-6 * np.eye(data.d)
        if w.any():
            slope = [(f.value(w + row) - f.value(w - row)) / 2e-6 for row in e]
            np.testing.assert_allclose(f.grad(w), slope, rtol=1e-4, atol=1e-3)


def test_separable_rows_have_finite_weights():
    rng = np.random.default_rng(2)
    y = np.where(rng.random(300) < 0.4, 1, -1)
    X = np.column_stack([y * 1e3 + rng.standard_normal(300), rng.standard_normal(300)])
    parts = in_parts(Data.of(X, y), 50)
    run = aucbench.solve(aucbench.get_solver("logistic", C=1e4), parts, passes=30)
    assert np.isfinite(run.w).all()
    assert np.isfinite(run.points[-1].gap)
