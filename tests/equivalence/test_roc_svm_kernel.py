"""Kernel ROC-SVMs against the dual of the representer form."""

import numpy as np
import pytest
from layouts import LAYOUTS
from observed import observed
from scipy.optimize import minimize
from sklearn.metrics.pairwise import pairwise_kernels
from stepping import posed, states

from aucbench.data import Data
from aucbench.features import Nystroem
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench.solving.values import objective_at

LAM = 0.05
KERNELS = {
    "rbf": {"gamma": 0.4},
    "poly": {"gamma": 0.5, "degree": 2, "coef0": 1.0},
    "linear": {},
}


def toy(n, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return Data.of(X, np.where((X**2).sum(1) + rng.normal(size=n) > d, 1, -1))


def optimum(K, positives, negatives, lam):
    """(value, α) of min (1/B) Σ_b [1 − (Kα)_i + (Kα)_j]₊ + (λ/2) αᵀKα, by its dual in a box."""
    B = positives.size
    D = np.zeros((B, K.shape[0]))
    np.add.at(D, (np.arange(B), positives), 1.0)
    np.add.at(D, (np.arange(B), negatives), -1.0)
    Q = D @ K @ D.T / lam
    found = minimize(
        lambda a: (0.5 * a @ Q @ a - a.sum(), Q @ a - 1.0),
        np.full(B, 0.5 / B),
        jac=True,
        bounds=[(0.0, 1.0 / B)] * B,
        method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 20_000, "maxfun": 50_000},
    )
    return -found.fun, D.T @ found.x / lam


def naive(K, alpha, positives, negatives, lam):
    s = K @ alpha
    hinges = [max(0.0, 1 - s[i] + s[j]) for i, j in zip(positives, negatives, strict=True)]
    return np.mean(hinges) + lam / 2 * alpha @ K @ alpha


@pytest.mark.parametrize("kernel", KERNELS)
@LAYOUTS
def test_kernel_solver_reaches_the_optimum_of_the_representer_form(kernel, layout):
    data = toy(24)
    X = data.rows.matrix
    given = KERNELS[kernel]
    solver = get_solver("roc-svm-kernel", lam=LAM, kernel=kernel, pairs=40, **given)
    run, solved = observed(solver, Data.of(layout(X), data.y), passes=400, gap_tol=1e-9)
    f = solved.f
    K = pairwise_kernels(X, metric=kernel, **given)
    value, alpha = optimum(K, f.positives, f.negatives, LAM)

    assert naive(K, alpha, f.positives, f.negatives, LAM) == pytest.approx(value, abs=1e-7)
    assert objective_at(solved, run.w) == pytest.approx(value, abs=1e-6)
    assert run.points[-1].gap >= objective_at(solved, run.w) - value - 1e-9
    new = toy(50, seed=1).rows.matrix
    expected = pairwise_kernels(new, X, metric=kernel, **given) @ alpha
    np.testing.assert_allclose(run.decision_function(new), expected, atol=2e-3)


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_are_those_of_the_representer_form(kernel):
    data = toy(30)
    solver = get_solver("roc-svm-kernel", lam=0.01, kernel=kernel, **KERNELS[kernel])
    run, solved = observed(solver, data, passes=30)
    z = run.scorer.features.landmarks.matrix
    K = pairwise_kernels(z, metric=kernel, **KERNELS[kernel])
    C = pairwise_kernels(data.rows.matrix, z, metric=kernel, **KERNELS[kernel])

    np.testing.assert_allclose(run.decision_function(data.rows), C @ run.w, atol=1e-9)
    assert solved.project.value(run.w) == pytest.approx(0.005 * run.w @ K @ run.w, rel=1e-6)


@pytest.mark.parametrize("loss", ["exact", "incomplete"])
@pytest.mark.parametrize("how", ["uniform", "stratified", "kmeans"])
def test_nystrom_is_the_linear_solver_on_nystrom_features(loss, how):
    data = toy(300)
    given = {"lam": LAM, "gamma": "median", "rank": 25, "landmarks": how, "loss": loss}
    solver = get_solver("roc-svm-nystrom", **given)
    run, solved = observed(solver, data, passes=500, gap_tol=1e-8)
    problem_rng = np.random.default_rng(0).spawn(2)[0]
    phi = Nystroem(rank=25, landmarks=how).fit(data, problem_rng)
    mapped = data.with_rows(phi(data.rows))
    if loss == "exact":
        linear, on = observed(get_solver("svm-or", lam=LAM), mapped, passes=500, gap_tol=1e-8)
        value, scores = objective_at(on, linear.w), linear.decision_function(mapped.rows)
    else:
        f = solved.f
        F = mapped.rows.matrix
        value, beta = optimum(F @ F.T, f.positives, f.negatives, LAM)
        scores = F @ (F.T @ beta)

    assert objective_at(solved, run.w) == pytest.approx(value, abs=1e-6)
    np.testing.assert_allclose(run.decision_function(data.rows), scores, atol=5e-3)


def test_landmarks_that_others_span_have_no_weight():
    data = toy(40)
    twice = data.take(np.repeat(np.arange(40, dtype=np.int32), 2))
    run = solve(get_solver("roc-svm-nystrom", rank=80), twice, passes=20)

    assert run.w.size <= 40
    assert solve(get_solver("roc-svm-nystrom", kernel="linear"), data).w.size == 3


@pytest.mark.parametrize("name", ["roc-svm-kernel", "roc-svm-nystrom"])
def test_a_neighbour_on_the_grid_is_a_start(name):
    data = toy(120)
    first = solve(get_solver(name, lam=LAM), data, passes=300, gap_tol=1e-6)
    solver = get_solver(name, lam=0.8 * LAM)
    rng = np.random.default_rng(0).spawn(2)[0]
    state = next(states(solver, posed(solver, data, rng), rng, first.w))

    np.testing.assert_allclose(state.w, first.w, rtol=1e-6, atol=1e-9)
