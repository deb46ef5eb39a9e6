"""The tables of the trial: not below plain pipelines by more than .005."""

import sys

import pytest
from shown_pages import ROOT

from aucbench.stats import Interval


@pytest.fixture(scope="module")
def trial():
    """benchmarks/trial.py, which is no part of the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        import benchmarks.trial

        yield benchmarks.trial


def test_what_is_said_of_a_table_has_the_goal_and_the_promises(trial):
    told = Interval(0.2, 0.1, 0.3, 0.95, "Wilson")
    peers = {"logistic regression": (0.7, 1.0), "LightGBM": (0.8, 2.0)}
    shares = {"flags": (told, 0.25), "precision": (told, 0.4)}
    found = trial.Outcome("shop", [], ["warning: x"], "svm-or", 0.79, 60.0, peers, shares)
    said = "\n".join(found.lines())
    assert "MISSED: 0.0100 below the best" in said
    assert "held out 0.2500, inside\nprecision" in said
    assert said.endswith("held out 0.4000, OUTSIDE")
    assert found.row() == "| shop | 0.7900 | 60 | 0.7000 | 0.8000 | +0.0100 |"


@pytest.mark.nightly
def test_the_command_goes_from_the_file_to_the_decision(trial, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["trial", "True/False", "--minutes=0.02"])
    trial.main()
    said = capsys.readouterr().out
    for part in ("## True/False", "label: column", "auto took ", "AUC of auto 0.", "flags: "):
        assert part in said
    assert "| True/False | 0." in said


@pytest.mark.nightly
def test_auto_is_not_below_the_best_pipeline_and_takes_two_minutes(trial, tmp_path):
    found = [trial.outcome(name, tmp_path) for name in trial.TABLES]
    assert [one.lines() for one in found if one.behind > trial.GOAL or one.seconds > 130.0] == []
