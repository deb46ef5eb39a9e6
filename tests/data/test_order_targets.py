"""The targets of survival times and of grades."""

from __future__ import annotations

import numpy as np
import pytest

from aucbench.data import Data, Grades, Survival
from aucbench.data.folds import splits
from aucbench.data.packed import pack_known, unpack_known
from aucbench.errors import DataError, UnsupportedError

TIME, EVENT = [5, 3, 3, 3, 8, 1], [1, 1, 1, 0, 0, 0]


def test_places_of_times_have_events_before_censored_rows():
    assert Survival.of(TIME, EVENT).order.tolist() == [3, 1, 1, 2, 4, 0]


def test_events_are_truth_values_or_0_and_1():
    assert Survival.of([1, 2], [True, False]).event.tolist() == [True, False]
    assert Survival.of([1, 2], [1, 0]).n_events == 1
    with pytest.raises(DataError, match="the event of row 1 is 2; give 1 or true"):
        Survival.of([1, 2], [0, 2])


@pytest.mark.parametrize("time", [[-1, 2], [np.nan, 2], [np.inf, 1]])
def test_a_time_is_finite_and_at_least_0(time):
    with pytest.raises(DataError, match="the time of row 0 is"):
        Survival.of(time, [1, 1])


def test_times_and_events_have_one_value_for_each_row():
    with pytest.raises(DataError, match=r"time has shape \(2,\) and event has shape \(3,\)"):
        Survival.of([1, 2], [1, 1, 1])


def test_grades_are_finite_numbers_of_two_kinds():
    assert Grades.of([[3], [0], [3]]).ranks.tolist() == [1, 0, 1]
    with pytest.raises(DataError, match="all 2 grades are 3; give rows of two grades or more"):
        Grades.of([3, 3])
    with pytest.raises(DataError, match="the grade of row 1 is nan"):
        Grades.of([3, np.nan])
    with pytest.raises(DataError, match="not numeric"):
        Grades.of(["low", "high"])


@pytest.mark.parametrize(
    "target",
    [
        Survival.of(TIME, EVENT),
        Survival.of(TIME, EVENT, [1, 2, 1, 2, 1, 3]),
        Grades.of([0, 1, 2, 0, 1, 2]),
        Grades.of([0, 1, 2, 0, 1, 2], [1, 2, 1, 2, 1, 3]),
    ],
    ids=["survival", "weighted-survival", "grades", "weighted-grades"],
)
def test_a_target_crosses_between_processes_and_takes_rows(target):
    data = Data.of(np.arange(12.0).reshape(6, 2), target)
    same = unpack_known(data.rows, pack_known(data)).target
    some = data.take(np.array([4, 1, 0], np.int32)).target
    assert type(same) is type(some) is type(target)
    for name in ("time", "event", "y", "weights"):
        if (array := getattr(target, name, None)) is not None:
            assert np.array_equal(getattr(same, name), array)
            assert np.array_equal(getattr(some, name), array[[4, 1, 0]])
            assert not array.flags.writeable
    assert data.weights is target.weights


def test_weights_stand_once_and_there_are_no_labels():
    X, plain = np.zeros((6, 1)), Survival.of(TIME, EVENT)
    assert Data.of(X, plain, weights=[1, 2, 1, 2, 1, 3]).weights.tolist() == [1, 2, 1, 2, 1, 3]
    with pytest.raises(DataError, match="weights already"):
        Data.of(X, Survival.of(TIME, EVENT, [1, 2, 1, 2, 1, 3]), weights=[2] * 6)
    with pytest.raises(DataError, match="positive and negative name labels"):
        Data.of(X, plain, positive=1)
    with pytest.raises(DataError, match="X has 5 rows but y has 6 survival times"):
        Data.of(X[:5], plain)
    with pytest.raises(UnsupportedError, match="the rows have survival times instead"):
        _ = Data.of(X, plain).y


def test_folds_have_the_same_share_of_events_or_of_each_grade():
    X, rng = np.zeros((100, 1)), np.random.default_rng(0)
    event = rng.permutation(np.arange(100) < 20)
    for _, held in splits(Data.of(X, Survival.of(rng.random(100), event)), 5, 0):
        assert event[held].sum() == 4
    grades = rng.permutation(np.arange(100) % 5)
    for _, held in splits(Data.of(X, Grades.of(grades)), 5, 0):
        assert np.bincount(grades[held]).tolist() == [4] * 5


def test_a_fold_without_a_pair_is_refused():
    time, event = np.arange(1.0, 9.0), np.array([0, 0, 0, 0, 0, 0, 1, 1])
    with pytest.raises(DataError, match="has no two rows to compare by their survival times"):
        splits(Data.of(np.zeros((8, 1)), Survival.of(time, event)), 2, 0)
    with pytest.raises(DataError, match=r"there are 2 event\(s\), fewer than the 5 folds"):
        splits(Data.of(np.zeros((8, 1)), Survival.of(time, event)), 5, 0)
