"""Columns of new rows that have changed since training are named, and others are not."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from aucbench.data.arrays import rows
from aucbench.datasets import load
from aucbench.datasets.tables import Schema
from aucbench.datasets.tables.changes import UnusualCells, ranges_of

N = 1000


def frame(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.3, np.nan, rng.integers(18, 80, n)),
            "city": rng.choice(["Bonn", "Oslo", "Rome"], n),
            "street": [f"Road {number}" for number in rng.zipf(1.5, n).clip(max=10**6)],
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 366, n), "D"),
        }
    )


TABLE = frame()
SCHEMA = Schema.of(TABLE)
RANGES = ranges_of(rows(SCHEMA.codes(TABLE)))


def changes(new, piece=N, trained=N):
    pieces = [new.iloc[lo : lo + piece] for lo in range(0, len(new), piece)]
    each = [UnusualCells.of(SCHEMA.columns, RANGES, SCHEMA.codes(one), one) for one in pieces]
    return [*sum(each[1:], each[0]).describe_changes(SCHEMA.columns, RANGES, trained)]


@pytest.mark.parametrize("piece", [7, N])
@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"age": np.nan}, "'age': 100 % of the rows have no value, of the training rows 2\\d %"),
        ({"city": None}, "'city': 100 % .* have no value, of the training rows 0 %"),
        ({"city": "ROME"}, "'city': 100 % .* a level that no training row has, such as 'ROME'"),
        ({"street": "Main"}, "'street': 100 % .* that no training row has, such as 'Main'"),
        ({"age": 180.0}, "'age': 100 % .* are outside of 18 to 79, the range of the training rows"),
        ({"day": pd.Timestamp("1970-01-01")}, "'day': .* 2020-01-01 00:00:00 to 2020-12-31 00:00"),
    ],
)
def test_a_column_that_has_changed_is_named_with_its_share(changed, sentence, piece):
    new = frame(60, seed=1)
    [told] = changes(new.assign(**changed), piece)
    assert re.search(sentence, told), told


@pytest.mark.parametrize("n", [1, 3, 40, 2000])
def test_rows_like_those_of_training_have_no_changed_column(n):
    for seed in range(20):
        assert changes(frame(n, seed=100 + seed)) == []


def test_few_cells_and_single_rows_are_no_change():
    new = frame(N, seed=1)
    new.loc[: N // 25, "city"] = "Nice"
    assert changes(new) == []
    assert changes(frame(1).assign(city="ROME", age=np.nan)) == []
    assert changes(new.assign(day=pd.Timestamp("2021-06-01"))) == []


@pytest.mark.parametrize(
    ("changed", "sentences"),
    [
        ({}, ()),
        (
            {"city": "ROME", "age": np.nan},
            ("'city': 100 % .* 'ROME'", "'age': 100 % .*no v"),
        ),
        ({"age": 180.0}, ("test rows: column 'age': 100 % of the rows are outside of 18 to 79",)),
    ],
)
def test_a_column_of_test_rows_is_held_against_the_training_rows(changed, sentences):
    y = np.arange(N) % 2
    data = load(TABLE.assign(y=y), target="y", test=frame(60, seed=1).assign(y=y[:60], **changed))
    found = [warning for warning in data.understood.warnings if warning.startswith("test rows")]
    assert len(found) == len(sentences)
    for sentence in sentences:
        assert any(re.search(sentence, warning) for warning in found), found


def test_test_rows_of_numbers_have_ranges_too():
    X = pd.DataFrame({"a": np.linspace(0, 1, 200), "y": np.arange(200) % 2})
    data = load(X, target="y", test=X.assign(a=X["a"] * 100))
    assert "test rows: column 'a': 9" in " ".join(data.understood.warnings)


def test_ranges_leave_out_gaps_and_count_the_zeros_of_sparse_rows():
    X = np.array([[1.0, np.nan, -3.0], [2.0, np.nan, 0.0]])
    np.testing.assert_array_equal(ranges_of(rows(X)), [[1, 1, -3], [2, 0, 0]])
    sparse = rows(csr_array(np.nan_to_num(X)))
    np.testing.assert_array_equal(ranges_of(sparse), [[1, 0, -3], [2, 0, 0]])
