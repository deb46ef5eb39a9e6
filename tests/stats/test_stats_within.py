from math import isnan

import numpy as np
import pytest
from equal_methods import equal_methods
from nights import first_rows
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from aucbench.errors import DataError
from aucbench.metrics import auc, measure
from aucbench.stats import (
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

SIGNALS = {"good": 2.0, "fair": 1.0, "twin": 1.0, "none": 0.0}


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


def test_it_puts_together_what_its_parts_say(folds):
    found = SplitTest(ratio=0.25).of_rows(folds)
    assert [solver.name for solver in found.solvers] == list(SIGNALS)
    for solver in found.solvers:
        rows = list(folds[solver.name].values())
        values = [auc(fold.positive, fold.scores) for fold in rows]
        assert_allclose(solver.values, values, rtol=1e-14)
        assert solver.delong == auc_interval(rows)
        assert solver.resampled == corrected_interval(solver.values, 0.25)
        assert solver.missing == 0
    values = {solver.name: solver.values for solver in found.solvers}
    for pair in found.pairs:
        assert pair.delong == auc_difference(*(list(folds[x].values()) for x in (pair.a, pair.b)))
        assert pair.resampled == corrected_difference(values[pair.a], values[pair.b], 0.25)
    assert len(found.pairs) == 6
    assert_array_equal(
        [pair.adjusted_p for pair in found.pairs], holm([p.verdict.p for p in found.pairs])
    )


def test_the_words_and_the_best(folds):
    found = SplitTest(ratio=0.25).of_rows(folds)
    assert found.best == "good"
    assert found.pair("good", "fair").word is Word.BETTER
    assert found.pair("none", "fair").word is Word.WORSE
    assert found.pair("fair", "twin").word is Word.EQUIVALENT
    assert {solver.name for solver in found.solvers if solver.not_worse} == {"good"}
    del folds["good"]
    shorter = SplitTest(ratio=0.25).of_rows(folds)
    assert {solver.name for solver in shorter.solvers if solver.not_worse} == {"fair", "twin"}
    assert SplitTest(ratio=0.25, rope=0.0).of_rows(folds).pair("fair", "twin").word is Word.UNCLEAR
    assert (
        SplitTest(ratio=0.25, rope=0.5).of_rows(folds).pair("none", "fair").word is Word.EQUIVALENT
    )


def test_a_verdict_is_what_both_variances_support(folds):
    for pair in SplitTest(ratio=0.25, level=0.9).of_rows(folds).pairs:
        verdict = pair.verdict
        assert verdict.low == min(pair.delong.low, pair.resampled.low)
        assert verdict.high == max(pair.delong.high, pair.resampled.high)
        assert verdict.p == max(pair.delong.p, pair.resampled.p)
        assert verdict.level == 0.9
        assert verdict.method == "DeLong, paired, mixture beta and corrected resampled t"
        assert_allclose(pair.delong.estimate, pair.resampled.estimate, rtol=1e-9, atol=1e-15)


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
        assert (
            SplitTest(ratio=0.25).of_rows(alone).best,
            SplitTest(ratio=0.25).of_rows(alone).pairs,
        ) == (None, ())
    folds["failed"] = {}
    found = SplitTest(ratio=0.25).of_rows(folds)
    failed = found.solvers[-1]
    assert (failed.name, failed.missing, failed.not_worse) == ("failed", 5, False)
    assert isnan(failed.delong.estimate)
    assert isnan(failed.resampled.estimate)
    assert found.pair("good", "failed").word is Word.UNCLEAR
    assert isnan(found.pair("good", "failed").adjusted_p)
    assert found.best == "good"
    without = SplitTest(ratio=0.25).of_rows({name: of for name, of in folds.items() if of})
    for pair in without.pairs:  # a test that could not be made does not count
        assert found.pair(pair.a, pair.b) == pair


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
        values = [s.values for s in two.solvers if s.name in (a.a, a.b)]
        expected = corrected_difference(*values, 0.25, repeats=2)
        assert (b.resampled.low, b.resampled.p) == (expected.low, expected.p)
        assert b.resampled.p <= a.resampled.p  # only the degrees of freedom have changed


FOLDS = np.array([-1.0, 0.5, 1.0, -0.5, 0.0]) / np.sqrt(0.625)  # mean 0, standard deviation 1


def by_values(repeats=1, redrawn=True, rope=0.005, **means_and_deviations):
    """Solvers by the mean and the standard deviation of five folds; the first one is constant."""
    values = {
        name: np.tile(mean + sd * FOLDS, repeats)
        for name, (mean, sd) in means_and_deviations.items()
    }
    return SplitTest(ratio=0.25, repeats=repeats, redrawn=redrawn, rope=rope).of_values(values)


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
    assert by_values(repeats, best=(0.8, 0.0), b=other).pairs[0].word is alone
    five = by_values(repeats, best=(0.8, 0.0), **dict.fromkeys("bcde", other))
    assert (five.tests, five.pairs[0].word) == (10, among)


@pytest.mark.parametrize(
    ("multiple", "stars"),
    [  # of one standard deviation, with one repeat: a star of five is lost from 2.34
        (2.5, "a"),
        (2.2, "abcde"),
    ],
)
def test_a_star_is_lost_to_one_of_the_others(multiple, stars):
    five = by_values(a=(0.8, 0.0), **dict.fromkeys("bcde", (0.8 - 0.02 * multiple, 0.02)))
    assert "".join(solver.name for solver in five.solvers if solver.not_worse) == stars
    assert {five.pair("a", name).word for name in "bcde"} == {Word.PROBABLY_BETTER}


def test_equivalent_solvers_and_those_that_failed_more_often_take_no_star():
    found = by_values(a=(0.8, 0.0), b=(0.799, 0.0002), c=(0.7, 0.01))
    assert found.pair("a", "b").word is Word.EQUIVALENT
    assert [solver.not_worse for solver in found.solvers] == [True, True, False]
    values = {"failed": 0.9 + 0.001 * FOLDS, "whole": 0.8 + 0.0 * FOLDS}
    values["failed"][4] = np.nan
    found = SplitTest(ratio=0.25).of_values(values)
    assert found.pair("failed", "whole").word is Word.BETTER
    assert found.best == "whole"
    assert [solver.not_worse for solver in found.solvers] == [True, True]


def test_other_test_rows_are_refused(folds):
    y = folds["fair"][0, 2].positive
    folds["fair"][0, 2] = Fold(~y, folds["fair"][0, 2].scores)
    with pytest.raises(DataError, match=r"good and fair have other labels or weights in the split"):
        SplitTest(ratio=0.25).of_rows(folds)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "repeats"), first_rows([(5, 1), (2, 5)]))
@pytest.mark.parametrize("n_pos", [10, 50])
def test_type_one_error_of_the_verdict(n_pos, count, repeats):
    rng, replicates, wrong = np.random.default_rng(2), 300, 0
    for _ in range(replicates):
        found = {"a": {}, "b": {}}
        for split, y, a, b in equal_methods(rng, n_pos, count, repeats):
            found["a"][split], found["b"][split] = Fold(y, a), Fold(y, b)
        pair = SplitTest(ratio=1 / (count - 1), repeats=repeats).of_rows(found).pairs[0]
        wrong += pair.word in {Word.BETTER, Word.WORSE}
    _, high = binom.interval(0.999, replicates, 0.05)
    assert wrong <= high


def test_equal_solvers_are_left_out_of_no_data_set_of_several_more_often_than_is_said():
    rng, tables, sets, folds = np.random.default_rng(0), 80, 3, 5
    starless = left_out = 0
    for _ in range(tables):
        found = []
        for _ in range(sets):
            noise = rng.normal(0, 0.01, (4, folds)) + rng.normal(0, 0.005, (4, 1))
            values = 0.8 + rng.normal(0, 0.02, folds) + noise
            solvers = dict(zip("abcd", values, strict=True))
            found.append(SplitTest(ratio=1 / 4).of_values(solvers))
        starless += any(not one.not_worse for inside in found for one in inside.solvers)
        left_out += any(len(inside.possible(sets)) < 4 for inside in found)
    assert starless > 0.2 * tables  # each star is of one solver on one data set
    assert left_out <= 0.05 * tables + 3 * (tables * 0.05 * 0.95) ** 0.5


def test_who_may_be_the_best_of_several_data_sets_at_once():
    values = {
        "a": np.array([0.9, 0.91, 0.89, 0.9, 0.91]),
        "b": np.array([0.8, 0.82, 0.79, 0.8, 0.8]),
    }
    found = SplitTest(ratio=1 / 4).of_values(values)
    [pair] = found.pairs
    assert pair.adjusted_p * 3 < 0.05
    assert found.possible(3) == {"a"}
    assert found.possible(int(0.05 / pair.adjusted_p) + 1) == {"a", "b"}
