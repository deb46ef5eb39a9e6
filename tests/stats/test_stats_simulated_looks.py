"""The simulation of looks, `examples/simulate_looks.py`: as wrong as one test, and earlier."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from nights import NIGHTLY
from scipy.stats import binom

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def simulation(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return import_module("simulate_looks")


def rates(simulation, plan, n, count, noise="normal"):
    """Error, power, and the share of the data sets that are used."""
    null = simulation.NOISE[noise](np.random.default_rng(n), (count, n))
    wrong, _ = simulation.stopped(null, simulation.PLANS[plan](n))
    found, used = simulation.stopped(null + simulation.EFFECTS[n], simulation.PLANS[plan](n))
    return wrong.mean(), found.mean(), used.mean() / n


@pytest.mark.parametrize("noise", ["normal", "t with 3 degrees"])
def test_planned_looks_are_wrong_as_rarely_and_end_earlier(simulation, noise):
    count = 1000
    error, power, used = rates(simulation, "4 planned looks", 50, count, noise)
    once = rates(simulation, "one test at the end", 50, count, noise)

    assert error <= binom.ppf(0.999, count, 0.06) / count  # the bounds are those of a limit
    assert power > once[1] - 0.04
    assert used < 0.9


def test_looks_after_each_data_set_are_wrong_much_more_often(simulation):
    assert rates(simulation, "p < .05 after each", 20, 400)[0] > 0.1


def test_the_tables_have_a_line_for_each_plan(simulation):
    of_pairs, of_references = simulation.tables(0.0).values()
    assert len(of_pairs.lines) == len(simulation.EFFECTS) * 2 * len(simulation.PLANS)
    assert len(of_references.lines) == 4
    for table in (of_pairs, of_references):
        assert all(len(line) == len(table.header) for line in table.lines)


@NIGHTLY
@pytest.mark.parametrize("n", [20, 50, 130])
@pytest.mark.parametrize("plan", ["2 planned looks", "4 planned looks", "8 planned looks"])
def test_all_plans_by_night(simulation, n, plan):
    for noise in simulation.NOISE:
        error, power, used = rates(simulation, plan, n, 4000, noise)
        once = rates(simulation, "one test at the end", n, 4000, noise)
        assert error <= binom.ppf(0.999, 4000, 0.055) / 4000
        assert power > once[1] - 0.04
        assert used < 1


@NIGHTLY
@pytest.mark.parametrize("n", [20, 50])
def test_words_on_a_reference_are_wrong_as_rarely_by_night(simulation, n):
    plan, count = simulation.PLANS["4 planned looks"](n), 500
    draws = [
        np.random.default_rng([1, n, i]).normal(size=(n, simulation.SOLVERS)) for i in range(count)
    ]
    runs = [simulation.against_first(values, plan) for values in draws]
    assert np.mean([run.ever for run in runs]) <= binom.ppf(0.999, count, 0.055) / count
