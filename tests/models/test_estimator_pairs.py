"""AUCClassifier with pairs within groups and ranges."""

import numpy as np
import pytest
from sklearn.base import clone

from aucbench import AUCClassifier, Data, auc, solve
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics.pairs import quality_of
from aucbench.pairs import Group

# Inside a group a larger first column is more positive, and over all rows a smaller one is.
RNG = np.random.default_rng(1)
GROUP = np.repeat(np.arange(60), 5)
SHIFT = RNG.normal(size=60)[GROUP]
INSIDE = RNG.normal(size=300)
Y = (INSIDE - 2.0 * SHIFT + 0.3 * RNG.normal(size=300) > 1.0).astype(int)
X = np.c_[INSIDE + 5.0 * SHIFT, RNG.normal(size=300), SHIFT]
MODEL = AUCClassifier("rank-svm", features="none", pairs="group")


def test_pairs_within_groups_are_those_of_the_groups_of_the_fit():
    model = clone(MODEL).fit(X, Y, groups=GROUP)
    data = Data.of(X, Y, groups=GROUP, pairs=Group())

    np.testing.assert_allclose(model.coef_[0], solve("rank-svm", data).w, rtol=1e-10)
    assert model.coef_[0][2] == 0.0  # constant in each group
    plain = AUCClassifier("rank-svm", features="none").fit(X, Y)
    scores, others = (one.decision_function(X) for one in (model, plain))
    assert quality_of(data, scores) > max(0.9, quality_of(data, others))
    assert auc(Y, others) > auc(Y, scores)


def test_rows_of_weight_0_take_their_group_along():
    weight = (np.arange(300) % 4 > 0).astype(float)
    some = weight > 0
    left = clone(MODEL).fit(X, Y, sample_weight=weight, groups=GROUP)
    alone = clone(MODEL).fit(X[some], Y[some], groups=GROUP[some])
    np.testing.assert_array_equal(left.coef_, alone.coef_)


def test_what_cannot_be_trained_is_refused(tmp_path):
    for solver, groups, error, said in (
        ("rank-svm", None, DataError, "groups"),
        ("logistic", GROUP, UnsupportedError, "svm-or"),
        ("rank-svm", GROUP[:7], DataError, "groups has shape"),
    ):
        with pytest.raises(error, match=said):
            AUCClassifier(solver, pairs="group").fit(X, Y, groups=groups)
    with pytest.raises(ParameterError, match="pairs is for fit"):
        AUCClassifier("solam", pairs="group").partial_fit(X, Y)
    model = AUCClassifier("rank-svm", pairs=Group(each="group")).fit(X, Y, groups=GROUP)
    assert clone(model).get_params()["pairs"] == Group(each="group")
    model.save(tmp_path / "m")
    assert AUCClassifier.load(tmp_path / "m").pairs == "group[each=group]"
