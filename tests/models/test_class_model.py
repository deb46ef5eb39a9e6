"""Models of three or more classes: fit, save, load, predict and explain."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from typer.testing import CliRunner

import aucbench
from aucbench.cli import app
from aucbench.errors import DataError, ParameterError
from aucbench.metrics import hand_till
from aucbench.models import Model
from aucbench.models.calibration import best, log_odds, probabilities, sigmoid_of
from aucbench.models.explain import explanation, sections
from aucbench.report.document import text

pytestmark = pytest.mark.usefixtures("in_process")


LABELS = ("ape", "bee", "cat")


def frame(n=150, seed=0):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(3), rng.integers(0, 3, n - 3))
    X = rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[y]
    kind = np.where(y == 1, "wings", rng.choice(["legs", "paws"], n))
    table = {"long": X[:, 0], "tall": X[:, 1], "wide": X[:, 2], "kind": kind}
    return pd.DataFrame({**table, "label": np.array(LABELS)[y]})


@pytest.fixture(scope="module")
def model():
    return aucbench.fit(frame(), labels="classes", solver="svm-or", splits=3)


def test_fit_returns_a_model_of_all_classes(model):
    assert isinstance(model, Model)
    assert model.labels == (("ape",), ("bee",), ("cat",))
    assert 0.85 < model.auc.estimate < 1.0
    assert len(model.functions) == 3
    assert model.against_rest(0).labels == (("bee", "cat"), ("ape",))
    assert "3 classes" in repr(model)


def test_new_rows_are_ranked_and_decided(model):
    new = frame(90, seed=1)
    answer = model.predict(new.drop(columns="label"))
    y = new["label"].map({"ape": 0, "bee": 1, "cat": 2}).to_numpy()
    scores = answer[[f"score {label}" for label in LABELS]].to_numpy()
    assert hand_till(y, scores) > 0.85
    p = answer[[f"probability {label}" for label in LABELS]].to_numpy()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert answer["decision"].tolist() == [LABELS[k] for k in p.argmax(axis=1)]
    assert (answer["decision"] == new["label"]).mean() > 0.75
    assert (answer["problem"] == "").all()
    with pytest.warns(UserWarning, match="column 'kind': 100 % of the rows have a level"):
        model.predict(new.assign(kind="fins"))


def test_the_file_gives_the_same_scores(model, tmp_path):
    path = tmp_path / "animals.model"
    model.save(path)
    again, new = Model.load(path), frame(40, seed=2)
    pd.testing.assert_frame_equal(again.predict(new), model.predict(new))
    assert again.labels == model.labels
    assert again.auc == model.auc
    assert sections(again) == sections(model)


def test_a_class_against_the_rest_is_a_model_of_two_classes(model, tmp_path):
    bee, path = model.against_rest(1), tmp_path / "bee.model"
    bee.save(path)
    answer, whole = Model.load(path).predict(frame()), model.predict(frame())
    assert answer["score"].tolist() == whole["score bee"].tolist()
    half = 1 / (1 + np.exp(-model.log_odds(model.scores(codes(model, frame())))[:, 1])) >= 0.5
    assert (answer["decision"] == "bee").tolist() == half.tolist()


def codes(model, table):
    return model.schema.codes(table[[*model.columns]])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda tree: tree.update(labels=[["ape"], ["bee"]]), "3 score functions for 2 classes"),
        (lambda tree: tree.update(labels=[["ape"], ["bee"], ["bee"]]), "belongs to two"),
        (lambda tree: tree.update(functions={}), "functions"),
        (lambda tree: tree["functions"][1].update(calibrator=None), "no sigmoid"),
        (lambda tree: tree["functions"].pop(), "2 score functions for 3 classes"),
        (lambda tree: tree.update(auc_rows=3), "auc_rows"),
        (lambda tree: tree.update(width=3), "columns"),
    ],
)
def test_a_damaged_file_is_refused(model, tmp_path, change, told):
    whole, bad = tmp_path / "whole.model", tmp_path / "bad.model"
    model.save(whole)
    with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(bad, "w") as copy:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "model.json":
                tree = json.loads(content)
                change(tree)
                content = json.dumps(tree)
            copy.writestr(name, content)
    with pytest.raises(DataError, match=told):
        Model.load(bad)


def test_it_explains_each_class(model):
    titles = [one.title for one in sections(model)]
    assert [f"Columns: {label} against the rest" in titles for label in LABELS] == [True] * 3
    assert not any(title.startswith("Thresholds") for title in titles)
    said = text(sections(model))
    bee = model.functions[1].auc
    rows = model.provenance["class_rows"][1]
    line = f"bee +{rows} +{bee.estimate:.4f}  {bee.low:.4f} to {bee.high:.4f}"
    assert re.search(line, said)
    assert "ROC curves, each class against the rest" in said
    plain = explanation(model)
    assert plain["labels"] == [["ape"], ["bee"], ["cat"]]
    assert len(plain["functions"]) == 3
    json.dumps(plain, allow_nan=False)


def test_labels_are_escaped_where_they_are_shown(model):
    odd = replace(model, labels=(("<b>x</b>",), ("y",), ("z\x1b[31m",)))
    page = odd.report().content.decode()
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x" in page
    assert "\x1b" not in page
    assert "\x1b" not in repr(odd)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"sensitivity": 0.9}, "an aim of the threshold is for two classes"),
        ({"calibration": "none"}, "--calibration none is for two classes"),
    ],
)
def test_options_of_two_classes_are_refused(options, told):
    with pytest.raises(ParameterError, match=told):
        aucbench.fit(frame(), labels="classes", **{"solver": "svm-or", **options})


def test_the_commands_fit_predict_and_explain(tmp_path):
    table, new, out = (tmp_path / name for name in ("train.csv", "new.csv", "scores.csv"))
    frame().to_csv(table, index=False)
    rows = frame(30, seed=3).drop(columns="label")
    rows.to_csv(new, index=False)
    path, page = str(tmp_path / "a.model"), tmp_path / "a.html"
    run = lambda *args: CliRunner().invoke(app, [*map(str, args)])  # noqa: E731
    made = run("fit", "--data", table, "--labels", "classes", "--solver", "ls-svm", "-o", path)
    assert made.exit_code == 0, made.output
    assert "  cat: AUC 0." in made.output
    scored = run("predict", path, new, "--out", out)
    assert scored.exit_code == 0, scored.output
    answer = pd.read_csv(out)
    counts = answer["decision"].value_counts()
    assert f"30 rows: {counts.get('ape', 0)} ape, {counts.get('bee', 0)} bee" in scored.output
    assert [*answer.columns[:3]] == ["row", "decision", "score ape"]
    told = run("explain", path, "--html", page)
    assert "the class with the largest probability" in told.output
    assert page.read_text().count("against the rest") > 3
    assert len(json.loads(run("explain", path, "--json").output)["functions"]) == 3


def test_a_row_that_cannot_be_read_has_no_decision(model):
    new = frame(4, seed=4).astype({"long": object})
    new.loc[1, "long"] = "far"
    answer = model.predict(new)
    assert answer["decision"].isna().tolist() == [False, True, False, False]
    assert "far" in answer["problem"][1]
    assert np.isnan(answer["score cat"][1])


def test_log_odds_are_on_one_scale_and_change_no_rank():
    rng = np.random.default_rng(0)
    y = np.append(np.arange(3), rng.integers(0, 3, 97))
    scores = (rng.normal(size=(100, 3)) + np.eye(3)[y]) * [1.0, 100.0, 0.01] + [5.0, 0.0, -3.0]
    odds = log_odds(scores, [sigmoid_of(y == k, own) for k, own in enumerate(scores.T)])
    assert hand_till(y, odds) == hand_till(y, scores)
    assert (best(odds) == y).mean() > (scores.argmax(axis=1) == y).mean()
    p = probabilities(odds)
    np.testing.assert_allclose(p, expit(odds) / expit(odds).sum(axis=1, keepdims=True))
    far = probabilities(np.array([[-1e6, -1e6 - 1.0, -2e6]]))
    np.testing.assert_allclose(far, [[1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1)), 0.0]])
