"""Baselines give what their library gives, and say how far they are from an optimum."""

from dataclasses import replace

import lightgbm
import numpy as np
import pytest
import xgboost
from layouts import LAYOUTS
from optima import pointwise
from samples import sample
from scipy.sparse import csr_array
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

from aucbench import auc, get_solver, solve
from aucbench.data import Data, Labels, Survival
from aucbench.data.arrays import Rows
from aucbench.data.arrays import rows as rows_of
from aucbench.errors import DataError
from aucbench.optim.trees import portable
from aucbench.pairs import Group, Time
from aucbench_plugins.baselines import parts

X, Y = sample(4, n=300, d=6, density=0.8, shift=0.6 * (np.arange(6) < 3))
AT = sample(5, n=300, d=6, density=0.8)[0]
SEED = int(np.random.default_rng(0).spawn(2)[1].integers(2**31))  # which a solver draws first
ONE = {"random_state": SEED, "n_jobs": 1}
LIGHT = {**ONE, "n_estimators": 9, "deterministic": True, "force_row_wise": True, "verbosity": -1}
XG = {**ONE, "n_estimators": 9, "learning_rate": 0.3}
GROUP = np.random.default_rng(3).permutation(np.arange(300) // 6)
TIMES = np.random.default_rng(4).exponential(np.exp(-Y)).round(1) + 0.1
WEIGHTS = np.random.default_rng(5).uniform(0.5, 2.0, 300)


def pairs_of(kind):
    """(data, which pairs (i, j) count, how much a row does) of the rows X."""
    above = np.subtract.outer(Y, Y) > 0
    if kind == "groups":
        same = np.equal.outer(GROUP, GROUP)
        return Data.of(X, Y, groups=GROUP, pairs=Group()), above & same, np.ones(300)
    if kind == "times":
        events = np.arange(300) % 3 > 0
        order = np.less.outer(TIMES, TIMES) | (np.equal.outer(TIMES, TIMES) & ~events)
        data = replace(Data.of(X, Survival.of(TIMES, events)), pairs=Time())
        return data, order & events[:, None], np.ones(300)
    return Data.of(X, Labels.of(Y, weights=WEIGHTS)), above, WEIGHTS


def forest():
    made = RandomForestClassifier(9, min_samples_leaf=2, random_state=SEED).fit(X, Y)
    return made.predict_proba(AT)[:, 1]


def boosting(weight=None):
    made = HistGradientBoostingClassifier(
        max_iter=9, min_samples_leaf=5, class_weight=weight, random_state=SEED
    )
    return made.fit(X, Y).decision_function(AT)


def light():
    made = lightgbm.LGBMClassifier(colsample_bytree=0.5, **LIGHT).fit(X, Y > 0)
    return made.predict(AT, raw_score=True)


def over_pairs(kind):
    """(data, objective by all pairs one by one) of the squared hinge."""
    data, counts, weights = pairs_of(kind)
    share = counts * np.outer(weights, weights)
    share /= share.sum()

    def derivatives(target, s):
        slope = -2.0 * share * np.maximum(1.0 - np.subtract.outer(s, s), 0.0)
        mass = share.sum(axis=0) + share.sum(axis=1)
        c = 1.0 / (16.0 * mass.max())
        return c * (slope.sum(axis=1) - slope.sum(axis=0)), c * 4.0 * mass

    return data, derivatives


def xg():
    made = xgboost.XGBClassifier(subsample=0.7, tree_method="hist", **XG).fit(X, Y > 0)
    return made.predict(AT, output_margin=True).astype(np.float64)


LIBRARIES = {  # a solver, and the scores of its library
    "random-forest[n_estimators=9,min_samples_leaf=2]": forest,
    "hist-gradient-boosting[max_iter=9,min_samples_leaf=5]": boosting,
    "hist-gradient-boosting[max_iter=9,min_samples_leaf=5,balanced=true]":
        lambda: boosting("balanced"),
    "lightgbm[n_estimators=9,colsample_bytree=0.5]": light,
    "xgboost[n_estimators=9,subsample=0.7]": xg,
}  # fmt: skip


@pytest.mark.parametrize("spec", LIBRARIES)
def test_scores_are_those_of_the_library(spec):
    found = solve(spec, Data.of(X, Y)).decision_function(AT)
    np.testing.assert_allclose(found, LIBRARIES[spec](), rtol=1e-6 if "xgb" in spec else 1e-12)


def test_catboost_is_that_of_its_library_for_either_layout_and_as_arrays():
    catboost = pytest.importorskip("catboost", reason="catboost is not installed")
    data = Data.of(X, Labels.of(Y, weights=WEIGHTS))
    plain = catboost.CatBoostClassifier(
        **{"iterations": 9, "depth": 3, "rsm": 0.5, "random_seed": SEED, "thread_count": 1},
        **{"verbose": 0, "allow_writing_files": False},
    ).fit(X, Y > 0, sample_weight=WEIGHTS)
    run = solve("catboost[n_estimators=9,depth=3,rsm=0.5]", data)
    found = run.decision_function(AT)
    np.testing.assert_array_equal(found, plain.predict(AT, prediction_type="RawFormulaVal"))
    borders = np.column_stack([np.resize(b, 20) for b in plain.get_borders().values()])
    edges = rows_of(np.r_[AT, borders, np.nextafter(borders, 9.0), borders.astype(np.float32)])
    trees = portable(run.model)
    np.testing.assert_allclose(trees.scores(edges), run.model.scores(edges), rtol=1e-13)
    sparse = solve(
        "catboost[n_estimators=9,depth=3,rsm=0.5]", data.with_rows(Data.of(csr_array(X), Y).rows)
    )
    np.testing.assert_array_equal(sparse.decision_function(csr_array(AT)), found)
    with pytest.raises(DataError, match="lightgbm"):
        solve("catboost", Data.of(np.ones((9, 2)), np.arange(9) % 2))


@pytest.mark.parametrize("kind", ["weights", "groups", "times"])
def test_trees_are_fitted_to_the_gradient_over_all_pairs(kind):
    data, objective = over_pairs(kind)
    light = lightgbm.LGBMRegressor(objective=objective, **LIGHT).fit(X, Y)
    found = solve("lightgbm-pairs[n_estimators=9]", data).decision_function(AT)
    np.testing.assert_allclose(found, light.predict(AT), rtol=1e-6)
    xg = xgboost.XGBRegressor(objective=objective, base_score=0.0, **XG).fit(X, Y)
    found = solve("xgboost-pairs[n_estimators=9]", data).decision_function(AT)
    np.testing.assert_allclose(found, xg.predict(AT), rtol=1e-5, atol=1e-6)


def test_sgd_logistic():
    descent = SGDClassifier(loss="log_loss", fit_intercept=False, random_state=SEED)
    descent.fit(np.c_[X, np.ones(len(X))], Y)
    run = solve(get_solver("sgd-logistic"), Data.of(X, Y))
    np.testing.assert_array_equal(run.w, descent.coef_[0])
    assert (run.nnz, run.points[-1].passes) == (6, descent.n_iter_)
    assert auc(Y, run.decision_function(X)) > 0.8


@pytest.mark.parametrize("name", ["hist-gradient-boosting", "xgboost", "xgboost-pairs"])
def test_sparse_rows_beyond_the_limit_are_refused(name):
    n, d = 20, 2**24
    each = np.arange(n + 1, dtype=np.int32)
    wide = Rows(np.ones(n), each[:-1], each, n, d)
    with pytest.raises(DataError, match="2048 MiB"):
        solve(get_solver(name), Data(wide, Data.of(np.eye(n), [1, -1] * (n // 2)).target))


def test_sparse_rows_are_scored_a_chunk_at_a_time(monkeypatch):
    run = solve(get_solver("xgboost", n_estimators=3), Data.of(X, Y))
    monkeypatch.setattr(parts, "DENSE_BYTES", 8 * 6 * 7)
    np.testing.assert_array_equal(run.decision_function(csr_array(AT)), run.decision_function(AT))


# --- linear classifiers ----------------------------------------------------------------------

NAMES = pytest.mark.parametrize("name", ["logistic", "logistic-balanced", "linear-svc"])


@LAYOUTS
@NAMES
def test_the_residual_is_the_gradient_of_the_stated_objective(layout, name):
    X, y = sample(3, n=600, d=5, positives=0.2, density=0.7, shift=0.3)
    run = solve(get_solver(name, C=2.0, max_iter=1000), Data.of(layout(X), y))
    weight = "balanced" if name == "logistic-balanced" else None
    estimator = LinearSVC if name == "linear-svc" else LogisticRegression
    fitted = estimator(C=2.0, tol=1e-8, max_iter=1000, class_weight=weight).fit(layout(X), y)
    _, gradient = pointwise(name, X, y, 2.0)(np.r_[fitted.coef_[0], fitted.intercept_])
    np.testing.assert_allclose(run.w, fitted.coef_[0], rtol=1e-6)
    assert 0 < run.points[-1].residual < 1e-4
    assert run.points[-1].residual == pytest.approx(np.linalg.norm(gradient), rel=1e-3, abs=1e-11)


@NAMES
def test_too_few_iterations_leave_a_residual_and_a_warning(name):
    X, y = sample(3, n=150, d=40, positives=0.2)
    with pytest.warns(ConvergenceWarning):
        run = solve(get_solver(name, max_iter=2), Data.of(X, y))
    assert run.points[-1].residual > 1e-3
