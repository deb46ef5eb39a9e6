"""The classifier on rows in chunks."""

import numpy as np
import pytest
from sklearn.base import clone

from aucbench import AUCClassifier
from aucbench.data import Data
from aucbench.errors import AucbenchError, ParameterError, UnsupportedError
from aucbench.scale import InMemory

W = np.array([1.0, -0.5, 0.0])


def table(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) * [1.0, 5.0, 0.1] + 3.0
    y = np.where((X - 3.0) / [1.0, 5.0, 0.1] @ W + rng.standard_normal(n) > 1.0, 1, -1)
    return X, y


def parts(size=250, **table_of):
    return InMemory(Data.of(*table(**table_of)), size)


@pytest.fixture(scope="module")
def in_chunks():
    return AUCClassifier("svm-or[lam=0.001]").fit(parts())


def test_it_is_the_classifier_of_the_same_rows_in_memory(in_chunks):
    X, y = table()
    whole = AUCClassifier("svm-or[lam=0.001]").fit(X, y)
    np.testing.assert_allclose(in_chunks.coef_, whole.coef_, rtol=2e-2, atol=2e-3)
    assert in_chunks.threshold_ - in_chunks.coef_[0] @ X.mean(axis=0) == pytest.approx(
        whole.threshold_ - whole.coef_[0] @ X.mean(axis=0), abs=0.3
    )
    new = table(seed=1)
    assert in_chunks.auc_score(*new) == pytest.approx(whole.auc_score(*new), abs=1e-3)
    assert in_chunks.score(*new) == pytest.approx(whole.score(*new), abs=0.02)
    assert in_chunks.classes_.tolist() == [-1, 1]


def test_the_threshold_reaches_its_aim():
    for more in ({}, {"validation": 0.3}):
        model = AUCClassifier("svm-or[lam=0.001]", sensitivity=0.9, **more).fit(parts())
        X, y = table(seed=2)
        assert (model.predict(X)[y > 0] == 1).mean() == pytest.approx(0.9, abs=0.04)


def test_columns_without_a_map_and_a_saved_file(tmp_path):
    model = clone(AUCClassifier("svm-or[lam=0.001]", features="none")).fit(parts())
    model.save(tmp_path / "c.json")
    X, _ = table(seed=3)
    again = AUCClassifier.load(tmp_path / "c.json")
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X))
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_[0] + model.intercept_)


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        (
            {"calibration": "sigmoid"},
            ParameterError,
            "calibration cannot be had",
        ),
        ({"warm_start": True, "pairs": "top"}, ParameterError, "warm_start and pairs cannot"),
        ({"features": "splines"}, UnsupportedError, "take one of auto, standard, none"),
        ({"solver": "sht-auc"}, UnsupportedError, "needs all rows in memory"),
    ],
)
def test_what_needs_all_rows_is_refused(asked, kind, said):
    model = AUCClassifier(**{"solver": "svm-or", **asked})
    with pytest.raises(kind, match=said):
        model.fit(parts())


def test_labels_come_with_the_parts():
    with pytest.raises(AucbenchError, match="come with their labels"):
        AUCClassifier("svm-or").fit(parts(), table()[1])
    with pytest.raises(AucbenchError, match="requires y to be passed"):
        AUCClassifier("svm-or").fit(table()[0])
