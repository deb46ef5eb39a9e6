"""The classifier on collections of dask: fitted on workers, lazy answers."""

import pickle

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed", reason="the extra [dask] is not installed")

import dask.array as da
import dask.dataframe as dd
from dask_clusters import two_workers

from aucbench import AUCClassifier, fit
from aucbench.data import Data
from aucbench.errors import DataError, ParameterError
from aucbench.scale import InMemory

pytestmark = pytest.mark.plain
N, CHUNK = 3_000, 250


@pytest.fixture(scope="module")
def client():
    with two_workers(default=True) as client:
        yield client


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 3)) * [1.0, 5.0, 0.1] + 3.0
    return X, np.where(X[:, 0] + rng.standard_normal(N) > 4.0, 1, -1)


def test_an_array_is_learnt_from_as_the_same_parts_in_memory(client, table):
    X, y = table
    rows = da.from_array(X, chunks=(CHUNK, 3))

    model = AUCClassifier("svm-or").fit(rows, da.from_array(y, chunks=CHUNK))
    same = AUCClassifier("svm-or").fit(InMemory(Data.of(X, y), CHUNK))

    np.testing.assert_array_equal(model.coef_, same.coef_)
    answers = model.decision_function(rows), model.predict(rows)
    assert all(isinstance(answer, da.Array) for answer in answers)
    # BLAS may round the score of a row by its place in a block: the last digit is free.
    scores = answers[0].compute()
    np.testing.assert_allclose(scores, same.decision_function(X), rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(answers[1].compute(), same.predict(X))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), same.decision_function(X))


def test_workers_read_the_chunks_of_a_fit(client, table, tmp_path):
    frame = pd.DataFrame(table[0], columns=["a", "b", "c"]).assign(y=table[1])
    frame.to_parquet(path := tmp_path / "rows.parquet", row_group_size=CHUNK)

    there, here = (
        fit(path, target="y", solver="svm-or", in_chunks=True, engine=engine, quiet=True)
        for engine in (f"dask={client.scheduler.address}", "here")
    )

    np.testing.assert_array_equal(there.function.weights, here.function.weights)
    assert there.function.threshold == here.function.threshold


def test_a_frame_has_its_labels_in_a_column(client, table):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    rows = dd.from_pandas(frame, npartitions=6)

    model = AUCClassifier("svm-or").fit(
        dd.from_pandas(frame.assign(sick=np.where(y > 0, "yes", "no")), npartitions=6), "sick"
    )

    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    labels = model.predict(rows)
    assert isinstance(labels, dd.Series)
    np.testing.assert_array_equal(labels.compute().to_numpy(), model.predict(frame))
    assert (labels.compute() == np.where(y > 0, "yes", "no")).mean() > 0.7


def test_models_of_rows_in_memory_answer_collections_too(client, table):
    X, y = table
    rows = da.from_array(X, chunks=(CHUNK, 2))
    model = AUCClassifier("ls-svm", calibration="isotonic").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(rows).compute(), model.predict_proba(X))
    three = AUCClassifier("ls-svm").fit(X, np.digitize(X[:, 0], [2.5, 3.5]))
    wide = three.decision_function(rows)
    assert wide.shape == (N, 3)
    np.testing.assert_allclose(wide.compute(), three.decision_function(X))


def test_few_partitions_and_what_a_collection_cannot_have(client, table):
    X, y = table
    rows, labels = da.from_array(X, chunks=(1_000, 3)), da.from_array(y, chunks=1_000)
    model = AUCClassifier("svm-or", validation=0.2, sensitivity=0.9).fit(rows, labels)
    assert (model.predict(X)[y > 0] == 1).mean() == pytest.approx(0.9, abs=0.05)
    with pytest.raises(DataError, match="X is a collection of dask, and y"):
        model.fit(rows)
    with pytest.raises(ParameterError, match="sample_weight cannot be had"):
        model.fit(rows, labels, sample_weight=labels)
