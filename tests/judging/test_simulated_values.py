"""The simulation of values of others: it compares as `judge` does, and equal solvers stay equal."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from nights import NIGHTLY
from scipy.stats import binom

import aucbench
from aucbench.metrics import auc

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def simulation(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return import_module("simulate_values")


def test_it_compares_as_judge_does(simulation):
    kind = simulation.Kind(rows=60, repeats=2, solvers=3)
    table = kind.table(0)
    columns = {"method": [], "repeat": [], "fold": [], "auc": []}
    for name, folds in table.items():
        for (repeat, fold), rows in folds.items():
            for column, value in zip(
                columns.values(), (name, repeat, fold, auc(rows.positive, rows.scores)), strict=True
            ):
                column.append(value)
    [inside] = aucbench.judge(columns).findings.datasets
    expected = simulation.by_values(kind, table)
    assert [(pair.a, pair.b, pair.word, pair.adjusted_p) for pair in inside.pairs] == [
        (pair.a, pair.b, pair.word, pair.adjusted_p) for pair in expected.pairs
    ]


@pytest.mark.parametrize("count", [25, pytest.param(200, marks=NIGHTLY)])
def test_words_about_equal_solvers_are_rarely_false(simulation, count):
    kind = simulation.Kind(rows=60, repeats=10, count=count)
    for _, said in simulation.said_of(kind, 1.0):
        most = binom.ppf(0.999, count, 0.06) / count  # the test over splits alone keeps .06
        assert np.mean([one.alone.mean() for one in said]) <= most
        assert np.mean([one.among.any() for one in said]) <= most
