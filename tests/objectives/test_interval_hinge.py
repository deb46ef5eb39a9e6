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


@pytest.mark.parametrize(
    ("errors", "interval"),
    [
        ([0, 0, 1, 15, 2, 0], (-INF, INF)),
        ([0, 0, 1, 15, 2, 1], (-INF, 2)),
        ([1, 1, 1, 15, 2, 0], (5, INF)),
        ([1, 1, 1, 0, 2, 2], (3, 4)),
        ([1, 1, 0, 0, 2, 2], (2, 4)),
        ([1, 0, 1, 0, 0, 2], (3, 5)),
        ([1, 0, 1, 0, 1, 1], (3, 4)),  # the last of two runs of the same width
    ],
)
def test_the_interval_of_penalties_is_that_of_target_intervals(errors, interval):
    """The first five are the cases of the tests of penaltyLearning."""
    lows = [-INF, 1, 2, 3, 4, 5]  # all errors are false positives
    low, high = penalties(
        [[(a, fp, 0) for a, fp in zip(lows, errors, strict=True)]]
    ).target_intervals

    assert (-high[0], -low[0]) == interval


COUNTS = st.tuples(st.integers(0, 2), st.integers(0, 2))


@given(st.lists(st.lists(COUNTS, min_size=1, max_size=6), min_size=1, max_size=5), st.integers(0))
def test_target_intervals_of_many_sequences(errors, seed):
    rng = np.random.default_rng(seed)
    lows = [[-INF, *np.sort(rng.choice(9, len(e) - 1, replace=False))] for e in errors]
    each = [*zip(lows, errors, strict=True)]
    b = penalties([[(m, *pair) for m, pair in zip(low, e, strict=True)] for low, e in each])
    found = b.target_intervals

    for k, (low, e) in enumerate(each):
        expected = reference.target_interval(low, [sum(pair) for pair in e])
        assert (-found.high[k], -found.low[k]) == expected
    tenths = replace(b, fp_diff=0.1 * b.fp_diff, fn_diff=0.1 * b.fn_diff)
    np.testing.assert_array_equal(tenths.target_intervals.low, found.low)


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
