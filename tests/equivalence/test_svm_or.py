"""svm-or against quadratic programmes over all pairs, and its certificate."""

import numpy as np
import pytest
from hypothesis import given, settings
from optima import differences
from pair_problems import PairMachine, odd, sample, small_problems
from scipy.optimize import minimize
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.datasets import linear, load
from aucbench.features import MaxAbs
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


@settings(max_examples=60)
@given(small_problems())
def test_the_gap_is_never_negative_and_bounds_what_is_missing(problem):
    X, y, lam = problem
    D = differences(X, y)
    # Any w is at least the minimum, so that this cannot fail for a true gap.
    near = primal(D, lam, programme(X, y, lam))

    found = states(Data.of(X, y), lam)

    values = np.array([primal(D, lam, w) for w, *_ in found])
    gaps = np.array([gap for _, gap, _ in found])
    assert np.all(gaps >= 0)
    assert np.all(values - near <= gaps + 1e-13)
    assert values[-1] <= near + 1e-7
    assert np.all(np.diff(values) <= 1e-13)
    assert np.all(np.diff(gaps) <= 1e-13)
    assert gaps[-1] <= 1e-9


@LAMBDAS
def test_the_gap_is_a_bound_at_every_state_of_a_longer_run(lam):
    X, y = sample(4, n=120, d=6)
    D, found = differences(X, y), states(Data.of(X, y), lam)
    values = np.array([primal(D, lam, w) for w, *_ in found])

    # The last state is the minimum to rounding: its own gap says so.
    assert found[-1][1] <= 1e-12
    assert all(v - values[-1] <= gap for v, (_, gap, _) in zip(values, found, strict=True))


@LAMBDAS
@pytest.mark.parametrize("case", ["one positive", "duplicated rows", "constant column", "ones"])
def test_odd_data_reach_the_bound(case, lam):
    X, y = odd(case)

    found = states(Data.of(X, y), lam)

    assert found[-1][1] <= 1e-8
    assert len(found) < 300


@LAMBDAS
def test_csr_is_dense(lam):
    X, y = sample(6, n=200, d=8)
    X[np.random.default_rng(0).random(X.shape) < 0.5] = 0.0

    dense, csr = (states(Data.of(layout(X), y), lam)[-1][0] for layout in (np.asarray, csr_array))

    np.testing.assert_allclose(dense, csr, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("lam", "most"), [(0.1, 4), (0.01, 7), (0.001, 9)])
def test_few_evaluations_of_all_pairs(lam, most):
    assert SVM_OR.reached(linear(n=100_000), lam)[0] <= most


@pytest.mark.parametrize("lam", [0.1, 0.01, 0.001])
def test_tied_features(lam):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 20))
    y = np.where(X @ rng.normal(size=20) + 3 * rng.normal(size=3000) > 3, 1, -1)

    assert SVM_OR.reached(Data.of(np.round(X), y), lam)[0] <= 61
    assert SVM_OR.reached(Data.of(np.where(X > 0, 1.0, 0.0), y), lam)[0] <= 61


@pytest.mark.parametrize(("lam", "most"), [(0.1, 49), (0.01, 75), (0.001, 101)])
def test_features_of_different_scales(data_folder, lam, most):
    german = load(data_folder / "german.svm.xz")
    scaled = german.with_rows(MaxAbs().fit(german, np.random.default_rng(0))(german.rows))

    assert SVM_OR.reached(german, lam)[0] <= most
    assert SVM_OR.reached(scaled, lam)[0] <= 25
