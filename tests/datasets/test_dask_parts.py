"""Collections of dask as parts: the same weights as rows in memory, and lazy answers."""

import pickle

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed", reason="the extra [dask] is not installed")

import dask.array as da
import dask.dataframe as dd
from dask_clusters import two_workers

import aucbench
from aucbench.data import Data
from aucbench.datasets.chunked.dask_parts import is_collection, map_rows, open_collection
from aucbench.errors import DataError, ParameterError
from aucbench.scale import ChunkedData, InMemory
from aucbench.scale.chosen import Chosen

pytestmark = pytest.mark.plain
N, CHUNK = 1_200, 170


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 4)).astype(np.float32)
    y = np.where(X[:, 0] + rng.standard_normal(N) > 1.0, 1, -1)
    return X, y


def weights(parts, engine=None):
    data = ChunkedData(parts) if engine is None else ChunkedData(parts, engine)
    return aucbench.solve(aucbench.get_solver("svm-or"), data, gap_tol=1e-3).w


def test_an_array_gives_the_weights_of_the_same_parts_in_memory(client, table):
    X, y = table

    parts = open_collection(
        da.from_array(X, chunks=(CHUNK, 3)), da.from_array(y, chunks=CHUNK), client=client
    )

    assert parts.sizes == InMemory(Data.of(X, y), CHUNK).sizes
    expected = weights(InMemory(Data.of(X, y), CHUNK))
    assert weights(parts, parts.engine).tobytes() == expected.tobytes()


def test_a_frame_has_names_and_a_column_of_labels(client, table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["b"] = frame["b"].astype("Float64")
    frame["said"] = np.where(y > 0, "yes", "no")

    parts = open_collection(dd.from_pandas(frame, npartitions=5), "said", client=client)

    assert parts.names == ("a", "b", "c", "d")
    assert parts.understood.positive == ("yes",)
    pieces = [piece for i in range(5) for piece in parts.read(i)]
    assert [column.dtype for column in pieces[0].rows.arrays] == [
        np.float32, np.float64, np.float32, np.float32
    ]  # fmt: skip
    np.testing.assert_array_equal(np.concatenate([piece.y for piece in pieces]), y)


def test_empty_partitions_are_passed_over(client, table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y, number=np.arange(N))
    some = dd.from_pandas(frame, npartitions=6)
    some = some[some["number"] >= 400][["a", "b", "c", "d", "y"]]

    parts = open_collection(some, "y", client=client)

    assert 0 in parts.sizes
    assert parts.n == N - 400
    assert weights(parts, parts.engine).size == 4


def test_answers_are_lazy_collections(client, table):
    X, _ = table
    array = da.from_array(X, chunks=(CHUNK, 2))
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=4)

    def doubled(rows):
        return 2.0 * np.asarray(rows, float)[:, 0]

    def both(rows):
        return np.asarray(rows, float)[:, :2]

    for X_, part in ((array, np.asarray), (frame, lambda one: one.to_numpy())):
        answer, wide = map_rows(doubled, X_, float), map_rows(both, X_, float, 2)
        assert is_collection(answer)
        assert answer.dtype == float
        np.testing.assert_array_equal(part(answer.compute(scheduler="sync")), 2.0 * X[:, 0])
        np.testing.assert_array_equal(part(wide.compute(scheduler="sync")), X[:, :2])


def test_what_cannot_be_read_is_refused_in_a_sentence(client, table):
    X, y = table
    rows, labels = da.from_array(X, chunks=(CHUNK, 4)), da.from_array(y, chunks=CHUNK)
    frame = dd.from_pandas(pd.DataFrame({"a": X[:, 0], "t": "text", "y": y}), npartitions=3)

    refused = [
        ((rows, labels.rechunk(100)), "give them the same ones"),
        ((rows, y), "make it one with the same partitions"),
        ((rows, "y"), "there is no column 'y'"),
        ((frame, "y"), "column 't' holds no numbers"),
        ((rows, da.from_array(np.arange(N) % 3, chunks=CHUNK)), "need two, so write"),
        ((rows, da.from_array(np.arange(N), chunks=CHUNK)), "need two, so write"),
        ((rows[:, 0], labels), "give a matrix of numbers"),
    ]
    for given, sentence in refused:
        with pytest.raises(DataError, match=sentence):
            open_collection(*given, client=client)
    with pytest.raises(ParameterError, match="there is no client of dask"):
        open_collection(rows, labels)


def test_a_collection_that_does_not_fit_is_refused(client, table, monkeypatch):
    monkeypatch.setattr("aucbench.datasets.chunked.dask_parts.FITS", 1e-12)
    X, y = table

    with pytest.raises(DataError, match="write it as Parquet"):
        open_collection(
            da.from_array(X, chunks=CHUNK), da.from_array(y, chunks=CHUNK), client=client
        )


def test_what_has_learnt_from_it_can_be_pickled_without_rows(client, table):
    X, y = table
    parts = open_collection(
        da.from_array(X, chunks=(CHUNK, 4)), da.from_array(y, chunks=CHUNK), client=client
    )

    again = pickle.loads(pickle.dumps(ChunkedData(parts, parts.engine)))

    assert again.n == N
    with pytest.raises(DataError, match="stay with the process"):
        next(again.parts.read(0))


def test_single_rows_of_partitions_are_held_out(client, table):
    X, y = table
    parts = open_collection(
        da.from_array(X, chunks=(CHUNK, 4)), da.from_array(y, chunks=CHUNK), client=client
    )
    same = InMemory(Data.of(X, y), CHUNK)

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
