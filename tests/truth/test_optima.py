"""Every convex solver reaches an optimum that was found another way, on varied problems."""

import numpy as np
import optima
import pytest
from nights import some
from samples import sample
from stepping import observed

from aucbench.data import Data
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve

LAM = 0.03
PROBLEMS = {
    "noisy": sample(5, n=90, d=6, shift=0.2),
    "separable": sample(5, n=60, d=5, positives=0.5, shift=2.0),
    "tied": sample(5, n=80, positives=0.4, shift=0.25, ties=True),
    "wide": sample(5, n=24, d=40, positives=0.4, shift=0.1),
    "uneven": sample(5, n=70, d=5, positives=0.2, scale=10.0 ** np.linspace(-1, 1, 5)),
    "far": sample(5, n=60, shift=0.25, offset=100.0),
    "sparse": sample(5, n=120, d=12, positives=0.1, density=0.3, layout="csr"),
}
EACH = pytest.mark.parametrize("problem", PROBLEMS)


def rows_of(problem):
    """The data, with their rows as an array."""
    X, y = PROBLEMS[problem]
    return Data.of(X, y), X.toarray() if hasattr(X, "toarray") else X, y


@pytest.mark.parametrize("problem", some(PROBLEMS, {*PROBLEMS} - {"uneven"}))
@pytest.mark.parametrize("name", ["ls-svm", "spdam", "spdam[sampling=blocks]"])
def test_the_pairwise_square_with_a_ridge(name, problem):
    data, X, y = rows_of(problem)
    w = optima.ridge_weights(X, y, LAM)
    D = optima.differences(X, y)
    least = ((1 - D @ w) ** 2).mean() + LAM / 2 * w @ w
    run = solve(get_solver(name, lam=LAM), data, passes=20_000, gap_tol=1e-7)
    missing = run.points[-1].objective - least
    assert missing == pytest.approx(0.0, abs=2e-7)
    assert run.stop is Stop.CERTIFIED or run.points[-1].gap < 1e-4
    assert missing <= run.points[-1].gap + 1e-9


@EACH
@pytest.mark.parametrize("name", ["svm-or", "roc-svm-full", "roc-svm"])
def test_the_hinge_with_a_ridge(name, problem):
    data, X, y = rows_of(problem)
    run, solved = observed(get_solver(name, lam=LAM), data, passes=500, gap_tol=1e-8)
    f = solved.f
    D = X[f.positives] - X[f.negatives] if name == "roc-svm" else optima.differences(X, y)
    missing = run.points[-1].objective - optima.least_hinge(D, LAM)
    assert missing <= run.points[-1].gap + 1e-9
    if name == "svm-or":  # the others stop where their budget ends
        assert run.stop is Stop.CERTIFIED
        assert -1e-5 <= missing <= 1e-8  # coordinate descent lacks something


@EACH
@pytest.mark.parametrize(("name", "margin"), [("aum", 0.0), ("aum-margin", 1.0)])
def test_the_aum(name, margin, problem):
    data, X, y = rows_of(problem)
    run, solved = observed(get_solver(name, early_stopping=False), data, passes=2000)
    w = optima.least_aum(X, y, margin, None if margin else solved.project.normal)
    stopped = solve(get_solver(name), data, passes=20_000)
    assert run.stop is Stop.CERTIFIED
    assert run.points[-1].objective == pytest.approx(solved.f.value(w), abs=1e-6)
    assert stopped.stop in {Stop.FINISHED, Stop.CERTIFIED}
    assert stopped.points[-1].passes < 20_000


@EACH
@pytest.mark.parametrize("name", ["logistic", "logistic-balanced", "linear-svc"])
def test_classifiers_say_how_near_they_are(name, problem):
    data, X, y = rows_of(problem)
    run = solve(get_solver(name, max_iter=20_000), data)
    w = optima.least_pointwise(name, X, y, 1.0)
    apart = np.linalg.norm(run.w - w)
    assert apart <= 1e-4 * np.linalg.norm(w)
    # Strong convexity in w, at the best intercept: the stated residual bounds the distance.
    assert apart <= 3 * run.points[-1].residual + 1e-5
