"""Two AUCs of different rows: the p-value by their intervals, and its errors by simulation."""

import numpy as np
import pytest
from nights import first_rows
from numpy.testing import assert_allclose
from scipy.stats import binom

from aucbench.stats import Fold
from aucbench.stats.delong import LARGEST, SMALLEST, Placements, equal_p


def drawn(rng, m, n, shift, below=0.0):
    s = np.where(rng.random(m) < below, -9.0, rng.normal(size=m) + shift)
    y = np.repeat([1, 0], [m, n])
    return Placements.of([Fold(y, np.r_[s, rng.normal(size=n)])])


def test_p_is_the_size_whose_intervals_just_leave_0_out():
    rng = np.random.default_rng(0)
    a, b = drawn(rng, 40, 100, 1.8), drawn(rng, 60, 80, 0.9)
    p = equal_p(a, b)
    one, two = (x.interval(1 - p) for x in (a, b))
    reach = np.hypot(one.estimate - one.low, two.high - two.estimate)
    assert_allclose(one.estimate - two.estimate, reach, rtol=1e-6)
    assert equal_p(b, a) == p


def test_extreme_groups_have_a_p_value_too():
    y = np.repeat([1, 0], [30, 300])
    perfect, reverse = (Placements.of([Fold(y, sign * y)]) for sign in (1, -1))
    lonely = Placements.of([Fold([1, 0, 0], [0, 1, 2])])
    assert equal_p(perfect, perfect) == 1.0
    assert equal_p(perfect, reverse) < 1e-8
    assert equal_p(lonely, perfect) > 0.01
    assert equal_p(perfect, Placements.of([Fold([1, 1], [0, 1])])) is None
    assert 0 < SMALLEST < LARGEST < 1


@pytest.mark.parametrize(
    ("m", "shift", "below"),
    first_rows([(20, 2.33, 0.05), (10, 2.33, 0.05), (40, 2.33, 0.05), (20, 1.3, 0), (10, 2.33, 0)]),
)
def test_equal_groups_are_seldom_told_apart(m, shift, below):
    rng, samples = np.random.default_rng(1), 100
    pairs = (
        (drawn(rng, m, 3 * m, shift, below), drawn(rng, 200, 800, shift, below))
        for _ in range(samples)
    )
    wrong = sum(equal_p(a, b) < 0.05 for a, b in pairs)
    assert wrong <= binom.ppf(0.999, samples, 0.05)


def test_a_group_that_is_worse_is_found():
    rng = np.random.default_rng(2)
    pairs = ((drawn(rng, 40, 200, 1.33), drawn(rng, 200, 800, 2.33)) for _ in range(40))
    assert sum(equal_p(a, b) < 0.05 for a, b in pairs) >= 34
