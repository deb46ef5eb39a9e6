"""The tables of the trial: not below plain pipelines by more than .005."""

import pytest
from shown_pages import ROOT


@pytest.fixture(scope="module")
def trial():
    """benchmarks/trial.py, which is no part of the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        import benchmarks.trial

        yield benchmarks.trial


@pytest.mark.nightly
def test_auto_is_not_below_the_best_pipeline_and_takes_two_minutes(trial, tmp_path):
    found = [trial.outcome(name, tmp_path) for name in trial.TABLES]
    assert [one.lines() for one in found if one.behind > trial.GOAL or one.seconds > 130.0] == []
