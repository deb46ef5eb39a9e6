"""`fit` and `predict` of Python do what the commands do."""

import inspect
import os

import numpy as np
import pandas as pd
import polars as pl
import pytest
from command_line import done

import aucbench
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.models.options import FitOptions
from aucbench.models.recipe import one_thread
from aucbench.options import list_options

pytestmark = pytest.mark.usefixtures("in_process")

N = 150
ASKED = {"target": "back", "solver": "svm-or", "splits": 2}


def table(seed=0):
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 10, N)
    return pd.DataFrame(
        {
            "number": [f"P{i:03}" for i in range(N)],
            "age": age,
            "ward": rng.choice(["a", "b", "c"], N),
            "lab": np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N)),
            "back": (age + rng.normal(0, 5, N) > 50).astype(int),
        }
    )


@pytest.fixture(scope="module")
def model():
    return aucbench.fit(table(), **ASKED)


def test_a_data_frame_gives_the_model_of_its_file(model, tmp_path, capfd):
    table().to_csv(tmp_path / "t.csv", index=False)
    words = [f"--{name}={value}" for name, value in ASKED.items()]
    done("fit", "--data", str(tmp_path / "t.csv"), *words, "-o", str(tmp_path / "m"))
    by_command = aucbench.Model.load(tmp_path / "m")
    capfd.readouterr()
    by_file = aucbench.fit(tmp_path / "t.csv", **ASKED)
    assert capfd.readouterr() == ("", "")  # nothing is printed where nobody looks
    for other in (by_command, by_file):
        assert np.array_equal(other.function.weights, model.function.weights)
        assert (other.function.threshold, other.auc) == (model.function.threshold, model.auc)
        assert [*other.provenance["warnings"]] == [*model.provenance["warnings"]]
        assert other.provenance["left_out"] == model.provenance["left_out"]
    assert model.provenance["data"].startswith("table-")


def test_predictions_are_those_of_the_command(model, tmp_path):
    new = table(1).drop(columns="back").astype(object)
    new.loc[3, "age"] = "=old"
    new.index = range(1, N + 1)
    new.to_csv(tmp_path / "new.csv", index=False)
    model.save(tmp_path / "m")
    ended = done("predict", str(tmp_path / "m"), str(tmp_path / "new.csv"))
    assert "; 1 without a score, see the column problem" in ended.stderr
    for one in (model, aucbench.Model.load(tmp_path / "m")):
        answer = one.predict(new)
        assert answer.to_csv(index_label="row") == ended.stdout
    assert [*answer] == ["score", "probability", "decision", "problem"]
    assert answer["problem"][4] == "column 'age' has '=old', which is no number"
    assert answer.loc[4, ["score", "probability", "decision"]].isna().all()


def test_decisions_are_labels_of_the_table(model):
    answer = model.predict(table())
    assert answer["decision"].dtype == np.int64
    assert {*answer["decision"]} == {0, 1}
    assert (answer["problem"] == "").all()
    assert model.predict(pl.from_pandas(table())).equals(answer)
    words = table().assign(back=lambda t: t["back"].map({0: "good", 1: "bad"}))
    other = aucbench.fit(words, positive="bad", calibration=None, **ASKED)
    answer = other.predict(words)
    assert [*answer] == ["score", "decision", "problem"]
    assert {*answer["decision"]} == {"good", "bad"}
    with pytest.raises(DataError, match=r"the labels are 'bad' \(\d+\), 'good'"):
        aucbench.fit(words, **ASKED)


def test_an_array_has_the_columns_in_their_order():
    numbers = table()[["age", "back"]].assign(more=1.0 * np.arange(N) % 7)
    model = aucbench.fit(numbers, **ASKED)
    rows = numbers.drop(columns="back")
    assert np.array_equal(model.predict(rows.to_numpy())["score"], model.predict(rows)["score"])
    for wrong in (rows.to_numpy()[:, :1], [1, 2], rows[["age"]]):
        with pytest.raises(DataError):
            model.predict(wrong)


def test_the_options_are_those_of_the_command():
    from typer.main import get_command

    from aucbench.cli import app

    command = {p.name for p in get_command(app).commands["fit"].params}
    python = {*inspect.signature(aucbench.fit).parameters}
    assert python - {"table"} == command - {"data", "out", "resume"}
    names = [option.field.name for option in list_options(FitOptions)]
    assert {*names} == python - {"table"}
    assert len(names) == len({*names})
    for name in names:
        assert f"\n{name} :\n" in aucbench.fit.__doc__


def test_what_makes_no_sense_is_refused_before_the_first_fit():
    with pytest.raises(UnknownNameError, match="unknown option of fit 'targt': did you mean 'targ"):
        aucbench.fit(table(), targt="back")
    with pytest.raises(ParameterError, match="wanted a table with columns"):
        aucbench.fit(table().to_numpy(), target="back")
    with pytest.raises(ParameterError, match="a table of test rows is for a table"):
        aucbench.fit("t.csv", test=table())
    with pytest.raises(ParameterError, match="nothing is tuned"):
        aucbench.fit(table(), minutes=1.0, **ASKED)


def test_a_last_fit_has_one_thread_and_leaves_the_environment_as_it_was(monkeypatch):
    for before in (None, "2"):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        if before is not None:
            monkeypatch.setenv("OMP_NUM_THREADS", before)
        with one_thread():
            assert os.environ["OMP_NUM_THREADS"] == "1"
        assert os.environ.get("OMP_NUM_THREADS") == before


def test_a_huge_file_is_judged_by_one_split(tmp_path, monkeypatch):
    from aucbench.models import choosing

    for name in ("LARGE", "HUGE", "MANY", "GIANT"):
        monkeypatch.setattr(choosing, name, 1)
    table().to_csv(tmp_path / "rows.csv", index=False)
    once = {name: value for name, value in ASKED.items() if name != "splits"}
    model = aucbench.fit(tmp_path / "rows.csv", **once)
    assert "share of 0.2" in model.auc_rows
    asked = aucbench.fit(tmp_path / "rows.csv", **ASKED)
    assert "2 folds" in asked.auc_rows


def test_places_and_spreads_of_many_rows_are_about_those_of_all(monkeypatch, model):
    from aucbench.models import effects, recipe

    monkeypatch.setattr(effects, "MOST_PLACED", 140)
    monkeypatch.setattr(recipe, "FEW_NUMBERS", 1)
    monkeypatch.setattr(recipe, "MAPPED_ROWS", 40)
    other = aucbench.fit(table(), **ASKED)
    np.testing.assert_allclose(other.function.spread, model.function.spread, rtol=1e-12)
    for one, same in zip(model.function.shapes, other.function.shapes, strict=True):
        assert abs(sum(one.axes[0].rows) - sum(same.axes[0].rows)) <= 2 * len(same.axes[0].rows)
