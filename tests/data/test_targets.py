"""Targets of three or more classes, of times and of grades; shapes; and arrays in one file."""

import time
from fractions import Fraction
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench.data import Categories, Data, Grades, Shape, Shapes, Survival
from aucbench.data.folds import rarest, splits
from aucbench.data.packed import pack_arrays, pack_known, unpack_known

TIME, EVENT = [5, 3, 3, 3, 8, 1], [1, 1, 1, 0, 0, 0]
RNG = np.random.default_rng(0)


def test_classes_are_numbered_in_the_order_of_their_labels():
    target = Categories.of(np.array(["c", "a", "b", "a", "c", "a"]))
    assert target.y.tolist() == [2, 0, 1, 0, 2, 0]
    assert target.names.tolist() == ["a", "b", "c"]
    assert target.counts.tolist() == [3, 1, 2]
    assert Categories.of([10, 9, 2]).names.tolist() == ["2", "9", "10"]  # as numbers, not as text
    assert Categories.of([" a", "b", "c "]).names.tolist() == ["a", "b", "c"]


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


def test_places_of_times_have_events_before_censored_rows():
    assert Survival.of(TIME, EVENT).order.tolist() == [3, 1, 1, 2, 4, 0]
    assert Survival.of([1, 2], [True, False]).event.tolist() == [True, False]
    assert Survival.of([1, 2], [1, 0]).n_events == 1
    assert Grades.of([[3], [0], [3]]).ranks.tolist() == [1, 0, 1]


@pytest.mark.parametrize("weights", [None, [1, 2, 1, 2, 1, 3]])
@pytest.mark.parametrize(
    "make",
    [
        lambda v: Survival.of(TIME, EVENT, v),
        lambda v: Grades.of([0, 1, 2, 0, 1, 2], v),
        lambda v: Categories.of([0, 1, 1, 0, 2, 2], weights=v),
    ],
    ids=["times", "grades", "classes"],
)
def test_a_target_crosses_between_processes_and_takes_rows(make, weights):
    target, X = make(weights), np.arange(12.0).reshape(6, 2)
    data = Data.of(X, target)
    same = unpack_known(data.rows, pack_known(data)).target
    some = data.take(np.array([4, 1, 0], np.int32)).target
    assert type(same) is type(some) is type(target)
    for name in ("time", "event", "y", "weights"):
        if (array := getattr(target, name, None)) is not None:
            assert np.array_equal(getattr(same, name), array)
            assert np.array_equal(getattr(some, name), array[[4, 1, 0]])
            assert not array.flags.writeable
    assert data.weights is target.weights
    if weights:
        assert Data.of(X, make(None), weights=weights).weights.tolist() == weights


@pytest.mark.parametrize(
    ("target", "parts", "shares"),
    [
        (Categories.of(np.arange(30) % 3), lambda t: t.y, [2, 2, 2]),
        (Grades.of(RNG.permutation(np.arange(100) % 5)), lambda t: t.ranks, [4] * 5),
        (Survival.of(RNG.random(100), np.arange(100) % 5 == 0), lambda t: t.event + 0, [16, 4]),
    ],
    ids=["classes", "grades", "events"],
)
def test_folds_have_equal_shares_of_all_classes(target, parts, shares):
    data = Data.of(np.zeros((target.n, 1)), target)
    for rest, held in splits(data, 5, 0):
        assert np.bincount(parts(target)[held]).tolist() == shares
        assert rest.size + held.size == target.n
    if isinstance(target, Categories):
        assert rarest(data) == (10, "row(s) of the rarest class")


@pytest.mark.parametrize(
    ("text", "slope", "bend"),
    [("+1", 1, 0), ("1", 1, 0), ("decreasing-concave", -1, -1), ("convex-increasing", 1, 1)],
)
def test_a_shape_is_read_and_written_and_found_by_column(text, slope, bend):
    shape = Shape.of(text)
    assert shape == Shape.of(str(shape)) == Shape(slope, bend)
    found = Shapes.of({"b": text, "a": "-1"}, ("a", "b"), 2)
    assert found.of_columns == ((0, Shape(-1)), (1, shape))
    assert Shapes.of({"1": text}, None, 2).get(1) == shape


def test_arrays_are_packed_alike_at_any_time_and_a_signal_is_what_the_caller_sees(monkeypatch):
    """A zip has no times before 1980, and hides what happens inside of a member."""
    now = pack_arrays({"a": np.arange(3)})
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert pack_arrays({"a": np.arange(3)}) == now

    def interrupted(archive, *_, **__):
        archive._writing = True  # as between the begin and the end of a member
        raise KeyboardInterrupt

    monkeypatch.setattr(ZipFile, "writestr", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pack_arrays({"a": np.arange(3)})
