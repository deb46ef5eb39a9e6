"""How rows are divided: by groups, by times, by a share, by a test file; also inside tuning."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from refusals import assert_refused
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit
from tables import written

from aucbench import compare, get_solver, solve
from aucbench.data import Data
from aucbench.data.folds import drawn_few, splits, splits_of_chunks
from aucbench.datasets import load
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError

N = 90


@pytest.fixture
def frame():
    """A table of 90 rows with a customer, a day, a weight and a label."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    found = pd.DataFrame(X, columns=["a", "b"])
    found["customer"] = [f"c{k:02}" for k in rng.integers(0, 45, N)]
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 40, N), unit="D")
    found["day"] = days.strftime("%d.%m.%Y")
    found["weight"] = rng.integers(1, 6, N)
    found["y"] = (X[:, 0] + rng.normal(size=N) > 0.3).astype(int)
    return found


def toy(frame, **more):
    return Data.of(frame[["a", "b"]], frame["y"], **more)


def order(frame):
    return pd.to_datetime(frame["day"], format="%d.%m.%Y")


def equal_splits(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        for numbers, expected in zip(mine, other, strict=True):
            np.testing.assert_array_equal(numbers, expected)
            assert numbers.dtype == np.int32


def test_groups_and_times_without_ties_are_divided_as_scikit_learn_does(frame):
    data = toy(frame, groups=frame["customer"])
    theirs = StratifiedGroupKFold(4, shuffle=True, random_state=7)
    equal_splits(splits(data, 4, 7), theirs.split(frame, frame["y"], frame["customer"]))
    times = np.random.default_rng(1).permutation(N) + 0.5
    place = np.argsort(times)
    theirs = (map(np.sort, (place[a], place[b])) for a, b in TimeSeriesSplit(5).split(times))
    equal_splits(splits(toy(frame, times=times), 5, 0), theirs)


@given(st.integers(2, 7), st.integers(0, 2**32 - 1), st.lists(st.booleans(), min_size=8))
def test_random_folds_are_those_of_scikit_learn(count, seed, classes):
    assume(count <= min(sum(classes), len(classes) - sum(classes)))
    data = Data.of(np.zeros((len(classes), 1)), np.where(classes, 1, 0))
    theirs = StratifiedKFold(count, shuffle=True, random_state=seed).split(data.y, data.y)
    equal_splits(splits(data, count, seed), theirs)


@given(st.lists(st.integers(0, 9), min_size=12, max_size=40), st.integers(1, 4))
def test_training_rows_are_earlier_and_equal_times_stay_together(times, count):
    y = np.arange(len(times)) % 2
    data = Data.of(np.zeros((len(times), 1)), y, times=times)
    try:
        parts = splits(data, count, 0)
    except DataError as refusal:
        event(str(refusal)[:9])
        return
    held = np.concatenate([held for _, held in parts])
    assert held.size == np.unique(held).size
    times = np.array(times)
    for rest, tested in parts:
        assert times[rest].max() < times[tested].min()
    assert times[held].max() == times.max()


def test_with_groups_and_times_no_group_that_is_tested_is_learnt(frame):
    times, groups = order(frame), frame["customer"].to_numpy()
    with_groups, without = (splits(toy(frame, times=times, groups=g), 3, 0) for g in (groups, None))
    for (rest, held), (earlier, same) in zip(with_groups, without, strict=True):
        np.testing.assert_array_equal(held, same)
        expected = [i for i in earlier if groups[i] not in set(groups[held])]
        np.testing.assert_array_equal(rest, expected)


@pytest.mark.parametrize("seed", range(5))
def test_a_share_of_rows_or_of_groups_is_held_out(frame, seed):
    groups = frame["customer"].to_numpy()
    (rest, held), again = (splits(toy(frame, groups=groups), 1, seed, 0.3)[0] for _ in range(2))
    assert not set(groups[rest]) & set(groups[held])
    assert np.array_equal(held, again[1])
    assert 0.15 < held.size / N < 0.45
    data = toy(frame)
    plain, other = (splits(data, 1, one, 0.2)[0] for one in (seed, seed + 1))
    assert (data.y[plain[1]] > 0).sum() == round(0.2 * data.labels.n_pos)
    assert not np.array_equal(plain[1], other[1])
    for parts in ((rest, held), plain):
        assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(N))


def test_the_last_share_in_time_is_held_out(frame):
    times = order(frame)
    ((rest, held),) = splits(toy(frame, times=times), 1, 0, 0.25)
    cut = times[held].min()

    assert times[rest].max() < cut
    assert held.size == min(
        ((times >= day).sum() for day in times.unique()[1:]), key=lambda n: abs(n / N - 0.25)
    )
    inner, validation = toy(frame, times=times).split(0.25, np.random.default_rng(0))
    assert (inner.n, validation.n) == (rest.size, held.size)
    assert inner.times.max() < validation.times.min()


@pytest.mark.parametrize("what", ["groups", "times", "both"])
def test_inner_folds_hold_groups_and_times(frame, what):
    ties = {"groups": frame["customer"], "times": order(frame)}
    data = toy(frame, **{k: v for k, v in ties.items() if what in (k, "both")})
    folds = [*drawn_few(data, 3, 0)]

    assert folds
    few = toy(frame, groups=np.arange(N) % 2)  # which allow no more than two
    assert len([*drawn_few(few, 5, 0)]) == 2
    for rest, held in folds:
        if what != "times":
            assert not set(frame["customer"][rest]) & set(frame["customer"][held])
        if what != "groups":
            assert order(frame)[rest].max() < order(frame)[held].min()


def test_a_comparison_with_weights_is_that_by_hand(tmp_path, frame, in_process):
    path = written(frame, tmp_path / "t.csv")
    how = {"time": "day", "weights": "weight", "drop": ("customer",)}
    asked = {"reading": ReadOptions(**how), "features": "none", "splits": 3, "jobs": 1}
    found = compare("ls-svm,sht-auc", str(path), **asked)
    for record, (rest, held) in zip(found[::2], splits(load(path, **how), 3, 0), strict=True):
        learnt, tested = frame.loc[rest], frame.loc[held]
        run = solve(get_solver("ls-svm"), toy(learnt, weights=learnt["weight"]))
        scores = run.decision_function(tested[["a", "b"]])
        wanted = roc_auc_score(tested["y"], scores, sample_weight=tested["weight"])
        assert record.measures.auc == pytest.approx(wanted, abs=1e-12)
        assert (record.sizes.n_train, record.sizes.n_test) == (rest.size, held.size)
        assert (record.sizes.division, record.sizes.weighted) == ("3 folds by times", True)
    assert {record.status.status.value for record in found[1::2]} == {"skipped"}


@pytest.fixture
def files(tmp_path):
    """Return a function that writes the first 60 rows, and the others as a file of test rows."""

    def write(frame, test=None):
        rest = frame[60:] if test is None else test
        return written(frame[:60], tmp_path / "train.csv"), written(rest, tmp_path / "test.csv")

    return write


def test_a_test_file_is_the_only_test_set(files, frame):
    frame = frame.drop(columns=["customer", "day"])
    train, test = files(frame, frame[60:][["y", "b", "weight", "a"]])
    how = {"test": str(test), "weights": "weight"}
    data = load(train, **how)
    assert data.names == ("a", "b")
    np.testing.assert_array_equal(data.folds, [-1] * 60 + [0] * 30)
    np.testing.assert_array_equal(data.rows.matrix, frame[["a", "b"]])
    ((rest, _),) = splits(data, 1, 0)
    np.testing.assert_array_equal(rest, np.arange(60))


@pytest.mark.parametrize(
    ("change", "options", "word"),
    [
        (lambda f: f.drop(columns="b"), {"drop": ("customer", "day")}, "lacks 'b'"),
        (lambda f: f.assign(c=1.0), {"drop": ("customer", "day")}, "has besides 'c'"),
        (lambda f: f.assign(y=1), {"drop": ("customer", "day")}, "no negative row"),
        (lambda f: f, {"groups": "customer", "drop": ("day",)}, "leave the groups out"),
    ],
)
def test_a_test_file_that_does_not_fit_is_refused(files, frame, change, options, word):
    train, test = files(frame, change(frame[60:]))
    assert_refused(lambda: splits(load(train, test=str(test), **options), 1, 0), DataError, word)


def test_special_columns_are_no_features(tmp_path, frame):
    frame.loc[3, "customer"] = np.nan
    path = written(frame, tmp_path / "t.csv")
    data = load(path, time="day", weights="weight", drop=("customer",))
    assert data.names == ("a", "b")
    np.testing.assert_array_equal(data.times, np.unique(order(frame), return_inverse=True)[1])
    np.testing.assert_array_equal(data.weights, frame["weight"])
    assert data.understood.dropped["day"] == "times"
    for options, word in (
        ({"groups": "customer", "drop": ("day",)}, "row 3"),
        ({"time": "customer"}, "'customer' are text"),
        ({"weights": "day", "drop": ("customer",)}, "'day' are text"),
        ({"groups": "custommer"}, "'custommer'"),
    ):
        assert_refused(partial(load, path, **options), DataError, word)


def test_chunks_of_a_sorted_file_are_not_held_out_whole():
    rng = np.random.default_rng(0)
    s = rng.standard_normal(4000)
    y = np.where(s + rng.standard_normal(4000) > 1, 1, -1)
    sizes = [400] * 10
    for order, whole in ((np.arange(4000), True), (np.argsort(s), False)):
        data = Data.of(s[order, None], y[order])
        found = splits_of_chunks(data, sizes, 1, 0, 0.2)
        assert (found is not None) == whole
        for _, held in found or []:
            assert np.unique(held // 400).size * 400 == held.size
    assert splits_of_chunks(Data.of(s[:, None], y), [2000, 2000], 2, 0) is None  # too few
