"""Three or more classes: of the estimator, of `fit`, and of a model."""

import numpy as np
import pandas as pd
import pytest
from nights import some
from scipy.special import expit
from sklearn.metrics import roc_auc_score

import aucbench
from aucbench import AUCClassifier
from aucbench.errors import DataError
from aucbench.metrics import hand_till, one_vs_rest
from aucbench.models.calibration import best, log_odds, probabilities, sigmoid_of

pytestmark = pytest.mark.usefixtures("in_process")

LABELS = np.array(["ape", "bee", "cat"])


def frame(n=150, seed=0):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(3), rng.integers(0, 3, n - 3))
    X = rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[y]
    kind = np.where(y == 1, "wings", rng.choice(["legs", "paws"], n))
    table = {"long": X[:, 0], "tall": X[:, 1], "wide": X[:, 2], "kind": kind}
    return pd.DataFrame({**table, "label": LABELS[y]})


def numbers(n, seed):
    table = frame(n, seed)
    codes = np.searchsorted(LABELS, table["label"])
    return table[["long", "tall", "wide"]].to_numpy(), codes, table["label"].to_numpy(str)


X, _, Y = numbers(180, 0)
NEW, NEW_CODES, NEW_Y = numbers(120, 1)
SOLVERS = ["svm-or", "sht-auc[k=3]", "solam", "hist-gradient-boosting"]


@pytest.mark.parametrize("solver", some(SOLVERS, {"svm-or", "hist-gradient-boosting"}))
def test_each_class_has_a_column(solver):
    model = AUCClassifier(solver, passes=30).fit(X, Y)
    odds = model.decision_function(NEW)
    assert odds.shape == model.model_.scores(NEW).shape == (120, 3)
    assert model.classes_.tolist() == [*LABELS]
    assert model.predict(NEW).tolist() == model.classes_[odds.argmax(axis=1)].tolist()
    assert model.auc_score(NEW, NEW_Y) == pytest.approx(hand_till(NEW_CODES, odds))
    assert hand_till(NEW_CODES, odds) > 0.8
    assert model.score(NEW, NEW_Y) > 0.6
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("features", ["auto", "none"])
def test_probabilities_add_up_to_1_and_have_the_decision(features):
    model = AUCClassifier("svm-or", features=features, calibration="sigmoid").fit(X, Y)
    assert model.coef_.shape == (3, 3)
    odds = NEW @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(odds, model.decision_function(NEW), atol=1e-9)
    p = model.predict_proba(NEW)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert model.predict(NEW).tolist() == model.classes_[p.argmax(axis=1)].tolist()
    # scikit-learn needs probabilities, of which its M is ours.
    for which, ours in (("ovo", hand_till), ("ovr", one_vs_rest)):
        theirs = roc_auc_score(NEW_CODES, p, multi_class=which, average="macro")
        assert theirs == pytest.approx(ours(NEW_CODES, p), abs=1e-12)


def test_chunks_teach_each_class_against_the_rest():
    apes = np.flatnonzero(Y == "ape")[:5]  # a chunk of one class
    model, cats = AUCClassifier("solam"), AUCClassifier("solam", pos_label=1)
    for part in (np.arange(60), apes, np.arange(60, 180)):
        model.partial_fit(X[part], Y[part], classes=[*LABELS])
        cats.partial_fit(X[part], (Y[part] == "cat").astype(int), classes=[0, 1])
    assert model.auc_score(NEW, NEW_Y) > 0.8
    own, alone = model.model_.functions[2].weights, cats.model_.function.weights
    np.testing.assert_array_equal(own, alone)
    with pytest.raises(DataError, match="'dog'"):
        model.partial_fit(X[:2], ["dog", "ape"])


@pytest.fixture(scope="module")
def model():
    return aucbench.fit(frame(), labels="classes", solver="svm-or", splits=3)


def test_fit_ranks_and_decides_new_rows(model):
    assert model.labels == (("ape",), ("bee",), ("cat",))
    assert 0.85 < model.auc.estimate < 1.0
    assert len(model.functions) == 3
    assert "3 classes" in repr(model)
    new = frame(90, seed=1)
    answer = model.predict(new.drop(columns="label"))
    scores = answer[[f"score {label}" for label in LABELS]].to_numpy()
    assert hand_till(np.searchsorted(LABELS, new["label"]), scores) > 0.85
    p = answer[[f"probability {label}" for label in LABELS]].to_numpy()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert answer["decision"].tolist() == [LABELS[k] for k in p.argmax(axis=1)]
    with pytest.warns(UserWarning, match="'kind'"):
        model.predict(new.assign(kind="fins"))
    odd = new[:4].astype({"long": object})
    odd.loc[1, "long"] = "far"
    answer = model.predict(odd)
    assert answer["decision"].isna().tolist() == [False, True, False, False]
    assert "far" in answer["problem"][1]
    assert np.isnan(answer["score cat"][1])


def test_a_class_against_the_rest_is_a_model_of_two_classes(model):
    bee, whole, table = model.against_rest(1), model.predict(frame()), frame()
    assert bee.labels == (("ape", "cat"), ("bee",))
    answer = bee.predict(table)
    assert answer["score"].tolist() == whole["score bee"].tolist()
    odds = model.log_odds(model.scores(model.schema.codes(table[[*model.columns]])))[:, 1]
    assert (answer["decision"] == "bee").tolist() == (odds >= 0).tolist()
    assert bee.provenance["n_pos"] == model.provenance["class_rows"][1]
    assert {*bee.provenance} - {"n_pos"} == {*model.provenance} - {"class_rows", "n_pos"}


def test_log_odds_are_on_one_scale_and_change_no_rank():
    rng = np.random.default_rng(0)
    y = np.append(np.arange(3), rng.integers(0, 3, 97))
    scores = (rng.normal(size=(100, 3)) + np.eye(3)[y]) * [1.0, 100.0, 0.01] + [5.0, 0.0, -3.0]
    odds = log_odds(scores, [sigmoid_of(y == k, own) for k, own in enumerate(scores.T)])
    assert hand_till(y, odds) == hand_till(y, scores)
    assert (best(odds) == y).mean() > (scores.argmax(axis=1) == y).mean()
    np.testing.assert_allclose(probabilities(odds), expit(odds) / expit(odds).sum(1, keepdims=True))
    far = probabilities(np.array([[-1e6, -1e6 - 1.0, -2e6]]))
    np.testing.assert_allclose(far, [[1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1)), 0.0]])
