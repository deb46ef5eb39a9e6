"""The classifiers of scikit-learn reach the optimum of the objective that their solvers state."""

import numpy as np
import pytest
from layouts import LAYOUTS
from scipy.optimize import minimize
from scipy.special import expit

from aucbench.data import Data
from aucbench.registry import get_solver
from aucbench.solving.loop import solve

SHAPES = {"long": (600, 5), "wide": (60, 90), "square": (150, 40)}
NAMES = pytest.mark.parametrize("name", ["logistic", "logistic-balanced", "linear-svc"])


def sample(shape, seed=3):
    """Features of scales between 1/10 and 10, in two classes that overlap."""
    rng = np.random.default_rng(seed)
    n, d = SHAPES[shape]
    y = np.where(rng.random(n) < 0.2, 1, -1)
    X = 10.0 ** rng.uniform(-1, 1, d) * (rng.normal(size=(n, d)) + 0.3 * y[:, None])
    X[rng.random(X.shape) < 0.3] = 0.0
    return X / np.abs(X).max(axis=0), y


def stated(name, X, y, C):
    """The objective in (w, c) as the docstring has it, with its gradient."""
    Z = np.column_stack([X, np.ones(len(y))])
    weights = len(y) / (2 * np.where(y > 0, np.sum(y > 0), np.sum(y < 0)))
    v = C * (weights if name == "logistic-balanced" else np.ones(len(y)))
    penalised = np.ones(Z.shape[1])
    penalised[-1] = name == "linear-svc"

    def objective(u):
        m = y * (Z @ u)
        if name == "linear-svc":
            losses, slopes = np.maximum(0, 1 - m) ** 2, -2 * np.maximum(0, 1 - m)
        else:
            losses, slopes = np.logaddexp(0, -m), -expit(-m)
        value = penalised @ (u * u) / 2 + v @ losses
        return value, penalised * u + Z.T @ (v * y * slopes)

    return objective


@LAYOUTS
@NAMES
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_it_ends_at_the_optimum_and_says_how_near(layout, name, shape, C):
    X, y = sample(shape)
    objective = stated(name, X, y, C)
    limits = {"gtol": 1e-12, "ftol": 0.0, "maxiter": 50_000, "maxfun": 100_000, "maxcor": 50}
    start = np.zeros(X.shape[1] + 1)
    best = minimize(objective, start, jac=True, method="L-BFGS-B", options=limits)
    assert np.linalg.norm(best.jac) < 1e-5 * C

    run = solve(get_solver(name, C=C), Data.of(layout(X), y))

    w = best.x[:-1]
    assert np.linalg.norm(run.w - w) < 1e-4 * np.linalg.norm(w)
    # Strong convexity in w, at the best intercept: the stated residual bounds the distance.
    assert np.linalg.norm(run.w - w) <= 3 * run.points[-1].residual + 1e-5


@LAYOUTS
@NAMES
def test_the_residual_is_the_gradient_of_the_stated_objective(layout, name):
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    X, y = sample("long")
    run = solve(get_solver(name, C=2.0, max_iter=1000), Data.of(layout(X), y))
    weight = "balanced" if name == "logistic-balanced" else None
    estimator = LinearSVC if name == "linear-svc" else LogisticRegression
    fitted = estimator(C=2.0, tol=1e-8, max_iter=1000, class_weight=weight).fit(layout(X), y)
    np.testing.assert_allclose(run.w, fitted.coef_[0], rtol=1e-6)
    _, gradient = stated(name, X, y, 2.0)(np.r_[fitted.coef_[0], fitted.intercept_])

    assert 0 < run.points[-1].residual < 1e-4
    assert run.points[-1].residual == pytest.approx(np.linalg.norm(gradient), rel=1e-3, abs=1e-11)


@NAMES
def test_too_few_iterations_leave_a_residual_and_a_warning(name):
    from sklearn.exceptions import ConvergenceWarning

    X, y = sample("square")

    with pytest.warns(ConvergenceWarning):
        run = solve(get_solver(name, max_iter=2), Data.of(X, y))

    assert run.points[-1].residual > 1e-3
