"""The worked example: one command from data to a report."""

import runpy
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "leaderboard.py"


def test_a_sample_has_the_rows_and_the_classes_that_were_asked_for(
    data_folder, tmp_path, monkeypatch
):
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    write = runpy.run_path(str(SCRIPT))["write_sample"]
    for name in ("fourclass", "satimage"):
        write(name, tmp_path / name, 120)
        labels = [float(line.split()[0]) for line in (tmp_path / name).read_text().splitlines()]
        assert (len(labels), sum(labels)) == (120, 0.0)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_leaderboard_of_two_tasks(data_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    command = [sys.executable, str(SCRIPT), str(tmp_path), "--rows", "120", "--points", "2"]
    command += ["--tasks", "fourclass", "mnist", "--solvers", "logistic", "svm-or"]

    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 0, ended.stderr
    assert "samples/mnist.svm: 120 rows, 60 positive" in ended.stdout
    assert "over 2 data sets" in ended.stdout
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "svm-or (tuned)" in page
    lines = (tmp_path / "samples/mnist.svm").read_text().splitlines()
    labels = [line.split()[0] for line in lines]
    assert {float(label) for label in labels} == {-1.0, 1.0}

    board = pd.read_csv(tmp_path / "leaderboard.csv")
    assert [*zip(board.task, board.solver, strict=True)] == [
        (task, solver) for task in ("fourclass", "mnist") for solver in ("logistic", "svm-or")
    ]
    assert ((board.auc > 0.5) & (board.auc <= 1)).all()
    assert (board.cells == 10).all()
    assert (board.certified <= 10).all()
    assert board.certified[board.solver == "svm-or"].sum() > 0
    tasks = pd.read_csv(tmp_path / "leaderboard_tasks.csv")
    assert [*tasks.task] == ["fourclass", "mnist"]
    assert [*tasks.rows] == [120, 120]
