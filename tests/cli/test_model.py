"""fit, predict and explain: from a table to scores of another."""

import csv

import numpy as np
import pandas as pd
import pytest
from command_line import done, flat, refused

from aucbench.data.folds import drawn
from aucbench.datasets import load
from aucbench.datasets.tables import Encoding
from aucbench.metrics import auc
from aucbench.models import Model, ScoreFunction
from aucbench.registry import get_features, get_solver
from aucbench.solving.loop import solve

pytestmark = pytest.mark.usefixtures("in_process")


def payments(rows, seed):
    rng = np.random.default_rng(seed)
    amount = rng.lognormal(3, 1, rows)
    fraud = rng.random(rows) < 1 / (1 + np.exp(6 - 1.2 * np.log(amount)))
    columns = {
        "number": [f"P{seed}-{i:05d}" for i in range(rows)],
        "amount": amount.round(2),
        "country": rng.choice(["DE", "FR", "PL"], rows),
        "age": np.where(rng.random(rows) < 0.1, np.nan, rng.integers(18, 90, rows)),
    }
    return pd.DataFrame({**columns, "fraud": np.where(fraud, "yes", "no")})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("payments")
    payments(600, 0).to_csv(path / "train.csv", index=False)
    new = payments(50, 1)
    new.drop(columns="fraud").iloc[:, ::-1].to_csv(path / "new.csv", index=False)
    return path


def fitted(folder, *more, solver="svm-or", out="m.aucbench", code=0):
    command = ("fit", "--data", folder / "train.csv", "--target", "fraud", "--passes", 3)
    return done(*command, "--solver", solver, "--out", folder / out, *more, code=code)


@pytest.fixture(scope="module")
def model(folder):
    fitted(folder, out="model.aucbench")
    return folder / "model.aucbench"


def test_from_a_table_to_scores(folder):
    made = fitted(folder, "--sensitivity", 0.8)
    assert "chosen for a sensitivity of at least 0.8" in made.output
    assert made.output.count("left out: number (") == 1

    out = folder / "scores.csv"
    result = done("predict", folder / "m.aucbench", folder / "new.csv", "-o", out)
    assert "new.csv: 3 columns for svm-or; not read: number" in result.stderr
    found, model = pd.read_csv(out), Model.load(folder / "m.aucbench")
    assert [*found] == ["row", "score", "probability", "decision", "problem"]
    assert found["row"].tolist() == [*range(1, 51)]
    flagged = found["score"] >= model.function.threshold
    assert ((found["decision"] == "yes") == flagged).all()
    assert found["probability"].between(0, 1, inclusive="neither").all()
    assert found["problem"].isna().all()
    assert f"50 rows: {flagged.sum()} yes" in result.stderr


def test_the_threshold_and_the_auc_come_from_rows_that_did_not_train(folder, model):
    """They are computed again here, by folds, maps and fits of this test alone.

    Scores of a fold get the mean and the spread of those of the saved model, on the rows that both
    have learnt from.
    """
    model, data = Model.load(model), load(folder / "train.csv", target="fraud")
    scores, aucs = np.empty(data.n), []
    for split, (rest, held) in enumerate(drawn(data, 5, 0)):
        train, test = data.take(rest), data.take(held)
        encoding = Encoding.learn(data.schema, train.rows)
        train = train.with_rows(encoding(train.rows))
        phi = get_features("auto").fit(train, np.random.default_rng([0, split]))
        run = solve(get_solver("svm-or"), train.with_rows(phi(train.rows)), passes=3)
        own = run.decision_function(phi(encoding(test.rows)))
        aucs.append(auc(test.y, own))
        before = run.decision_function(phi(train.rows))
        after = model.scores(data.take(rest).rows)[:, 0]
        scores[held] = after.mean() + (own - before.mean()) / before.std() * after.std()

    positive, point = scores >= model.function.threshold, model.function.operating
    assert (point.tp, point.fp) == (sum(positive & (data.y > 0)), sum(positive & (data.y < 0)))
    assert model.auc.estimate == pytest.approx(np.mean(aucs))
    assert model.auc_rows == "the test rows of 5 folds"
    assert not np.isclose(auc(data.y, model.scores(data.rows)[:, 0]), model.auc.estimate, atol=1e-4)


@pytest.mark.parametrize(
    ("more", "division", "scored", "told"),
    [
        (("--groups", "customer"), "5 folds by groups", 600, "count groups"),
        (("--time", "day"), "5 folds by times", 200, ""),
        (("--weights", "amount"), "5 folds, weighted by amount", 600, "count each row once"),
    ],
)
def test_splits_and_weights_are_those_of_a_comparison(tmp_path, more, division, scored, told):
    table = payments(600, 4).drop(columns="number")
    table["customer"], table["day"] = np.arange(600) // 3, np.arange(600)
    table.to_csv(tmp_path / "train.csv", index=False)
    fitted(tmp_path, *more)
    model = Model.load(tmp_path / "m.aucbench")
    assert model.auc_rows == f"the test rows of {division}"
    point = model.function.operating
    assert point.tp + point.fp + point.fn + point.tn == scored
    assert model.provenance["n"] == 600
    assert str(more[1]) not in (model.columns or ())
    assert any(told in warning for warning in [*model.provenance["warnings"], told])


def test_ids_stdout_and_pieces(folder, model):
    asked = ("predict", model, folder / "new.csv", "--id", "number")
    whole, pieces = (
        [*csv.reader(done(*asked, *more).stdout.splitlines())] for more in ((), ("--rows", 7))
    )
    assert whole[1][0] == "P1-00000"
    for one, other in zip(whole, pieces, strict=True):
        assert (one[0], one[3:]) == (other[0], other[3:])
    first, second = (np.array([row[1:3] for row in t[1:]], float) for t in (whole, pieces))
    np.testing.assert_allclose(first, second, rtol=1e-12)


def test_columns_that_have_changed_are_named_and_refused_if_asked(folder, model):
    new = pd.read_csv(folder / "new.csv")
    new.assign(country=new["country"].str.lower(), amount=np.nan).to_csv(folder / "other.csv")
    out = folder / "other-scores.csv"
    told = flat(done("predict", model, folder / "other.csv", "--rows", 7, "--out", out).stderr)
    assert "column 'amount': 100 % of the rows have no value, of the training rows 0 %" in told
    assert "column 'country': 100 % of the rows have a level that no training row has" in told
    out.unlink()
    strict = ("--strict", "--out", out)
    assert "'amount'" in refused("predict", model, folder / "other.csv", *strict)
    assert not out.exists()
    done("predict", model, folder / "new.csv", *strict)


def of_one_column(labels):
    """Return a model whose score is the number in column a."""
    score = ScoreFunction(weights=np.ones(1), trees=None, maps=())
    classes = tuple((label,) for label in labels)
    return Model(functions=(score,), labels=classes, width=1, columns=("a",))


def test_cells_that_a_spreadsheet_would_run_are_escaped(tmp_path):
    of_one_column(("-1", "=1+1")).save(tmp_path / "m")
    (tmp_path / "t.csv").write_text("=k,a\n=2+5,1\n@x,-2\n-7,=9\n")
    done("predict", tmp_path / "m", tmp_path / "t.csv", "--id", "=k", "--out", tmp_path / "s")
    with (tmp_path / "s").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head[0] == "'=k"
    assert [row[0] for row in rows] == ["'=2+5", "'@x", "-7"]  # a number is no formula
    assert [row[2] for row in rows] == ["'=1+1", "-1", ""]
    assert rows[1][1] == "-2.0"


def test_ids_come_out_as_they_went_in(tmp_path):
    of_one_column(("0", "1")).save(tmp_path / "m")
    ids, new = pd.array([2**62 + 1, None, 2**62 + 3], "Int64"), tmp_path / "t.parquet"
    pd.DataFrame({"id": ids, "a": [1.0, 2.0, 3.0]}).astype({"id": object}).to_parquet(new)
    asked = ("predict", tmp_path / "m", new, "--id", "id")
    shown = done(*asked, "--rows", 1).stdout.splitlines()
    assert [row.split(",")[0] for row in shown[1:]] == [str(2**62 + 1), "", str(2**62 + 3)]
    done(*asked, "--out", tmp_path / "s.parquet")
    kept = pd.read_parquet(tmp_path / "s.parquet", dtype_backend="numpy_nullable")
    assert kept["id"].equals(pd.Series(ids))


def test_svmlight_is_scored_with_the_indices_of_training(tmp_path):
    X, path = np.random.default_rng(1).normal(size=(60, 3)).round(3), tmp_path / "t.svm"
    lines = [
        f"{1 if row[0] >= 0 else -1} " + " ".join(f"{j}:{x}" for j, x in enumerate(row))
        for row in X
    ]
    path.write_text("\n".join(lines))
    made, one = tmp_path / "m.aucbench", tmp_path / "one.svm"
    words = ("--solver", "svm-or", "--splits", 2, "--drop", "2", "--out", made, "--quiet")
    done("fit", "--data", path, *words)
    one.write_text("1 1:0.5 7:1\n")
    ended = done("predict", made, one)
    assert "not read: larger indices than in training" in ended.stderr
    score = float(ended.stdout.splitlines()[1].split(",")[1])
    assert score == pytest.approx(Model.load(made).scores([[0.0, 0.5]])[0, 0])
    one.write_text("1 1:0.5\n1 2:1 1:1\n")
    assert "line 2" in refused("predict", made, one)
