"""The scikit-learn face."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from nights import some
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from aucbench import AUCClassifier, Model, auc, compare, from_estimator, get_dataset, solve
from aucbench.contract import Identity
from aucbench.data import Data
from aucbench.data.folds import drawn_parts
from aucbench.errors import (
    AucbenchError,
    DataError,
    ParameterError,
    UnknownNameError,
    UnsupportedError,
)
from aucbench.features import AppendOne, Chain, MaxAbs, Nystroem, Standard
from aucbench.models.calibration import calibrator
from aucbench.registry import get_solver, list_solvers
from aucbench.solving.wrappers import recast

RNG = np.random.default_rng(2)
Y = np.where(RNG.random(200) < 0.15, "yes", "no")
X = RNG.normal(size=(200, 6)) + 1.2 * (Y == "yes")[:, None]
WRITTEN = {"estimator": "estimator[sklearn.tree:DecisionTreeClassifier,max_depth=3]"}
LEARNERS = [WRITTEN.get(name, name) for name in list_solvers()]
# One of each kind of score: by weights, with an intercept, at landmarks, by trees, not saved.
EACH_CHANGE = {"sht-auc", "sto-iht", "roc-svm-nystrom", "random-forest", WRITTEN["estimator"]}


def test_it_learns_and_thresholds():
    model = AUCClassifier("sht-auc[k=4]", features="none").fit(X, Y)

    predicted = model.predict(X)
    recall = [np.mean(predicted[label == Y] == label) for label in ("yes", "no")]

    assert list(model.classes_) == ["no", "yes"]
    assert min(recall) > 0.8
    assert isinstance(model.model_, Model)
    assert model.run_.nnz == 4
    np.testing.assert_allclose(model.decision_function(X), X @ model.run_.w - model.threshold_)
    fits = [AUCClassifier(random_state=s, passes=1).fit(X, Y).run_.w for s in (1, 1, None)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])


def test_mistakes_are_told():
    with pytest.raises(NotFittedError):
        AUCClassifier().predict(X)
    for fit, error, said in (
        (lambda: AUCClassifier().fit(X, np.zeros(200)), DataError, r"all 200 labels are 0\.0"),
        (lambda: AUCClassifier("shtauc").fit(X, Y), UnknownNameError, "sht-auc"),
        (lambda: AUCClassifier().fit(X, Y).predict(X[:, :4]), DataError, "4 .* is expecting 6"),
        (lambda: AUCClassifier(features="append-one").fit(X, Y), ParameterError, "sto-iht.inter"),
    ):
        with pytest.raises(error, match=said):
            fit()


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", some(LEARNERS, EACH_CHANGE))
def test_the_decision_function_is_positive_where_the_second_class_is_predicted(name, layout):
    M = layout(np.round(X, 1))  # with ties
    model = AUCClassifier(name, passes=5).fit(M, Y)
    scores = model.decision_function(M)

    np.testing.assert_array_equal(scores > 0, model.predict(M) == "yes")
    assert (scores > 0).any()
    if hasattr(model, "coef_"):
        assert (model.coef_.shape, model.intercept_.shape) == ((1, 6), (1,))
        found = M @ model.coef_[0] + model.intercept_[0]
        np.testing.assert_allclose(found, scores, atol=1e-9 * np.abs(scores).max())


SAME = ["sht-auc[k=5]", "roc-svm-nystrom", "random-forest[n_estimators=9]"]


@pytest.mark.parametrize(("features", "splits"), [("auto", 2), ("maxabs+nystroem[rank=20]", 1)])
@pytest.mark.usefixtures("in_process")
def test_the_test_auc_is_that_of_compare(features, splits):
    data = get_dataset("breast-cancer")
    records = compare(SAME, "breast-cancer", features=features, splits=2, passes=5, seed=4)
    folds = list(StratifiedKFold(2, shuffle=True, random_state=4).split(data.rows.matrix, data.y))

    for record in records:
        if record.cell.split < splits:  # a map of another split draws other landmarks
            (train, test), solver = folds[record.cell.split], str(record.cell.solver)
            model = AUCClassifier(solver, features=features, passes=5, random_state=4)
            model.fit(data.rows.matrix[train], data.y[train])
            found = model.auc_score(data.rows.matrix[test], data.y[test])
            assert found == pytest.approx(record.measures.auc, abs=1e-12)


def test_coefficients_are_those_of_affine_maps_and_else_absent():
    model = AUCClassifier("sto-iht[intercept=True]", features=Chain((MaxAbs(), Standard())))
    model.fit(X, Y)
    found = X @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(found, model.decision_function(X), atol=1e-12)
    assert Chain((MaxAbs(), Nystroem())).input_weights(np.ones(3)) is None
    v, c = AppendOne().input_weights(np.array([2.0, 3.0, 4.0]))
    assert (list(v), c) == ([2.0, 3.0], 4.0)
    for model in (AUCClassifier("lightgbm"), AUCClassifier(features="nystroem[rank=9]")):
        model.fit(X, Y)
        assert not hasattr(model, "coef_")
        with pytest.raises(AttributeError, match="no weighted sum of columns"):
            _ = model.intercept_


def test_the_parameters_of_the_solver_are_its_own():
    model = AUCClassifier("sht-auc[k=4]")

    assert model.get_params()["solver__k"] == 4
    assert model.get_params()["solver"] == "sht-auc[k=4]"
    assert "solver__k" not in model.get_params(deep=False)
    assert clone(model).set_params(solver__k=2, passes=3).fit(X, Y).run_.nnz == 2
    assert model.solver == "sht-auc[k=4]"
    assert AUCClassifier("no-such").get_params()["solver"] == "no-such"
    with pytest.raises(UnknownNameError, match="ShtAuc 'j'"):
        model.set_params(solver__j=2)
    with pytest.raises(ParameterError, match="k must be at least 1"):
        model.set_params(solver__k=0)
    recasted = recast(get_solver("sht-auc"), projector=Identity())
    model.set_params(solver=recasted, solver__k=2)
    assert model.solver == replace(recasted, solver=get_solver("sht-auc", k=2))
    tree = DecisionTreeClassifier(max_depth=2)
    wrapped = AUCClassifier(from_estimator(tree)).set_params(solver__max_depth=1).fit(X, Y)
    assert wrapped.run_.model.estimator.get_depth() == wrapped.get_params()["solver__max_depth"]
    assert tree.max_depth == 2


def test_its_score_is_the_accuracy_and_auc_score_the_auc():
    model = AUCClassifier().fit(X, Y)

    assert model.score(X, Y) == np.mean(model.predict(X) == Y)
    assert model.auc_score(X, Y) == auc(Y == "yes", model.decision_function(X))
    for score in ("score", "auc_score"):
        with pytest.raises(NotFittedError):
            getattr(AUCClassifier(), score)(X, Y)
        with pytest.raises(DataError, match=r"label 'a' and the known ones are \['no', 'yes'\]"):
            getattr(model, score)(X, np.where(Y == "yes", "a", "b"))
    with pytest.raises(DataError, match="all 3 labels are positive"):
        model.auc_score(X[:3], ["yes"] * 3)


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


def test_a_warm_start_that_would_do_nothing_is_refused():
    refusals = {"logistic": "takes no start", "lightgbm": "no weights"}
    for name, said in refusals.items():
        model = AUCClassifier(name, passes=2, warm_start=True).fit(X, Y)
        with pytest.raises(UnsupportedError, match=said):
            model.fit(X, Y)
    model = AUCClassifier("svm-or", features="none", warm_start=True).fit(X, Y)
    with pytest.raises(DataError, match="has 5 weights on these rows, and 6 are there"):
        model.fit(X[:, :5], Y)


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
        n_pos, n_neg = y.sum(), (~y).sum()
        target = np.where(y, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
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
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), both)


def test_a_sigmoid_never_falls():
    scores = np.linspace(-1, 1, 50)
    falling = calibrator("sigmoid", np.where(scores < 0, 1, -1).astype(np.int8), scores)

    assert falling.a == 0
    np.testing.assert_allclose(falling(np.array([-9.0, 9.0])), 0.5)


def test_without_calibration_there_are_no_probabilities():
    model = AUCClassifier().fit(X, Y)

    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as told:
        model.predict_proba(X)
    assert "calibration='sigmoid'" in str(told.value.__cause__)
    with pytest.raises(UnknownNameError, match="unknown calibration 'platt'"):
        AUCClassifier(calibration="platt").fit(X, Y)
    refit = AUCClassifier(calibration="sigmoid").fit(X, Y).set_params(calibration=None).fit(X, Y)
    assert refit.model_.function.calibrator is None


def test_weights_of_rows_reach_the_solvers_that_take_them():
    weights = np.random.default_rng(1).integers(0, 4, Y.size).astype(float)
    again = np.repeat(np.arange(Y.size), weights.astype(int))
    model = AUCClassifier("svm-or[lam=1]", features="none", passes=500, gap_tol=1e-12)
    repeated = clone(model).fit(X[again], Y[again]).coef_
    np.testing.assert_allclose(model.fit(X, Y, weights).coef_, repeated, rtol=1e-4, atol=1e-6)
    plain = AUCClassifier("sht-auc[k=2]").fit(X, Y)
    equal = AUCClassifier("sht-auc[k=2]").fit(X, Y, sample_weight=np.full(Y.size, 3.0))
    np.testing.assert_array_equal(plain.coef_, equal.coef_)


@pytest.mark.parametrize(
    ("solver", "options", "weights", "said"),
    [
        ("sht-auc[k=2]", {}, [1.0, 2.0], "without the weights of rows"),
        ("logistic", {"calibration": "sigmoid"}, [1.0, 2.0], "calibration counts rows"),
        ("logistic", {}, [1.0, -2.0], "not finite and at least 0"),
        ("logistic", {}, [0.0, 0.0], "all weights are zero"),
        ("logistic", {}, [np.nan, 1.0], "row 0 is nan"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(solver, options, weights, said):
    with pytest.raises(AucbenchError, match=said):
        AUCClassifier(solver, **options).fit(X, Y, sample_weight=np.resize(weights, Y.size))
    with pytest.raises(DataError, match="give one for each row"):
        AUCClassifier("logistic").fit(X, Y, sample_weight=np.ones(Y.size - 1))
