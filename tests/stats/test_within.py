"""Verdicts on one data set: corrected t-tests over splits, Holm, words, and their rates."""

from math import isnan, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import t, ttest_1samp

from aucbench.metrics import auc, measure
from aucbench.stats import (
    Difference,
    Fold,
    SplitTest,
    Word,
    auc_difference,
    auc_interval,
    corrected_difference,
    corrected_interval,
    holm,
)
from aucbench.stats.within import NO_VARIANCE

NAN = float("nan")
SIGNALS = {"good": 2.0, "fair": 1.0, "twin": 1.0, "none": 0.0}


@pytest.mark.parametrize(
    ("effect", "low", "high", "p", "level", "word"),
    [
        (0.02, 0.01, 0.03, 0.001, 0.95, Word.BETTER),
        (-0.02, -0.03, -0.01, 0.001, 0.95, Word.WORSE),
        (0.001, -0.002, 0.004, 0.4, 0.95, Word.EQUIVALENT),
        (0.003, 0.001, 0.005, 0.001, 0.95, Word.EQUIVALENT),  # certain, and too small
        (0.01, -0.01, 0.03, 0.3, 0.95, Word.UNCLEAR),
        (0.02, 0.01, 0.03, 0.05, 0.95, Word.UNCLEAR),
        (0.0, NAN, NAN, NAN, 0.95, Word.UNCLEAR),
        (0.3, NAN, NAN, NAN, 0.95, Word.UNCLEAR),
        (NAN, NAN, NAN, NAN, 0.95, Word.UNCLEAR),
        (0.02, 0.0, 0.04, 0.04, 0.9, Word.BETTER),
    ],
)
def test_the_word_of_a_difference(effect, low, high, p, level, word):
    assert Difference(effect, low, high, p, level, "by hand").word() is word


def naive_holm(p):
    """Step down: the j-th smallest of m values is multiplied by m - j + 1, and never falls."""
    known = sorted((value, i) for i, value in enumerate(p) if value == value)
    adjusted, largest = [NAN] * len(p), 0.0
    for j, (value, i) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - j) * value))
        adjusted[i] = largest
    return adjusted


@pytest.mark.parametrize("seed", range(20))
def test_holm_agrees_with_stepping_down(seed):
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(size=rng.integers(0, 12)) ** 3, 2)  # rounded: with ties
    p[rng.uniform(size=p.size) < 0.2] = NAN
    assert_array_equal(holm(p), naive_holm(p.tolist()))
    assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])  # of a textbook


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_without_overlap_it_is_the_t_test(level):
    values = np.random.default_rng(0).normal(0.8, 0.02, size=12)
    plain = ttest_1samp(values, 0.79)
    found = corrected_difference(values, np.full(12, 0.79), 1e-15, level)
    interval = plain.confidence_interval(level)
    assert_allclose([found.p, found.estimate], [plain.pvalue, values.mean() - 0.79], rtol=1e-10)
    assert_allclose([found.low, found.high], np.array([*interval]) - 0.79, atol=1e-12)


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
    found, same = corrected_difference(a, b, 0.25), corrected_difference(a, a, 0.25)
    assert isnan(found.p)
    assert (same.estimate, same.p) == (0, 1)
    assert found.word() is same.word() is Word.UNCLEAR
    assert same.note == "The splits all have the same value."


@pytest.fixture
def folds():
    """Four solvers on five folds; twin orders the rows almost as fair does."""
    rng = np.random.default_rng(0)
    found = {name: {} for name in SIGNALS}
    for fold in range(5):
        y = rng.permutation(np.repeat([1, 0], [300, 500]))
        noise = rng.normal(size=y.size)
        for name, signal in SIGNALS.items():
            own = rng.normal(size=y.size) * (0.01 if name == "twin" else 0.0)
            found[name][0, fold] = Fold(y, signal * y + noise + own)
    return found


def stars(found):
    return {solver.name for solver in found.solvers if solver.not_worse}


def test_it_puts_together_what_its_parts_say_and_a_verdict_is_what_both_variances_support(folds):
    found = SplitTest(ratio=0.25, level=0.9).of_rows(folds)
    assert [solver.name for solver in found.solvers] == list(SIGNALS)
    values = {}
    for solver in found.solvers:
        rows = list(folds[solver.name].values())
        values[solver.name] = [auc(fold.positive, fold.scores) for fold in rows]
        assert_allclose(solver.values, values[solver.name], rtol=1e-14)
        assert solver.delong == auc_interval(rows, 0.9)
        assert solver.resampled == corrected_interval(solver.values, 0.25, 0.9)
        assert solver.missing == 0
    assert len(found.pairs) == 6
    for pair in found.pairs:
        verdict, by_rows, by_splits = pair.verdict, pair.delong, pair.resampled
        assert by_rows == auc_difference(*([*folds[x].values()] for x in (pair.a, pair.b)), 0.9)
        expected = corrected_difference(values[pair.a], values[pair.b], 0.25, 0.9)
        assert_allclose([by_splits.low, by_splits.p], [expected.low, expected.p], rtol=1e-9)
        assert verdict.low == min(by_rows.low, by_splits.low)
        assert verdict.high == max(by_rows.high, by_splits.high)
        assert (verdict.p, verdict.level) == (max(by_rows.p, by_splits.p), 0.9)
        assert verdict.method == "DeLong, paired, mixture beta and corrected resampled t"
        assert_allclose(by_rows.estimate, by_splits.estimate, rtol=1e-9, atol=1e-15)
    adjusted = [pair.adjusted_p for pair in found.pairs]
    assert_array_equal(adjusted, holm([pair.verdict.p for pair in found.pairs]))


def test_the_words_and_the_best(folds):
    found = SplitTest(ratio=0.25).of_rows(folds)
    assert found.best == "good"
    assert found.pair("good", "fair").word is Word.BETTER
    assert found.pair("none", "fair").word is Word.WORSE
    assert found.pair("fair", "twin").word is Word.EQUIVALENT
    assert stars(found) == {"good"}
    del folds["good"]
    assert stars(SplitTest(ratio=0.25).of_rows(folds)) == {"fair", "twin"}
    strict, lax = (SplitTest(ratio=0.25, rope=rope).of_rows(folds) for rope in (0.0, 0.5))
    assert strict.pair("fair", "twin").word is Word.UNCLEAR
    assert lax.pair("none", "fair").word is Word.EQUIVALENT


def test_one_split_has_delongs_verdict_alone(folds):
    one = {name: {(0, 0): of[0, 0]} for name, of in folds.items()}
    pair = SplitTest(ratio=0.25).of_rows(one).pair("good", "fair")
    assert (pair.verdict.low, pair.verdict.p) == (pair.delong.low, pair.delong.p)
    assert pair.verdict.note == "A variance over splits needs two of them."
    assert pair.word is Word.BETTER


def test_another_measure_has_the_variance_over_splits_alone(folds):
    found = SplitTest(ratio=0.25, by=measure("ap")).of_rows(folds)
    for solver in found.solvers:
        rows = folds[solver.name].values()
        expected = [measure("ap")(fold.positive, fold.scores) for fold in rows]
        assert_allclose(solver.values, expected, rtol=1e-14)
        assert isnan(solver.delong.low)
        assert solver.delong.note == NO_VARIANCE
        assert_allclose(solver.delong.estimate, solver.resampled.estimate)
    pair = found.pair("good", "fair")
    assert (pair.verdict.low, pair.verdict.p) == (pair.resampled.low, pair.resampled.p)
    assert pair.word is Word.BETTER


def test_missing_splits_are_counted_and_common_ones_compared(folds):
    del folds["good"][0, 1], folds["good"][0, 3]
    rows = folds["none"][0, 4].positive
    for name in folds:  # a fold of one class, for all
        folds[name][0, 4] = Fold(np.ones(rows.size), folds[name][0, 4].scores)
    found = SplitTest(ratio=0.25).of_rows(folds)
    good, fair, *_ = found.solvers
    assert (good.missing, fair.missing) == (3, 1)
    assert_array_equal(np.isnan(good.values), [False, True, False, True, True])
    assert good.resampled.note == "3 of 5 splits have no value."
    assert good.delong.note == "1 of 3 folds hold one class."
    assert found.best in {"fair", "twin"}  # good has fewer values
    common = [(0, 0), (0, 2)]
    expected = auc_difference(*([folds[x][split] for split in common] for x in ("good", "fair")))
    pair = found.pair("good", "fair")
    assert (pair.delong.estimate, pair.delong.p) == (expected.estimate, expected.p)
    assert pair.resampled.note == "3 of 5 splits have no value."
    assert_allclose(pair.resampled.estimate, pair.delong.estimate, rtol=1e-12)


def test_a_solver_that_failed_everywhere_keeps_its_place(folds):
    for alone in ({}, {"failed": {}}):
        nothing = SplitTest(ratio=0.25).of_rows(alone)
        assert (nothing.best, nothing.pairs) == (None, ())
    found = SplitTest(ratio=0.25).of_rows({**folds, "failed": {}})
    failed, pair = found.solvers[-1], found.pair("good", "failed")
    assert (failed.name, failed.missing, failed.not_worse) == ("failed", 5, False)
    assert (found.best, pair.word) == ("good", Word.UNCLEAR)
    for number in (failed.delong.estimate, failed.resampled.estimate, pair.adjusted_p):
        assert isnan(number)
    for other in SplitTest(ratio=0.25).of_rows(folds).pairs:
        assert found.pair(other.a, other.b) == other  # what could not be tested does not count


def test_repeats_share_their_rows(folds):
    twice = {
        name: {(repeat, fold): rows for repeat in range(2) for (_, fold), rows in of.items()}
        for name, of in folds.items()
    }
    one, two = SplitTest(ratio=0.25).of_rows(folds), SplitTest(ratio=0.25, repeats=2).of_rows(twice)
    for a, b in zip(one.solvers, two.solvers, strict=True):
        assert_allclose([b.delong.low, b.delong.high], [a.delong.low, a.delong.high], rtol=1e-10)
        assert b.resampled == corrected_interval(b.values, 0.25, repeats=2)
    for a, b in zip(one.pairs, two.pairs, strict=True):
        assert b.resampled.p <= a.resampled.p  # only the degrees of freedom have changed


FOLDS = np.array([-1.0, 0.5, 1.0, -0.5, 0.0]) / np.sqrt(0.625)  # mean 0, standard deviation 1


def by_values(repeats=1, **means_and_deviations):
    """Solvers by the mean and the standard deviation of five folds; the first one is constant."""
    values = {
        name: np.tile(mean + sd * FOLDS, repeats)
        for name, (mean, sd) in means_and_deviations.items()
    }
    return SplitTest(ratio=0.25, repeats=repeats).of_values(values)


TURNED = {Word.BETTER: Word.WORSE, Word.PROBABLY_BETTER: Word.PROBABLY_WORSE}


@pytest.mark.parametrize(
    ("multiple", "repeats", "alone", "among"),
    [  # of standard deviations: own p < .05 from 1.86, with ten pairs from 3.75 (Bonferroni)
        (3.9, 1, Word.BETTER, Word.BETTER),
        (3.6, 1, Word.BETTER, Word.PROBABLY_BETTER),
        (1.8, 1, Word.NOT_YET, Word.NOT_YET),
        (1.3, 1, Word.UNCLEAR, Word.UNCLEAR),
        (1.3, 5, Word.UNCLEAR, Word.UNCLEAR),
        (2.3, 5, Word.BETTER, Word.BETTER),
        (2.0, 5, Word.BETTER, Word.PROBABLY_BETTER),
    ],
)
def test_the_words_of_one_table(multiple, repeats, alone, among):
    deviation = 0.02 * np.sqrt((5 * repeats - 1) / (4 * repeats))  # .02 of all values together
    other = (0.8 - 0.02 * multiple, deviation)
    [pair] = by_values(repeats, best=(0.8, 0.0), b=other).pairs
    assert pair.word is alone
    five = by_values(repeats, best=(0.8, 0.0), **dict.fromkeys("bcde", other))
    assert (five.tests, five.pairs[0].word) == (10, among)
    assert five.pair("b", "best").word is TURNED.get(among, among)


def test_a_star_is_lost_to_one_of_the_others_and_not_to_equivalent_or_failed_ones():
    # Of one standard deviation, with one repeat: a star of five is lost from 2.34.
    for multiple, kept in ((2.5, "a"), (2.2, "abcde")):
        five = by_values(a=(0.8, 0.0), **dict.fromkeys("bcde", (0.8 - 0.02 * multiple, 0.02)))
        assert stars(five) == {*kept}
        assert {five.pair("a", name).word for name in "bcde"} == {Word.PROBABLY_BETTER}
    found = by_values(a=(0.8, 0.0), b=(0.799, 0.0002), c=(0.7, 0.01))
    assert found.pair("a", "b").word is Word.EQUIVALENT
    assert stars(found) == {"a", "b"}
    values = {"failed": 0.9 + 0.001 * FOLDS, "whole": 0.8 + 0.0 * FOLDS}
    values["failed"][4] = NAN
    found = SplitTest(ratio=0.25).of_values(values)
    assert found.pair("failed", "whole").word is Word.BETTER
    assert (found.best, stars(found)) == ("whole", {"failed", "whole"})


def test_who_may_be_the_best_of_several_data_sets_at_once():
    a, b = np.array([0.9, 0.91, 0.89, 0.9, 0.91]), np.array([0.8, 0.82, 0.79, 0.8, 0.8])
    found = SplitTest(ratio=1 / 4).of_values({"a": a, "b": b})
    [pair] = found.pairs
    assert pair.adjusted_p * 3 < 0.05
    assert found.possible(3) == {"a"}
    assert found.possible(int(0.05 / pair.adjusted_p) + 1) == {"a", "b"}


def test_equal_solvers_are_left_out_of_no_data_set_of_several_more_often_than_is_said():
    rng, tables, sets, folds = np.random.default_rng(0), 80, 3, 5
    starless = left_out = 0
    for _ in range(tables):
        found = []
        for _ in range(sets):
            noise = rng.normal(0, 0.01, (4, folds)) + rng.normal(0, 0.005, (4, 1))
            values = 0.8 + rng.normal(0, 0.02, folds) + noise
            found.append(SplitTest(ratio=1 / 4).of_values(dict(zip("abcd", values, strict=True))))
        starless += any(len(stars(inside)) < 4 for inside in found)
        left_out += any(len(inside.possible(sets)) < 4 for inside in found)
    assert starless > 0.2 * tables  # each star is of one solver on one data set
    assert left_out <= 0.05 * tables + 3 * (tables * 0.05 * 0.95) ** 0.5
