"""svm-or and rank-svm against minima over all pairs, and on tied features."""

from itertools import islice

import numpy as np
import pytest
from optima import differences
from samples import sample
from scipy.optimize import minimize

from aucbench.data import Data
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import begin, solve

POWER = {"svm-or": 1, "rank-svm": 2}  # of the hinge of a pair
EACH = pytest.mark.parametrize("name", POWER)


def primal(name, D, lam, w):
    """The objective, of the differences of all pairs."""
    return (np.maximum(0, 1 - D @ w) ** POWER[name]).mean() + lam / 2 * w @ w


def programme(D, lam):
    """Minimiser of min 1'ξ/N + (λ/2)|w|², ξ ≥ 1 − Dw, ξ ≥ 0, by SLSQP."""
    N, d = D.shape
    slope = np.r_[np.zeros(d), np.full(N, 1 / N)]
    rows = np.hstack([D, np.eye(N)])
    found = minimize(
        lambda v: slope @ v + lam / 2 * v[:d] @ v[:d],
        np.r_[np.zeros(d), np.ones(N)],
        jac=lambda v: slope + lam * np.r_[v[:d], np.zeros(N)],
        constraints={"type": "ineq", "fun": lambda v: rows @ v - 1, "jac": lambda v: rows},
        bounds=[(None, None)] * d + [(0, None)] * N,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return found.x[:d]


def descent(D, lam):
    """Minimiser of the squared hinge by L-BFGS of SciPy."""

    def objective(w):
        z = np.maximum(0, 1 - D @ w)
        return z @ z / len(D) + lam / 2 * w @ w, lam * w - 2 * D.T @ z / len(D)

    start, limits = np.zeros(D.shape[1]), {"gtol": 1e-12, "ftol": 0.0, "maxiter": 10_000}
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=limits).x


LEAST = {"svm-or": programme, "rank-svm": descent}


@EACH
@pytest.mark.parametrize("lam", [0.003, 0.1, 5.0])
@pytest.mark.parametrize(
    ("n", "d", "ties"), [(14, 3, False), (14, 3, True), (12, 15, False)], ids=["", "tied", "wide"]
)
def test_it_is_the_minimum_over_all_pairs(name, lam, n, d, ties):
    X, y = sample(3, n=n, d=d, ties=ties)
    D = differences(X, y)
    expected = LEAST[name](D, lam)
    run = solve(get_solver(name, lam=lam), Data.of(X, y), passes=2000, gap_tol=0.0)
    assert run.stop is Stop.FINISHED
    assert primal(name, D, lam, run.w) == pytest.approx(primal(name, D, lam, expected), rel=1e-6)
    np.testing.assert_allclose(run.w, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("lam", [0.1, 0.001])
@pytest.mark.parametrize("tied", [np.round, lambda X: np.where(X > 0, 1.0, 0.0)])
def test_cuts_of_tied_features_do_not_go_on(lam, tied):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 20))
    y = np.where(X @ rng.normal(size=20) + 3 * rng.normal(size=3000) > 3, 1, -1)
    _, states = begin(get_solver("svm-or", lam=lam), Data.of(tied(X), y))
    gaps = [(state.gap, state.value) for state in islice(states, 61)]
    assert any(gap is not None and gap <= 1e-4 * value for gap, value in gaps)
