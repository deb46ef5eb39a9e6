"""Rankers of survival times and of grades, inside scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused
from samples import data
from sklearn.base import clone

from aucbench import AUCClassifier, GradeRanker, Model, SurvivalRanker
from aucbench.data import Survival
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.metrics import cindex, grade_auc

SOLVERS = ("rank-svm", "svm-or", "ls-svm")
ROWS = data(3, 60, 3, kind="times")
X, TIMES = ROWS.rows.matrix, ROWS.target
Y = np.zeros(60, [("event", bool), ("time", float)])  # as `sksurv.util.Surv` has them
Y["event"], Y["time"] = TIMES.event, TIMES.time


@pytest.mark.parametrize("solver", SOLVERS)
def test_risks_are_higher_where_events_are_earlier(solver):
    model = SurvivalRanker(solver).fit(X, Y)
    assert model.score(X, Y) == cindex(Y["time"], Y["event"], model.predict(X)) > 0.7
    assert model.coef_[0] > 0
    assert np.ptp(X @ model.coef_ - model.predict(X)) < 1e-9  # a constant changes no order


def test_y_is_a_structured_array_or_a_target_and_weights_count_rows():
    turned = np.zeros(60, [("own time", float), ("own event", bool)])
    turned["own time"], turned["own event"] = Y["time"], Y["event"]
    wanted = SurvivalRanker("ls-svm").fit(X, Y).predict(X)
    for other in (turned, Survival.of(Y["time"], Y["event"])):
        assert np.array_equal(SurvivalRanker("ls-svm").fit(X, other).predict(X), wanted)
    weights = np.arange(60) % 3
    rows, model = (
        np.repeat(np.arange(60), weights),
        SurvivalRanker("ls-svm[lam=1]", features="none"),
    )
    one = clone(model).fit(X, Y, sample_weight=weights)
    assert np.allclose(one.coef_, model.fit(X[rows], Y[rows]).coef_)


def test_pairs_may_be_weighted_by_censoring_and_end_at_tau():
    tau = float(np.sort(Y["time"][Y["event"]])[-3])
    plain, cut, ipcw = (
        SurvivalRanker("ls-svm", **options).fit(X, Y).coef_
        for options in ({}, {"tau": tau}, {"tau": tau, "weight": "ipcw"})
    )
    assert not np.allclose(plain, cut)
    assert not np.allclose(cut, ipcw)
    assert_refused(lambda: SurvivalRanker(weight="uno").fit(X, Y), ParameterError, "uno")


def test_a_table_with_text_and_gaps_is_read_and_saved(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["kind"] = np.where(X[:, 1] > 0, "old", "new")
    frame.loc[3, "a"] = np.nan
    model = SurvivalRanker("ls-svm", tau=90.0).fit(frame, Y)
    assert model.score(frame, Y) > 0.7
    model.save(tmp_path / "m")
    answer = Model.load(tmp_path / "m").predict(frame)
    assert answer["score"].tolist() == model.predict(frame).tolist()
    with pytest.raises(UnsupportedError, match=r"Model\.load"):
        AUCClassifier.load(tmp_path / "m")


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
