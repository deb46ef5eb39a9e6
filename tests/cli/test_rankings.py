"""compare, fit, predict and explain on times of events."""

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
    days, state = np.ceil(np.minimum(dies, leaves)), np.where(dies <= leaves, "dead", "alive")
    frame.assign(days=days, state=state).to_csv(path / "times.csv", index=False)
    return path


def test_a_comparison_of_times_is_measured_by_their_pairs_and_skips_solvers_of_labels(folder):
    out, data = folder / "runs.json", ("--data", folder / "times.csv", *TIMES)
    ended = done("compare", *data, "--splits", 2, "--json", out, "--solvers", "svm-or,logistic")
    printed, rows = flat(ended.output), strict(out)
    assert "C-index" in printed
    assert {row["pairs"] for row in rows} == {"time"}
    assert {row["solver"] for row in rows if row["status"] == "ok"} == {"svm-or"}
    assert all(row["auc"] > 0.6 for row in rows if row["status"] == "ok")
    reasons = {row["reason"] for row in rows if row["solver"] == "logistic"}
    assert all("does not train on ordered pairs, of survival times" in text for text in reasons)

    ended = done("compare", *data, "--solvers", "svm-or", "--test", folder / "times.csv")
    assert "times.csv: 120 test rows, " in ended.output


def test_a_model_of_times_ranks_rows_and_decides_nothing(folder):
    out, page, scored = (folder / name for name in ("risk.model", "page.html", "scored.csv"))
    command = ("fit", "--data", folder / "times.csv", *TIMES, "--splits", 2, "--out", out)
    printed = done(*command, "--solver", "rank-svm").output
    assert "the model ranks rows: a higher score means an earlier event" in flat(printed)
    assert "threshold" not in printed
    done("predict", out, folder / "times.csv", "--out", scored)
    told, frame = pd.read_csv(scored), pd.read_csv(folder / "times.csv")
    assert [*told.columns] == ["row", "score", "problem"]
    assert cindex(frame.days, frame.state == "dead", told.score) > 0.65
    known = json.loads(done("explain", out, "--json", "--html", page).stdout)
    assert known["labels"] == []
    assert known["provenance"]["n_events"] == int((frame.state == "dead").sum())
    assert "the model ranks rows" in page.read_text()
    assert not Model.load(out).decides
    for option, value in (("sensitivity", "0.9"), ("calibration", "isotonic"), ("by", "kind")):
        assert f"leave {option} out" in refused(*command, f"--{option}", value)
