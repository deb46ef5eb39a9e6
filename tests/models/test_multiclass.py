"""`AUCClassifier` with three or more classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucbench import AUCClassifier, Model
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics import hand_till, one_vs_rest
from aucbench.pairs import ByClass

RNG = np.random.default_rng(0)
CODES = np.append(np.arange(3), RNG.integers(0, 3, 177))
X = RNG.normal(size=(180, 4)) + 1.5 * np.eye(3, 4)[CODES]
Y = np.array(["ape", "bee", "cat"])[CODES]
NEW_CODES = np.append(np.arange(3), RNG.integers(0, 3, 117))
NEW = RNG.normal(size=(120, 4)) + 1.5 * np.eye(3, 4)[NEW_CODES]


@pytest.mark.parametrize("solver", ["svm-or", "sht-auc[k=3]", "solam", "hist-gradient-boosting"])
def test_each_class_has_a_column(solver):
    model = AUCClassifier(solver, passes=30).fit(X, Y)
    odds = model.decision_function(NEW)
    assert odds.shape == (120, 3)
    assert model.classes_.tolist() == ["ape", "bee", "cat"]
    predicted = model.predict(NEW)
    assert predicted.tolist() == model.classes_[odds.argmax(axis=1)].tolist()
    assert model.auc_score(NEW, model.classes_[NEW_CODES]) == pytest.approx(
        hand_till(NEW_CODES, odds)
    )
    assert hand_till(NEW_CODES, odds) > 0.8
    assert model.score(NEW, model.classes_[NEW_CODES]) > 0.6
    assert not hasattr(model, "predict_proba")
    assert model.model_.scores(NEW).shape == (120, 3)


def test_pairs_are_those_that_the_solver_can_train():
    assert AUCClassifier("svm-or").fit(X, Y).run_.trained_on == ""
    assert AUCClassifier("sht-auc").fit(X, Y).run_.trained_on == "class[each=rest]"
    rest = AUCClassifier("svm-or", pairs="class[each=rest]").fit(X, Y)
    even = AUCClassifier("svm-or").fit(X, Y)
    assert not np.array_equal(rest.decision_function(X), even.decision_function(X))
    with pytest.raises(UnsupportedError, match=r"class\[each=rest\]"):
        AUCClassifier("sht-auc", pairs=ByClass()).fit(X, Y)


def test_the_decision_function_is_affine_in_the_columns():
    for features in ("auto", "none"):
        model = AUCClassifier("svm-or", features=features).fit(X, Y)
        assert model.coef_.shape == (3, 4)
        odds = NEW @ model.coef_.T + model.intercept_
        np.testing.assert_allclose(odds, model.decision_function(NEW), atol=1e-9)


def test_probabilities_add_up_to_1_and_have_the_decision():
    model = AUCClassifier("svm-or", calibration="sigmoid").fit(X, Y)
    p = model.predict_proba(NEW)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert model.predict(NEW).tolist() == model.classes_[p.argmax(axis=1)].tolist()
    # scikit-learn needs probabilities, of which its M is ours.
    theirs = roc_auc_score(NEW_CODES, p, multi_class="ovo", average="macro")
    assert theirs == pytest.approx(hand_till(NEW_CODES, p), abs=1e-12)
    theirs = roc_auc_score(NEW_CODES, p, multi_class="ovr", average="macro")
    assert theirs == pytest.approx(one_vs_rest(NEW_CODES, p), abs=1e-12)


def test_it_works_inside_scikit_learn():
    model = AUCClassifier("svm-or", calibration="sigmoid", passes=20)
    assert cross_val_score(model, X, Y, scoring="roc_auc_ovo", cv=3).mean() > 0.85
    search = GridSearchCV(
        make_pipeline(StandardScaler(), AUCClassifier("svm-or", features="none")),
        {"aucclassifier__solver__lam": [0.01, 1.0]},
        cv=3,
    ).fit(X, Y)
    assert search.best_score_ > 0.6
    assert clone(search.best_estimator_).fit(X, Y).predict(NEW).shape == (120,)


def test_weights_sparse_rows_and_tables():
    weights = np.where(Y == "bee", 0.0, 1.0 + np.arange(180) % 2)
    with pytest.raises(DataError, match="no row of class bee"):
        AUCClassifier("svm-or").fit(X, Y, weights)
    twice = np.repeat(np.arange(180), 1 + np.arange(180) % 2)
    model = AUCClassifier("svm-or[lam=0.1]", features="none", gap_tol=1e-9, passes=1000)
    weighted = model.fit(X, Y, 1 + np.arange(180) % 2).run_.decision_function(NEW)
    repeated = clone(model).fit(X[twice], Y[twice]).run_.decision_function(NEW)
    np.testing.assert_allclose(weighted, repeated, atol=2e-3)
    assert AUCClassifier("svm-or").fit(csr_array(X), Y).predict(csr_array(NEW)).shape == (120,)
    table = pd.DataFrame({"a": X[:, 0], "kind": np.where(CODES == 1, "w", "l"), "b": X[:, 2]})
    fitted = AUCClassifier("svm-or").fit(table, Y)
    assert fitted.auc_score(table, Y) > 0.85
    assert fitted.coef_.shape[0] == 3


def test_a_warm_start_goes_on():
    model = AUCClassifier("svm-or[lam=0.001]", passes=3, warm_start=True)
    first = model.fit(X, Y).run_.points[-1].objective
    assert model.fit(X, Y).run_.points[-1].objective < first
    with pytest.raises(DataError, match="warm_start goes on from the classes"):
        model.fit(X, CODES)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"sensitivity": 0.9}, ParameterError, "sensitivity is for the threshold of two classes"),
        ({"aim": {"flags": 0.1}}, ParameterError, "aim is for the threshold"),
        ({"calibration": "isotonic"}, ParameterError, "its steps would tie the log-odds"),
        ({"pos_label": "bee"}, DataError, "says which of two classes is positive"),
    ],
)
def test_options_of_two_classes_are_refused(options, error, told):
    with pytest.raises(error, match=told):
        AUCClassifier("svm-or", **options).fit(X, Y)


@pytest.mark.parametrize("solver", ["svm-or", "hist-gradient-boosting[max_iter=5]"])
def test_a_saved_classifier_comes_back(solver, tmp_path):
    path = tmp_path / "three.model"
    model = AUCClassifier(solver, calibration="sigmoid", pairs=ByClass("rest")).fit(X, Y)
    model.save(path)
    again = AUCClassifier.load(path)
    np.testing.assert_allclose(again.decision_function(NEW), model.decision_function(NEW))
    np.testing.assert_allclose(again.predict_proba(NEW), model.predict_proba(NEW))
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.get_params()["pairs"] == "class[each=rest]"
    answer = Model.load(path).predict(NEW)
    assert answer["decision"].tolist() == model.predict(NEW).tolist()


def test_chunks_teach_each_class_against_the_rest(tmp_path):
    model = AUCClassifier("solam")
    model.partial_fit(X[:60], Y[:60], classes=["ape", "bee", "cat"])
    only_apes = np.flatnonzero(Y == "ape")[:5]
    for part in (only_apes, np.arange(60, 180)):
        model.partial_fit(X[part], Y[part])
    assert model.auc_score(NEW, model.classes_[NEW_CODES]) > 0.8
    each = AUCClassifier("solam", pos_label=1)
    order = np.r_[np.arange(60), only_apes, np.arange(60, 180)]
    for part in (order[:60], order[60:65], order[65:]):
        each.partial_fit(X[part], (Y[part] == "cat").astype(int), classes=[0, 1])
    np.testing.assert_array_equal(model.model_.functions[2].weights, each.model_.function.weights)
    model.save(tmp_path / "online.model")
    again = AUCClassifier.load(tmp_path / "online.model")
    np.testing.assert_allclose(again.decision_function(NEW), model.decision_function(NEW))
    assert again.coef_.shape == model.coef_.shape == (3, 4)
    with pytest.raises(DataError, match="a label 'dog'"):
        model.partial_fit(X[:2], ["dog", "ape"])


@pytest.mark.parametrize(
    ("options", "many"),
    [({}, True), ({"pairs": "class"}, True), ({"pairs": "fpr[max=0.1]"}, False)]
    + [({name: value}, False) for name, value in (("sensitivity", 0.9), ("specificity", 0.9))]
    + [({"calibration": "isotonic"}, False)],
)
def test_the_tag_of_more_classes_is_false_where_an_option_is_about_two(options, many):
    tags = AUCClassifier("svm-or", **options).__sklearn_tags__()
    assert tags.classifier_tags.multi_class is many
