"""CatBoost trains by the gradient over all pairs, stops by their measure, and keeps no rows."""

import pickle

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused, refusals

from aucbench.errors import DataError, NoPairsError, ParameterError, UnsupportedError
from aucbench.losses import PairLoss

catboost = pytest.importorskip("catboost", reason="catboost is not installed: aucbench[baselines]")

from aucbench.losses.catboost import OURS, train  # noqa: E402  # needs catboost

PARAMS = {"iterations": 15, "thread_count": 1, "verbose": 0, "allow_writing_files": False}
N = 300
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 4))
SIGNAL = X[:, 0] + RNG.normal(size=N)
USERS = RNG.integers(0, 20, N)
TARGETS = {
    "all": SIGNAL > 1.0,
    "group": SIGNAL > 1.0,
    "fpr": SIGNAL > 1.0,
    "grades": np.clip(np.floor(SIGNAL), 0, 2),
    "survival": np.where(RNG.random(N) < 0.6, 1.0, -1.0) * np.exp(-SIGNAL),
}


def scores(model, rows=X):
    return model.predict(rows, prediction_type="RawFormulaVal")


def bound(pairs, weights=None):
    return PairLoss(pairs=pairs, weights=weights).bind(
        TARGETS[pairs], USERS if pairs == "group" else None
    )


class InOneBlock:
    """The objective of so few rows that CatBoost gives all of them at once; it keeps no scores."""

    no_jit = True

    def __init__(self, of):
        self.of = of

    def __deepcopy__(self, memo):
        return self

    def calc_ders_range(self, approxes, targets, weights):
        rows = targets.astype(int)
        s = np.empty(N)
        s[rows] = approxes
        return -np.column_stack(self.of.derivatives(s))[rows]


@pytest.mark.parametrize("pairs", TARGETS)
def test_trees_are_those_of_an_objective_that_sees_all_rows(pairs):
    v = np.random.default_rng(1).integers(1, 4, N)
    plain = catboost.CatBoost(
        {**PARAMS, **OURS, "loss_function": InOneBlock(bound(pairs, v)), "eval_metric": "RMSE"}
    ).fit(catboost.Pool(X, np.arange(N)))
    groups = USERS if pairs == "group" else None
    found = train(PARAMS, X, TARGETS[pairs], groups, pairs=pairs, weights=v)
    np.testing.assert_array_equal(scores(found), scores(plain))
    assert bound(pairs).quality(scores(found)) > 0.6


def test_many_rows_come_in_blocks_and_training_stops_by_the_exact_measure():
    rng = np.random.default_rng(0)
    many = pd.DataFrame(rng.normal(size=(4000, 3)), columns=["one", "two", "three"])
    y = many["one"] + rng.normal(size=4000) > 1.0
    known, valid = many[:2500], many[2500:]
    model = train(
        {**PARAMS, "iterations": 200, "learning_rate": 0.5, "early_stopping_rounds": 5},
        *(known, y[:2500]),
        eval_set=(valid, y[2500:]),
    )
    best, of = model.get_best_score(), PairLoss().bind(y[2500:])
    assert model.tree_count_ == model.get_best_iteration() + 1 < 200
    assert best["validation"]["PairsInOrder"] == of.quality(scores(model, valid))
    assert model.feature_names_ == ["one", "two", "three"]
    with pytest.raises(UnsupportedError, match="monotone_constraints"):
        train({**PARAMS, "monotone_constraints": [1, 0, 0]}, known, y[:2500])


def test_categories_have_splits_of_their_own_or_counts():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 40, 3000)
    y = rng.normal(size=40)[level] + 0.3 * rng.normal(size=3000) > 0.5
    words = rng.integers(0, 600, 3000).astype(str)
    frame = pd.DataFrame({"level": level.astype(str), "word": words, "number": words.size * [0.0]})
    found = []
    for most in (255, 2):  # categories that have splits of their own
        given = {**PARAMS, "learning_rate": 0.5, "one_hot_max_size": most}
        model = train(given | {"cat_features": ["level", "word"]}, frame, y)
        found.append(PairLoss().bind(y).quality(scores(model, frame)))
    assert found[0] > 0.9 > found[1] > 0.6


def test_a_pickled_model_has_its_scores_and_no_rows():
    model = train({**PARAMS, "iterations": 1}, np.repeat(X, 50, axis=0), np.repeat(SIGNAL > 1, 50))
    stored = pickle.dumps(model)
    assert len(stored) < 30_000
    np.testing.assert_array_equal(scores(pickle.loads(stored)), scores(model))


def training(params=(), **given):
    y = given.pop("y", SIGNAL > 1.0)
    return lambda: train({**PARAMS, **dict(params)}, X, y, **given)


@refusals(
    ("loss", training({"loss_function": "Logloss"}), ParameterError, "loss_function"),
    ("ordered", training({"boosting_type": "Ordered"}), ParameterError, "boosting_type"),
    ("steps", training({"leaf_estimation_iterations": 5}), ParameterError, "leaf_estimation"),
    ("weights", training({"auto_class_weights": "Balanced"}), ParameterError, "auto_class_weights"),
    ("no curvature", training(loss="hinge"), UnsupportedError, "curvature"),
    ("one class", training(y=np.ones(N)), NoPairsError, "class"),
    ("no groups", training(pairs="group"), DataError, "groups"),
    *((str(one), training(one), UnsupportedError, "last tree") for one in (
        {"metric_period": 5}, {"model_shrink_rate": 0.1}, {"langevin": True})),
)  # fmt: skip
def test_what_catboost_cannot_do_with_pairs_is_refused(call, error, word):
    assert_refused(call, error, word)
