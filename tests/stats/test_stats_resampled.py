from math import isnan, sqrt

import numpy as np
import pytest
from equal_methods import equal_methods
from nights import first
from numpy.testing import assert_allclose
from scipy.stats import binom, t, ttest_1samp

from aucbench.errors import DataError, ParameterError
from aucbench.metrics import auc
from aucbench.stats import Word, corrected_difference, corrected_interval
from aucbench.stats.resampled import Splits

NAN = float("nan")


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_without_overlap_it_is_the_t_test(level):
    values = np.random.default_rng(0).normal(0.8, 0.02, size=12)
    plain = ttest_1samp(values, 0.79)
    found = corrected_difference(values, np.full(12, 0.79), 1e-15, level)
    interval = plain.confidence_interval(level)
    assert_allclose([found.p, found.estimate], [plain.pvalue, values.mean() - 0.79], rtol=1e-10)
    assert_allclose([found.low, found.high], np.array([*interval]) - 0.79, atol=1e-12)


def test_by_hand():
    """Five folds: the variance of the mean is s^2 (1/5 + 1/4), not s^2 / 5."""
    values = [0.80, 0.82, 0.84, 0.86, 0.88]
    s = sqrt((2 * 0.04**2 + 2 * 0.02**2) / 4)
    half = 2.7764451051977987 * s * sqrt(0.2 + 0.25)
    found = corrected_interval(values, 1 / 4)
    assert_allclose([found.estimate, found.low, found.high], [0.84, 0.84 - half, 0.84 + half])
    other = corrected_difference(values, [0.8] * 5, 1 / 4)
    assert_allclose(other.p, 2 * t.sf(0.04 / (s * sqrt(0.45)), 4))
    assert found.note == other.note == ""


def test_repeats_count_as_one():
    """They make s better known and bring no row: s^2 (1/5 + 1/4) with 9 degrees of freedom."""
    values = [0.02, 0.03, 0.01, 0.04, 0.025]
    one = corrected_difference(values, np.zeros(5), 1 / 4)
    assert_allclose([one.estimate, one.p], [0.025, 0.02902], atol=5e-6)
    assert_allclose(one.high - one.estimate, 2.7764451 * 0.0075, rtol=1e-7)
    twice = [*values, *values[::-1]]
    two = corrected_difference(twice, np.zeros(10), 1 / 4, repeats=2)
    assert_allclose([two.estimate, two.p], [0.025, 0.006358], atol=5e-7)
    assert_allclose(two.high - two.estimate, 2.2621572 * 0.00707107, rtol=1e-6)
    assert_allclose(corrected_difference(twice, np.zeros(10), 1 / 4).p, 0.003069, atol=5e-7)
    interval = corrected_interval(twice, 1 / 4, repeats=2)
    assert_allclose([interval.low, interval.high], [two.low, two.high], rtol=1e-12)


@pytest.mark.parametrize(
    ("tests", "multiples"),
    [
        (1, [1.86, 1.52, 1.39, 1.35, 1.32]),  # one pair
        (2, [2.34, 1.80, 1.60, 1.55]),  # the star of five solvers, one-sided
        (10, [3.75, 2.48, 2.07, 1.97, 1.90]),
    ],
)
def test_five_repeats_bring_nearly_all_that_repeats_can(tests, multiples):
    """How many standard deviations of five folds a difference must exceed."""
    values = np.array([-1.0, 0.5, 1.0, -0.5, 0.0])
    splits = Splits.of(values, 1 / 4)
    level = 1 - 0.05 / tests
    found = [splits.repeated(r).half(level) / splits.sd for r in (1, 2, 5, 10, 50)]
    assert_allclose(found[: len(multiples)], multiples, atol=0.006)


def test_splits_that_are_missing_shorten_the_repeats():
    values = [0.8, NAN, 0.9, 0.85, 0.82, 0.84]
    half = corrected_interval(values, 1 / 2, repeats=2).high - 0.842
    s = np.nanstd(values, ddof=1)
    assert_allclose(half, t.ppf(0.975, 4) * s * sqrt(1 / 2.5 + 1 / 2))
    few = corrected_interval([0.8, 0.9, NAN, NAN, NAN, NAN], 1 / 2, repeats=3)  # never below a fold
    assert_allclose(few.high - 0.85, t.ppf(0.975, 1) * np.std([0.8, 0.9], ddof=1) * sqrt(1.5))


def test_equal_differences_are_no_certainty():
    a, b = np.array([0.9, 0.8, 0.7]), np.array([0.8, 0.7, 0.6])
    assert np.ptp(a - b) > 0  # rounding
    found = corrected_difference(a, b, 0.25)
    assert isnan(found.p)
    assert found.word() is Word.UNCLEAR
    same = corrected_difference(a, a, 0.25)
    assert (same.estimate, same.p) == (0, 1)
    assert same.word() is Word.UNCLEAR
    assert same.note == "The splits all have the same value."


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: corrected_difference([1, 2], [1, 2, 3], 0.25), DataError, r"\(2,\) and the other"),
        (lambda: corrected_interval([[1.0, 2.0]], 0.25), DataError, "vector of finite numbers"),
        (lambda: corrected_interval([1.0, np.inf], 0.25), DataError, "vector of finite numbers"),
        (lambda: corrected_difference([1.0, np.inf], [1.0, np.inf], 0.25), DataError, "finite"),
        *(
            (
                lambda ratio=ratio: corrected_interval([0.8, 0.9], ratio),
                ParameterError,
                "ratio must",
            )
            for ratio in (0.0, -1.0, NAN)
        ),
        (lambda: corrected_interval([0.8, 0.9], 0.25, 95), ParameterError, "level must be in"),
        (lambda: corrected_interval([0.8], 0.25, repeats=0), ParameterError, "repeats must be"),
    ],
)
def test_what_is_refused(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_pos", first([50, 10, 500]))
def test_type_one_error_over_folds(n_pos, ties):
    """Nothing proves that the corrected test keeps its level. Over five folds it does.

    The plain t-test rejects in twice as many cases at least.
    """
    rng, replicates = np.random.default_rng(1), 300
    rejected = plain = 0
    for _ in range(replicates):
        found = np.array(
            [
                [auc(y, np.round(scores) if ties else scores) for scores in both]
                for _, y, *both in equal_methods(rng, n_pos, 5)
            ]
        )
        rejected += corrected_difference(*found.T, 1 / 4).p < 0.05
        plain += corrected_difference(*found.T, 1e-15).p < 0.05
    _, high = binom.interval(0.999, replicates, 0.05)
    assert rejected <= high
    assert plain >= 2 * max(1, rejected)
