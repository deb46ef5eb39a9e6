"""`fit` and `predict` on folders of files, in both languages."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import done, flat, refused, said

import aucbench
from aucbench.bench import parted as bench_parted
from aucbench.bench.options import Options, make_options
from aucbench.errors import AucbenchError, DataError, ParameterError, UnsupportedError
from aucbench.metrics import auc
from aucbench.models import Model, parted_job
from aucbench.models.options import FitOptions, OutOfCoreOptions
from aucbench.models.parted_job import beside, why_by_parts

N, FILES = 2400, 3


def options(**given):
    return make_options(FitOptions, given)


def table(seed=0, n=N):
    rng = np.random.default_rng(seed)
    kind = rng.choice(["x", "y", "z"], n)
    a, b = rng.standard_normal(n).astype(np.float32), rng.integers(0, 50, n)
    margin = a + 0.05 * b - 1.5 * (kind == "y") + rng.standard_normal(n)
    return pd.DataFrame({"a": a, "b": b, "kind": kind, "back": np.where(margin > 2, "yes", "no")})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    whole = pa.Table.from_pandas(table(), preserve_index=False)
    for k in range(FILES):
        part = whole.slice(k * N // FILES, N // FILES)
        pq.write_table(part, path / f"{k}.parquet", row_group_size=100)
    return path


@pytest.fixture(scope="module")
def fitted(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "m.aucbench"
    command = ("fit", "--data", folder, "--target", "back", "--positive", "yes", "--seed", 1)
    ended = done(*command, "--solver", "svm-or[lam=.001],ls-svm", "--by", "kind", "--out", out)
    return out, ended


def test_a_folder_becomes_a_model(fitted, folder):
    out, ended = fitted
    assert "the files are read in parts, again and again" in flat(ended.stderr)
    assert f"{N} rows of 5 features in 24 parts" in ended.stderr
    assert "evaluation 1, objective" in ended.stderr
    assert "saved as" in ended.stdout
    assert not beside(out).exists()
    model = Model.load(out)
    new = table(1)
    answer = model.predict(new)
    assert auc(np.where(new.back == "yes", 1, -1), answer["score"]) > 0.8
    assert {*answer["decision"]} == {"yes", "no"}
    assert model.columns == ("a", "b", "kind")
    with pytest.warns(UserWarning, match="column 'b': 100 % of the rows are outside of 0 to 49"):
        model.predict(new[:20].assign(b=50))
    assert model.provenance["n"] == N
    assert model.provenance["n_pos"] == int((table().back == "yes").sum())
    assert {one.level for one in model.assessment.groups} == {"x", "y", "z"}
    assert {one.column for one in model.assessment.importance} == {"a", "b", "kind"}


def test_python_gives_the_same_model(fitted, folder):
    out, _ = fitted
    solver = Model.load(out).provenance["solver"]
    model = aucbench.fit(
        folder / "*.parquet",
        target="back",
        positive="yes",
        seed=1,
        solver=("svm-or[lam=.001]", "ls-svm"),
        jobs=1,
        quiet=True,
    )
    assert model.provenance["solver"] == solver
    assert model.weights.tobytes() == Model.load(out).weights.tobytes()


def test_a_folder_is_scored_in_the_order_of_its_files(fitted, folder, tmp_path):
    out, _ = fitted
    csv, parquet = tmp_path / "s.csv", tmp_path / "s.parquet"
    done("predict", out, folder, "--out", csv)
    done("predict", out, folder / "*.parquet", "--out", parquet)
    by_text, by_arrow = pd.read_csv(csv), pd.read_parquet(parquet)
    assert by_text["row"].tolist() == by_arrow["row"].tolist() == [*range(1, N + 1)]
    expected = Model.load(out).predict(table())
    np.testing.assert_allclose(by_arrow["score"], expected["score"], rtol=1e-12)
    np.testing.assert_allclose(by_text["score"], expected["score"], rtol=1e-12)
    assert by_arrow["decision"].tolist() == expected["decision"].tolist()
    assert by_arrow["problem"].tolist() == [""] * N


def test_rows_with_faults_are_in_parquet_too(fitted, tmp_path):
    out, _ = fitted
    rows = table(2, 40)
    rows["a"] = rows["a"].astype(object)
    rows.loc[3, "a"] = "much"
    rows.to_csv(tmp_path / "new.csv", index=False)
    done("predict", out, tmp_path / "new.csv", "--out", tmp_path / "s.parquet", "--rows", 2)
    answer = pd.read_parquet(tmp_path / "s.parquet")
    assert np.isnan(answer["score"][3])
    assert pd.isna(answer["decision"][3])
    assert "much" in answer["problem"][3]
    assert answer["score"].notna().sum() == 39


def test_what_is_ended_is_gone_on_with(folder, tmp_path, monkeypatch):
    out = tmp_path / "m.aucbench"
    command = ("fit", "--data", folder, "--target", "back", "--positive", "yes", "--out", out)
    command = (*command, "--solver", "svm-or[lam=.001]")
    assert "no interrupted fit" in flat(refused(*command, "--resume"))
    monkeypatch.syspath_prepend(Path(__file__).parent)
    monkeypatch.setattr(parted_job, "CALL", "ended_fit:ends")
    assert "--resume goes on from the 3 readings" in flat(refused(*command))
    assert len([*beside(out).iterdir()]) == 3
    assert not out.exists()
    monkeypatch.undo()
    resumed = done(*command, "--resume")
    assert not beside(out).exists()
    assert "saved as" in resumed.stdout
    assert Model.load(out).provenance["solver"] == "svm-or[lam=0.001]"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--solver", "sht-auc"), "ShtAuc needs all rows in memory, and these come in parts"),
        (("--splits", 3), "--splits cannot be had when rows are read by parts"),
        (("--features", "splines"), "--features splines learns from rows in memory"),
        (("--groups", "kind"), "--groups cannot be had"),
        (("--no-by-parts",), "names several files, which are read by parts only"),
        (("--engine", "spark"), "take here, or dask=ADDRESS"),
        pytest.param(("--target", "nothing"), "no column 'nothing'", marks=pytest.mark.nightly),
    ],
)
def test_what_does_not_work_by_parts_is_refused(folder, tmp_path, more, sentence):
    command = ("fit", "--data", folder, "--target", "back", "--out", tmp_path / "m")
    assert sentence in flat(refused(*command, *more))


def test_limits_of_the_process_hold(folder, tmp_path):
    asked = {"target": "back", "positive": "yes", "solver": "svm-or[lam=.001]"}
    with pytest.raises(DataError, match=r"took longer than 0\.01 s; --timeout allows more"):
        aucbench.fit(folder, **asked, timeout=0.01)


def test_a_file_that_does_not_fit_is_read_by_parts(folder, tmp_path, monkeypatch):
    file = folder / "0.parquet"
    assert why_by_parts(file, FitOptions()) is None
    said = why_by_parts(file, options(memory=0.05))
    assert "to 800 rows of 4 columns takes about 0.0 GB" in said
    assert "are allowed by --memory" in said
    monkeypatch.setattr(bench_parted, "free_memory", lambda: 10_000)
    assert "are free" in why_by_parts(file, FitOptions())
    assert why_by_parts(file, options(by_parts=False)) is None
    (tmp_path / "t.csv").write_bytes(bytes(5000))
    assert "to its rows takes about" in why_by_parts(tmp_path / "t.csv", FitOptions())
    assert why_by_parts(tmp_path / "t.csv", options(memory=1)) is None
    for name in ("t.svm", "t.npz"):
        (tmp_path / name).write_bytes(bytes(5000))
        assert why_by_parts(tmp_path / name, FitOptions()) is None
    assert why_by_parts("wine", FitOptions()) is None
    assert why_by_parts("linear[n=100]", FitOptions()) is None
    assert why_by_parts(table(), FitOptions()) is None


def test_options_of_parts_need_parts(folder, tmp_path):
    file = folder / "0.parquet"
    given = {"skip_bad": True, "shuffle": "file", "engine": "dask=tcp://host:1"}
    for one in ({name: value} for name, value in given.items()):
        with pytest.raises(ParameterError, match="is for rows that are read by parts"):
            why_by_parts(file, options(**one))
    with pytest.raises(ParameterError, match="--resume is for rows that are read by parts"):
        why_by_parts(file, FitOptions(), resume=True)
    with pytest.raises(ParameterError, match="a table in memory is not read by parts"):
        aucbench.fit(table(), target="back", by_parts=True)
    with pytest.raises(AucbenchError, match="option of fit"):
        aucbench.fit(folder, target="back", resume=True)


def test_all_solvers_by_parts_are_tried_by_auto(folder):
    plan = parted_job.plan_of(str(folder), FitOptions()).options.search
    assert {"svm-or", "ls-svm"} <= {*plan.solver}
    assert not plan.tuned
    assert plan.minutes is None
    with pytest.raises(UnsupportedError, match="--minutes"):
        parted_job.require_by_parts(options(minutes=3))
    assert parted_job.limits_of(Options(timeout=3, memory=5)).memory == 5_000_000


def test_row_groups_that_cannot_be_decoded_are_left_out_only_where_asked(tmp_path):
    path, out = tmp_path / "rows.parquet", tmp_path / "m.aucbench"
    whole = pa.Table.from_pandas(table(), preserve_index=False)
    pq.write_table(whole, path, row_group_size=200, compression="zstd")
    column = pq.ParquetFile(path).metadata.row_group(3).column(0)
    begin = column.dictionary_page_offset or column.data_page_offset
    content = bytearray(path.read_bytes())
    content[begin : begin + column.total_compressed_size] = bytes(column.total_compressed_size)
    path.write_bytes(bytes(content))
    command = ("fit", "--data", path, "--target", "back", "--by-parts", "--out", out)
    command = (*command, "--solver", "ls-svm", "--quiet")
    assert "row group 3, which begins at byte" in (said := flat(refused(*command)))
    assert "--skip-bad" in said
    done(*command, "--skip-bad")
    model = Model.load(out)
    assert model.provenance["n"] == N - 200
    assert model.provenance["warnings"][0].startswith("1 row group(s) cannot be decoded")


def test_the_order_of_rows_is_asked_for(folder):
    model = aucbench.fit(folder, target="back", solver="uni-exp", passes=2, shuffle="file")
    assert model.provenance["solver"] == "uni-exp[shuffle=False]"
    for solver in ("ls-svm", "auto"):
        with pytest.raises(AucbenchError, match="--shuffle groups is for solvers that learn"):
            aucbench.fit(folder, target="back", solver=solver, shuffle="groups")
    with pytest.raises(ParameterError, match="take groups or file"):
        OutOfCoreOptions(shuffle="rows")


def test_columns_that_often_mean_a_mistake_are_told(tmp_path):
    rows = table(3)
    rows["told"] = (rows["back"] == "yes") + 1e-3 * rows["a"]
    rows["code"] = np.where(rows["back"] == "yes", np.where(rows["b"] > 25, "w", "v"), "u")
    (tmp_path / "rows").mkdir()
    rows.to_parquet(tmp_path / "rows" / "a.parquet", row_group_size=200)
    names = ("--target", "back", "--positive", "yes", "--solver", "svm-or[lam=.01]")
    shown = flat(said("fit", "--data", tmp_path / "rows", *names, "--out", tmp_path / "m.zip"))
    assert "'told'" in shown
    remarks = Model.load(tmp_path / "m.zip").provenance["remarks"]
    assert {remark[2] for remark in remarks} == {"told", "code"}


def test_a_large_file_is_faster_by_parts(folder, monkeypatch):
    file = str(folder / "0.parquet")
    asked = options(solver="svm-or")
    assert parted_job.hint(file, asked) is None
    monkeypatch.setattr(parted_job, "GIANT", 3000)
    assert "--by-parts takes a part of the time" in parted_job.hint(file, asked)
    assert parted_job.hint(file, options(solver="aum")) is None
    assert parted_job.hint(file, FitOptions()) is None
    assert parted_job.hint(file, options(solver="svm-or", by_parts=False)) is None
    assert parted_job.hint("breast-cancer", asked) is None
