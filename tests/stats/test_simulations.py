"""The simulations of `examples/`: intervals hold, and words are false as rarely as they say.

Each change draws a few samples, and each night the tables of the documents.
"""

from dataclasses import asdict
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from nights import NIGHTLY
from scipy.stats import binom

EXAMPLES = Path(__file__).parents[2] / "examples"
OLD, NEW = "Hanley-McNeil if < 5 misplaced, else DeLong", "mixture beta"


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return lambda name: import_module(f"simulate_{name}")


def least(share, samples):
    """The least share that a chance of 1 in 1000 allows."""
    return binom.ppf(0.001, samples, share) / samples


def most(share, samples):
    return binom.ppf(0.999, samples, share) / samples


def some_of(cases, count):
    """Some of the cases, of all families and sizes."""
    return [cases[i] for i in np.random.default_rng(0).permutation(len(cases))[:count]]


@pytest.mark.parametrize("number", range(4))
def test_the_reproducers_are_held(example, number):
    intervals = example("intervals")
    found = {x.rule: x for x in intervals.simulated([intervals.REPRODUCERS[number]], 150)}
    assert found[NEW].coverage >= 0.95  # .983 to .994 in the tables
    assert found[OLD].coverage < 0.9


@NIGHTLY
@pytest.mark.parametrize("part", range(6))
def test_coverage_by_night(example, part):
    """Some of the cases; none is below .94 by more than its Monte-Carlo error."""
    intervals = example("intervals")
    found = [*intervals.simulated(some_of([*intervals.cases()], 180)[part::6], 400, seed=1)]
    new, old = ([x.coverage for x in found if x.rule == rule] for rule in (NEW, OLD))
    assert min(new) >= least(0.939, 400)
    assert np.mean(new) == pytest.approx(0.988, abs=0.01)
    assert np.mean(np.array(old) < 0.93) > 0.1


@NIGHTLY
def test_folds_weights_and_groups_by_night(example):
    for line in example("intervals").designs_table(300).lines:
        for cell in line[1:]:
            assert float(cell.split(" / ")[0]) >= 0.96


def of_rules(differences, case, samples):
    """What both rules say of a case of one fold."""
    own = differences.DESIGNS[0]
    found = {x.rule: x for x in differences.simulated(own, [differences.Case(*case)], samples)}
    return found.values()


def test_a_hidden_group_makes_no_solver_better_and_a_real_difference_is_found(example):
    differences = example("differences")
    worst = ("a group against errors everywhere", (0.01, 1.0), 150, 200)
    old, new = of_rules(differences, worst, 80)
    assert old.differ > 0.15
    assert new.differ <= 0.09
    assert new.coverage == pytest.approx(1 - new.differ)
    old, new = of_rules(differences, ("smooth, apart", (0.9, 0.8, 0.5), 150, 200), 40)
    assert new.differ >= 0.9
    assert 1 <= new.width / old.width < 1.4


@NIGHTLY
@pytest.mark.parametrize("design", range(3))
def test_differences_by_night(example, design):
    differences = example("differences")
    own = differences.DESIGNS[design]
    found = [*differences.simulated(own, some_of([*differences.cases(own.sizes)], 60), 200)]
    old, new = (
        np.array([x.coverage for x in found if x.rule == rule]) for rule in differences.RULES
    )
    assert new.min() >= least(0.925, 200)
    assert np.mean(new < least(0.94, 200)) <= 0.01
    assert old.min() < new.min()


def test_intervals_hold_and_equal_scores_are_not_told_apart(example):
    pairs = example("pairs")
    for design in [*pairs.designs()][::7]:
        found = pairs.simulated(design, 50, 20)
        assert found.ours >= least(0.93, found.samples), design.name
        assert found.differ <= most(0.07, found.samples), design.name
        assert found.none == 0.0


@NIGHTLY
@pytest.mark.parametrize("size", [10, 50, 500])
def test_measures_of_pairs_by_night(example, size):
    """From 93 to 97 %, and of ten units more; but for units of a kind that is rarely seen."""
    pairs, samples = example("pairs"), 600 if size < 500 else 200
    for design in pairs.designs():
        found = pairs.simulated(design, size, samples, seed=1)
        if "unlike" not in design.name:
            low, high = least(0.93, found.samples), most(0.97, found.samples)
            assert low <= found.ours <= (1.0 if size == 10 else high), design.name
            assert found.differ <= most(0.07, found.samples), design.name


def rates(example, effort, **kind):
    """Shares of pairs distinguished alone, tables with a false better, stars lost; and tables."""
    simulation = example("one_table")
    tables = simulation.simulate(simulation.Kind(**kind), effort)
    return (
        np.mean([one.alone.mean() for one in tables]),
        np.mean([one.among.any() for one in tables]),
        np.mean([(~one.stars).mean() for one in tables]),
        len(tables),
    )


def require_level(rates):
    """Each table is one sample of its pairs, of its words, and of its stars."""
    *shares, count = rates
    assert max(shares) <= most(0.05, count), rates


@pytest.mark.parametrize("learner", ["kernel", pytest.param("boosting", marks=NIGHTLY)])
def test_another_learner_keeps_the_level_too(example, learner):
    require_level(rates(example, 1.0, learner=learner, rows=100, count=10))


@NIGHTLY
@pytest.mark.parametrize("number", range(14))
def test_equal_solvers_by_night(example, number):
    simulation = example("one_table")
    require_level(rates(example, 0.4, **asdict(simulation.EQUAL[number])))
    kinds = [simulation.Kind(solvers=20, learner=one, count=60) for one in simulation.LEARNERS]
    for kind in (*kinds, *simulation.SHARES)[number : number + 1]:
        _, wrong, lost, count = rates(example, 0.3, **asdict(kind))
        require_level((lost, wrong, count))


@pytest.mark.parametrize("count", [5, pytest.param(200, marks=NIGHTLY)])
def test_words_about_values_of_equal_solvers_are_rarely_false(example, count):
    simulation = example("values")
    for _, said in simulation.said_of(simulation.Kind(rows=60, repeats=10, count=count), 1.0):
        # The test over splits alone keeps .06.
        assert np.mean([one.alone.mean() for one in said]) <= most(0.06, count)
        assert np.mean([one.among.any() for one in said]) <= most(0.06, count)


def said_of(example, rule, kind, m, data_sets, count):
    """The truth, and flags of stars and of who is behind, (count, m)."""
    simulation = example("many_sets")
    population, tables = simulation.drawn(getattr(simulation, kind), m, data_sets, count)
    said = [getattr(simulation, rule)(table) for table in tables]
    return population.best, *(np.array([getattr(s, x) for s in said]) for x in ("star", "behind"))


@pytest.mark.parametrize(
    ("m", "data_sets", "count"),
    [(5, 10, 40), (33, 14, 12), *(pytest.param(20, n, 400, marks=NIGHTLY) for n in (6, 14, 30))],
)
def test_equal_solvers_keep_their_stars(example, m, data_sets, count):
    _, stars, behind = said_of(example, "rule_of_aucbench", "EQUAL", m, data_sets, count)
    assert (~stars).mean() <= most(0.05, count)
    assert behind.any(axis=1).mean() <= most(0.05, count)
    assert stars.any(axis=1).all()


@NIGHTLY
@pytest.mark.parametrize(("m", "data_sets"), [*product((5, 33), (6, 10, 14, 20, 30, 50))])
def test_words_are_false_as_rarely_as_they_say_by_night(example, m, data_sets):
    simulation, count = example("many_sets"), 600 if m == 5 else 300
    for kind in ("EQUAL", "THIRD", "BOARD_MEANS"):
        best, stars, behind = said_of(example, "rule_of_aucbench", kind, m, data_sets, count)
        assert (~stars[:, best]).all(axis=1).mean() <= most(0.05, count)  # "best is in this set"
        assert behind[:, best].any(axis=1).mean() <= most(0.05, count)
        assert (~stars[:, best]).mean() <= most(0.05, count)
        found = simulation.on_reference(getattr(simulation, kind), m, data_sets, count)["aucbench"]
        assert found[0] <= most(0.05, count)
