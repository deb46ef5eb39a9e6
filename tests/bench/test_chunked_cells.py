"""compare on rows in chunks: cells read the files, and the parent deals chunks and keeps labels."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import done, flat
from toys import cell as toy

from aucbench.bench import sources
from aucbench.bench.codec import dump
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.results.store import Store
from aucbench.bench.worker.jobs import data_of
from aucbench.data import Data
from aucbench.data.packed import known_of, pack_arrays, unpack_numbers
from aucbench.data.targets import Labels
from aucbench.datasets.reading import ReadOptions
from aucbench.features.chunked import map_of
from aucbench.metrics import auc
from aucbench.registry.specs import parse_spec
from aucbench.scale import ChunkedData, InMemory
from aucbench.solving.loop import solve

N, SIZE = 1200, 60
W = np.array([1.0, -1.0, 0.0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 3)).astype(np.float32)
    y = (X @ W + rng.standard_normal(N) > 0.5).astype(np.int8)
    whole = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})
    for k in range(2):
        part = whole.slice(k * N // 2, N // 2)
        pq.write_table(part, path / f"{k}.parquet", row_group_size=SIZE)
    return path


def rows_of(folder):
    whole = pd.concat([pd.read_parquet(file) for file in sorted(folder.glob("*.parquet"))])
    return whole[["a", "b", "c"]].to_numpy(np.float64), np.where(whole["y"] > 0, 1, -1)


def test_the_cells_are_those_of_rows_in_memory(folder, tmp_path):
    out = tmp_path / "rows.json"
    command = ("compare", "--data", folder, "--target", "y", "--splits", 2, "--passes", 30)
    solvers = ("--solvers", "svm-or[lam=.01],sht-auc")
    ended = done(*command, *solvers, "--out", tmp_path / "results", "--json", out)
    assert "ShtAuc needs all rows" in flat(ended.output)
    told = [row for row in json.loads(out.read_text()) if row["solver"].startswith("svm")]
    assert [row["status"] for row in told] == ["ok", "ok"]
    X, y = rows_of(folder)
    with Store(tmp_path / "results") as store:
        for row in told:
            kept = store.scores(row["id"], row["data"])
            numbers = kept["rows"]
            assert np.unique(numbers // SIZE).size * SIZE == numbers.size  # whole parts
            rest = np.setdiff1d(np.arange(N), numbers)
            data = ChunkedData(InMemory(Data.of(X[rest], y[rest]), SIZE), standard=True)
            run = solve("svm-or[lam=.01]", data, passes=30)
            own = run.decision_function(map_of(data)(Data.of(X[numbers], y[numbers]).rows))
            assert row["auc"] == pytest.approx(auc(y[numbers], own), abs=1e-3)
            assert row["gap"] <= 1e-5
            assert row["division"] == "2 folds by row groups"


def target(y, parts):
    data = Data(Data.of(np.zeros((y.size, 1)), y).rows, Labels(y.astype(np.int8)))
    return KeptTarget(pack_arrays(known_of(data)), y.size, parts)


def cell(**fields):
    return toy(**{"splits": 2, **fields})


def test_whole_chunks_are_dealt_unless_they_are_few_or_lack_a_class():
    y = np.where(np.arange(400) % 3, -1, 1)
    whole = target(y, [50] * 8)
    learnt, held, known = whole.packed_parts(cell())
    assert known == ""
    assert {*(unpack_numbers(learnt, 400) // 50)}.isdisjoint(unpack_numbers(held, 400) // 50)
    assert whole.kind(cell()) == "2 folds by row groups"
    for few in (target(y, [200, 200]), target(np.where(np.arange(400) < 50, 1, -1), [50] * 8)):
        assert few.refusal(cell()) is None
        assert few.kind(cell()) == "2 folds"
    held_out = target(y, [50] * 8).packed_parts(cell(holdout=0.25, splits=1))[1]
    assert unpack_numbers(held_out, 400).size == 100


def test_a_file_that_does_not_fit_is_read_in_chunks(folder, monkeypatch):
    request = {
        "dataset": dump(parse_spec("0.parquet")),
        "folder": str(folder),
        "reading": dump(ReadOptions(target="y")),
    }
    assert isinstance(data_of(request), Data)
    monkeypatch.setattr(sources, "free_memory", lambda: 1000)
    data = data_of(request)
    assert isinstance(data, ChunkedData)
    assert data.n == N // 2
    assert data.y.tolist() == rows_of(folder)[1][: N // 2].tolist()
    assert any("are free: the rows are read in chunks" in line for line in data.understood.warnings)


def test_what_needs_all_rows_skips_its_cells_or_is_refused(folder):
    command = ("compare", "--data", folder, "--target", "y", "--solvers", "svm-or")
    for more, code in (("--features", "splines"), 1), (("--groups", "a"), 2):
        ended = done(*command, "--splits", 2, *more, code=code)
        assert "all rows" in flat(ended.output) or "rows in memory" in flat(ended.output)


def test_a_data_set_goes_before_a_folder_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("digits-8", "rows"):
        (tmp_path / name).mkdir()
    known = ("rows", "./digits-8", "digits-8", "linear[n=10]", "rows/*.parquet", "https://a/b?c")
    assert [sources.names_files(name) for name in known] == [True, True, False, False, True, False]
