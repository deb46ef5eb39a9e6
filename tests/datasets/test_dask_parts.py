"""Collections of dask as chunks: the same weights as rows in memory, and refusals."""

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
from samples import sample

import aucbench
from aucbench.data import Data
from aucbench.datasets.chunked.dask_parts import open_collection
from aucbench.errors import DataError, ParameterError
from aucbench.scale import ChunkedData, InMemory
from aucbench.scale.chosen import Chosen

pytestmark = pytest.mark.plain
N, CHUNK = 1_200, 170
X, Y = sample(0, N, 4)
X = X.astype(np.float32)


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


def weights(parts, engine=None):
    data = ChunkedData(parts) if engine is None else ChunkedData(parts, engine)
    return aucbench.solve(aucbench.get_solver("svm-or"), data, gap_tol=1e-3).w


def test_what_cannot_be_read_is_refused_in_a_sentence(client, monkeypatch):
    rows, labels = da.from_array(X, chunks=(CHUNK, 4)), da.from_array(Y, chunks=CHUNK)
    text = dd.from_pandas(pd.DataFrame({"a": X[:, 0], "y": Y, "t": "text"}), npartitions=3)
    for source, target, word in (
        (rows, labels.rechunk(100), "same ones"),
        (rows, Y, "partitions"),
        (text, "y", "'t' holds no numbers"),
        (rows, da.from_array(np.arange(N) % 3, chunks=CHUNK), "two"),
        (rows[:, 0], labels, "matrix"),
    ):
        read = partial(open_collection, source, target, client=client)
        assert_refused(read, DataError, word)
    assert_refused(partial(open_collection, rows, labels), ParameterError, "client")
    monkeypatch.setattr("aucbench.datasets.chunked.dask_parts.FITS", 1e-12)
    assert_refused(partial(open_collection, rows, labels, client=client), DataError, "Parquet")


def test_an_array_and_single_rows_of_it_give_the_weights_of_rows_in_memory(client):
    parts = open_collection(*(da.from_array(one, chunks=CHUNK) for one in (X, Y)), client=client)
    same = InMemory(Data.of(X, Y), CHUNK)
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
