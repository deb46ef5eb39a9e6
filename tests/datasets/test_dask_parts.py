"""Collections of dask as parts: the same weights as rows in memory, and lazy answers."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed", reason="the extra [dask] is not installed")

import dask.array as da
import dask.dataframe as dd
from dask_clusters import two_workers
from refusals import assert_refused

import aucbench
from aucbench.data import Data
from aucbench.datasets.chunked.dask_parts import open_collection
from aucbench.errors import DataError, ParameterError
from aucbench.scale import ChunkedData, InMemory
from aucbench.scale.chosen import Chosen

pytestmark = pytest.mark.plain
N, CHUNK = 1_200, 170


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 4)).astype(np.float32)
    return X, np.where(X[:, 0] + rng.standard_normal(N) > 1.0, 1, -1)


@pytest.fixture
def parts(client, table):
    """An array of dask as parts."""
    return open_collection(*(da.from_array(one, chunks=CHUNK) for one in table), client=client)


@pytest.fixture(scope="module")
def frame(table):
    X, y = table
    return pd.DataFrame(X, columns=list("abcd")).assign(y=y)


def weights(parts, engine=None):
    data = ChunkedData(parts) if engine is None else ChunkedData(parts, engine)
    return aucbench.solve(aucbench.get_solver("svm-or"), data, gap_tol=1e-3).w


def test_a_frame_has_names_and_a_column_of_labels(client, frame):
    said = frame.drop(columns="y").assign(b=frame["b"].astype("Float64"))
    said["said"] = np.where(frame["y"] > 0, "yes", "no")
    parts = open_collection(dd.from_pandas(said, npartitions=5), "said", client=client)
    assert parts.names == ("a", "b", "c", "d")
    assert parts.understood.positive == ("yes",)
    pieces = [piece for i in range(5) for piece in parts.read(i)]
    kinds = [column.dtype.name for column in pieces[0].rows.arrays]
    assert kinds == ["float32", "float64", "float32", "float32"]
    np.testing.assert_array_equal(np.concatenate([piece.y for piece in pieces]), frame["y"])


def test_what_cannot_be_read_is_refused_in_a_sentence(client, table, frame, monkeypatch):
    X, y = table
    rows, labels = da.from_array(X, chunks=(CHUNK, 4)), da.from_array(y, chunks=CHUNK)
    text = dd.from_pandas(frame[["a", "y"]].assign(t="text"), npartitions=3)
    for source, target, word in (
        (rows, labels.rechunk(100), "same ones"),
        (rows, y, "partitions"),
        (text, "y", "'t' holds no numbers"),
        (rows, da.from_array(np.arange(N) % 3, chunks=CHUNK), "two"),
        (rows[:, 0], labels, "matrix"),
    ):
        read = partial(open_collection, source, target, client=client)
        assert_refused(read, DataError, word)
    assert_refused(partial(open_collection, rows, labels), ParameterError, "client")
    monkeypatch.setattr("aucbench.datasets.chunked.dask_parts.FITS", 1e-12)
    assert_refused(partial(open_collection, rows, labels, client=client), DataError, "Parquet")


def test_an_array_and_single_rows_of_it_give_the_weights_of_rows_in_memory(parts, table):
    same = InMemory(Data.of(*table), CHUNK)
    assert parts.sizes == same.sizes
    assert weights(parts, parts.engine).tobytes() == weights(same).tobytes()
    again = pickle.loads(pickle.dumps(ChunkedData(parts, parts.engine)))  # without the rows
    assert_refused(lambda: next(again.parts.read(0)), DataError, "process")
    chosen = np.random.default_rng(0).random(N) < 0.3
    for numbers in (np.flatnonzero(chosen), np.flatnonzero(~chosen)):
        own, expected = (Chosen.of(one, numbers) for one in (parts, same))
        assert weights(own, parts.engine).tobytes() == weights(expected).tobytes()
        half = np.arange(0, own.n, 2)
        twice = Chosen.of(own, half), Chosen.of(expected, half)
        assert weights(twice[0], parts.engine).tobytes() == weights(twice[1]).tobytes()
        numbers = [i for i, _ in parts.engine.scan(own, rows_of)]
        assert numbers == list(range(len(parts.sizes)))


def rows_of(piece):
    return piece.n
