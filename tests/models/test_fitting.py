"""`fit` and `predict` of Python do what the commands do; what is trained on is kept and said."""

import inspect
import time
from zipfile import ZipFile

import numpy as np
import polars as pl
import pytest
from command_line import done
from samples import data
from tables import framed, table

import aucbench
from aucbench import AUCClassifier, Model
from aucbench.datasets.reading import ReadOptions
from aucbench.models import choosing, recipe
from aucbench.models.choosing import auto_solvers
from aucbench.models.explain import summary_lines
from aucbench.models.options import FitOptions
from aucbench.options import list_options
from aucbench.pairs import Group

pytestmark = pytest.mark.usefixtures("in_process")

N = 150
ASKED = {"target": "y", "solver": "svm-or", "splits": 2, "quiet": True}
TABLE = table(0, N, "age number ward lab", gaps={"lab": 0.2}, labels=(0, 1))


@pytest.fixture(scope="module")
def model():
    return aucbench.fit(TABLE, **ASKED)


def test_a_data_frame_gives_the_model_of_its_file(model, tmp_path, capfd):
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    words = [f"--{name}={ASKED[name]}" for name in ("target", "solver", "splits")]
    done("fit", "--data", tmp_path / "t.csv", *words, "-o", tmp_path / "m")
    by_command = Model.load(tmp_path / "m")
    capfd.readouterr()
    by_file = aucbench.fit(tmp_path / "t.csv", **{**ASKED, "quiet": False})
    assert capfd.readouterr() == ("", "")  # nothing is printed where nobody looks
    for other in (by_command, by_file):
        assert np.array_equal(other.function.weights, model.function.weights)
        assert (other.function.threshold, other.auc) == (model.function.threshold, model.auc)
        for name in ("warnings", "left_out"):
            assert [*other.provenance[name]] == [*model.provenance[name]]
    assert model.provenance["data"].startswith("table-")


def test_predictions_are_those_of_the_command(model, tmp_path):
    new = table(1, N, "age number ward lab", target=None).astype(object)
    new.loc[3, "age"] = "=old"
    new.index = range(1, N + 1)
    new.to_csv(tmp_path / "new.csv", index=False)
    model.save(tmp_path / "m")
    ended = done("predict", tmp_path / "m", tmp_path / "new.csv")
    assert "; 1 without a score, see the column problem" in ended.stderr
    answer = model.predict(new)
    assert answer.to_csv(index_label="row") == ended.stdout
    assert [*answer] == ["score", "probability", "decision", "problem"]
    assert answer["problem"][4] == "column 'age' has '=old', which is no number"
    assert answer.loc[4, ["score", "probability", "decision"]].isna().all()


def test_decisions_are_labels_of_the_table(model):
    answer = model.predict(TABLE)
    assert answer["decision"].dtype == np.int64
    assert {*answer["decision"]} == {0, 1}
    assert (answer["problem"] == "").all()
    assert model.predict(pl.from_pandas(TABLE)).equals(answer)
    words = TABLE.assign(y=np.where(TABLE["y"] > 0, "bad", "good"))
    answer = aucbench.fit(words, positive="bad", calibration=None, **ASKED).predict(words)
    assert [*answer] == ["score", "decision", "problem"]
    assert {*answer["decision"]} == {"good", "bad"}


def test_the_options_are_those_of_the_command():
    from typer.main import get_command

    from aucbench.cli import app

    command = {p.name for p in get_command(app).commands["fit"].params}
    python = {*inspect.signature(aucbench.fit).parameters}
    assert python - {"table"} == command - {"data", "out", "resume"}
    names = [option.field.name for option in list_options(FitOptions)]
    assert sorted(names) == sorted(python - {"table"})
    assert all(f"\n{name} :\n" in aucbench.fit.__doc__ for name in names)


def test_a_huge_file_is_judged_by_one_split(tmp_path, monkeypatch):
    for name in ("LARGE", "HUGE", "MANY", "GIANT"):
        monkeypatch.setattr(choosing, name, 1)
    TABLE.to_csv(tmp_path / "rows.csv", index=False)
    once = {name: value for name, value in ASKED.items() if name != "splits"}
    assert "share of 0.2" in aucbench.fit(tmp_path / "rows.csv", **once).auc_rows
    assert "2 folds" in aucbench.fit(tmp_path / "rows.csv", **ASKED).auc_rows


NUMBERS = framed(*(lambda of: (of.rows.matrix, of.y))(data(0, 200)))
TUNED = {"target": "y", "solver": "logistic,lightgbm", "tune": True, "splits": 2, "quiet": True}


def content(model, path):
    """What is saved, without the day on which it was."""
    model.save(path)
    with ZipFile(path) as saved:
        return {name: saved.read(name) for name in saved.namelist()}


@pytest.mark.slow
def test_neither_a_slow_clock_nor_threads_change_what_is_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(choosing, "WORK", 1e5)  # not all settings are tried
    first, solve = aucbench.fit(NUMBERS, jobs=1, **TUNED), recipe.solve
    assert "left to try" in first.provenance["choice"][-1]
    assert "which have helped to choose the solver" in first.auc_rows

    def slow(*args, **options):
        time.sleep(0.01)
        return solve(*args, **options)

    monkeypatch.setattr(recipe, "solve", slow)
    second = aucbench.fit(NUMBERS, jobs=2, **TUNED)
    saved = [content(model, tmp_path / "m") for model in (first, second)]
    day = first.provenance["date"].encode(), second.provenance["date"].encode()
    other = {name: each.replace(day[1], day[0]) for name, each in saved[1].items()}
    assert saved[0] == other
    hurried = aucbench.fit(NUMBERS, minutes=1e-3, **TUNED)
    assert any("--minutes 0.001" in said for said in hurried.provenance["choice"])
    asked = {"target": "y", "splits": 2, "solvers": first.provenance["solver"]}
    again = aucbench.compare(NUMBERS, **asked)  # the AUC is that of the parameters that it saves
    assert first.auc.estimate == pytest.approx(again.to_frame()["auc"].mean(), abs=1e-12)


def test_pairs_within_groups_are_trained_kept_and_said(tmp_path):
    rng, user = np.random.default_rng(5), np.repeat(np.arange(40), 4)
    taste, level = rng.normal(size=160), rng.normal(size=40)[user]
    bought = (taste - level + 0.5 * rng.normal(size=160) > 0.0).astype(int)
    frame = framed(np.c_[taste + 5.0 * level, level], bought).assign(user=user)
    asked = {**ASKED, "solver": "rank-svm"}
    model = aucbench.fit(frame, pairs="group[column=user]", **asked)
    weights = dict(zip(model.feature_names(), model.function.weights, strict=True))
    assert weights["c0"] > 0.0 == weights["c1"]
    model.save(tmp_path / "m")
    said = [*summary_lines(Model.load(tmp_path / "m"))]
    assert "Pairs that count: group." in said
    assert any(line.startswith("grouped AUC 0.") for line in said)
    new = frame[["c0", "c1"]]  # no group is needed to score a row
    assert model.predict(new)["problem"].eq("").all()
    again = aucbench.fit(frame, pairs=Group("user"), **asked)
    np.testing.assert_array_equal(again.function.weights, model.function.weights)
    grouped = auto_solvers(FitOptions(pairs="group", read=ReadOptions(groups="user")))
    assert {"svm-or", "rank-svm"} <= {*grouped}
    assert "logistic" not in grouped
    assert "rank-svm" not in auto_solvers(FitOptions(pairs="fpr[max=0.1]"))


def test_shapes_of_effects_are_asked_for_by_name_or_number_and_kept(tmp_path):
    """The label falls in the first column."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(2)
    frame = framed(X, X @ [-1.0, 1.0, 0.0] + rng.normal(size=80) > 0)
    X, y = frame[["c0", "c1", "c2"]], frame["y"]
    by_name, by_number = (
        AUCClassifier("rank-svm", monotone=shapes).fit(rows, y)
        for rows, shapes in [(X, "c0=+1"), (X.to_numpy(), {0: "increasing"})]
    )
    assert AUCClassifier("rank-svm").fit(X, y).coef_[0, 0] < 0 <= by_name.coef_[0, 0]
    assert by_name.coef_.tolist() == by_number.coef_.tolist()
    by_name.save(tmp_path / "m")
    assert Model.load(tmp_path / "m").provenance["monotone"] == "c0=increasing"
