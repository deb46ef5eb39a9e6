"""The baselines that are not driven to an optimum give what their library gives."""

import subprocess
import sys

import lightgbm
import numpy as np
import pytest
import xgboost
from scipy.sparse import csr_array
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from typer.testing import CliRunner

from aucbench import auc, get_solver, solve
from aucbench.cli import app
from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.errors import DataError, MissingExtraError, ParameterError
from aucbench.pairs import Group
from aucbench.registry import describe
from aucbench.registry.lookup import find

TREES = ["hist-gradient-boosting", "random-forest", "lightgbm", "xgboost"]
PAIRWISE = ["lightgbm-pairwise", "xgboost-pairwise"]
EXTRA = [name for name in [*TREES, *PAIRWISE] if name.startswith(("light", "xg"))]
SMALL = {
    "hist-gradient-boosting": {"max_iter": 9, "min_samples_leaf": 5},
    "random-forest": {"n_estimators": 9, "min_samples_leaf": 2},
    **{name: {"n_estimators": 9} for name in EXTRA},
}


def sample(n=300, seed=4):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    X = rng.normal(size=(n, 6)) + 0.6 * y[:, None] * (np.arange(6) < 3)
    X[rng.random(X.shape) < 0.2] = 0.0
    return X, y


X, Y = sample()
AT = sample(seed=5)[0]


def seed_of(solve_seed=0):
    """The number that a solver draws first, when it is run with a seed."""
    return int(np.random.default_rng(solve_seed).spawn(2)[1].integers(2**31))


def scores(name, **given):
    run = solve(get_solver(name, **{**SMALL.get(name, {}), **given}), Data.of(X, Y))
    return run.decision_function(AT)


def test_random_forest():
    forest = RandomForestClassifier(9, min_samples_leaf=2, random_state=seed_of()).fit(X, Y)

    np.testing.assert_array_equal(scores("random-forest"), forest.predict_proba(AT)[:, 1])


@pytest.mark.parametrize("balanced", [False, True])
def test_hist_gradient_boosting(balanced):
    weight = "balanced" if balanced else None
    boosting = HistGradientBoostingClassifier(
        max_iter=9, min_samples_leaf=5, class_weight=weight, random_state=seed_of()
    ).fit(X, Y)

    np.testing.assert_array_equal(
        scores("hist-gradient-boosting", balanced=balanced), boosting.decision_function(AT)
    )


def test_sgd_logistic():
    descent = SGDClassifier(loss="log_loss", fit_intercept=False, random_state=seed_of())
    descent.fit(np.c_[X, np.ones(len(X))], Y)
    run = solve(get_solver("sgd-logistic"), Data.of(X, Y))

    np.testing.assert_array_equal(run.w, descent.coef_[0])
    assert (run.nnz, run.points[-1].passes) == (6, descent.n_iter_)
    assert auc(Y, run.decision_function(X)) > 0.8


def test_lightgbm():
    booster = lightgbm.LGBMClassifier(
        n_estimators=9,
        colsample_bytree=0.5,
        random_state=seed_of(),
        deterministic=True,
        force_row_wise=True,
        n_jobs=1,
        verbosity=-1,
    ).fit(X, Y > 0)

    expected = booster.predict(AT, raw_score=True)
    np.testing.assert_allclose(scores("lightgbm", colsample_bytree=0.5), expected, rtol=1e-12)


@pytest.mark.parametrize("objective", ["lambdarank", "rank_xendcg"])
def test_lightgbm_pairwise(objective):
    ranker = lightgbm.LGBMRanker(
        objective=objective,
        n_estimators=9,
        random_state=seed_of(),
        lambdarank_truncation_level=len(X),
        deterministic=True,
        force_row_wise=True,
        n_jobs=1,
        verbosity=-1,
    ).fit(X, Y > 0, group=[len(X)])

    found = scores("lightgbm-pairwise", objective=objective)
    np.testing.assert_allclose(found, ranker.predict(AT), rtol=1e-12)


def test_xgboost():
    booster = xgboost.XGBClassifier(
        n_estimators=9,
        learning_rate=0.3,
        subsample=0.7,
        tree_method="hist",
        random_state=seed_of(),
        n_jobs=1,
    ).fit(X, Y > 0)

    expected = booster.predict(AT, output_margin=True)
    np.testing.assert_array_equal(scores("xgboost", subsample=0.7), expected.astype(np.float64))


def test_xgboost_pairwise():
    ranker = xgboost.XGBRanker(
        objective="rank:pairwise",
        n_estimators=9,
        learning_rate=0.3,
        lambdarank_pair_method="mean",
        lambdarank_num_pair_per_sample=3,
        random_state=seed_of(),
        n_jobs=1,
    ).fit(X, Y > 0, qid=np.zeros(len(X), dtype=int))

    expected = ranker.predict(AT)
    np.testing.assert_allclose(scores("xgboost-pairwise", pairs=3), expected, rtol=1e-6)


def grouped():
    """Rows in shuffled groups of six; those of a group with one class take no part."""
    group = np.random.default_rng(3).permutation(np.arange(len(X)) // 6)
    order = np.argsort(group, kind="stable")
    both = [r for r in np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if np.ptp(Y[r])]
    return group, np.concatenate(both), [rows.size for rows in both]


def scores_in_groups(name, **params):
    data = Data.of(X, Y, groups=grouped()[0], pairs=Group())
    return solve(get_solver(name, n_estimators=9, **params), data).decision_function(AT)


def test_groups_are_queries_of_lightgbm():
    _, rows, sizes = grouped()
    ranker = lightgbm.LGBMRanker(
        objective="lambdarank",
        n_estimators=9,
        random_state=seed_of(),
        lambdarank_truncation_level=max(sizes),
        deterministic=True,
        force_row_wise=True,
        n_jobs=1,
        verbosity=-1,
    ).fit(X[rows], Y[rows] > 0, group=sizes)

    found = scores_in_groups("lightgbm-pairwise")
    np.testing.assert_allclose(found, ranker.predict(AT), rtol=1e-12)


def test_groups_are_queries_of_xgboost():
    _, rows, sizes = grouped()
    ranker = xgboost.XGBRanker(
        objective="rank:pairwise",
        n_estimators=9,
        learning_rate=0.3,
        lambdarank_pair_method="mean",
        lambdarank_num_pair_per_sample=3,
        random_state=seed_of(),
        n_jobs=1,
    ).fit(X[rows], Y[rows] > 0, qid=np.repeat(np.arange(len(sizes)), sizes))

    found = scores_in_groups("xgboost-pairwise", pairs=3)
    np.testing.assert_allclose(found, ranker.predict(AT), rtol=1e-6)


@pytest.mark.parametrize("name", ["hist-gradient-boosting", "xgboost", "xgboost-pairwise"])
def test_sparse_rows_beyond_the_limit_are_refused(name):
    n, d = 20, 2**24
    each = np.arange(n + 1, dtype=np.int32)
    wide = Rows(np.ones(n), each[:-1], each, n, d)
    with pytest.raises(DataError, match="2560 MiB; at most 2048 MiB are allowed; take lightgbm"):
        solve(get_solver(name), Data(wide, Data.of(np.eye(n), [1, -1] * (n // 2)).target))


def test_sparse_rows_are_scored_a_chunk_at_a_time(monkeypatch):
    from aucbench_plugins.baselines import parts

    run = solve(get_solver("xgboost", n_estimators=3), Data.of(X, Y))
    monkeypatch.setattr(parts, "DENSE_BYTES", 8 * 6 * 7)

    np.testing.assert_array_equal(run.decision_function(csr_array(AT)), run.decision_function(AT))


def test_more_rows_than_lightgbm_takes_are_divided_into_queries():
    from aucbench_plugins.baselines.lightgbm_pairwise import divide_rows

    X, y = sample(20_001)
    order, sizes = divide_rows(y > 0, np.random.default_rng(0))
    run = solve(get_solver("lightgbm-pairwise", n_estimators=5, truncation=50), Data.of(X, y))

    assert sizes == [6667, 6667, 6667]
    assert sorted(order) == [*range(20_001)]
    shares = [np.mean(y[part] > 0) for part in np.split(order, np.cumsum(sizes)[:-1])]
    np.testing.assert_allclose(shares, np.mean(y > 0), atol=2e-4)
    assert auc(y, run.decision_function(X)) > 0.8
    whole = get_solver("lightgbm-pairwise", n_estimators=5, objective="rank_xendcg")
    assert auc(y, solve(whole, Data.of(X, y)).decision_function(X)) > 0.8


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("lightgbm", {"colsample_bytree": 0.0}, r"colsample_bytree must be in \(0, 1\], got 0.0"),
        ("lightgbm", {"num_leaves": 1}, "num_leaves must be at least 2"),
        (
            "lightgbm-pairwise",
            {"objective": "ndcg"},
            "must be 'lambdarank' or 'rank_xendcg', got 'ndcg'",
        ),
        ("xgboost", {"subsample": 1.5}, r"subsample must be in \(0, 1\]"),
        ("xgboost-pairwise", {"pairs": 0}, "pairs must be at least 1"),
        ("random-forest", {"max_features": "all"}, "max_features must be sqrt, log2"),
        ("random-forest", {"max_features": 1.5}, r"max_features must be in \(0, 1\]"),
        ("sgd-logistic", {"penalty": "l3"}, "penalty of sgd-logistic must be 'l2' or 'l1'"),
        ("hist-gradient-boosting", {"learning_rate": 0.0}, "learning_rate must be greater than 0"),
    ],
)
def test_bad_parameters_are_told(name, given, sentence):
    with pytest.raises(ParameterError, match=sentence):
        get_solver(name, **given)


@pytest.mark.parametrize("name", EXTRA)
def test_what_is_not_installed_is_named(name, monkeypatch):
    package = find("solvers", name).factory.needs.packages[0]
    assert describe("solvers", name).missing is None
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'aucbench\[baselines\]'"):
        get_solver(name)
    assert "pip install 'aucbench[baselines]'" in describe("solvers", name).missing
    listed = CliRunner().invoke(app, ["list", "solvers"]).stdout
    (line,) = (line for line in listed.splitlines() if line.split()[:1] == [name])
    assert "pip install 'aucbench[baselines]'" in line


def test_plugins_are_found_without_their_libraries():
    names = [*TREES, *PAIRWISE, "sgd-logistic", "estimator"]
    code = f"""
import sys
from aucbench.registry import describe
for name in {names}: describe("solvers", name)
print(*({{"sklearn", "lightgbm", "xgboost", "pandas"}} & {{*sys.modules}}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
