"""compare, fit, predict and explain on times of events and on grades."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from command_line import done, flat, refused, strict

from aucbench.metrics import cindex
from aucbench.models import Model

pytestmark = pytest.mark.usefixtures("in_process")

TIMES = ("--time-to-event", "days", "--event", "state", "--positive", "dead")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path, rng = tmp_path_factory.mktemp("rankings"), np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 2)), columns=["age", "dose"]).round(3)
    frame["kind"] = rng.choice(["I", "II"], 120)
    risk = frame.age + (frame.kind == "II")
    dies, leaves = rng.exponential(np.exp(-risk) * 30), rng.exponential(40, 120)
    times = frame.assign(
        days=np.ceil(np.minimum(dies, leaves)), state=np.where(dies <= leaves, "dead", "alive")
    )
    times.to_csv(path / "times.csv", index=False)
    graded = frame.assign(rating=np.digitize(frame.age, [-1, 0, 1]), query=np.arange(120) // 8)
    graded.to_csv(path / "grades.csv", index=False)
    return path


@pytest.fixture(scope="module")
def compared(folder):
    out = folder / "runs.json"
    command = ("compare", "--data", folder / "times.csv", *TIMES, "--splits", 2, "--json", out)
    ended = done(*command, "--solvers", "svm-or,ls-svm,logistic")
    return ended.output, strict(out)


def test_a_comparison_of_times_is_measured_by_their_pairs(compared):
    printed, rows = compared
    assert "C-index" in printed
    assert "events in column 'state' (those with 'dead')" in flat(printed)
    assert "intervals: influence" in printed
    ok = [row for row in rows if row["status"] == "ok"]
    assert {row["solver"] for row in ok} == {"svm-or", "ls-svm"}
    assert {row["pairs"] for row in rows} == {"time"}
    assert all(row["auc"] > 0.6 for row in ok)


def test_a_solver_of_labels_is_skipped_with_the_names_of_others(compared):
    printed, rows = compared
    reasons = {row["reason"] for row in rows if row["solver"] == "logistic"}
    assert all("does not train on ordered pairs, of survival times" in text for text in reasons)
    assert "svm-or" in flat(printed)


@pytest.mark.parametrize(
    ("more", "sizes"),
    [(("--splits", 2), "120 rows"), ((), "120 test rows")],
)
def test_the_head_of_a_table_counts_the_rows_that_judge(folder, more, sizes):
    more = more or ("--test", folder / "times.csv")
    command = ("compare", "--data", folder / "times.csv", *TIMES, "--solvers", "svm-or", *more)
    assert f"times.csv: {sizes}, " in done(*command).output


def test_a_model_of_times_ranks_rows_and_decides_nothing(folder):
    out = folder / "risk.model"
    command = ("fit", "--data", folder / "times.csv", *TIMES, "--splits", 2, "--out", out)
    printed = done(*command, "--solver", "rank-svm").output
    assert "the model ranks rows: a higher score means an earlier event" in flat(printed)
    assert "C-index" in printed
    assert "threshold" not in printed
    scored = folder / "scored.csv"
    ended = done("predict", out, folder / "times.csv", "--out", scored)
    assert "120 rows" in ended.stderr
    told, frame = pd.read_csv(scored), pd.read_csv(folder / "times.csv")
    assert [*told.columns] == ["row", "score", "problem"]
    assert cindex(frame.days, frame.state == "dead", told.score) > 0.65
    page = folder / "page.html"
    known = json.loads(done("explain", out, "--json", "--html", page).stdout)
    assert known["labels"] == []
    assert known["provenance"]["n_events"] == int((frame.state == "dead").sum())
    assert "the model ranks rows" in page.read_text()
    assert "how far the C-index falls" in page.read_text()
    assert not Model.load(out).decides


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--sensitivity", "0.9"), "sensitivity"),
        (("--calibration", "isotonic"), "calibration"),
        (("--by", "kind"), "by"),
    ],
)
def test_what_is_about_a_decision_is_refused(folder, more, named):
    command = ("fit", "--data", folder / "times.csv", *TIMES, "--out", folder / "no.model")
    assert f"decides nothing; leave {named} out" in refused(*command, *more)


def test_grades_are_compared_within_their_queries(folder):
    out = folder / "grades.json"
    data = ("--data", folder / "grades.csv", "--target", "rating", "--labels", "grades")
    command = ("compare", *data, "--groups", "query", "--splits", 2, "--solvers", "ls-svm")
    printed = done(*command, "--json", out).output
    assert "grade AUC" in printed
    assert "count 15 groups" in flat(printed)
    assert all(row["groups"] == 15 or row["auc"] > 0.9 for row in strict(out))


def test_columns_of_grades_are_shuffled_within_queries(folder):
    out = folder / "grades.model"
    data = ("--data", folder / "grades.csv", "--target", "rating", "--labels", "grades")
    done("fit", *data, "--groups", "query", "--splits", 2, "--solver", "ls-svm", "--out", out)
    known = Model.load(out).function.assessment
    assert known.measure == "grade AUC"
    assert known.importance[0].column == "age"
    assert known.importance[0].drop.estimate > 0.2
    assert "an interval needs 10" in known.importance[0].drop.note  # of 7 queries
