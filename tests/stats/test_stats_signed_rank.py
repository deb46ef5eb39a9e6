from itertools import product
from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nights import first
from scipy.stats import PermutationMethod, binomtest, rankdata, wilcoxon

from aucbench.errors import DataError, ParameterError
from aucbench.stats.signed_rank import (
    critical,
    signed_rank,
    signed_rank_rows,
    smallest_n,
    without_each,
)

GRID = st.sampled_from([-inf, -0.03, -0.02, -0.01, 0.0, 0.01, 0.02, 0.05, inf])


def naive_p(d):
    """Share of all sign flips that are at least as far from the middle."""
    ranks = rankdata(np.abs(d))
    signs = np.array([*product((-1.0, 1.0), repeat=len(d))])
    sums = signs * np.sign(np.abs(d)) @ ranks
    found = np.sign(d) @ ranks
    return np.mean(np.abs(sums) >= abs(found) - 1e-9)


def normal(n, mean, decimals=None):
    d = np.random.default_rng(n).normal(mean, 1.0, n)
    return d if decimals is None else np.round(d, decimals)


ZEROS = np.array([-0.01, -0.01, 0.01, 0.0, 0.02, 0.02, 0.0, 0.03, 0.01, 0.02])


@pytest.mark.parametrize(
    ("d", "method"),
    [
        *((normal(n, 0.4), "exact") for n in (1, 2, 5, 6, 9, 20, 50)),  # without ties
        *((normal(n, 0.2, k), "asymptotic") for n in (51, 60, 200) for k in (1, 6)),
        (ZEROS, PermutationMethod(n_resamples=10**5)),  # all of them
    ],
)
def test_the_p_value_is_that_of_scipy(d, method):
    expected = wilcoxon(d, zero_method="pratt", method=method).pvalue
    assert signed_rank(d).p == pytest.approx(expected, rel=1e-9)


@given(st.lists(GRID, min_size=1, max_size=9))
def test_the_p_value_is_the_share_of_sign_flips(d):
    assert signed_rank(d).p == pytest.approx(naive_p(np.array(d)), abs=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=7, max_size=12, unique=True))
def test_the_interval_holds_the_differences_that_the_test_does_not_reject(d):
    found = signed_rank(d)
    for shift, rejected in (
        (found.low - 1e-7, True),
        (found.low + 1e-7, False),
        (found.high - 1e-7, False),
        (found.high + 1e-7, True),
    ):
        moved = np.array(d) - shift
        averages = (moved[:, None] + moved)[np.triu_indices(len(d))] / 2
        if found.high - found.low > 1e-6 and np.abs(averages).min() > 1e-9:
            positive = np.count_nonzero(averages > 0)
            least = min(positive, averages.size - positive)
            assert bool(least <= critical(len(d), 0.05)) is rejected


OPEN = [0, -0.5, -1, -1, -1.5, -1.5, -1.5, -1.5, 0.5, 0, 0.5, -0.5, 0]


def test_an_interval_does_not_hold_a_0_that_the_test_rejects():
    found = signed_rank([0, -0.5, 0, -0.5, -1.5, -1, -1, -0.5, 0])
    assert (found.estimate, found.low, found.high, found.p) == (-0.5, -1.0, -0.25, 0.03125)
    assert not found.open
    found = signed_rank(OPEN)
    assert (found.estimate, found.low, found.high, found.open) == (-0.5, -1.25, 0.0, True)
    assert found.p == pytest.approx(0.02539, abs=5e-6)
    assert found.ends() == ("-1.2500", "below 0")
    assert found.flipped().ends() == ("above 0", "+1.2500")
    assert signed_rank([1.0, 2.0, 3.0, 4.0, 5.0, 9.0]).ends() == ("+1.0000", "+9.0000")


def accepts(d, theta):
    return naive_p(np.array(d) - theta) > 0.05


@pytest.mark.parametrize("unit", [1.0, 0.1, 1e-3])
@given(st.lists(st.sampled_from([-3, -2, -1, 0, 1]), min_size=6, max_size=10))
def test_an_end_beside_0_is_where_the_test_begins_to_accept(unit, d):
    found = signed_rank([unit * x for x in d])
    if found.p > 0.05 or isnan(found.low):
        assert not found.open
        return
    assert not found.low < 0 < found.high
    if found.open:
        side = 1e-4 if found.high > 0 else -1e-4
        assert accepts(d, side)
    elif found.low == found.high == 0:  # no value at all is accepted
        assert not any(accepts(d, theta) for theta in np.arange(-3.13, 1.2, 0.25))


def test_a_failure_loses_by_more_than_anything():
    d = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07]
    for far in (inf, 1e300):
        found = signed_rank([*d, -far])
        assert found.p == signed_rank([*d, -1.0]).p
        assert found.estimate == pytest.approx(0.035)
    assert signed_rank([*d, -inf]).low == -inf
    assert signed_rank([inf] * 6).estimate == inf
    assert signed_rank([inf, -inf]).estimate == 0.0


def test_too_few_differences_have_no_interval_and_say_so_and_equal_ones_are_equivalent():
    found = signed_rank([0.1, 0.2, 0.3, 0.4, 0.5])
    assert isnan(found.low)
    assert found.note == "An interval of level 0.95 takes at least 6 data sets; here are 5."
    assert found.p == pytest.approx(2 / 32)
    nothing = signed_rank([])
    assert isnan(nothing.estimate)
    assert isnan(nothing.p)
    assert "No data set" in nothing.note
    same = signed_rank([0.0] * 8)
    assert (same.word(), same.p) == ("equivalent", 1.0)


@given(st.lists(GRID, min_size=2, max_size=12))
def test_leaving_each_out_at_once_is_leaving_them_out_one_by_one(d):
    found = without_each(d)
    assert len(found) == len(d)
    for i, difference in enumerate(found):
        assert repr(difference) == repr(signed_rank(np.delete(d, i)))


def test_critical_values_are_those_of_the_table():
    # Wilcoxon's table for two-sided tests at .05 and .01
    assert [critical(n, 0.05) for n in (5, 6, 7, 8, 10, 15, 20, 30)] == [
        *(-1, 0, 2, 3, 8, 25, 52, 137),
    ]
    assert [critical(n, 0.01) for n in (7, 8, 10, 20)] == [-1, 0, 3, 37]
    assert (smallest_n(0.05), smallest_n(0.05 / 10)) == (6, 9)


def test_what_makes_no_sense_is_refused():
    for d in ([0.1, np.nan], [[0.1], [0.2]]):
        with pytest.raises(DataError, match="without NaN"):
            signed_rank(d)
    with pytest.raises(ParameterError, match="level"):
        signed_rank([0.1] * 9, level=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("n", first([14, 6, 7, 30, 60]))
@pytest.mark.parametrize("decimals", [None, 0])
def test_size_and_coverage_on_null_data(n, decimals):
    """Rejections are as many as the discrete test can have; with ties (decimals 0) no more."""
    rng, draws = np.random.default_rng(n), 2000
    d = rng.standard_t(4, (draws, n))
    if decimals is not None:
        d = np.round(d, decimals)
    found = [signed_rank(row) for row in d]
    wrong = sum(one.p < 0.05 for one in found)
    missed = sum(not one.low <= 0.0 <= one.high for one in found)
    if decimals is None:
        attained = attained_size(n, critical(n, 0.05))
        assert binomtest(wrong, draws, attained).pvalue > 1e-3
        assert binomtest(missed, draws, attained).pvalue > 1e-3
    else:
        assert binomtest(wrong, draws, 0.05, alternative="greater").pvalue > 1e-3
        assert binomtest(missed, draws, 0.05, alternative="greater").pvalue > 1e-3


def attained_size(n, cut):
    """2 P(T <= cut), by counting the subsets of the ranks 1 to n with a sum of at most cut."""
    ways = np.zeros(cut + 1)
    ways[0] = 1.0
    for rank in range(1, min(n, cut) + 1):
        ways[rank:] += ways[: ways.size - rank].copy()
    return 2.0 * ways.sum() / 2.0**n


def test_many_rows_at_once_are_the_same_as_each_alone():
    rng = np.random.default_rng(5)
    rows = rng.normal(0.3, 1.0, (40, 17)).round(1)  # ties and zeros
    rows[:5, 3] = inf
    together = signed_rank_rows(rows)
    assert together == [signed_rank(row) for row in rows]
    assert len({one.p for one in together}) > 20
