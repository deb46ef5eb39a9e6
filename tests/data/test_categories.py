"""The target of three or more classes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench.data import Categories, Data
from aucbench.data.folds import rarest, splits
from aucbench.errors import DataError, UnsupportedError

Y = np.array(["c", "a", "b", "a", "c", "a"])


def classed(n=12, k=3):
    return Data.of(np.arange(2.0 * n).reshape(n, 2), Categories.of(np.arange(n) % k))


def test_classes_are_numbered_in_the_order_of_their_labels():
    target = Categories.of(Y)
    assert target.y.tolist() == [2, 0, 1, 0, 2, 0]
    assert target.names.tolist() == ["a", "b", "c"]
    assert target.counts.tolist() == [3, 1, 2]
    assert Categories.of([10, 9, 2]).names.tolist() == ["2", "9", "10"]  # as numbers, not as text
    assert Categories.of([" a", "b", "c "]).names.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("y", "told"),
    [
        ([0, 1, 1], "there are 2 classes, and three are the fewest"),
        (np.arange(1001), "1001 different labels"),
        (["a", None, "b"], "the label of row 1 is missing"),
        ([0.0, np.nan, 1.0], "every row needs a label"),
    ],
)
def test_other_labels_are_refused(y, told):
    with pytest.raises(DataError, match=told):
        Categories.of(np.array(y, object) if None in list(y) else y)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), st.integers(0, 3))
def test_one_class_against_the_rest_has_the_pairs_of_hand_and_till(more, k):
    """v_i v_j / (V₊V₋) is 1/(n_k n_l (K − 1)) for a row of k and a row of another class l."""
    y = np.array([0, 1, 2, 3, *more])
    target = Categories.of(y)
    labels = target.against_rest(k, even=True)
    counts = np.bincount(y)
    for i in np.flatnonzero(y == k):
        for j in np.flatnonzero(y != k):
            wanted = Fraction(1, int(counts[k] * counts[y[j]] * 3))
            assert labels.shares[i] * labels.shares[j] == pytest.approx(float(wanted), rel=1e-14)
    assert target.evened.mean() == pytest.approx(1.0)
    assert target.against_rest(k, even=False).weights is None


def test_data_take_them_with_weights_groups_and_without_names_of_classes():
    X = np.arange(12.0).reshape(6, 2)
    data = Data.of(X, Categories.of(Y), weights=[1, 2, 1, 1, 1, 1], groups=Y)
    assert data.weights.tolist() == [1, 2, 1, 1, 1, 1]
    assert "3 classes" in repr(data)
    with pytest.raises(DataError, match="positive and negative name labels"):
        Data.of(X, Categories.of(Y), positive="a")
    with pytest.raises(UnsupportedError, match="more than two classes"):
        _ = data.y


def test_splits_have_all_classes_in_equal_shares():
    data = classed(30)
    for rest, held in splits(data, 5, 0):
        assert np.bincount(data.target.y[held]).tolist() == [2, 2, 2]
        assert rest.size == 24
    assert rarest(data) == (10, "row(s) of the rarest class")
    with pytest.raises(DataError, match="fewer than the 5 folds"):
        splits(classed(12), 5, 0)
    with pytest.raises(DataError, match="split 1 of 1 has no row of class 2 among its training"):
        splits(replace(classed(6), folds=np.array([-1, -1, 0, 0, -1, 0], np.int32)), 1, 0)
