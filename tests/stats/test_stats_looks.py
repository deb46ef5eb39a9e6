"""Planned looks: their bounds against published constants and by simulation, and what decides."""

from math import sqrt

import numpy as np
import pytest
import scipy

from aucbench.errors import ParameterError
from aucbench.stats.best_set import against
from aucbench.stats.looks import bounds_of, looks_at
from aucbench.stats.pairs import pairwise

PUBLISHED = {2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040, 10: 2.087}  # Jennison and Turnbull, table 2.3


@pytest.mark.parametrize("count", PUBLISHED)
def test_bounds_are_those_of_o_brien_and_fleming(count):
    bounds = bounds_of(tuple(k / count for k in range(1, count + 1)))
    constants = [sqrt(k / count) * -scipy.special.ndtri(p / 2) for k, p in enumerate(bounds, 1)]

    assert constants == pytest.approx([PUBLISHED[count]] * count, abs=6e-4)


def test_four_looks_ask_for_the_four_numbers():
    assert bounds_of((0.25, 0.5, 0.75, 1.0)) == pytest.approx(
        (5.2e-5, 0.0042, 0.0194, 0.0429), abs=5e-5
    )
    assert bounds_of((1.0,)) == pytest.approx((0.05,))
    assert bounds_of((0.5, 1.0), 0.9)[1] > bounds_of((0.5, 1.0), 0.95)[1]


def test_unequal_looks_are_wrong_as_often_as_they_say():
    shares = (0.2, 0.5, 1.0)
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(200_000, 3)) * np.sqrt(np.diff((0.0, *shares)))
    z = np.cumsum(steps, axis=1) / np.sqrt(shares)
    p = 2 * scipy.special.ndtr(-np.abs(z))

    assert (p < bounds_of(shares)).any(axis=1).mean() == pytest.approx(0.05, abs=0.002)


def test_looks_are_after_equal_parts():
    assert [look.data_sets for look in looks_at(20, 4)] == [5, 10, 15, 20]
    assert [look.data_sets for look in looks_at(6, 4)] == [2, 3, 5, 6]
    second = looks_at(20, 4)[1]
    assert str(second) == "look 2 of 4"
    assert second.level == 1 - second.bound == pytest.approx(1 - 0.0042, abs=1e-4)


@pytest.mark.parametrize(
    ("data_sets", "count", "sentence"),
    [
        (5, 4, "4 looks take at least 6 data sets, got 5"),
        (7, 8, "8 looks take at least 8 data sets"),
        (20, 1, "2 to 10 looks, got 1; 4 is usual"),
        (20, 11, "2 to 10 looks, got 11"),
        (20, 4.5, "looks must be a whole number"),
    ],
)
def test_looks_that_make_no_sense_are_one_sentence(data_sets, count, sentence):
    with pytest.raises(ParameterError, match=sentence):
        looks_at(data_sets, count)


def test_a_pair_decides_by_the_p_value_that_is_shown():
    rng = np.random.default_rng(1)
    look = looks_at(20, 4)[1]
    decided = set()
    for _ in range(40):
        values = rng.uniform(0.5, 0.9, (10, 2)) + np.array([0.2, 0.0])
        (pair,) = pairwise(np.minimum(values, 1.0), ("a", "b"))
        decided.add(look.decides(np.minimum(values, 1.0), ("a", "b")))
        assert look.decides(np.minimum(values, 1.0), ("a", "b")) == (pair.p < look.bound)
    assert decided == {True, False}


def test_a_solver_that_failed_has_lost():
    values = np.full((10, 2), 0.8)
    values[:, 1] = np.nan
    assert looks_at(20, 4)[1].decides(values, ("a", "b"))


def test_all_others_have_to_differ_from_the_reference():
    names, look = ("r", "a", "b"), looks_at(80, 4)[0]
    rng = np.random.default_rng(2)
    values = rng.uniform(0.8, 0.9, (20, 1)) + np.array([0.0, 0.02, -0.02])

    assert look.bound < 1e-4
    assert max(against(values, names, "r").stepwise) > look.bound  # too few flips to get there
    assert look.decides(values, names, "r")
    values[:, 2] = values[:, 0] + rng.normal(size=20) * 0.01
    assert not look.decides(values, names, "r")
