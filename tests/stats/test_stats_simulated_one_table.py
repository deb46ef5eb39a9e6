"""The simulation of one table, `examples/simulate_one_table.py`: does it show what it should?"""

from dataclasses import asdict
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
    return import_module("simulate_one_table")


def rates(simulation, effort, **kind):
    """Shares of the pairs told apart alone, tables with a false better, and stars lost, by rule."""
    told = simulation.tables_of(simulation.Kind(**kind), effort)
    return {
        rule: (
            np.mean([one.alone.mean() for one in said]),
            np.mean([one.among.any() for one in said]),
            np.mean([(~one.stars).mean() for one in said]),
            len(said),
        )
        for rule, said in told.items()
    }


def require_level(rates):
    """Each table is one sample of its pairs, of its words, and of its stars."""
    *shares, count = rates
    most = binom.ppf(0.999, count, 0.05) / count
    assert max(shares) <= most, rates


@pytest.mark.nightly
def test_with_ten_repeats_the_old_rule_is_too_bold_and_the_new_one_is_not(simulation):
    found = rates(simulation, 1.0, rows=60, repeats=10, count=60)
    require_level(found["new"])
    assert found["old"][0] > 0.06 > found["new"][0]


@pytest.mark.parametrize("learner", ["kernel", "boosting"])
def test_other_learners_keep_the_level_too(simulation, learner):
    require_level(rates(simulation, 1.0, learner=learner, rows=100, count=10)["new"])


def test_shares_that_are_drawn_again_count_by_the_rows_that_they_share(simulation):
    kind = simulation.Kind(drawn=True, repeats=10)
    assert kind.over_the_rows == 3  # 1 + 9 / 5, rounded up
    assert kind.texts[-1] == "10 × 20 % of the rows"
    y = np.arange(50) < 20
    splits = [tested for _, tested in kind.divided(y, np.random.default_rng(0))]
    assert [tested.sum() for tested in splits] == [10] * 10
    assert all(y[tested].sum() == 4 for tested in splits)


@NIGHTLY
@pytest.mark.parametrize("number", range(14))
def test_equal_solvers_by_night(simulation, number):
    require_level(rates(simulation, 0.4, **asdict(simulation.EQUAL[number]))["new"])


@NIGHTLY
@pytest.mark.parametrize("number", range(4))
def test_twenty_equal_solvers_and_shares_by_night(simulation, number):
    for kind in (simulation.TWENTY[number], simulation.SHARES[number]):
        said = simulation.tables_of(kind, 0.3)["new"]
        lost = np.mean([(~one.stars).mean() for one in said])
        wrong = np.mean([one.among.any() for one in said])
        require_level((lost, wrong, len(said)))


@NIGHTLY
def test_a_better_solver_is_found_by_night(simulation):
    """The old rule finds more, because it also finds what is not there."""
    one, _, five, ten = (simulation.tables_of(kind, 0.3) for kind in simulation.POWER[:4])
    share = [np.mean([said.alone[:4].mean() for said in told["new"]]) for told in (one, five, ten)]
    assert share[0] + 0.05 < share[1]
    assert abs(share[1] - share[2]) < 0.1
    for told in (one, five, ten):
        assert np.mean([not said.stars[0] for said in told["new"]]) <= 0.05
