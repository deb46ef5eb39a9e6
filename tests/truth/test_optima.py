"""Every convex solver reaches an optimum that was found another way, on varied problems."""

import numpy as np
import optima
import pytest
from layouts import LAYOUTS
from observed import observed

from aucbench.data import Data
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve

pytestmark = pytest.mark.slow
LAM = 0.03


def problems():
    """Rows and labels by name: noisy, separable, tied, wide, uneven, far from 0, sparse."""
    rng = np.random.default_rng(5)

    def labels(n, share):
        return np.where(np.arange(n) < share * n, 1, -1)

    def drawn(n, d, share, apart):
        y = labels(n, share)
        return rng.normal(size=(n, d)) + apart * (y > 0)[:, None] / np.sqrt(d), y

    noisy = drawn(90, 6, 0.3, 0.8)
    tied = np.round(drawn(80, 4, 0.4, 1.0)[0]), labels(80, 0.4)
    uneven, y = drawn(70, 5, 0.2, 1.5)
    sparse = drawn(120, 12, 0.1, 2.0)
    sparse[0][rng.random((120, 12)) < 0.7] = 0.0
    sparse[0][sparse[1] < 0, 0] = 0.0  # a feature of positives alone
    return {
        "noisy": noisy,
        "separable": drawn(60, 5, 0.5, 9.0),
        "tied": tied,
        "wide": drawn(24, 40, 0.4, 1.0),
        "uneven": (uneven * 10.0 ** np.linspace(-1, 1, 5), y),
        "far": (drawn(60, 4, 0.3, 1.0)[0] + 300.0, labels(60, 0.3)),
        "sparse": sparse,
    }


PROBLEMS = problems()
EACH = pytest.mark.parametrize("problem", PROBLEMS)


def least_square(X, y, lam):
    """min F(w) + (λ/2)‖w‖² by the normal equations of centred rows."""
    pos, neg = X[y > 0], X[y < 0]
    delta = neg.mean(axis=0) - pos.mean(axis=0)
    H = 2 * (np.cov(pos.T, bias=True) + np.cov(neg.T, bias=True) + np.outer(delta, delta))
    return 1.0 + delta @ np.linalg.solve(H + lam * np.eye(X.shape[1]), -2 * delta)


@LAYOUTS
@EACH
@pytest.mark.parametrize("name", ["ls-svm", "spdam[sampling=blocks]", "spdam"])
def test_the_pairwise_square_with_a_ridge(name, problem, layout):
    X, y = PROBLEMS[problem]

    run = solve(get_solver(name, lam=LAM), Data.of(layout(X), y), passes=20_000, gap_tol=1e-7)

    missing = run.points[-1].objective - least_square(X, y, LAM)
    assert missing == pytest.approx(0.0, abs=2e-7)
    assert run.stop is Stop.CERTIFIED or run.points[-1].gap < 1e-4
    assert missing <= run.points[-1].gap + 1e-9


@LAYOUTS
@EACH
@pytest.mark.parametrize("name", ["svm-or", "roc-svm-full", "roc-svm"])
def test_the_hinge_with_a_ridge(name, problem, layout):
    X, y = PROBLEMS[problem]
    solver = get_solver(name, lam=LAM)
    run, solved = observed(solver, Data.of(layout(X), y), passes=500, gap_tol=1e-8)
    f = solved.f
    pairs = name == "roc-svm"
    D = X[f.positives] - X[f.negatives] if pairs else optima.differences(X, y)
    least = min(
        np.maximum(1.0 - D @ w, 0.0).mean() + LAM / 2 * w @ w
        for w in optima.hinge_candidates(D, LAM)
    )

    missing = run.points[-1].objective - least
    assert missing <= run.points[-1].gap + 1e-9
    if name == "svm-or":  # the others stop where their budget ends
        assert run.stop is Stop.CERTIFIED
        assert missing <= 1e-8
        assert missing >= -1e-5  # of what coordinate descent lacks


@LAYOUTS
@EACH
@pytest.mark.parametrize(("name", "margin"), [("aum", 0.0), ("aum-margin", 1.0)])
def test_the_aum(name, margin, problem, layout):
    X, y = PROBLEMS[problem]
    solver = get_solver(name, early_stopping=False)
    run, solved = observed(solver, Data.of(layout(X), y), passes=2000)
    normal = None if margin else solved.project.normal
    w = optima.least_aum(X, y, margin, normal)

    assert run.stop is Stop.CERTIFIED
    assert run.points[-1].objective == pytest.approx(solved.f.value(w), abs=1e-6)


@LAYOUTS
@EACH
@pytest.mark.parametrize("name", ["aum", "aum-margin"])
def test_with_early_stopping_the_aum_ends_at_its_optimum_too(name, problem, layout):
    X, y = PROBLEMS[problem]

    run = solve(get_solver(name), Data.of(layout(X), y), passes=20_000)

    assert run.stop in {Stop.FINISHED, Stop.CERTIFIED}
    assert run.points[-1].passes < 20_000


@LAYOUTS
@EACH
@pytest.mark.parametrize("name", ["logistic", "logistic-balanced"])
def test_logistic_regression(name, problem, layout):
    X, y = PROBLEMS[problem]
    weight = None
    if name == "logistic-balanced":
        weight = np.where(y > 0, y.size / 2 / (y > 0).sum(), y.size / 2 / (y < 0).sum())

    run = solve(get_solver(name, max_iter=20_000), Data.of(layout(X), y))

    w = optima.least_logistic(X, y, 1.0, weight)
    assert np.linalg.norm(run.w - w) <= 1e-4 * np.linalg.norm(w)


@EACH
@pytest.mark.parametrize("name", ["roc-svm-nystrom", "roc-svm-kernel"])
def test_kernel_machines(name, problem):
    X, y = PROBLEMS[problem]
    solver = get_solver(name, lam=LAM, gamma=0.1)
    run, solved = observed(solver, Data.of(X, y), passes=2000, gap_tol=1e-7)
    f, C, R = solved.f, solved.data.rows.matrix, solved.project.root
    V = np.linalg.solve(R.T, C.T).T  # rows whose linear machine it is
    D = V[f.positives] - V[f.negatives] if name.endswith("kernel") else optima.differences(V, y)
    least = min(
        np.maximum(1.0 - D @ w, 0.0).mean() + LAM / 2 * w @ w
        for w in optima.hinge_candidates(D, LAM)
    )

    missing = run.points[-1].objective - least
    assert -1e-5 <= missing <= run.points[-1].gap + 1e-7
    assert run.points[-1].gap < 1e-6
