"""Tables in memory are read as files are."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from aucbench.bench.worker.rows import data_hash, load_data, save_data
from aucbench.datasets import load
from aucbench.datasets.memory import frame_of, is_table
from aucbench.errors import DataError

N = 60


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.normal(50, 10, N),
            "ward": rng.choice(["a", "b", "c"], N),
            "day": pd.date_range("2024-01-01", periods=N),
            "smokes": rng.choice([True, False], N),
            "lab": np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N)),
            "back": np.arange(N) % 2,
        },
        index=np.arange(N)[::-1],
    )


def told(data):
    return data_hash(data), data.names, data.schema, data.understood


def test_a_table_is_read_as_its_file(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    asked = {"target": "back", "time": "day"}
    wanted = told(load(tmp_path / "t.parquet", **asked))
    assert data_hash(load(tmp_path / "t.csv", **asked)) == wanted[0]
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    for table in (frame, pl.from_pandas(frame), arrow, arrow.to_batches()[0]):
        assert is_table(table)
        assert told(load(table, **asked)) == wanted


def test_labels_keep_their_type_also_in_another_process(frame, tmp_path):
    assert load(frame, target="back").understood.positive == (1,)
    data = load(frame, target="smokes")
    assert data.understood.positive == (True,)
    save_data(data, tmp_path / "saved")
    assert told(load_data(tmp_path / "saved")) == told(data)


def test_test_rows_are_a_table_too(frame):
    data = load(frame[:40], target="back", test=pl.from_pandas(frame[40:]))
    assert np.array_equal(data.folds, np.repeat([-1, 0], [40, 20]))
    with pytest.raises(DataError, match="the table of test rows must have the columns"):
        load(frame[:40], target="back", test=frame[40:].drop(columns="age"))


def test_names_are_texts_and_each_is_there_once(frame):
    assert next(iter(frame_of(frame.rename(columns={"age": 7})))) == "7"
    with pytest.raises(DataError, match="'age'"):
        frame_of(frame.rename(columns={"lab": "age"}))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_cells_of_several_values_are_refused(make):
    with pytest.raises(DataError, match=r"column 'many'"):
        load(make({"many": [[1], [2]] * 20, "y": [0, 1] * 20}), target="y")


def test_what_is_no_table_is_named():
    for other in (3, [1, 2], np.zeros((3, 2)), pl.LazyFrame({"y": [0, 1]}), pd.Series([1.0])):
        assert not is_table(other)
        with pytest.raises(DataError, match="wanted a path, a name or a table"):
            load(other)
    with pytest.raises(DataError, match="is for text files with cells"):
        load(pd.DataFrame({"x": [0, 1], "y": [0, 1]}), target="y", separator=";")
