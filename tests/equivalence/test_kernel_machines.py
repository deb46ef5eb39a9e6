"""Kernel ROC-SVMs against the dual of the representer form, and how γ and λ are chosen."""

import numpy as np
import pytest
from layouts import LAYOUTS
from samples import sample
from scipy.optimize import minimize
from sklearn.metrics.pairwise import pairwise_kernels
from stepping import observed

from aucbench import get_solver, solve
from aucbench.contract import Budget
from aucbench.data import Data
from aucbench.features import Nystroem
from aucbench.optim import choice
from aucbench.solving.values import objective_at

LAM = 0.05
KERNELS = {"rbf": {"gamma": 0.4}, "poly": {"gamma": 0.5, "degree": 2, "coef0": 1.0}, "linear": {}}


def toy(n, layout=np.asarray):
    """Rows whose label tells of their length."""
    X, noise = sample(n, n, 3, shift=0.0)[0], np.random.default_rng(n).normal(size=n)
    return Data.of(layout(X), np.where((X**2).sum(1) + noise > 3, 1, -1))


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
    alpha = D.T @ found.x / lam
    primal = np.maximum(0.0, 1.0 - D @ K @ alpha).mean() + lam / 2 * alpha @ K @ alpha
    assert primal == pytest.approx(-found.fun, abs=1e-7)
    return primal, alpha


@LAYOUTS
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_solver_reaches_the_optimum_of_the_representer_form(kernel, layout):
    data, given = toy(24, layout), KERNELS[kernel]
    X, new = toy(24).rows.matrix, toy(50).rows.matrix
    solver = get_solver("roc-svm-kernel", lam=LAM, kernel=kernel, pairs=40, **given)
    run, solved = observed(solver, data, passes=400, gap_tol=1e-9)
    K, f = pairwise_kernels(X, metric=kernel, **given), solved.f
    value, alpha = optimum(K, f.positives, f.negatives, LAM)

    assert objective_at(solved, run.w) == pytest.approx(value, abs=1e-6)
    assert run.points[-1].gap >= objective_at(solved, run.w) - value - 1e-9
    expected = pairwise_kernels(new, X, metric=kernel, **given) @ alpha
    np.testing.assert_allclose(run.decision_function(new), expected, atol=2e-3)
    z = run.scorer.features.landmarks.matrix
    C, K = (pairwise_kernels(rows, z, metric=kernel, **given) for rows in (new, z))
    np.testing.assert_allclose(run.decision_function(new), C @ run.w, atol=1e-9)
    norm = LAM / 2 * run.w @ K @ run.w
    assert solved.project.value(run.w) == pytest.approx(norm, rel=1e-6)


@pytest.mark.parametrize("loss", ["exact", "incomplete"])
@pytest.mark.parametrize("how", ["uniform", "stratified", "kmeans"])
def test_nystrom_is_the_linear_solver_on_nystrom_features(loss, how):
    data = toy(300)
    given = {"lam": LAM, "gamma": "median", "rank": 25, "landmarks": how, "loss": loss}
    run, solved = observed(get_solver("roc-svm-nystrom", **given), data, passes=500, gap_tol=1e-8)
    problem_rng = np.random.default_rng(0).spawn(2)[0]
    phi = Nystroem(rank=25, landmarks=how).fit(data, problem_rng)
    mapped = data.with_rows(phi(data.rows))
    if loss == "exact":
        linear, on = observed(get_solver("svm-or", lam=LAM), mapped, passes=500, gap_tol=1e-8)
        value, scores = objective_at(on, linear.w), linear.decision_function(mapped.rows)
    else:
        f, F = solved.f, mapped.rows.matrix
        value, beta = optimum(F @ F.T, f.positives, f.negatives, LAM)
        scores = F @ (F.T @ beta)

    assert objective_at(solved, run.w) == pytest.approx(value, abs=1e-6)
    np.testing.assert_allclose(run.decision_function(data.rows), scores, atol=5e-3)


def test_landmarks_that_others_span_have_no_weight():
    twice = toy(40).take(np.repeat(np.arange(40, dtype=np.int32), 2))
    run = solve(get_solver("roc-svm-nystrom", rank=80), twice, passes=20)
    assert run.w.size <= 40
    assert solve(get_solver("roc-svm-nystrom", kernel="linear"), toy(40)).w.size == 3


# --- γ and λ by held-out rows ----------------------------------------------------------------


def rings(n=240, waves=2.0):
    """Rows whose label turns with their distance from 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    turns = np.cos(waves * np.hypot(*X.T)) + 0.3 * rng.normal(size=n)
    return Data.of(X, np.where(turns > 0, 1, -1))


def test_waves_get_a_narrower_kernel_and_few_rows_the_derived_one():
    data = rings(400, waves=6.0)
    solver = get_solver("roc-svm-nystrom", rank=50, gamma="auto", lam="auto")
    for rows, factor in ((data, 4), (data.take(np.arange(40)), 1)):
        phi = solver.problem(rows, np.random.default_rng(0), Budget()).features
        derived = Nystroem(rank=50).choose(rows, np.random.default_rng(0))
        assert phi.kernel.gamma == factor * derived.kernel.gamma


@pytest.mark.parametrize(
    ("qualities", "best"),
    [
        ([[0.9, 0.5, 0.2], [0.8, 0.1, 0.6]], "median"),  # 0.85 on the mean, 0.3 and 0.4
        ([[0.9, 0.5, 0.5], [0.4, 0.1, 0.6]], 0.5),  # ahead by 0.1, whose standard error is 0.3
        ([[0.6, 0.7, -np.inf], [0.6, 0.7, 0.5]], "scale"),  # a trial that failed is the worst
    ],
)
def test_of_several_splits_the_last_value_gives_way_to_one_that_is_clearly_better(
    qualities, best, monkeypatch
):
    each = iter(np.ravel(qualities))
    monkeypatch.setattr(choice, "in_order", lambda held, scores: next(each))
    solver = get_solver("roc-svm-nystrom", rank=10, lam=None)
    asked = ("gamma", ["median", "scale", 0.5], rings(), np.random.default_rng(0), Budget())
    assert choice.chosen(solver, *asked, splits=2) == best
