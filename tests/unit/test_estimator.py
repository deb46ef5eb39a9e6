"""The scikit-learn face."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucbench import AUCClassifier
from aucbench.errors import DataError, UnknownNameError
from aucbench.registry import get_solver

RNG = np.random.default_rng(2)
Y = np.where(RNG.random(200) < 0.15, "ill", "fit")
X = RNG.normal(size=(200, 6)) + 1.2 * (Y == "ill")[:, None]


def test_it_learns_and_thresholds():
    model = AUCClassifier("sht-auc[k=4]").fit(X, Y)

    predicted = model.predict(X)
    recall = [np.mean(predicted[label == Y] == label) for label in ("ill", "fit")]

    assert list(model.classes_) == ["fit", "ill"]
    assert min(recall) > 0.8
    assert model.run_.nnz == 4
    np.testing.assert_allclose(model.decision_function(X), X @ model.run_.w)


def test_labels_may_be_text_in_any_container():
    for y in (pd.Series(Y), Y.astype(object), Y.tolist()):
        assert {*AUCClassifier(passes=1).fit(X, y).predict(X)} == {"fit", "ill"}


def test_it_works_in_a_pipeline_under_cross_validation():
    model = make_pipeline(StandardScaler(), AUCClassifier("sto-iht", passes=20))

    assert cross_val_score(model, X, Y == "ill", scoring="roc_auc").mean() > 0.9


def test_parameters_survive_a_clone():
    model = AUCClassifier(get_solver("sht-auc", k=3), passes=7, random_state=4)

    assert clone(model).get_params() == model.get_params()


def test_same_seed_same_model_and_none_is_a_fresh_one():
    fits = [AUCClassifier(random_state=s, passes=1).fit(X, Y).run_.w for s in (1, 1, None)]

    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])


def test_mistakes_are_told():
    with pytest.raises(NotFittedError):
        AUCClassifier().predict(X)
    with pytest.raises(DataError, match="exactly two"):
        AUCClassifier().fit(X, np.arange(200))
    with pytest.raises(UnknownNameError, match="sht-auc"):
        AUCClassifier("shtauc").fit(X, Y)
    with pytest.raises(DataError, match="6"):
        AUCClassifier().fit(X, Y).predict(X[:, :4])
