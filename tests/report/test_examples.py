"""Worked examples: one command from data to a table or a report."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from command_line import done
from nights import NIGHTLY, first

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "report.md").read_text("utf-8")
COMMANDS = re.findall(r"^\$ aucbench (report .*)$", PAGE, re.MULTILINE)


@pytest.fixture
def here(results_folder, tmp_path, monkeypatch):
    (tmp_path / "results").symlink_to(results_folder)
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("command", first(COMMANDS, 3))
def test_commands_of_the_page_about_reports_run(command):
    done(*shlex.split(command))
    for path in map(Path, re.findall(r"[\w-]+\.(?:html|json|pdf|png|svg)", command)):
        assert path.stat().st_size > 1000


@pytest.mark.usefixtures("here")
def test_the_python_example_of_that_page_runs(capsys):
    [code] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(code, {})
    said = capsys.readouterr().out.splitlines()
    assert "highest mean AUC" in said[0]
    assert len(said) == 4
    assert Path("report.html").read_bytes().startswith(b"<!doctype html>")


@NIGHTLY
def test_the_leaderboard_of_two_tasks(data_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    command = [sys.executable, str(ROOT / "examples" / "leaderboard.py"), str(tmp_path)]
    asked = "--rows 120 --points 2 --tasks fourclass mnist --solvers logistic svm-or"
    command += shlex.split(asked)
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "samples/mnist.svm: 120 rows, 60 positive" in ended.stdout
    assert "over 2 data sets" in ended.stdout
    assert "svm-or (tuned)" in (tmp_path / "report.html").read_text(encoding="utf-8")
    board = pd.read_csv(tmp_path / "leaderboard.csv")
    assert [*zip(board.task, board.solver, strict=True)] == [
        (task, solver) for task in ("fourclass", "mnist") for solver in ("logistic", "svm-or")
    ]
    assert board.auc.between(0.5, 1).all()
    assert (board.cells == 10).all()
    assert board.certified[board.solver == "svm-or"].sum() > 0
    tasks = pd.read_csv(tmp_path / "leaderboard_tasks.csv")
    assert [*zip(tasks.task, tasks.rows, strict=True)] == [("fourclass", 120), ("mnist", 120)]
