"""The classifiers of scikit-learn: their weights, and how far they are from their optimum."""

import numpy as np
import pytest
from layouts import LAYOUTS
from optima import pointwise
from samples import sample
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from aucbench.data import Data
from aucbench.registry import get_solver
from aucbench.solving.loop import solve

NAMES = pytest.mark.parametrize("name", ["logistic", "logistic-balanced", "linear-svc"])


@LAYOUTS
@NAMES
def test_the_residual_is_the_gradient_of_the_stated_objective(layout, name):
    X, y = sample(3, n=600, d=5, positives=0.2, density=0.7, shift=0.3)
    run = solve(get_solver(name, C=2.0, max_iter=1000), Data.of(layout(X), y))
    weight = "balanced" if name == "logistic-balanced" else None
    estimator = LinearSVC if name == "linear-svc" else LogisticRegression
    fitted = estimator(C=2.0, tol=1e-8, max_iter=1000, class_weight=weight).fit(layout(X), y)
    _, gradient = pointwise(name, X, y, 2.0)(np.r_[fitted.coef_[0], fitted.intercept_])
    np.testing.assert_allclose(run.w, fitted.coef_[0], rtol=1e-6)
    assert 0 < run.points[-1].residual < 1e-4
    assert run.points[-1].residual == pytest.approx(np.linalg.norm(gradient), rel=1e-3, abs=1e-11)


@NAMES
def test_too_few_iterations_leave_a_residual_and_a_warning(name):
    X, y = sample(3, n=150, d=40, positives=0.2)
    with pytest.warns(ConvergenceWarning):
        run = solve(get_solver(name, max_iter=2), Data.of(X, y))
    assert run.points[-1].residual > 1e-3
