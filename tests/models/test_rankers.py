"""Rankers of survival times and of grades, inside scikit-learn."""

from __future__ import annotations

import naive_pairs
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from aucbench import GradeRanker, SurvivalRanker
from aucbench.data import Survival
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics import cindex, grade_auc

SOLVERS = ("rank-svm", "svm-or", "ls-svm")


@pytest.fixture(scope="module")
def patients():
    """60 rows, and times and events as `sksurv.util.Surv` has them."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    dead, lost = rng.exponential(np.exp(-X[:, 0]) * 20), rng.exponential(30, 60)
    y = np.zeros(60, [("event", bool), ("time", float)])
    y["event"], y["time"] = dead <= lost, np.ceil(np.minimum(dead, lost))
    return X, y


@pytest.mark.parametrize("solver", SOLVERS)
def test_risks_are_higher_where_events_are_earlier(patients, solver):
    X, y = patients
    model = SurvivalRanker(solver).fit(X, y)
    assert model.score(X, y) == cindex(y["time"], y["event"], model.predict(X)) > 0.7
    assert model.coef_[0] > 0
    assert np.ptp(X @ model.coef_ - model.predict(X)) < 1e-9  # a constant changes no order


def test_the_squared_hinge_over_comparable_pairs_is_least(patients):
    X, y = patients
    lam = 0.1
    model = SurvivalRanker(f"rank-svm[lam={lam}]", features="none", gap_tol=1e-10).fit(X, y)
    pairs = naive_pairs.of_times(y["time"].tolist(), y["event"].tolist(), [1] * 60)
    weights = np.array([*map(float, pairs.values())])
    D = np.array([X[i] - X[j] for i, j in pairs])
    slope = -2 * D.T @ (weights * np.maximum(0, 1 - D @ model.coef_)) + lam * model.coef_
    assert np.abs(slope).max() < 1e-4


@pytest.mark.parametrize("order", [("event", "time"), ("time", "event")])
def test_y_is_a_structured_array_of_event_and_time(patients, order):
    X, y = patients
    kinds = {"event": bool, "time": float}
    other = np.zeros(60, [(f"own {name}", kinds[name]) for name in order])
    for name in order:
        other[f"own {name}"] = y[name]
    wanted = SurvivalRanker("ls-svm").fit(X, y).predict(X)
    assert np.array_equal(SurvivalRanker("ls-svm").fit(X, other).predict(X), wanted)
    target = Survival.of(y["time"], y["event"])
    assert np.array_equal(SurvivalRanker("ls-svm").fit(X, target).predict(X), wanted)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.arange(60.0), "y has the type float64; give a structured array"),
        (np.zeros(60, [("a", float), ("b", float)]), "the fields a: float64, b: float64"),
        (np.zeros(60, [("a", bool), ("b", bool)]), "the fields a: bool, b: bool"),
    ],
)
def test_another_y_is_refused(patients, y, message):
    with pytest.raises(DataError, match=message):
        SurvivalRanker().fit(patients[0], y)


def test_rankers_are_cloned_searched_and_validated(patients):
    X, y = patients
    model = clone(SurvivalRanker("rank-svm[lam=3]", tau=40.0))
    assert model.get_params()["solver__lam"] == 3
    assert model.tau == 40.0
    pipeline = make_pipeline(StandardScaler(), SurvivalRanker("ls-svm", features="none"))
    folds = KFold(3, shuffle=True, random_state=0)
    assert cross_val_score(pipeline, X, y, cv=folds).mean() > 0.6
    search = GridSearchCV(SurvivalRanker("ls-svm"), {"solver__lam": [0.01, 1.0]}, cv=folds)
    assert search.fit(X, y).best_params_["solver__lam"] in (0.01, 1.0)


def test_a_table_with_text_and_gaps_is_read(patients):
    X, y = patients
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["kind"] = np.where(X[:, 1] > 0, "old", "new")
    frame.loc[3, "a"] = np.nan
    model = SurvivalRanker("ls-svm").fit(frame, y)
    assert model.score(frame, y) > 0.7
    assert "kind=old" in model.get_feature_names_out()
    with pytest.raises(DataError, match="feature names"):
        model.predict(frame[["b", "a", "c", "kind"]])


def test_weights_and_repeated_rows_say_the_same(patients):
    X, y = patients
    weights = np.arange(60) % 3
    rows = np.repeat(np.arange(60), weights)
    one = SurvivalRanker("ls-svm[lam=1]", features="none").fit(X, y, sample_weight=weights)
    two = SurvivalRanker("ls-svm[lam=1]", features="none").fit(X[rows], y[rows])
    assert np.allclose(one.coef_, two.coef_)


def test_pairs_may_be_weighted_by_censoring_and_end_at_tau(patients):
    X, y = patients
    plain = SurvivalRanker("ls-svm").fit(X, y).coef_
    tau = float(np.sort(y["time"][y["event"]])[-3])
    assert not np.allclose(SurvivalRanker("ls-svm", tau=tau).fit(X, y).coef_, plain)
    assert not np.allclose(SurvivalRanker("ls-svm", weight="ipcw", tau=tau).fit(X, y).coef_, plain)
    with pytest.raises(ParameterError, match="weight is 'uno'"):
        SurvivalRanker(weight="uno").fit(X, y)


def test_a_solver_without_pairs_of_times_is_refused(patients):
    with pytest.raises(UnsupportedError, match="svm-or"):
        SurvivalRanker("logistic").fit(*patients)


@pytest.mark.parametrize("solver", SOLVERS)
def test_grades_are_ranked_within_their_groups(solver):
    rng = np.random.default_rng(4)
    X, query = rng.normal(size=(80, 2)), np.repeat(np.arange(8), 10)
    y = np.digitize(X[:, 0], [-1, 0, 1])
    X[:, 0] += 5 * rng.normal(size=8)[query]  # what only queries differ in
    model = GradeRanker(solver).fit(X, y, groups=query)
    assert model.score(X, y, groups=query) == grade_auc(y, model.predict(X), groups=query) > 0.95
    assert model.score(X, y) < model.score(X, y, groups=query)
    assert GradeRanker(solver, gain="exp2").fit(X, y, query).score(X, y, query) > 0.95
    with pytest.raises(DataError, match="groups has shape"):
        GradeRanker(solver).fit(X, y, groups=query[:3])


@pytest.mark.filterwarnings("ignore")
def test_the_ranker_of_grades_passes_the_checks_of_scikit_learn():
    told = "the feature map counts rows, not weights"
    kinds = ("dense", "sparse")
    excused = {f"check_sample_weight_equivalence_on_{kind}_data": told for kind in kinds}
    model = GradeRanker("ls-svm")
    results = check_estimator(model, on_skip=None, on_fail=None, expected_failed_checks=excused)
    assert [one["check_name"] for one in results if one["status"] == "failed"] == []
    assert sum(one["status"] == "passed" for one in results) >= 45
