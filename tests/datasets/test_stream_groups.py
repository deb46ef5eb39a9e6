"""`stream` with shuffle="groups": rows of Parquet files in a shuffle of two levels."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aucbench import AUCClassifier
from aucbench.datasets import load, stream
from aucbench.errors import ParameterError, UnevenPartsWarning


def write(path, rows, *, words=False, size=50):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(rows) < 0.4, 1, 0)
    columns = {"row": np.arange(rows, dtype=float), "x": rng.standard_normal(rows) + y}
    label = np.where(y > 0, "yes", "no") if words else y
    table = pa.table({**columns, "target": label})
    pq.write_table(table, path, row_group_size=size)
    return y


def rows_of(chunks):
    chunks = [*chunks]
    X = np.concatenate([chunk.rows.matrix for chunk in chunks])
    return X[:, 0].astype(int), np.concatenate([chunk.y for chunk in chunks]), chunks


def test_each_row_comes_once_with_its_label(tmp_path):
    y = write(tmp_path / "rows.parquet", 500)
    seen, labels, chunks = rows_of(
        stream(tmp_path / "rows.parquet", rows=64, target="target", shuffle="groups")
    )
    assert sorted(seen) == list(range(500))
    assert (labels == np.where(y[seen] > 0, 1, -1)).all()
    assert max(chunk.n for chunk in chunks) == 64
    first = set(seen[:400] // 50)
    assert len(first) == 8  # groups of the first buffer


def test_a_seed_names_an_order(tmp_path):
    write(tmp_path / "rows.parquet", 300)
    source = str(tmp_path / "*.parquet")
    orders = [
        rows_of(stream(source, target="target", shuffle="groups", seed=seed))[0]
        for seed in (0, 0, 1)
    ]
    assert (orders[0] == orders[1]).all()
    assert (orders[0] != orders[2]).any()


def test_a_model_learns_from_it_and_keeps_the_labels(tmp_path):
    write(tmp_path / "rows.parquet", 2000, words=True, size=100)
    model = AUCClassifier("solam")
    for chunk in stream(tmp_path / "rows.parquet", rows=300, target="target", shuffle="groups"):
        model.partial_fit(chunk)
    data = load(tmp_path / "rows.parquet", target="target")
    assert set(model.predict(data.rows.matrix)) == {"yes", "no"}


def test_a_sorted_folder_is_warned_of(tmp_path):
    for name, label in (("a", 0), ("b", 1)):
        table = pa.table({"x": np.arange(90.0), "target": np.full(90, label)})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    with pytest.warns(UnevenPartsWarning, match="sorted by its labels"):
        [*stream(tmp_path, target="target", shuffle="groups")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shuffle": "rows"}, "shuffle='rows' is not known; give groups"),
        ({"shuffle": "groups", "features": 3}, "features=3 is for svmlight"),
        ({"shuffle": "groups", "seed": -1}, "seed"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, message):
    write(tmp_path / "rows.parquet", 20)
    with pytest.raises(ParameterError, match=message):
        stream(tmp_path / "rows.parquet", target="target", **options)
