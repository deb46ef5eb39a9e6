"""The simulation of many data sets, `examples/simulate_many_sets.py`: are words false as rarely?"""

from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from nights import NIGHTLY
from scipy.stats import binom

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def simulation(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return import_module("simulate_many_sets")


def said_of(simulation, rule, kind, m, data_sets, count):
    """The truth, and flags of stars and of who is behind, (count, m)."""
    population, tables = simulation.drawn(kind, m, data_sets, count)
    said = [rule(table) for table in tables]
    stars, behind = (np.array([getattr(s, name) for s in said]) for name in ("star", "behind"))
    return population.best, stars, behind


def most(count, share=0.05):
    """The most that a share of at most .05 leaves in so many tables, but for one in a thousand."""
    return binom.ppf(0.999, count, share) / count


@pytest.mark.parametrize(("m", "data_sets", "count"), [(5, 10, 150), (33, 14, 60)])
def test_equal_solvers_keep_their_stars(simulation, m, data_sets, count):
    _, stars, behind = said_of(
        simulation, simulation.new_rule, simulation.EQUAL, m, data_sets, count
    )
    assert (~stars).mean() <= most(count)
    assert behind.any(axis=1).mean() <= most(count)
    assert stars.any(axis=1).all()


def test_the_set_is_smaller_than_before_and_keeps_the_best(simulation):
    kind, count = simulation.BOARD_MEANS, 30
    best, new, _ = said_of(simulation, simulation.new_rule, kind, 33, 20, count)
    _, old, _ = said_of(simulation, simulation.old_rule, kind, 33, 20, count)
    assert new[:, best].mean() >= 1 - most(count)
    assert new.sum(axis=1).mean() < old.sum(axis=1).mean() / 2


@NIGHTLY
@pytest.mark.parametrize(("m", "data_sets"), [*product((5, 33), (6, 10, 14, 20, 30, 50))])
def test_words_are_false_as_rarely_as_they_say_by_night(simulation, m, data_sets):
    count = 600 if m == 5 else 300
    for kind in (simulation.EQUAL, simulation.THIRD, simulation.BOARD_MEANS):
        best, stars, behind = said_of(simulation, simulation.new_rule, kind, m, data_sets, count)
        assert (~stars[:, best]).all(axis=1).mean() <= most(count)  # "the best is in this set"
        assert behind[:, best].any(axis=1).mean() <= most(count)
        assert (~stars[:, best]).mean() <= most(count)
        wrong = simulation.on_reference(kind, m, data_sets, count)["new"][0]
        assert wrong <= most(count)


@NIGHTLY
@pytest.mark.parametrize(("m", "data_sets"), [(5, 20), (33, 14), (33, 20), (33, 50)])
def test_the_new_rule_finds_more_by_night(simulation, m, data_sets):
    for kind in (simulation.THIRD, simulation.BOARD_MEANS):
        sizes = [
            said_of(simulation, rule, kind, m, data_sets, 100)[1].sum(axis=1).mean()
            for rule in (simulation.new_rule, simulation.old_rule)
        ]
        assert sizes[0] <= sizes[1]
    found = simulation.on_reference(simulation.THIRD, m, data_sets, 100)
    assert found["new"][1] > found["old"][1]


@NIGHTLY
@pytest.mark.parametrize("data_sets", [6, 14, 30])
def test_twenty_equal_solvers_by_night(simulation, data_sets):
    _, stars, behind = said_of(
        simulation, simulation.new_rule, simulation.EQUAL, 20, data_sets, 400
    )
    assert (~stars).mean() <= most(400)
    assert behind.any(axis=1).mean() <= most(400)
