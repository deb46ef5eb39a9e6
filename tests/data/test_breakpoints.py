"""Breakpoints: constructors, the order they keep, and the labels behind them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sequences import breakpoints

from aucbench.data.breakpoints import Breakpoints

INF = np.inf
# Two examples: errors (fp, fn) on intervals of the log penalty.
EXAMPLE = [0, 0, 0, 1, 1]
LOW = [-INF, 1.0, 2.0, -INF, -1.0]
HIGH = [1.0, 2.0, INF, -1.0, INF]
FP = [3, 1, 1, 2, 0]
FN = [0, 0, 4, 1, 1]


def columns(b):
    return list(zip(b.example, b.value, b.fp_diff, b.fn_diff, strict=True))


def test_labels_as_counts_and_as_rates():
    counts = Breakpoints.of_labels([1, 0, 0], "count")
    assert columns(counts) == [(0, 0, 0, -1), (1, 0, 1, 0), (2, 0, 1, 0)]
    assert (counts.n, counts.sides.rates) == (3, False)
    rates = Breakpoints.of_labels(np.array([True, False, False]))
    assert columns(rates) == [(0, 0, 0, -1), (1, 0, 0.5, 0), (2, 0, 0.5, 0)]
    assert (rates.sides.rates, rates.sides.n_pos) == (True, 1)
    np.testing.assert_array_equal(rates.sides.y, [1, -1, -1])


@pytest.mark.parametrize(
    "b",
    [
        breakpoints([0, 1], [0, 1], [0, 1], [-1, 0], 2),
        breakpoints([0, 1], [0, 0], [0, 1], [-1, 0], 3),
        breakpoints([0, 1, 2], [0, 0, 0], [0, 1, 1], [-0.5, 0, 0], 3),
        breakpoints([0, 0], [0, 1], [0, 1], [-1, 0], 2),
        breakpoints([0, 1], [0, 0], [0.5, 0.5], [0, 0], 2),  # rates, but of one class
    ],
)
def test_no_labels_behind_other_breakpoints(b):
    assert b.sides is None


def test_penalties_become_changes_at_minus_log_lambda():
    b = Breakpoints.of_penalties(EXAMPLE, LOW, FP, FN, max_log_lambda=HIGH, denominator="count")
    assert columns(b) == [(0, -2, 0, -4), (0, -1, 2, 0), (1, 1, 2, 0)]
    np.testing.assert_array_equal(b.fp_base, [1, 0])
    np.testing.assert_array_equal(b.fn_base, [0, 1])
    np.testing.assert_array_equal(b.fp_possible, [3, 2])  # the most on an interval
    np.testing.assert_array_equal(b.fn_possible, [4, 1])
    rates = Breakpoints.of_penalties(EXAMPLE, LOW, FP, FN)
    assert columns(rates) == [(0, -2, 0, -1), (0, -1, 0.5, 0), (1, 1, 0.5, 0)]
    np.testing.assert_array_equal(rates.fp_base, [0.25, 0])
    np.testing.assert_array_equal(rates.fn_base, [0, 0.25])


@given(st.data())
def test_errors_in_any_order_come_back_as_bases_and_differences(data):
    n = data.draw(st.integers(1, 4))
    intervals = []
    for e in range(n):
        low = [-INF, *sorted({*data.draw(st.lists(st.integers(-5, 5), max_size=5))})]
        intervals += [
            (e, m, data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))) for m in low
        ]
    e, m, fp, fn = np.array(data.draw(st.permutations(intervals)), dtype=float).T
    b = Breakpoints.of_penalties(e.astype(int), m, fp, fn, denominator="count")

    for k in range(len(intervals)):
        mine = b.example == e[k]
        inside = -m[k] - 0.5 if np.isfinite(m[k]) else INF  # between whole numbers
        below = mine & (b.value < inside)
        assert b.fp_base[int(e[k])] + b.fp_diff[below].sum() == fp[k]
        assert b.fn_base[int(e[k])] - b.fn_diff[mine & ~below].sum() == fn[k]
