"""Target intervals and their squared hinge: the definition, the conjugate."""

from dataclasses import replace

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from sequences import penalties, wide

from aucbench.objectives import IntervalHinge

INF = np.inf


INTERVALS = {  # of errors between penalties; the first five are of the tests of penaltyLearning
    (0, 0, 1, 15, 2, 0): (-INF, INF),
    (0, 0, 1, 15, 2, 1): (-INF, 2),
    (1, 1, 1, 15, 2, 0): (5, INF),
    (1, 1, 1, 0, 2, 2): (3, 4),
    (1, 1, 0, 0, 2, 2): (2, 4),
    (3,): (-INF, INF),
    (1, 0, 1, 0, 0, 2): (3, 5),
    (1, 0, 1, 0, 1, 1): (3, 4),  # the last of two runs of the same width
    (0, 1): (-INF, 1),
    (3, 6, 7, 3, 2, 2): (4, INF),
}


@pytest.mark.parametrize("unit", [1.0, 0.1])  # sums of tenths are rounded
def test_intervals_of_penalties_are_those_of_target_intervals(unit):
    lows = [-INF, 1, 2, 3, 4, 5]
    b = penalties(
        [(a, k // 2, k - k // 2) for a, k in zip(lows, each, strict=False)] for each in INTERVALS
    )
    found = replace(b, fp_diff=unit * b.fp_diff, fn_diff=unit * b.fn_diff).target_intervals
    assert [*zip(-found.high, -found.low, strict=True)] == [*INTERVALS.values()]


@pytest.mark.parametrize("margin", [0.0, 1.0, 2.5])
def test_its_value_is_that_of_the_definition(margin):
    data, w = wide(), np.array([0.7, -1.0, 0.4])
    expected = reference.interval_hinge(*data.target.target_intervals, margin, data.scores(w))

    assert IntervalHinge(data, margin).value(w) == pytest.approx(expected, rel=1e-13)


@given(st.integers(0, 2**32), st.sampled_from([0.0, 1.0]))
def test_the_conjugate_is_attained_at_the_derivative_and_bounds_the_rest(seed, margin):
    f, rng = IntervalHinge(wide(), margin), np.random.default_rng(seed)
    s, other = 3.0 * rng.normal(size=(2, 40))
    value, c = f.of_scores(s)

    assert f.conjugate(c) == pytest.approx(c @ s - value, abs=1e-12)
    assert f.conjugate(c) >= c @ other - f.of_scores(other)[0] - 1e-12


def test_a_slope_that_no_score_has_makes_the_conjugate_infinite():
    f = IntervalHinge(wide())
    for k, sign in ((1, -1.0), (2, 1.0), (3, 1.0), (3, -1.0)):  # the sides without an end
        low, high = (x[k] for x in f.data.target.target_intervals)
        c = np.zeros(40)
        c[k] = sign if np.isinf(high if sign > 0 else low) else -sign
        assert f.conjugate(c) == INF
