"""The classifier on collections of dask: fitted on workers, lazy answers."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed", reason="the extra [dask] is not installed")

import dask.array as da
import dask.dataframe as dd
from dask_clusters import two_workers
from samples import sample

from aucbench import AUCClassifier, fit
from aucbench.data import Data
from aucbench.errors import DataError, ParameterError
from aucbench.scale import InMemory

pytestmark = pytest.mark.plain
N, CHUNK = 3_000, 250
X, Y = sample(0, N, 3, scale=np.array([1.0, 5.0, 0.1]), offset=3.0)
ROWS, LABELS = da.from_array(X, chunks=(CHUNK, 3)), da.from_array(Y, chunks=CHUNK)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])


@pytest.fixture(scope="module")
def client():
    with two_workers(default=True) as client:
        yield client


def test_an_array_is_learnt_from_as_the_same_parts_in_memory(client):
    model = AUCClassifier("svm-or").fit(ROWS, LABELS)
    same = AUCClassifier("svm-or").fit(InMemory(Data.of(X, Y), CHUNK))
    np.testing.assert_array_equal(model.coef_, same.coef_)
    scores, labels = model.decision_function(ROWS), model.predict(ROWS)
    assert isinstance(scores, da.Array)
    assert isinstance(labels, da.Array)
    # BLAS may round the score of a row by its place in a block: the last digit is free.
    wanted = same.decision_function(X)
    np.testing.assert_allclose(scores.compute(), wanted, rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(labels.compute(), same.predict(X))


def test_workers_read_the_chunks_of_a_fit(client, tmp_path):
    FRAME.assign(y=Y).to_parquet(path := tmp_path / "rows.parquet", row_group_size=CHUNK)
    there, here = (
        fit(path, target="y", solver="svm-or", in_chunks=True, engine=engine, quiet=True)
        for engine in (f"dask={client.scheduler.address}", "here")
    )
    np.testing.assert_array_equal(there.function.weights, here.function.weights)
    assert there.function.threshold == here.function.threshold


def test_a_frame_has_its_labels_in_a_column(client):
    labelled = FRAME.assign(sick=np.where(Y > 0, "yes", "no"))
    model = AUCClassifier("svm-or").fit(dd.from_pandas(labelled, npartitions=6), "sick")
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    labels = model.predict(dd.from_pandas(FRAME, npartitions=6))
    assert isinstance(labels, dd.Series)
    np.testing.assert_array_equal(labels.compute().to_numpy(), model.predict(FRAME))


def test_models_of_rows_in_memory_answer_collections_too(client):
    rows = ROWS.rechunk((CHUNK, 2))
    model = AUCClassifier("ls-svm", calibration="isotonic").fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(rows).compute(), model.predict_proba(X))
    three = AUCClassifier("ls-svm").fit(X, np.digitize(X[:, 0], [2.5, 3.5]))
    wide = three.decision_function(rows)
    assert wide.shape == (N, 3)
    np.testing.assert_allclose(wide.compute(), three.decision_function(X))


def test_few_partitions_and_what_a_collection_cannot_have(client):
    rows, labels = ROWS.rechunk((1_000, 3)), LABELS.rechunk(1_000)
    model = AUCClassifier("svm-or", validation=0.2, sensitivity=0.9).fit(rows, labels)
    assert (model.predict(X)[Y > 0] == 1).mean() == pytest.approx(0.9, abs=0.05)
    with pytest.raises(DataError, match="collection"):
        model.fit(rows)
    with pytest.raises(ParameterError, match="sample_weight"):
        model.fit(rows, labels, sample_weight=labels)
