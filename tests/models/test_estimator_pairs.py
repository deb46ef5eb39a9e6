"""AUCClassifier with pairs within groups and ranges."""

import numpy as np
import pytest
from sklearn.base import clone

from aucbench import AUCClassifier, Data, auc, solve
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics.pairs import quality_of
from aucbench.pairs import Group


@pytest.fixture(scope="module")
def rows():
    """Inside a group a larger first column is more positive, and over all rows a smaller one is."""
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(60), 5)
    shift = rng.normal(size=60)[group]
    inside = rng.normal(size=300)
    y = (inside - 2.0 * shift + 0.3 * rng.normal(size=300) > 1.0).astype(int)
    X = np.c_[inside + 5.0 * shift, rng.normal(size=300), shift]
    return X, y, group


def test_pairs_within_groups_are_those_of_the_groups_of_the_fit(rows):
    X, y, group = rows
    model = AUCClassifier("rank-svm", features="none", pairs="group").fit(X, y, groups=group)
    data = Data.of(X, y, groups=group, pairs=Group())
    run = solve("rank-svm", data)

    np.testing.assert_allclose(model.coef_[0], run.w, rtol=1e-10)
    assert model.coef_[0][2] == 0.0  # constant in each group
    assert quality_of(data, model.decision_function(X)) > 0.9
    plain = AUCClassifier("rank-svm", features="none").fit(X, y)
    assert quality_of(data, plain.decision_function(X)) < quality_of(
        data, model.decision_function(X)
    )
    assert auc(y, plain.decision_function(X)) > auc(y, model.decision_function(X))


def test_rows_of_weight_0_take_their_group_along(rows):
    X, y, group = rows
    weight = (np.arange(300) % 4 > 0).astype(float)
    some = weight > 0
    model = AUCClassifier("rank-svm", pairs=Group(), features="none")
    left = clone(model).fit(X, y, sample_weight=weight, groups=group)
    alone = clone(model).fit(X[some], y[some], groups=group[some])

    np.testing.assert_array_equal(left.coef_, alone.coef_)
    assert clone(model).get_params()["pairs"] == Group()


def test_what_cannot_be_trained_is_refused(rows, tmp_path):
    X, y, group = rows
    with pytest.raises(DataError, match="groups"):
        AUCClassifier("rank-svm", pairs="group").fit(X, y)
    with pytest.raises(UnsupportedError, match="svm-or"):
        AUCClassifier("logistic", pairs="group").fit(X, y, groups=group)
    with pytest.raises(ParameterError, match="pairs is for fit"):
        AUCClassifier("solam", pairs="group").partial_fit(X, y)
    with pytest.raises(DataError, match="groups has shape"):
        AUCClassifier("rank-svm", pairs="group").fit(X, y, groups=group[:7])
    model = AUCClassifier("rank-svm", pairs=Group(each="group")).fit(X, y, groups=group)
    model.save(tmp_path / "m")
    assert AUCClassifier.load(tmp_path / "m").pairs == "group[each=group]"
