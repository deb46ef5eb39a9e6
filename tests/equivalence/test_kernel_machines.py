"""Kernel ROC-SVMs against the dual of the representer form, and how γ and λ are chosen."""

from itertools import islice, pairwise

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
from aucbench.features import KernelColumns, Nystroem
from aucbench.objectives import PairwiseHinge
from aucbench.optim import choice
from aucbench.solving.scoring import Scorer
from aucbench.solving.values import objective_at
from aucbench_plugins.roc_svm import at_landmarks
from aucbench_plugins.roc_svm.at_landmarks import EXPONENTS, MIDDLE, SQUARINGS, At, Machine
from aucbench_plugins.roc_svm.representer import kernel_ridge

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


def machine(data, lam="auto", width=True):
    columns = Nystroem(rank=40).choose(data, np.random.default_rng(1))
    return Machine(columns, PairwiseHinge, lam, width)


def at_gamma(columns, factor):
    kernel = columns.kernel
    return KernelColumns(
        type(kernel)(kernel.name, kernel.gamma * factor), columns.landmarks
    ).independent(at_landmarks.APART)


def tuned_by(monkeypatch, data, **asked):
    """What `tuned` chose, and the scores of held rows and problem of each trial."""
    trials = []

    def chosen(trial, name, values, rows, rng, budget, splits, passes):
        rest, held = rows.split(0.2, np.random.default_rng(2))
        for value in values:
            one = type(trial)(trial.machine, value, trial.path)
            problem = one.problem(rest, rng, budget)
            states = list(islice(one.iterates(problem, np.zeros(problem.data.d), rng, budget), 60))
            scored = Scorer.of(problem)(states[-1], held.rows)
            trials.append((value, problem, scored, states[-1], one.path.start))
        return values[0]

    monkeypatch.setattr(at_landmarks, "chosen", chosen)
    choice = machine(data, **asked).tuned(data, np.random.default_rng(3), Budget())
    return choice, trials


def test_each_trial_is_the_fit_at_its_own_gamma_and_ridge_from_the_weights_before(monkeypatch):
    data = rings()
    rest, held = data.split(0.2, np.random.default_rng(2))
    _, trials = tuned_by(monkeypatch, data)
    columns = machine(data).columns

    assert [value for value, *_ in trials] == [
        *(At(k, e) for k in SQUARINGS for e in EXPONENTS),
        At(MIDDLE, 0.0),
    ]
    for value, problem, scored, state, _ in trials:
        kept, root = at_gamma(columns, 2.0 ** (value.squarings - MIDDLE))
        exact = rest.with_rows(kept(rest.rows))
        np.testing.assert_allclose(
            problem.data.rows.matrix, exact.rows.matrix, rtol=1e-11, atol=1e-14
        )
        lam = kernel_ridge(root, exact) * 10.0**value.exponent
        assert problem.project.lam == pytest.approx(lam, rel=1e-12)
        np.testing.assert_allclose(kept(held.rows).matrix @ state.w, scored, atol=1e-7)
        if value.exponent >= 0:
            assert state.gap <= at_landmarks.CLOSE
    for (before, _, _, last, _), (value, *_, start) in pairwise(trials):
        falls = before.squarings == value.squarings and value.exponent < before.exponent
        assert (start is not None) == falls, "a new gamma starts from zero"
        if falls:
            np.testing.assert_array_equal(start, last.w)


def test_waves_get_a_narrower_kernel_and_few_rows_the_derived_one():
    data = rings(600, waves=6.0)
    solver = get_solver("roc-svm-nystrom", rank=60, gamma="auto", lam="auto")
    for rows, factor in ((data, 4), (data.take(np.arange(40)), 1)):
        phi = solver.problem(rows, np.random.default_rng(0), Budget()).features
        derived = Nystroem(rank=60).choose(rows, np.random.default_rng(0))
        assert phi.kernel.gamma == factor * derived.kernel.gamma


def test_a_kernel_without_a_width_takes_auto_as_median():
    given = ({"kernel": "linear", "gamma": gamma} for gamma in ("auto", "median"))
    one, other = (solve(get_solver("roc-svm-nystrom", **how), rings()) for how in given)
    np.testing.assert_array_equal(one.w, other.w)


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
