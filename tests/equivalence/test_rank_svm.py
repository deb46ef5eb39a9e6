"""rank-svm against sums over all pairs, odd data, and its Newton steps."""

import numpy as np
import pytest
from optima import differences
from pair_problems import PairMachine, odd, sample
from scipy.optimize import minimize

from aucbench.data import Data
from aucbench.datasets import linear
from aucbench.objectives import PairwiseSquaredHinge
from aucbench.optim.term_model import Model
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench_plugins.roc_svm.preconditioner import balanced, hessian_matrix

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
def test_with_all_rows_the_preconditioner_is_the_inverse_hessian(lam):
    X, y = sample(8, n=20, d=4)
    w = np.array([0.3, -0.2, 0.5, 0.1])

    f = PairwiseSquaredHinge(Data.of(X, y))
    inverse = Model(hessian_matrix(f, X @ w, lam, None)).inverse()

    H = hessian(differences(X, y), lam, w)
    for r in np.eye(4):
        np.testing.assert_allclose(H @ inverse(r), r, atol=1e-7)


def test_a_sampled_preconditioner_has_rare_features_and_is_near_the_hessian():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 4)), np.where(rng.random(600) < 0.2, 1, -1)
    X[:, 3] = 0.0
    X[np.flatnonzero(y < 0)[:3], 3] = 1.0  # the sample is unlikely to have them
    data, w = Data.of(X, y), np.array([0.3, -0.2, 0.5, 0.1])

    inverse = Model(hessian_matrix(PairwiseSquaredHinge(data), X @ w, 1e-6, rng)).inverse()

    root = np.linalg.cholesky(np.stack([inverse(r) for r in np.eye(4)]))
    spread = np.linalg.eigvalsh(root.T @ hessian(differences(X, y), 1e-6, w) @ root)
    assert 0.1 < spread.min() < spread.max() < 40.0  # without the diagonal, 10⁴


def test_samples_are_balanced_and_keep_a_rare_class():
    y = np.where(np.arange(1000) % 100 == 0, 1, -1)
    data = Data.of(np.zeros((1000, 1)), y)

    rows = balanced(data, 200, np.random.default_rng(0))

    assert np.unique(rows).size == rows.size == 110
    assert (y[rows] > 0).sum() == 10
    assert np.all(np.diff(rows) > 0)


def test_samples_save_passes_and_their_states_have_no_gap():
    data = linear(n=50_000)
    found = states(data, 0.01)
    small = [seen for _, gap, seen in found if gap is None]

    assert 0 < len(small) < len(found)
    assert small[-1] <= 3.0
    begun = next(gap for _, gap, _ in found if gap is not None)
    assert begun < 0.1 * states(data, 0.01, 1e-300 + np.zeros(data.d))[0][1]
