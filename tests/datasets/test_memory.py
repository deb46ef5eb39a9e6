"""Tables in memory are read as files are."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tables import table, written

from aucbench.bench.worker.rows import data_hash, load_data, save_data
from aucbench.datasets import load
from aucbench.datasets.memory import frame_of, is_table


@pytest.fixture
def frame():
    made = table(0, 60, "age ward since smokes lab", gaps={"lab": 0.2}, labels=(0, 1))
    return made.set_axis(np.arange(60)[::-1])


def described(data):
    return data_hash(data), data.names, data.schema, data.understood


def test_a_table_is_read_as_its_file(frame, tmp_path):
    asked = {"target": "y", "time": "since"}
    wanted = described(load(written(frame, tmp_path / "t.parquet"), **asked))
    assert data_hash(load(written(frame, tmp_path / "t.csv"), **asked)) == wanted[0]
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    for source in (frame, pl.from_pandas(frame), arrow, arrow.to_batches()[0]):
        assert is_table(source)
        assert described(load(source, **asked)) == wanted


def test_labels_keep_their_type_also_in_another_process(frame, tmp_path):
    assert load(frame, target="y").understood.positive == (1,)
    data = load(frame, target="smokes")
    assert data.understood.positive == (True,)
    save_data(data, tmp_path / "saved")
    assert described(load_data(tmp_path / "saved")) == described(data)


def test_test_rows_are_a_table_too_and_names_are_texts(frame):
    data = load(frame[:40], target="y", test=pl.from_pandas(frame[40:]))
    assert np.array_equal(data.folds, np.repeat([-1, 0], [40, 20]))
    assert next(iter(frame_of(frame.rename(columns={"age": 7})))) == "7"
    assert not is_table(np.zeros((3, 2)))
