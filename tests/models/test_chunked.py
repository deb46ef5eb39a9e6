"""`fit`, `predict` and the classifier on rows that are read in chunks."""

import numpy as np
import pandas as pd
import pytest
from command_line import done, flat, refused

import aucbench
from aucbench import AUCClassifier
from aucbench.bench import sources
from aucbench.data import Data
from aucbench.datasets.chunked.data import sampled
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError, UnsupportedError
from aucbench.metrics import auc
from aucbench.models import Model, chunked
from aucbench.models.choosing import paths_of
from aucbench.models.chunked import open_large, remarks_of, some_held
from aucbench.models.options import FitOptions, OutOfCoreOptions, SearchOptions
from aucbench.models.recipe import Recipe
from aucbench.scale import ChunkedData, InMemory

N, FILES = 2400, 3
W = np.array([1.0, 0.5, 0.0, -1.0])


def table(seed=0, n=N):
    rng = np.random.default_rng(seed)
    kind = rng.choice(["x", "y", "z"], n)
    a, b = rng.standard_normal(n).astype(np.float32), rng.integers(0, 50, n)
    margin = a + 0.05 * b - 1.5 * (kind == "y") + rng.standard_normal(n)
    return pd.DataFrame({"a": a, "b": b, "kind": kind, "back": np.where(margin > 2, "yes", "no")})


def numbers(n=4000, seed=0, scale=1.0, offset=0.0, share=1.2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    return X * scale + offset, np.where(X @ W + rng.standard_normal(n) > share, 1, -1)


def in_chunks(X, y, size=200):
    return ChunkedData(InMemory(Data.of(X, y), size))


def options(in_chunks=None, memory=None, solver=(), features="auto", **read):
    return FitOptions(
        out_of_core=OutOfCoreOptions(in_chunks=in_chunks, memory=memory),
        read=ReadOptions(target="back", positive="yes", **read),
        search=SearchOptions(solver=solver, features=features),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    for k, part in enumerate(np.split(np.arange(N), FILES)):
        table().iloc[part].to_parquet(path / f"{k}.parquet", row_group_size=100)
    return path


@pytest.fixture(scope="module")
def fitted(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "m.aucbench"
    command = ("fit", "--data", folder, "--target", "back", "--positive", "yes", "--seed", 1)
    ended = done(*command, "--solver", "svm-or[lam=.001],ls-svm", "--by", "kind", "--out", out)
    return out, ended


def test_a_folder_becomes_a_model_in_both_languages(fitted, folder):
    out, ended = fitted
    assert "the files are read in chunks, again and again" in flat(ended.stderr)
    model, new = Model.load(out), table(1)
    answer = model.predict(new)
    assert auc(np.where(new.back == "yes", 1, -1), answer["score"]) > 0.8
    assert {*answer["decision"]} == {"yes", "no"}
    assert model.columns == ("a", "b", "kind")
    assert "row groups" in model.auc_rows
    assert (model.provenance["n"], model.provenance["n_pos"]) == (N, sum(table().back == "yes"))
    assert {one.level for one in model.function.assessment.groups} == {"x", "y", "z"}
    assert {one.column for one in model.function.assessment.importance} == {"a", "b", "kind"}
    assert model.function.shapes
    with pytest.warns(UserWarning, match="'b'"):
        model.predict(new[:20].assign(b=50))
    asked = {"target": "back", "positive": "yes", "seed": 1, "jobs": 1, "quiet": True}
    own = aucbench.fit(folder / "*.parquet", solver=model.provenance["solver"], **asked)
    assert own.function.weights.tobytes() == model.function.weights.tobytes()
    assert own.function.threshold == model.function.threshold


def test_a_folder_is_scored_in_the_order_of_its_files_and_faults_are_kept(fitted, folder, tmp_path):
    out, _ = fitted
    csv, parquet = tmp_path / "s.csv", tmp_path / "s.parquet"
    done("predict", out, folder, "--out", csv)
    done("predict", out, folder / "*.parquet", "--out", parquet)
    by_text, by_arrow = pd.read_csv(csv), pd.read_parquet(parquet)
    assert by_text["row"].tolist() == by_arrow["row"].tolist() == [*range(1, N + 1)]
    expected = Model.load(out).predict(table())
    for found in (by_text, by_arrow):
        np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-12)
    assert by_arrow["decision"].tolist() == expected["decision"].tolist()
    assert by_arrow["problem"].tolist() == [""] * N
    rows = table(2, 40).astype({"a": object})
    rows.loc[3, "a"] = "much"
    rows.to_csv(tmp_path / "new.csv", index=False)
    done("predict", out, tmp_path / "new.csv", "--out", parquet, "--rows", 2)
    answer = pd.read_parquet(parquet)
    assert answer["score"].isna().tolist() == answer["decision"].isna().tolist()
    assert np.flatnonzero(answer["score"].isna()).tolist() == [3]
    assert "much" in answer["problem"][3]


@pytest.mark.parametrize(("features", "scale"), [("auto", 3.0), ("none", 1.0)])
def test_the_model_is_that_of_the_same_rows_in_memory(features, scale):
    X, y = numbers(scale=scale, offset=20.0)
    recipe = Recipe(solver="svm-or[lam=0.001]", features=features)
    own = recipe.fitted(in_chunks(np.column_stack([X, np.full(y.size, 7.0)]), y))
    whole = recipe.fitted(Data.of(X, y))
    assert own.function.weights[4] == own.function.spread[4] == 0.0
    np.testing.assert_allclose(own.function.spread[:4], whole.function.spread)
    np.testing.assert_allclose(own.ranges[:, :4], whole.ranges)
    again = recipe.fitted(in_chunks(X, y), start=recipe.fitted(in_chunks(X, y), np.arange(3000)))
    for weights in (own.function.weights[:4], again.function.weights):
        np.testing.assert_allclose(weights, whole.function.weights, rtol=2e-2, atol=2e-3)


def test_the_classifier_is_that_of_the_same_rows_in_memory():
    (X, y), new = numbers(scale=3.0, offset=20.0), numbers(seed=1, scale=3.0, offset=20.0)
    parts, model = InMemory(Data.of(X, y), 250), AUCClassifier("svm-or[lam=0.001]")
    whole, own = (AUCClassifier("svm-or[lam=0.001]").fit(*rows) for rows in [(X, y), (parts,)])
    np.testing.assert_allclose(own.coef_, whole.coef_, rtol=2e-2, atol=2e-3)
    assert own.auc_score(*new) == pytest.approx(whole.auc_score(*new), abs=1e-3)
    assert own.score(*new) == pytest.approx(whole.score(*new), abs=0.02)
    assert own.classes_.tolist() == [-1, 1]
    for more in ({}, {"validation": 0.3}):
        model.set_params(sensitivity=0.9, **more).fit(parts)
        assert (model.predict(new[0])[new[1] > 0] == 1).mean() == pytest.approx(0.9, abs=0.04)


def test_the_sample_of_held_out_rows_has_enough_of_a_rare_class(monkeypatch):
    monkeypatch.setattr(chunked, "SAMPLE", 100)
    monkeypatch.setattr(chunked, "RARE", 40)
    X, y = numbers(n=20_000, share=3.5)
    data, held = in_chunks(X, y, 1000), np.arange(0, 20_000, 2)
    some = some_held(data, held, 0)
    assert np.isin(some, held).all()
    assert some.size < held.size
    rows = sampled(data, some)
    assert (rows.y > 0).sum() >= 20
    np.testing.assert_array_equal(rows.y, y[some])
    np.testing.assert_array_equal(rows.rows.matrix, X[some])


def test_columns_that_often_mean_a_mistake_are_named(tmp_path):
    rows = table(3)
    is_back = rows["back"] == "yes"
    rows["told"] = is_back + 1e-3 * rows["a"]
    rows["code"] = np.where(is_back, "v", np.where(rows["b"] > 25, "w", "u"))
    rows.to_parquet(tmp_path / "a.parquet", row_group_size=200)
    data = open_large(tmp_path / "a.parquet", options(in_chunks=True))
    remarks = [*remarks_of(data, sampled(data, np.arange(0, N, 2)))]
    assert {remark.column for remark in remarks} == {"told", "code"}
    X, y = numbers(20_000)
    X[12_345, 1] = 1e9  # outside of the sample
    far = in_chunks(X, y, 2000)
    [remark] = remarks_of(far, sampled(far, np.arange(100)))
    assert "(1e+09)" in remark.text


@pytest.mark.parametrize(
    ("more", "word"),
    [
        *((("--solver", "sht-auc"), "in memory"), (("--features", "splines"), "splines")),
        *((("--groups", "kind"), "--groups"), (("--pairs", "top"), "--pairs")),
        *((("--no-in-chunks",), "several files"), (("--engine", "spark"), "dask=")),
        (("--target", "nothing"), "'nothing'"),
    ],
)
def test_what_does_not_work_in_chunks_is_refused(folder, tmp_path, more, word):
    command = ("fit", "--data", folder, "--target", "back", "--out", tmp_path / "m")
    assert word in flat(refused(*command, *more))


def test_a_file_that_does_not_fit_is_read_in_chunks(folder, tmp_path, monkeypatch):
    file, said = folder / "0.parquet", []
    assert open_large(file, options()) is None
    assert isinstance(open_large(file, options(memory=0.05), said.append), ChunkedData)
    assert "--memory" in said[0]
    monkeypatch.setattr(sources, "free_memory", lambda: 10_000)
    assert open_large(file, options(), said.append).n == 800
    assert "free" in said[1]
    assert open_large(file, options(in_chunks=False)) is None
    (tmp_path / "t.csv").write_bytes(bytes(5000))
    assert "to its rows takes about" in sources.why_too_large(tmp_path / "t.csv")
    for name in ("t.svm", "t.npz"):
        (tmp_path / name).write_bytes(bytes(5000))
        assert open_large(tmp_path / name, options()) is None
    for source in ("wine", "linear[n=100]", table()):
        assert open_large(source, options()) is None


def test_a_large_file_is_read_in_chunks_if_all_that_is_asked_for_works(
    folder, tmp_path, monkeypatch
):
    file, known = folder / "0.parquet", options(solver="svm-or")
    assert open_large(file, known) is None
    monkeypatch.setattr(chunked, "LARGE", 3000)
    assert open_large(file, known).n == 800
    for other in (
        *(options(solver="aum"), options(), options(False, solver="svm-or")),
        *(options(solver="svm-or", groups="b"), options(solver="svm-or", features="splines")),
    ):
        assert open_large(file, other) is None
    gaps = table(n=800).assign(b=np.where(np.arange(800) == 777, np.nan, 1.0))
    gaps.to_parquet(tmp_path / "gaps.parquet", row_group_size=100)
    assert open_large(tmp_path / "gaps.parquet", known) is None
    with pytest.raises(DataError, match="'b'"):
        _ = open_large(tmp_path / "gaps.parquet", options(in_chunks=True)).survey


def test_auto_takes_the_solvers_that_can(folder):
    paths = paths_of(options(), open_large(folder, options()))
    assert [[point.name for point in path.points] for path in paths] == [["logistic"], ["svm-or"]]
    with pytest.raises(UnsupportedError, match="--time"):
        open_large(folder, options(time="b"))
