"""rank-svm against sums over all pairs, its certificate, and its Newton steps."""

from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from optima import differences
from pair_problems import PairMachine, odd, sample, small_problems
from scipy.optimize import minimize
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.datasets import linear, load
from aucbench.objectives import PairwiseSquaredHinge
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench_plugins.roc_svm.preconditioner import (
    balanced,
    full_diagonal,
    preconditioner,
    sampled_hessian,
)

LAMBDAS = pytest.mark.parametrize("lam", [1e-6, 0.003, 0.1, 5.0])


RANK_SVM = PairMachine("rank-svm", np.square)
primal, states = RANK_SVM.primal, RANK_SVM.states


def slope(D, lam, w):
    return -2 * D.T @ np.maximum(0, 1 - D @ w) / len(D) + lam * w


def hessian(D, lam, w):
    active = D[D @ w < 1]
    return 2 * active.T @ active / len(D) + lam * np.eye(D.shape[1])


def least(D, lam):
    """Minimiser over all pairs by BFGS, then by full Newton steps."""
    w = minimize(lambda v: primal(D, lam, v), np.zeros(D.shape[1]), jac=lambda v: slope(D, lam, v))
    w = w.x
    for _ in range(50):
        step = np.linalg.solve(hessian(D, lam, w), slope(D, lam, w))
        t = 1.0
        while t > 1e-9 and primal(D, lam, w - t * step) > primal(D, lam, w):
            t /= 2
        w = w - t * step
    return w


@LAMBDAS
@pytest.mark.parametrize("digits", [6, 0], ids=["distinct", "tied"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_is_the_minimum_over_all_pairs(lam, digits, seed):
    X, y = sample(seed, n=40, digits=digits)
    D = differences(X, y)
    expected = least(D, lam)

    run = solve(get_solver("rank-svm", lam=lam), Data.of(X, y), passes=2000, gap_tol=0.0)

    assert run.stop is Stop.FINISHED
    assert primal(D, lam, run.w) == pytest.approx(primal(D, lam, expected), rel=1e-12)
    np.testing.assert_allclose(run.w, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@settings(max_examples=60)
@given(small_problems())
def test_the_gap_bounds_what_is_missing_and_the_objective_falls(problem):
    X, y, lam = problem
    D = differences(X, y)

    found = states(Data.of(X, y), lam)

    values = np.array([primal(D, lam, w) for w, _, _ in found])
    gaps = np.array([gap for _, gap, _ in found])
    assert np.all(gaps >= 0)
    assert np.all(values - primal(D, lam, least(D, lam)) <= gaps + 1e-13)
    assert np.all(np.diff(values) <= 1e-13)
    assert gaps[-1] <= 1e-8


@LAMBDAS
@pytest.mark.parametrize(
    "case", ["one positive", "duplicated rows", "constant column", "ones", "zeros", "wide"]
)
def test_odd_data_reach_the_bound(case, lam):
    X, y = odd(case)

    found = states(Data.of(X, y), lam)

    # A gradient that errs by η certifies no more than η²/(2λ), and η grows with the longest row.
    digits = 1e-5 if case == "constant column" else 1e-8
    assert found[-1][1] <= digits * max(1.0, 1e-3 / lam)
    assert len(found) < (5000 if case == "wide" else 300)  # without a preconditioner, κ = O(1/λ)


@LAMBDAS
@pytest.mark.parametrize("d", [8, 1200], ids=["preconditioned", "wide"])
def test_csr_is_dense(lam, d):
    X, y = sample(6, n=200, d=d)
    X[np.random.default_rng(0).random(X.shape) < 0.5] = 0.0

    ends = [states(Data.of(layout(X), y), lam)[-1] for layout in (np.asarray, csr_array)]
    (dense, csr), gaps = ([end[k] for end in ends] for k in (0, 1))

    # ‖w − w*‖² is at most 2/λ times the gap of w. That is all one can ask of a run that is cut
    # off before its end, as for the least λ with many features.
    assert np.linalg.norm(dense - csr) <= sum(np.sqrt(2 * gap / lam) for gap in gaps)
    if d == 8 or lam > 0.003:
        np.testing.assert_allclose(dense, csr, rtol=1e-5, atol=1e-6 * np.abs(dense).max())
    elif lam == 0.003:  # rounding ends both after hundreds of steps, at equal gaps
        assert np.linalg.norm(dense - csr) <= 1e-5 * np.linalg.norm(dense)


@LAMBDAS
def test_whole_weights_are_repeated_rows(lam):
    X, y = sample(7, n=60, d=4)
    v = np.random.default_rng(0).integers(1, 4, 60)

    weighted = states(Data.of(X, y, weights=v), lam)[-1]
    repeated = states(Data.of(np.repeat(X, v, axis=0), np.repeat(y, v)), lam)[-1]

    np.testing.assert_allclose(weighted[0], repeated[0], rtol=1e-6, atol=1e-8)


@LAMBDAS
def test_with_all_rows_the_preconditioner_is_the_inverse_hessian(lam):
    X, y = sample(8, n=20, d=4)
    w = np.array([0.3, -0.2, 0.5, 0.1])

    inverse = sampled_hessian(PairwiseSquaredHinge(Data.of(X, y)), X @ w, lam, None)

    H = hessian(differences(X, y), lam, w)
    for r in np.eye(4):
        np.testing.assert_allclose(H @ inverse(r), r, atol=1e-7)


def test_a_sampled_preconditioner_has_rare_features_and_is_near_the_hessian():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 4)), np.where(rng.random(600) < 0.2, 1, -1)
    X[:, 3] = 0.0
    X[np.flatnonzero(y < 0)[:3], 3] = 1.0  # the sample is unlikely to have them
    data, w = Data.of(X, y), np.array([0.3, -0.2, 0.5, 0.1])

    inverse = sampled_hessian(PairwiseSquaredHinge(data), X @ w, 1e-6, rng)

    root = np.linalg.cholesky(np.stack([inverse(r) for r in np.eye(4)]))
    spread = np.linalg.eigvalsh(root.T @ hessian(differences(X, y), 1e-6, w) @ root)
    assert 0.1 < spread.min() < spread.max() < 40.0  # without the diagonal, 10⁴


def test_the_full_diagonal_is_that_of_all_pairs():
    X, y = sample(9, n=50, d=4)
    D = differences(X, y)

    np.testing.assert_allclose(
        full_diagonal(Data.of(X, y)), 2 * (D**2).mean(axis=0), rtol=1e-12, atol=0.0
    )
    np.testing.assert_allclose(
        full_diagonal(Data.of(csr_array(X), y)), 2 * (D**2).mean(axis=0), rtol=1e-12, atol=0.0
    )


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_many_features_have_a_power_of_the_diagonal_as_preconditioner(layout):
    rng = np.random.default_rng(1)
    X = np.where(rng.random((30, 1001)) < 0.3, rng.normal(size=(30, 1001)), 0.0)
    X[:, 5] = 0.0
    f = PairwiseSquaredHinge(Data.of(layout(X), np.where(np.arange(30) < 9, 1, -1)))
    r = rng.normal(size=1001)

    found = preconditioner(f, np.zeros(30), 1e-4, rng)(r)

    D = differences(X, f.data.y)
    np.testing.assert_allclose(found, r / (2 * (D**2).mean(axis=0) + 1e-4) ** 0.25, rtol=1e-12)


def test_samples_are_balanced_and_keep_a_rare_class():
    y = np.where(np.arange(1000) % 100 == 0, 1, -1)
    data = Data.of(np.zeros((1000, 1)), y)

    rows = balanced(data, 200, np.random.default_rng(0))

    assert np.unique(rows).size == rows.size == 110
    assert (y[rows] > 0).sum() == 10
    assert np.all(np.diff(rows) > 0)


@pytest.mark.parametrize("lam", [0.1, 0.01, 0.001])
def test_few_passes_over_all_rows(lam):
    assert RANK_SVM.reached(linear(n=50_000), lam)[1] <= 16


def test_samples_save_passes_and_their_states_have_no_gap():
    data = linear(n=50_000)
    found = states(data, 0.01)
    small = [seen for _, gap, seen in found if gap is None]

    assert 0 < len(small) < len(found)
    assert small[-1] <= 3.0
    begun = next(gap for _, gap, _ in found if gap is not None)
    assert begun < 0.1 * states(data, 0.01, 1e-300 + np.zeros(data.d))[0][1]


def test_another_seed_ends_at_the_same_weights():
    data = linear(n=20_000)

    first, second = (states(data, 0.01, seed=seed)[-1][0] for seed in (0, 1))

    np.testing.assert_allclose(first, second, rtol=1e-7)


@pytest.mark.parametrize("lam", [0.1, 0.001])
def test_features_of_different_scales(data_folder, lam):
    assert RANK_SVM.reached(load(data_folder / "german.svm.xz"), lam)[1] <= 40


@pytest.mark.slow
def test_the_cost_grows_as_the_number_of_rows():
    sizes = (10_000, 40_000, 160_000)
    seconds = []
    for n in sizes:
        data = linear(n=n)
        times = []
        for _ in range(3):
            begin = process_time()
            RANK_SVM.reached(data, 0.01)
            times.append(process_time() - begin)
        seconds.append(min(times))

    assert np.polyfit(np.log(sizes), np.log(seconds), 1)[0] < 1.4
