"""Weights of rows: who counts them, who refuses them, and weights of any magnitude.

That a row of weight 2 counts like two rows is a law of objectives and of solvers. Where only the
ratios of weights count, all bits are those of weights near 1.
"""

import installed
import numpy as np
import pytest

from aucbench import get_solver, metrics, solve, stats
from aucbench.data import Data
from aucbench.errors import DataError, UnsupportedError
from aucbench.metrics import auc
from aucbench.metrics.roc import corners
from aucbench.objectives import (
    Logistic,
)
from aucbench.optim import default_ridge

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
# Those that add up losses of rows are in `SUMS`: there the unit of the weights counts.
RATIOS = (
    *("additive", "ls-svm", "spdam", "svm-or", "rank-svm", "roc-svm-full"),
    "roc-svm-nystrom[rank=20]",
    *(f"{name}[width=0]" for name in ("aucm", "mlp") if name in installed.SOLVERS),
)
SUMS = ("logistic", "logistic-balanced", "linear-svc", "sgd-logistic", "hist-gradient-boosting")


def weighted(v=V):
    return Data.of(X, Y, weights=v)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_is_that_of_weights_near_one(measure):
    of = MEASURES[measure]
    for power in POWERS:
        assert of(np.ldexp(V, power)) == of(V)
    if measure not in ("DeLong", "difference"):
        assert np.isfinite(np.ravel(of(V))).all()
    if measure in ("auc", "DeLong", "difference", "ridge"):  # each class may have its own size
        for powers in ((-1074, -600), (1021, 30), (-300, 500)):
            assert of(np.ldexp(V, np.where(Y > 0, *powers))) == of(V)


@pytest.mark.parametrize("solver", RATIOS)
def test_a_solver_finds_what_it_finds_with_weights_near_one(solver):
    near = solve(solver, weighted(), passes=6)
    for power in POWERS:
        far = solve(solver, weighted(np.ldexp(V, power)), passes=6)
        np.testing.assert_array_equal(far.w, near.w)
        assert [p.objective for p in far.points] == [p.objective for p in near.points]
        assert [p.gap for p in far.points] == [p.gap for p in near.points]


@pytest.mark.parametrize("solver", SUMS)
def test_a_sum_of_losses_refuses_weights_that_are_far_from_one(solver):
    for power in POWERS:
        with pytest.raises(DataError, match="mean"):
            solve(solver, weighted(np.ldexp(V, power)))


def test_each_solver_with_weights_is_of_one_kind_or_the_other():
    kinds = {name.partition("[")[0] for name in (*RATIOS, *SUMS)}
    others = {"abess", "ebm", "random-forest"}  # which add up losses, and take seconds
    others |= {"catboost", "lightgbm", "lightgbm-pairs", "xgboost", "xgboost-pairs"}
    named = {*installed.SOLVERS} - {"estimator"}  # which asks for a classifier
    counting = {n for n in named if "weights" in get_solver(n).needs.capabilities}
    assert counting <= kinds | others


@pytest.mark.parametrize("spec", ["sht-auc", "solam", "aum"])
def test_solvers_without_weights_refuse_them_unless_they_are_equal(spec):
    with pytest.raises(UnsupportedError, match="without the weights"):
        solve(get_solver(spec), weighted())
    with pytest.raises(UnsupportedError, match="logistic"):
        Logistic(weighted())
    run = solve(get_solver(spec), weighted(np.ones(N)), passes=1)
    np.testing.assert_array_equal(run.w, solve(get_solver(spec), Data.of(X, Y), passes=1).w)
