"""`AUCClassifier` with three or more classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from nights import some
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

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
SOLVERS = ["svm-or", "sht-auc[k=3]", "solam", "hist-gradient-boosting"]
TREES = "hist-gradient-boosting[max_iter=5]"


@pytest.mark.parametrize("solver", some(SOLVERS, {"svm-or", "hist-gradient-boosting"}))
def test_each_class_has_a_column(solver):
    model = AUCClassifier(solver, passes=30).fit(X, Y)
    odds, new = model.decision_function(NEW), model.classes_[NEW_CODES]
    assert odds.shape == model.model_.scores(NEW).shape == (120, 3)
    assert model.classes_.tolist() == ["ape", "bee", "cat"]
    assert model.predict(NEW).tolist() == model.classes_[odds.argmax(axis=1)].tolist()
    assert model.auc_score(NEW, new) == pytest.approx(hand_till(NEW_CODES, odds))
    assert hand_till(NEW_CODES, odds) > 0.8
    assert model.score(NEW, new) > 0.6
    assert not hasattr(model, "predict_proba")


def test_pairs_are_those_that_the_solver_can_train():
    even, drawn = (AUCClassifier(solver).fit(X, Y) for solver in ("svm-or", "sht-auc"))
    assert (even.run_.trained_on, drawn.run_.trained_on) == ("", "class[each=rest]")
    rest = AUCClassifier("svm-or", pairs="class[each=rest]").fit(X, Y)
    assert not np.array_equal(rest.decision_function(X), even.decision_function(X))
    with pytest.raises(UnsupportedError, match=r"class\[each=rest\]"):
        AUCClassifier("sht-auc", pairs=ByClass()).fit(X, Y)


@pytest.mark.parametrize("features", ["auto", "none"])
def test_probabilities_add_up_to_1_and_have_the_decision(features):
    model = AUCClassifier("svm-or", features=features, calibration="sigmoid").fit(X, Y)
    assert model.coef_.shape == (3, 4)
    odds = NEW @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(odds, model.decision_function(NEW), atol=1e-9)
    p = model.predict_proba(NEW)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert model.predict(NEW).tolist() == model.classes_[p.argmax(axis=1)].tolist()
    # scikit-learn needs probabilities, of which its M is ours.
    for which, ours in (("ovo", hand_till), ("ovr", one_vs_rest)):
        theirs = roc_auc_score(NEW_CODES, p, multi_class=which, average="macro")
        assert theirs == pytest.approx(ours(NEW_CODES, p), abs=1e-12)


def test_weights_sparse_rows_and_tables():
    with pytest.raises(DataError, match="no row of class bee"):
        AUCClassifier("svm-or").fit(X, Y, np.where(Y == "bee", 0.0, 1.0 + np.arange(180) % 2))
    twice = np.repeat(np.arange(180), 1 + np.arange(180) % 2)
    model = AUCClassifier("svm-or[lam=0.1]", features="none", gap_tol=1e-9, passes=1000)
    weighted = model.fit(X, Y, 1 + np.arange(180) % 2).model_.scores(NEW)
    repeated = clone(model).fit(X[twice], Y[twice]).model_.scores(NEW)
    np.testing.assert_allclose(weighted, repeated, atol=2e-3)
    assert AUCClassifier("svm-or").fit(csr_array(X), Y).predict(csr_array(NEW)).shape == (120,)
    table = pd.DataFrame({"a": X[:, 0], "kind": np.where(CODES == 1, "w", "l"), "b": X[:, 2]})
    fitted = AUCClassifier("svm-or").fit(table, Y)
    assert fitted.auc_score(table, Y) > 0.85
    assert fitted.coef_.shape[0] == 3


def test_a_warm_start_goes_on():
    model = AUCClassifier("svm-or[lam=0.001]", passes=3, warm_start=True)
    begun = model.fit(X, Y).run_.points[-1].objective
    assert model.fit(X, Y).run_.points[-1].objective < begun
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


@pytest.mark.parametrize("solver", ["svm-or", TREES])
def test_a_saved_classifier_comes_back(solver, tmp_path):
    path = tmp_path / "three.model"
    model = AUCClassifier(solver, calibration="sigmoid", pairs=ByClass("rest")).fit(X, Y)
    model.save(path)
    again = AUCClassifier.load(path)
    np.testing.assert_allclose(again.decision_function(NEW), model.decision_function(NEW))
    np.testing.assert_allclose(again.predict_proba(NEW), model.predict_proba(NEW))
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.get_params()["pairs"] == "class[each=rest]"
    assert Model.load(path).predict(NEW)["decision"].tolist() == model.predict(NEW).tolist()


def test_chunks_teach_each_class_against_the_rest(tmp_path):
    apes = np.flatnonzero(Y == "ape")[:5]  # a chunk of one class
    model, cats = AUCClassifier("solam"), AUCClassifier("solam", pos_label=1)
    for part in (np.arange(60), apes, np.arange(60, 180)):
        model.partial_fit(X[part], Y[part], classes=["ape", "bee", "cat"])
        cats.partial_fit(X[part], (Y[part] == "cat").astype(int), classes=[0, 1])
    assert model.auc_score(NEW, model.classes_[NEW_CODES]) > 0.8
    own, alone = model.model_.functions[2].weights, cats.model_.function.weights
    np.testing.assert_array_equal(own, alone)
    model.save(tmp_path / "online.model")
    again = AUCClassifier.load(tmp_path / "online.model")
    np.testing.assert_allclose(again.decision_function(NEW), model.decision_function(NEW))
    assert again.coef_.shape == model.coef_.shape == (3, 4)
    with pytest.raises(DataError, match="a label 'dog'"):
        model.partial_fit(X[:2], ["dog", "ape"])


@pytest.mark.parametrize(
    ("options", "many"),
    [
        *(({}, True), ({"pairs": "class"}, True), ({"pairs": "fpr[max=0.1]"}, False)),
        *(({"sensitivity": 0.9}, False), ({"calibration": "isotonic"}, False)),
    ],
)
def test_the_tag_of_more_classes_is_false_where_an_option_is_about_two(options, many):
    tags = AUCClassifier("svm-or", **options).__sklearn_tags__()
    assert tags.classifier_tags.multi_class is many
