"""svm-or against quadratic programmes over all pairs, and on odd data."""

import numpy as np
import pytest
from optima import differences
from pair_problems import PairMachine, odd, sample
from scipy.optimize import minimize

from aucbench.data import Data
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve

LAMBDAS = pytest.mark.parametrize("lam", [0.003, 0.1, 5.0])


SVM_OR = PairMachine("svm-or", np.asarray)
primal, states = SVM_OR.primal, SVM_OR.states


def programme(X, y, lam):
    """Minimiser of the epigraph form min 1'ξ/N + (λ/2)|w|², ξ ≥ 1 − Dw, ξ ≥ 0, by SLSQP."""
    D = differences(X, y)
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


@LAMBDAS
@pytest.mark.parametrize("digits", [6, 0], ids=["distinct", "tied"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_is_the_quadratic_programme_over_all_pairs(lam, digits, seed):
    X, y = sample(seed, digits=digits)
    D, expected = differences(X, y), programme(X, y, lam)

    run = solve(get_solver("svm-or", lam=lam), Data.of(X, y), passes=2000, gap_tol=0.0)

    assert run.stop is Stop.FINISHED
    assert primal(D, lam, run.w) == pytest.approx(primal(D, lam, expected), rel=1e-6)
    np.testing.assert_allclose(run.w, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@LAMBDAS
@pytest.mark.parametrize("digits", [6, 0], ids=["distinct", "tied"])
def test_wide_rows_are_the_quadratic_programme_too(lam, digits):
    X, y = sample(3, n=12, d=15, digits=digits)
    D, expected = differences(X, y), programme(X, y, lam)

    run = solve(get_solver("svm-or", lam=lam), Data.of(X, y), passes=2000, gap_tol=0.0)

    assert run.stop is Stop.FINISHED
    assert primal(D, lam, run.w) == pytest.approx(primal(D, lam, expected), rel=1e-6)
    np.testing.assert_allclose(run.w, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@LAMBDAS
@pytest.mark.parametrize("case", ["one positive", "duplicated rows", "constant column", "ones"])
def test_odd_data_reach_the_bound(case, lam):
    X, y = odd(case)

    found = states(Data.of(X, y), lam)

    assert found[-1][1] <= 1e-8
    assert len(found) < 300


@pytest.mark.parametrize("lam", [0.1, 0.01, 0.001])
def test_tied_features(lam):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 20))
    y = np.where(X @ rng.normal(size=20) + 3 * rng.normal(size=3000) > 3, 1, -1)

    assert SVM_OR.reached(Data.of(np.round(X), y), lam)[0] <= 61
    assert SVM_OR.reached(Data.of(np.where(X > 0, 1.0, 0.0), y), lam)[0] <= 61
