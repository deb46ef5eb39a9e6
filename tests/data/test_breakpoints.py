"""Breakpoints: constructors, the order they keep, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sequences import breakpoints

from aucbench.data.breakpoints import Breakpoints
from aucbench.errors import AucbenchError, DataError

INF = np.inf
# Two examples: errors (fp, fn) on intervals of the log penalty.
EXAMPLE = [0, 0, 0, 1, 1]
LOW = [-INF, 1.0, 2.0, -INF, -1.0]
HIGH = [1.0, 2.0, INF, -1.0, INF]
FP = [3, 1, 1, 2, 0]
FN = [0, 0, 4, 1, 1]


def columns(b):
    return list(zip(b.example, b.value, b.fp_diff, b.fn_diff, strict=True))


def test_labels_as_counts():
    b = Breakpoints.of_labels([1, 0, 0], "count")

    assert columns(b) == [(0, 0, 0, -1), (1, 0, 1, 0), (2, 0, 1, 0)]
    assert b.n == 3
    assert b.sides.rates is False


def test_labels_as_rates():
    b = Breakpoints.of_labels(np.array([True, False, False]))

    assert columns(b) == [(0, 0, 0, -1), (1, 0, 0.5, 0), (2, 0, 0.5, 0)]
    assert b.sides.rates is True
    assert b.sides.n_pos == 1
    np.testing.assert_array_equal(b.sides.y, [1, -1, -1])


@pytest.mark.parametrize(
    "b",
    [
        breakpoints([0, 1], [0, 1], [0, 1], [-1, 0], 2),
        breakpoints([0, 1], [0, 0], [0, 1], [-1, 0], 3),
        breakpoints([0, 1], [0, 0], [0, 2], [-1, 0], 2),
        breakpoints([0, 1], [0, 0], [1, 1], [-1, 0], 2),
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


def test_possible_errors_are_those_given():
    order = [4, 1, 0, 3, 2]
    arrays = (np.array(x)[order] for x in (EXAMPLE, LOW, FP, FN))
    most = {"possible_fp": np.array([5, 5, 5, 2, 2])[order]}

    b = Breakpoints.of_penalties(*arrays, **most, denominator="count")

    np.testing.assert_array_equal(b.fp_possible, [5, 2])
    np.testing.assert_array_equal(b.fn_possible, [4, 1])
    np.testing.assert_array_equal(b.take(np.array([1], np.int32)).fp_possible, [2])
    assert b.possible == (7, 5)
    np.testing.assert_array_equal(b.rates.fp_possible, [5 / 4, 2 / 4])
    assert not b.is_complete


def test_penalties_as_rates():
    b = Breakpoints.of_penalties(EXAMPLE, LOW, FP, FN)

    assert columns(b) == [(0, -2, 0, -1), (0, -1, 0.5, 0), (1, 1, 0.5, 0)]
    np.testing.assert_array_equal(b.fp_base, [0.25, 0])
    np.testing.assert_array_equal(b.fn_base, [0, 0.25])


@given(st.permutations(range(len(EXAMPLE))))
def test_intervals_come_in_any_order(order):
    arrays = (np.array(x)[list(order)] for x in (EXAMPLE, LOW, FP, FN))

    found, plain = Breakpoints.of_penalties(*arrays), Breakpoints.of_penalties(EXAMPLE, LOW, FP, FN)

    assert columns(found) == columns(plain)
    np.testing.assert_array_equal(found.fp_base, plain.fp_base)
    np.testing.assert_array_equal(found.fn_base, plain.fn_base)


@given(st.data())
def test_errors_come_back_as_bases_and_differences(data):
    n = data.draw(st.integers(1, 4))
    rows = []
    for e in range(n):
        low = [-INF, *sorted({*data.draw(st.lists(st.integers(-5, 5), max_size=5))})]
        rows += [(e, m, data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))) for m in low]
    e, m, fp, fn = np.array(rows, dtype=float).T
    b = Breakpoints.of_penalties(e.astype(int), m, fp, fn, denominator="count")

    for k in range(len(rows)):
        mine = b.example == e[k]
        inside = -m[k] - 0.5 if np.isfinite(m[k]) else INF  # between whole numbers
        below = mine & (b.value < inside)
        assert b.fp_base[int(e[k])] + b.fp_diff[below].sum() == fp[k]
        assert b.fn_base[int(e[k])] - b.fn_diff[mine & ~below].sum() == fn[k]


def penalties(**changed):
    named = {"example": EXAMPLE, "min_log_lambda": LOW, "fp": FP, "fn": FN, **changed}
    return Breakpoints.of_penalties(**named)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"min_log_lambda": [-INF, 1, 2, -2, -1]},
            r"example 1 begins at min_log_lambda -2\.0; add",
        ),
        ({"min_log_lambda": [-INF, 2, 2, -INF, -1]}, r"example 0 has two intervals .* at 2\.0;"),
        ({"min_log_lambda": [-INF, 1, 2, -INF, -INF]}, "example 1 has two intervals .* at -inf"),
        ({"min_log_lambda": [-INF, 1, INF, -INF, 0]}, "example 0 has an interval .* at inf"),
        ({"min_log_lambda": [-INF, 1, np.nan, -INF, 0]}, "min_log_lambda has NaN in entry 2"),
        ({"max_log_lambda": [1, 3, INF, -1, INF]}, r"example 0 .* from 1\.0 to 3\.0, .* at 2\.0;"),
        ({"max_log_lambda": [1, 2, INF, -1, 7]}, r"example 1 .* from -1\.0 to 7\.0, .* at inf;"),
        ({"example": [0, 0, 0, 2, 2]}, "example 1 has no interval"),
        ({"example": [0.0, 0.0, 0.0, 1.0, 1.0]}, "type float64"),
        ({"example": [0, 0, 0, -1, -1]}, "an example number -1"),
        ({"fp": [3, 1, -1, 2, 0]}, r"example 0 has fp = -1\.0"),
        ({"fn": [0, 0, 4, INF, 1]}, "example 1 has fn = inf"),
        ({"fn": FN[:4]}, r"fn has shape \(4,\)"),
        ({"fn": [1] * 5}, "fn changes by 0.0"),
        (
            {"possible_fp": [3, 3, 2, 2, 2]},
            r"example 0 has two numbers in possible_fp: fp = 1\.0, possible_fp = 2\.0;",
        ),
        (
            {"possible_fn": [3, 3, 3, 1, 1]},
            r"example 0 has more fn than possible_fn: fn = 4\.0, possible_fn = 3\.0;",
        ),
        ({"possible_fn": [INF] * 5}, "example 0 has more fn than possible_fn"),
        ({"possible_fp": [3, 3]}, r"possible_fp has shape \(2,\)"),
    ],
)
def test_intervals_that_do_not_tile_the_line_are_refused(changed, sentence):
    with pytest.raises(DataError, match=sentence):
        penalties(**changed)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (([2], [0], [1], [0]), r"example numbers run from 2 to 2, but there are 2 examples"),
        (([0], [INF], [1], [0]), "breakpoint 0 is infinite"),
        (([0], [np.nan], [1], [0]), "value has NaN in entry 0"),
    ],
)
def test_columns_that_cannot_be_errors_are_refused(columns, sentence):
    with pytest.raises(DataError, match=sentence):
        breakpoints(*columns, 2)


def test_a_record_out_of_order_is_refused():
    zeros = np.zeros(2)
    ends = [zeros] * 4
    for example, value in (([1, 0], [0, 0]), ([0, 0], [0, 0]), ([0, 0], [1, 0])):
        with pytest.raises(DataError, match="out of order"):
            Breakpoints(np.array(example, np.int32), np.array(value), zeros, zeros, 2, *ends)
    with pytest.raises(DataError, match="int32"):
        Breakpoints(np.array([0, 1]), zeros, zeros, zeros, 2, *ends)


def test_rates_of_one_class_are_refused():
    with pytest.raises(DataError, match="2 of 2 labels are positive"):
        Breakpoints.of_labels([1, 1])


def test_strange_labels_are_refused():
    with pytest.raises(AucbenchError, match="a label 2"):
        Breakpoints.of_labels([0, 1, 2])
