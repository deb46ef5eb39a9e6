"""The classifier and tables: text, dates, gaps, names, and the label that is positive."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict, cross_val_score

import aucbench
from aucbench import AUCClassifier
from aucbench.errors import DataError

pytestmark = pytest.mark.usefixtures("in_process")

N = 160
RNG = np.random.default_rng(1)
AGE = RNG.normal(50, 10, N)
FRAME = pd.DataFrame(
    {
        "number": [f"P{i:03}" for i in range(N)],
        "age": AGE,
        "ward": RNG.choice(["a", "b", "c"], N),
        "day": pd.date_range("2024-01-01", periods=N),
        "lab": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
    }
)
BACK = np.where(AGE + RNG.normal(0, 5, N) > 50, "bad", "good")
POSITIVE = BACK == "bad"


@pytest.fixture(scope="module")
def model():
    return AUCClassifier("svm-or", pos_label="bad").fit(FRAME, BACK)


@pytest.fixture(scope="module")
def whole():
    table = FRAME.assign(back=BACK)
    return aucbench.fit(table, target="back", positive="bad", solver="svm-or", splits=2)


def test_a_table_becomes_features_as_in_fit(model, whole):
    np.testing.assert_array_equal(model.run_.w, whole.function.weights)
    np.testing.assert_allclose(
        model.threshold_ - model.decision_function(FRAME), whole.predict(FRAME)["score"]
    )
    assert [*model.feature_names_in_] == [*FRAME]
    names = [*model.get_feature_names_out()]
    assert names == [*whole.feature_names()]
    assert {"age", "ward=a", "lab", "lab is missing"} < {*names}
    assert not any("number" in name for name in names)
    assert model.coef_.shape == (1, len(names))
    features = model.model_.encoding.of_frame(FRAME).dense().matrix
    shown = features @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(shown, model.decision_function(FRAME), atol=1e-9)


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "arrow"])
def test_tables_of_other_libraries_are_the_same(model, make):
    table = make(FRAME)
    labels = pl.Series(BACK) if make is pl.from_pandas else pa.array(BACK)
    other = clone(model).fit(table, labels)
    np.testing.assert_array_equal(other.run_.w, model.run_.w)
    np.testing.assert_array_equal(model.predict(table), model.predict(FRAME))
    assert [*other.feature_names_in_] == [*FRAME]
    assert other.auc_score(table, labels) == model.auc_score(FRAME, BACK)
    plain = AUCClassifier("svm-or").fit(make(FRAME[["age"]]), POSITIVE)
    assert plain.model_.encoding is None


def test_new_rows_may_lack_cells_and_have_other_levels(model):
    new = FRAME.assign(ward="z").iloc[:9]
    new.loc[3, ["age", "ward", "day"]] = None
    with pytest.warns(UserWarning, match="column 'ward': 89 % .* a level that no training row has"):
        assert np.isfinite(model.decision_function(new)).all()
    with pytest.raises(DataError, match="column 'age' has 'old'"):
        model.predict(FRAME.astype(object).replace({"age": {AGE[0]: "old"}}))
    with pytest.raises(DataError, match="feature names should match"):
        model.predict(FRAME.drop(columns="age"))


@pytest.mark.parametrize("solver", ["lightgbm[n_estimators=10]", "sht-auc[k=2]"])
def test_gaps_of_an_array_are_filled(solver):
    X = np.column_stack([AGE, FRAME["lab"], RNG.normal(size=N)])
    model = AUCClassifier(solver, passes=5).fit(X, POSITIVE)
    for table in (X, np.nan_to_num(X)):
        assert np.isfinite(model.decision_function(table)).all()
    assert model.auc_score(X, POSITIVE) > 0.8
    assert [*model.get_feature_names_out()] == ["0", "1", "1 is missing", "2"]
    assert not hasattr(model, "feature_names_in_")
    texts = np.column_stack([X.astype(object), FRAME["ward"].to_numpy(object)])
    assert "3=a" in AUCClassifier(solver, passes=5).fit(texts, POSITIVE).get_feature_names_out()
    X[2, 0] = np.inf
    with pytest.raises(DataError, match="inf"):
        model.fit(X, POSITIVE)


def test_a_saved_classifier_reads_the_same_table(model, whole, tmp_path):
    model.save(tmp_path / "m")
    assert aucbench.Model.load(tmp_path / "m").labels[1] == ("bad",)
    wanted = model.decision_function(FRAME)
    for other in (AUCClassifier.load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.decision_function(FRAME), wanted)
        assert (other.pos_label_, *other.classes_) == ("bad", "bad", "good")
        assert [*other.feature_names_in_] == [*FRAME]
    whole.save(tmp_path / "w")
    loaded = AUCClassifier.load(tmp_path / "w")
    asked = FRAME[[*loaded.feature_names_in_]]
    np.testing.assert_array_equal(loaded.predict(asked), whole.predict(FRAME)["decision"])


@pytest.mark.parametrize("labels", [BACK, np.where(POSITIVE, 1, 2)])
def test_which_label_is_positive_is_not_guessed(labels):
    numbers = FRAME[["age"]]
    for learn in (AUCClassifier("svm-or").fit, AUCClassifier("solam").partial_fit):
        with pytest.raises(DataError, match=r"labels are .* say which is positive, .*pos_label='l"):
            learn(numbers, labels)
    with pytest.raises(DataError, match="pos_label='x' is no label: the labels are"):
        AUCClassifier("svm-or", pos_label="x").fit(numbers, labels)
    first, last = np.unique(labels)
    for asked, positive in ((first, first), (last, last), ("last", last)):
        model = AUCClassifier("svm-or", pos_label=asked, sensitivity=0.9, calibration="sigmoid")
        is_positive = labels == positive
        assert model.fit(numbers, labels).pos_label_ == positive
        assert np.mean(model.predict(numbers)[is_positive] == positive) >= 0.9
        chance = model.predict_proba(numbers)[:, [*model.classes_].index(positive)]
        found = model.auc_score(numbers, labels)
        assert roc_auc_score(is_positive, chance) == pytest.approx(found)
    stream = AUCClassifier("solam", pos_label=first).partial_fit(numbers, labels)
    assert stream.pos_label_ == first


@pytest.mark.parametrize("positive", ["bad", "good"])
def test_scikit_learn_sees_the_same_order_whichever_is_positive(positive):
    model = AUCClassifier("svm-or", pos_label=positive, random_state=0)
    assert cross_val_score(model, FRAME, BACK, scoring="roc_auc", cv=3).min() > 0.8
    with pytest.raises(DataError, match=f"as cross_val_predict, takes y == '{positive}'"):
        cross_val_predict(model, FRAME, BACK, method="decision_function", cv=2)
    decided = model.fit(FRAME, BACK).decision_function(FRAME)
    np.testing.assert_array_equal(model.predict(FRAME), model.classes_[(decided > 0).astype(int)])
    assert roc_auc_score(BACK, decided) == pytest.approx(model.auc_score(FRAME, BACK))
    at = FRAME[["age"]]
    edge = AUCClassifier("svm-or", pos_label=positive).fit(at, BACK)
    cut = edge.model_.scores(at)[5, 0]  # this row is at the threshold
    edge.model_ = replace(edge.model_, functions=(replace(edge.model_.function, threshold=cut),))
    assert edge.predict(at)[5] == positive


def test_a_warm_start_takes_tables():
    model = AUCClassifier("svm-or", passes=2, pos_label="bad", warm_start=True)
    begun = model.fit(FRAME, BACK).run_.points[-1].objective
    assert model.fit(FRAME[:150], BACK[:150]).model_.encoding.schema.columns
    assert model.fit(FRAME, BACK).run_.points[-1].objective <= begun + 1e-9


def test_what_was_understood_of_cells_is_said():
    X = pd.DataFrame({"weight": [f"{k % 9} kg" if k else "unknown" for k in range(60)]})
    with pytest.warns(UserWarning, match="'unknown', first in row 0; 1 such cell") as told:
        model = AUCClassifier("logistic", passes=1).fit(X, np.arange(60) % 2)
    assert len(told) == 1
    assert [*model.get_feature_names_out()] == ["weight", "weight is missing"]
