"""The scikit-learn face: of numbers, tables, texts, weights, groups, and what it shows."""

import pickle

import installed
import numpy as np
import pandas as pd
import pytest
from nights import some
from samples import sample
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict, cross_val_score
from tables import table

import aucbench
from aucbench import AUCClassifier, Model, auc, solve
from aucbench.data import Data
from aucbench.data.folds import drawn_parts
from aucbench.errors import DataError
from aucbench.features import AppendOne, Chain, MaxAbs, Nystroem, Standard
from aucbench.metrics import intercept_at
from aucbench.models.calibration import calibrator
from aucbench.registry import get_solver

pytestmark = pytest.mark.usefixtures("in_process")

X, SIGNS = sample(2, 200, 6, positives=0.15, shift=0.6)
Y = np.where(SIGNS > 0, "yes", "no")
WRITTEN = {
    "ebm": installed.FEW_ROUNDS,
    "estimator": "estimator[sklearn.tree:DecisionTreeClassifier,max_depth=3]",
}
LEARNERS = [WRITTEN.get(name, name) for name in installed.SOLVERS]
# One of each kind of score: by weights, with an intercept, at landmarks, by trees, not saved.
EACH_CHANGE = {"sht-auc", "sto-iht", "roc-svm-nystrom", "random-forest", WRITTEN["estimator"]}

N = 160
FRAME = table(1, N, "age number ward since lab", gaps={"lab": 0.2}, labels=("good", "bad"))
BACK, FRAME = FRAME["y"].to_numpy(object), FRAME.drop(columns="y")
POSITIVE = BACK == "bad"


def test_it_learns_and_thresholds_and_the_same_seed_gives_the_same_bits():
    model = AUCClassifier("sht-auc[k=4]", features="none").fit(X, Y)
    predicted = model.predict(X)
    assert min(np.mean(predicted[label == Y] == label) for label in ("yes", "no")) > 0.8
    assert [*model.classes_] == ["no", "yes"]
    assert model.run_.nnz == 4
    np.testing.assert_allclose(model.decision_function(X), X @ model.run_.w - model.threshold_)
    assert model.score(X, Y) == np.mean(predicted == Y)
    assert model.auc_score(X, Y) == auc(Y == "yes", model.decision_function(X))
    fits = [AUCClassifier(random_state=s, passes=1).fit(X, Y).run_.w for s in (1, 1, None)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", some(LEARNERS, EACH_CHANGE))
def test_the_decision_function_is_positive_where_the_second_class_is_predicted(name, layout):
    d = 2 if name == "auc-opt" else 6  # all that it takes
    M = layout(np.round(X[:, :d], 1))  # with ties
    model = AUCClassifier(name, passes=5).fit(M, Y)
    scores = model.decision_function(M)
    np.testing.assert_array_equal(scores > 0, model.predict(M) == "yes")
    assert (scores > 0).any()
    if hasattr(model, "coef_"):
        assert (model.coef_.shape, model.intercept_.shape) == ((1, d), (1,))
        found = M @ model.coef_[0] + model.intercept_[0]
        np.testing.assert_allclose(found, scores, atol=1e-9 * np.abs(scores).max())


def test_coefficients_are_those_of_affine_maps_and_else_absent():
    model = AUCClassifier("sto-iht[intercept=True]", features=Chain((MaxAbs(), Standard())))
    model.fit(X, Y)
    found = X @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(found, model.decision_function(X), atol=1e-12)
    assert Chain((MaxAbs(), Nystroem())).input_weights(np.ones(3)) is None
    v, c = AppendOne().input_weights(np.array([2.0, 3.0, 4.0]))
    assert (list(v), c) == ([2.0, 3.0], 4.0)
    for model in (AUCClassifier("lightgbm"), AUCClassifier(features="nystroem[rank=9]")):
        assert not hasattr(model.fit(X, Y), "coef_")
        with pytest.raises(AttributeError, match="weighted sum"):
            _ = model.intercept_


@pytest.mark.parametrize("name", some(["svm-or", "spdam", "sht-auc", "opauc"], {"svm-or"}))
def test_a_warm_start_goes_on(name):
    model = AUCClassifier(name, passes=3, warm_start=True).fit(X, Y)
    first = model.run_
    again = model.fit(X, Y).run_
    mapped = model.model_.mapped(Data.of(X, Y == "yes").rows)
    by_hand = solve(name, Data.of(mapped.matrix, Y == "yes"), passes=3, w0=first.w)
    np.testing.assert_array_equal(again.w, by_hand.w)
    assert not np.array_equal(again.w, first.w)
    cold = AUCClassifier(name, passes=3).fit(X, Y).fit(X, Y).run_
    np.testing.assert_array_equal(cold.w, first.w)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_come_from_rows_that_did_not_train(method):
    model = AUCClassifier("svm-or", calibration=method, random_state=3).fit(X, Y)
    data, scores, y = Data.of(X, Y == "yes"), [], []
    for rest, held in drawn_parts(data, 5, 3):
        part = AUCClassifier("svm-or", random_state=3).fit(rest.rows.matrix, rest.y)
        scores.append(part.model_.scores(held.rows)[:, 0])
        y.append(held.y > 0)
    scores, y = np.concatenate(scores), np.concatenate(y)
    if method == "sigmoid":  # Platt's targets, as weights of rows that are there twice
        target = np.where(y, (y.sum() + 1) / (y.sum() + 2), 1 / ((~y).sum() + 2))
        both, weights = np.repeat([1, 0], y.size), np.concatenate([target, 1 - target])
        platt = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10000)
        fit = platt.fit(np.tile(scores, 2)[:, None], both, weights)
        theirs = lambda s: fit.predict_proba(s[:, None])[:, 1]  # noqa: E731
    else:
        theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, y).predict
    at, both = model.model_.scores(X)[:, 0], model.predict_proba(X)
    np.testing.assert_allclose(both[:, 1], theirs(at), atol=1e-5)
    np.testing.assert_allclose(both.sum(axis=1), 1.0)
    assert (np.diff(both[np.argsort(at), 1]) >= 0).all()


def test_a_sigmoid_never_falls():
    scores = np.linspace(-1, 1, 50)
    falling = calibrator("sigmoid", np.where(scores < 0, 1, -1).astype(np.int8), scores)
    assert falling.a == 0
    np.testing.assert_allclose(falling(np.array([-9.0, 9.0])), 0.5)


def test_weights_of_rows_reach_the_solvers_that_take_them():
    weights = np.random.default_rng(1).integers(0, 4, Y.size).astype(float)
    again = np.repeat(np.arange(Y.size), weights.astype(int))
    model = AUCClassifier("svm-or[lam=1]", features="none", passes=500, gap_tol=1e-12)
    repeated = clone(model).fit(X[again], Y[again]).coef_
    np.testing.assert_allclose(model.fit(X, Y, weights).coef_, repeated, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
def test_it_predicts_at_the_point_asked_for(share):
    found = AUCClassifier("ls-svm", sensitivity=share).fit(X, Y)
    spared = AUCClassifier("ls-svm", specificity=share).fit(X, Y)
    for model, label in ((found, "yes"), (spared, "no")):
        own = label == Y
        assert share <= np.mean(model.predict(X)[own] == label) <= share + 1 / own.sum()
    np.testing.assert_array_equal(found.run_.w, spared.run_.w)
    flags = AUCClassifier("ls-svm", aim={"flags": share / 5}).fit(X, Y).predict(X) == "yes"
    assert 0 < flags.mean() <= share / 5


def test_rows_held_out_choose_the_threshold_and_teach_nothing():
    wanted = {"validation": 0.25, "sensitivity": 0.8, "features": "none"}
    model = AUCClassifier("ls-svm", random_state=3, **wanted).fit(X, Y)
    rest, held = Data.of(X, Y == "yes").split(0.25, np.random.default_rng(3).spawn(3)[2])
    run = solve(get_solver("ls-svm"), rest, seed=3)
    np.testing.assert_array_equal(model.run_.w, run.w)
    assert abs(held.n - Y.size / 4) <= 1
    expected = intercept_at(held.y, run.decision_function(held.rows), sensitivity=0.8)
    assert model.threshold_ == expected
    assert model.set_params(random_state=4).fit(X, Y).threshold_ != expected


@pytest.fixture(scope="module")
def model():
    return AUCClassifier("svm-or", pos_label="bad").fit(FRAME, BACK)


def test_a_table_becomes_features_as_in_fit(model):
    asked = {"target": "back", "positive": "bad", "solver": "svm-or", "splits": 2}
    whole = aucbench.fit(FRAME.assign(back=BACK), **asked)
    np.testing.assert_array_equal(model.run_.w, whole.function.weights)
    np.testing.assert_allclose(
        model.threshold_ - model.decision_function(FRAME), whole.predict(FRAME)["score"]
    )
    assert [*model.feature_names_in_] == [*FRAME]
    names = [*model.get_feature_names_out()]
    assert names == [*whole.feature_names()]
    assert {"age", "ward=a", "lab", "lab is missing"} < {*names}
    assert not any("number" in name for name in names)
    features = model.model_.encoding.of_frame(FRAME).dense().matrix
    shown = features @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(shown, model.decision_function(FRAME), atol=1e-9)


@pytest.mark.parametrize("labels", [BACK, np.where(POSITIVE, 1, 2)], ids=["words", "numbers"])
def test_any_label_may_be_the_positive_one(labels):
    numbers = FRAME[["age"]]
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
    assert cross_val_score(model, FRAME, BACK, scoring="roc_auc", cv=3).min() > 0.7
    with pytest.raises(DataError, match="cross_val_predict"):
        cross_val_predict(model, FRAME, BACK, method="decision_function", cv=2)
    decided = model.fit(FRAME, BACK).decision_function(FRAME)
    np.testing.assert_array_equal(model.predict(FRAME), model.classes_[(decided > 0).astype(int)])
    assert roc_auc_score(BACK, decided) == pytest.approx(model.auc_score(FRAME, BACK))


def test_new_texts_are_scored_by_their_words_and_none_is_kept(tmp_path):
    rng = np.random.default_rng(0)
    positive, words = rng.random(400) < 0.4, [f"word{i}" for i in range(50)]
    notes = [
        " ".join([*rng.choice(words, 6), f"case{i}", *["refund"] * bool(positive[i] and i % 4)])
        for i in range(400)
    ]
    frame = pd.DataFrame({"note": notes, "age": rng.normal(50, 9, 400)})
    learnt, new = slice(0, 300), slice(300, 400)
    with pytest.warns(UserWarning, match="free text"):
        fitted = AUCClassifier("logistic", passes=20).fit(frame[learnt], positive[learnt])
    scores = fitted.decision_function(frame[new])
    assert auc(positive[new], scores) > 0.8
    assert np.unique(scores).size > 90
    np.testing.assert_array_equal(fitted.decision_function(frame[new][::3]), scores[::3])
    assert "note: refund" in fitted.get_feature_names_out()
    assert b"case17" not in pickle.dumps(fitted)  # no text of a training row
    fitted.save(tmp_path / "m")
    known = Model.load(tmp_path / "m").predict(frame[new])["score"]
    np.testing.assert_allclose(known - fitted.threshold_, scores, atol=1e-12)
