"""Weights of any magnitude: where only their ratios count, all bits are those of weights near 1."""

import numpy as np
import pytest

from aucbench import get_solver, metrics, solve, stats
from aucbench.data import Data
from aucbench.errors import DataError
from aucbench.metrics import auc
from aucbench.metrics.roc import corners
from aucbench.objectives import (
    PairwiseHinge,
    PairwiseLogistic,
    PairwiseSquare,
    PairwiseSquaredHinge,
)
from aucbench.optim import default_ridge
from aucbench.registry import list_solvers

N, D = 40, 3
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, D))
Y = np.where(X[:, 0] + RNG.normal(size=N) > 0.6, 1, -1)
V = RNG.integers(1, 5, N).astype(float)
S = np.round(2.0 * X[:, 0]) + 0.5 * X[:, 1]
P = 1.0 / (1.0 + np.exp(-S))
# From the smallest number to the largest: 4.9e-324, 1e-321, 1.4e-162, 1e155, 9e307.
POWERS = (-1074, -1064, -537, 515, 1021)
MEASURES = {
    "auc": lambda v: auc(Y, S, v),
    "average precision": lambda v: metrics.average_precision(Y, S, v),
    "partial auc": lambda v: metrics.partial_auc(Y, S, v, max_fpr=0.3),
    "precision": lambda v: metrics.precision_at(Y, S, v, k=7),
    "recall": lambda v: metrics.recall_at(Y, S, v, k=7),
    "brier": lambda v: metrics.brier(Y, P, v),
    "log-loss": lambda v: metrics.log_loss(Y, P, v),
    "calibrated": lambda v: metrics.measure("brier")(Y, S, v),
    "DeLong": lambda v: stats.auc_interval([stats.Fold(Y, S, v)]),
    "difference": lambda v: stats.auc_difference(
        [stats.Fold(Y, S, v)], [stats.Fold(Y, X[:, 0], v)]
    ),
    "curve": lambda v: [x for c in corners(stats.Fold(Y, S, v)) for x in c / c[-1]],
    "ridge": lambda v: default_ridge(Data.of(X, Y, weights=v)),
    "counts": lambda v: Data.of(X, Y, weights=v).labels.counts,
}
OBJECTIVES = (PairwiseSquare, PairwiseHinge, PairwiseSquaredHinge, PairwiseLogistic)
# Those that add up losses of rows are in `SUMS`: there the unit of the weights counts.
RATIOS = (
    *("additive", "ls-svm", "spdam", "svm-or", "rank-svm", "roc-svm-full"),
    "roc-svm-nystrom[rank=20]",
)
SUMS = ("logistic", "logistic-balanced", "linear-svc", "sgd-logistic", "hist-gradient-boosting")


def of_class(powers):
    """V, where each class has a power of its own."""
    return np.ldexp(V, np.where(Y > 0, *powers))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("power", POWERS)
def test_a_measure_is_that_of_weights_near_one(measure, power):
    of = MEASURES[measure]

    assert of(np.ldexp(V, power)) == of(V)
    assert np.isfinite(np.ravel(of(V))).all() if measure not in ("DeLong", "difference") else True


@pytest.mark.parametrize("powers", [(-1074, -600), (1021, 30), (-300, 500)])
@pytest.mark.parametrize("measure", ["auc", "DeLong", "difference", "ridge"])
def test_the_classes_may_have_magnitudes_of_their_own(measure, powers):
    assert MEASURES[measure](of_class(powers)) == MEASURES[measure](V)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("power", POWERS)
def test_an_objective_is_that_of_weights_near_one(objective, power):
    w, rows = np.array([0.3, -0.2, 1.0]), np.arange(0, N, 2, dtype=np.int32)
    near, far = (objective(Data.of(X, Y, weights=v)) for v in (V, np.ldexp(V, power)))

    assert far.value(w) == near.value(w)
    np.testing.assert_array_equal(far.grad(w), near.grad(w))
    np.testing.assert_array_equal(far.grad(w, rows), near.grad(w, rows))
    if objective is not PairwiseHinge:
        np.testing.assert_array_equal(far.curvature(w), near.curvature(w))


@pytest.mark.parametrize("solver", RATIOS)
def test_a_solver_finds_what_it_finds_with_weights_near_one(solver):
    near = solve(solver, Data.of(X, Y, weights=V), passes=6)
    for power in POWERS:
        far = solve(solver, Data.of(X, Y, weights=np.ldexp(V, power)), passes=6)
        np.testing.assert_array_equal(far.w, near.w)
        assert [p.objective for p in far.points] == [p.objective for p in near.points]
        assert [p.gap for p in far.points] == [p.gap for p in near.points]


def test_weights_of_any_size_that_are_no_powers_of_two():
    for size in (1e-310, 1e-162, 0.1, 1e155, 2e307):
        v = size * V
        assert auc(Y, S, v) == pytest.approx(auc(Y, S, V), rel=1e-12)
        run = solve("ls-svm", Data.of(X, Y, weights=v))
        wanted = solve("ls-svm", Data.of(X, Y, weights=V)).points[-1]
        assert run.points[-1].objective == pytest.approx(wanted.objective, rel=1e-9)


@pytest.mark.parametrize("solver", SUMS)
@pytest.mark.parametrize("power", POWERS)
def test_a_sum_of_losses_refuses_weights_that_are_far_from_one(solver, power):
    with pytest.raises(DataError, match=r"weights of rows go from .* divide them by their mean"):
        solve(solver, Data.of(X, Y, weights=np.ldexp(V, power)))


def test_each_solver_with_weights_is_of_one_kind_or_the_other():
    kinds = {name.partition("[")[0] for name in (*RATIOS, *SUMS)}
    others = {"lightgbm", "random-forest", "xgboost"}  # which add up losses, and take seconds
    named = {*list_solvers()} - {"estimator"}  # which asks for a classifier
    assert {
        name for name in named if "weights" in get_solver(name).needs.capabilities
    } <= kinds | others


def test_a_weight_that_is_nothing_beside_another_is_refused():
    v = V.copy()
    v[3], v[5] = 1e308, 1e-8
    for take in (
        lambda: Data.of(X, Y, weights=v),
        lambda: auc(Y, S, v),
        lambda: stats.Fold(Y, S, v),
    ):
        with pytest.raises(DataError, match="go from 1e-08 to 1e\\+308, and the smallest are noth"):
            take()
