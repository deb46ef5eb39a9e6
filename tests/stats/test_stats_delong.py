from fractions import Fraction
from itertools import pairwise
from math import isnan, sqrt

import numpy as np
import pytest
from nights import first, first_rows
from numpy.testing import assert_allclose
from scipy.stats import binom, norm
from sklearn.metrics import roc_auc_score

from aucbench.errors import DataError, ParameterError
from aucbench.metrics import auc
from aucbench.stats import Fold, Word, auc_difference, auc_interval
from aucbench.stats.delong import Placements

Z = norm.isf(0.025)


def naive(fold):
    """AUC, and the placements with their weights, pair by pair."""
    s, v = fold.scores[fold.positive], fold.weights[fold.positive]
    r, w = fold.scores[~fold.positive], fold.weights[~fold.positive]
    above = (s[:, None] > r) + (s[:, None] == r) / 2
    v, w = v / v.sum(), w / w.sum()
    return v @ above @ w, above @ w, v @ above, v, w


def naive_variance(folds, repeats=1):
    """Variance of the mean AUC and degrees of freedom, by the definition of both."""
    parts = []
    for fold in folds:
        value, above, below, v, w = naive(fold)
        for placements, a in ((above, v), (below, w)):
            q = (a**2).sum()
            parts.append(((a**2 * (placements - value) ** 2).sum() / (1 - q), 1 / q - 1))
    total = sum(part for part, _ in parts)
    degrees = total**2 / sum(part**2 / m for part, m in parts)
    return repeats * total / len(folds) ** 2, degrees / repeats


def drawn(rng, n_pos, n_neg, distance=1.0, levels=None, weighted=False):
    y = np.repeat([1, 0], [n_pos, n_neg])
    s = rng.normal(size=y.size) + distance * y
    if levels:
        s = np.round(s * levels) / levels
    order = rng.permutation(y.size)
    weights = rng.uniform(0.2, 3.0, size=y.size) if weighted else None
    return Fold(y[order], s[order], weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [None, 1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_mean_variance_and_degrees_agree_with_counting_pairs(seed, levels, weighted):
    rng = np.random.default_rng(seed)
    sizes = [(12, 30), (11, 31), (25, 9)]
    folds = [drawn(rng, *size, levels=levels, weighted=weighted) for size in sizes]
    placed = Placements.of(folds)
    assert_allclose(placed.aucs, [naive(fold)[0] for fold in folds], rtol=1e-13)
    assert_allclose(placed.variance(1), naive_variance(folds), rtol=1e-11)
    assert_allclose(placed.variance(2), naive_variance(folds, repeats=2), rtol=1e-11)
    for fold in folds:
        expected = roc_auc_score(fold.positive, fold.scores, sample_weight=fold.weights)
        assert_allclose(auc(fold.positive, fold.scores, fold.weights), expected, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_difference_agrees_with_counting_pairs(seed, weighted):
    rng = np.random.default_rng(seed)
    a = [drawn(rng, *size, levels=2, weighted=weighted) for size in ((12, 30), (25, 9))]
    b = [Fold(x.positive, x.scores + rng.normal(size=x.scores.size), x.weights) for x in a]
    parts = []
    for x, y in zip(a, b, strict=True):
        (_, above, below, v, w), (_, above_b, below_b, _, _) = naive(x), naive(y)
        for d, share in ((above - above_b, v), (below - below_b, w)):
            q = (share**2).sum()
            parts.append((share**2 @ (d - share @ d) ** 2 / (1 - q), 1 / q - 1, share @ d))
    variance = sum(part for part, _, _ in parts)
    degrees = variance**2 / sum(part**2 / m for part, m, _ in parts)
    placed = Placements.of(a).minus(Placements.of(b))
    assert_allclose(placed.variance(1), [variance / len(a) ** 2, degrees], rtol=1e-11)
    assert_allclose(auc_difference(a, b).estimate, parts[0][2] / 2 + parts[2][2] / 2, rtol=1e-11)


def test_exact_where_weighted_pairs_are_beyond_2_to_the_53():
    """Rows that stand for 10**8 rows and more each, against rational arithmetic."""
    rng = np.random.default_rng(6)
    fold = drawn(rng, 30, 30, levels=2)
    weights = rng.integers(10**8, 10**9, size=60)
    total = twice = Fraction(0)
    for i in np.flatnonzero(fold.positive):
        for j in np.flatnonzero(~fold.positive):
            pair = int(weights[i]) * int(weights[j])
            total += pair
            s, r = fold.scores[i], fold.scores[j]
            twice += pair * (2 * int(s > r) + int(s == r))
    assert total > 2**53
    found = auc(fold.positive, fold.scores, weights)
    assert abs(found - float(twice / total / 2)) < 1e-15


def test_folds_are_averaged_and_repeats_share_their_rows():
    rng = np.random.default_rng(8)
    folds = [drawn(rng, 40, 60), drawn(rng, 40, 60)]
    one = auc_interval(folds)
    assert_allclose(one.estimate, np.mean([naive(fold)[0] for fold in folds]), rtol=1e-13)
    twice = auc_interval([*folds, *folds], repeats=2)  # nothing was learned from the second time
    assert_allclose([twice.low, twice.high], [one.low, one.high], rtol=1e-12)
    scored = [Fold(np.repeat([1, 0], 4), np.repeat([1, 0], 4))] * 2
    assert_allclose(
        auc_interval([*scored, *scored], repeats=2).low, auc_interval(scored).low, rtol=1e-9
    )


@pytest.mark.parametrize("n_pos", [1, 2, 9, 10, 1000])
@pytest.mark.parametrize("n_neg", [1, 5, 10_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_an_auc_of_0_or_1_has_no_interval_of_one_point(n_pos, n_neg, sign):
    y = np.repeat([1, 0], [n_pos, n_neg])
    found = auc_interval([Fold(y, sign * y)])
    assert_allclose(found.estimate, (1 + sign) / 2, atol=1e-14)
    assert found.high - found.low > 0.1 / (n_pos * n_neg)
    assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_folds_of_one_class_are_left_out_and_counted():
    rng = np.random.default_rng(10)
    fold, other = drawn(rng, 30, 30), drawn(rng, 30, 30)
    one_class = Fold(np.ones(5), np.arange(5))
    found = auc_interval([one_class, fold, other])
    whole = auc_interval([fold, other])
    assert found.note == "1 of 3 folds hold one class."
    assert (found.estimate, found.low, found.high) == (whole.estimate, whole.low, whole.high)
    none = auc_interval([one_class])
    assert isnan(none.estimate)
    assert isnan(none.low)
    assert none.note == "No fold holds both classes."
    assert isnan(auc_difference([one_class], [one_class]).p)
    assert auc_difference([one_class], [one_class]).word() is Word.UNCLEAR


@pytest.mark.parametrize(("n", "word"), [(10, Word.UNCLEAR), (1000, Word.EQUIVALENT)])
def test_solvers_that_place_all_rows_alike_are_equivalent_when_the_rows_are_many(n, word):
    y = np.repeat([1, 0], n)
    found = auc_difference([Fold(y, y)], [Fold(y, np.exp(y))])
    assert (found.estimate, found.p) == (0, 1)
    # With the share x of rows that are placed otherwise, n rows show none with probability 1 - .95.
    assert_allclose((1 - found.high) ** n, 0.05)
    assert found.low == -found.high
    assert found.word() is word


GOOD_FOLD = Fold([1, 0, 1], [3, 1, 2])


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (([1, 0], [1, 2, 3]), r"shape \(2,\) and scores have shape \(3,\)"),
        (([1, 2, 1], [1, 2, 3]), "say which is positive"),
        (([1, 0, -1], [1, 2, 3]), "a metric of a ranking has two"),
        (([1, 0, 1], [1, 2, np.nan]), r"1 score\(s\) are NaN"),
        (([1, 0, 1], [1, 2, 3], [1, -1, 1]), "not finite and at least 0"),
        (([1, 0, 1], [1, 2, 3], [1, 1]), "one for each row"),
    ],
)
def test_rows_that_make_no_sense_are_refused(rows, sentence):
    with pytest.raises(DataError, match=sentence):
        Fold(*rows)


@pytest.mark.parametrize(
    ("others", "sentence"),
    [
        ([Fold([0, 1, 1], [3, 1, 2])], "fold 0 differ"),
        ([Fold([1, 0, 1], [3, 1, 2], [1, 2, 1])], "fold 0 differ"),
        ([GOOD_FOLD, GOOD_FOLD], "1 folds and the other one 2"),
    ],
)
def test_other_rows_are_refused(others, sentence):
    with pytest.raises(DataError, match=sentence):
        auc_difference([GOOD_FOLD], others)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, float("nan")])
def test_options_that_make_no_sense_are_refused(level):
    with pytest.raises(ParameterError, match="level must be in"):
        auc_interval([GOOD_FOLD], level)
    with pytest.raises(ParameterError, match="level must be in"):
        auc_difference([GOOD_FOLD], [GOOD_FOLD], level)
    with pytest.raises(ParameterError, match="repeats must be at least 1"):
        auc_interval([GOOD_FOLD], repeats=0)


REPLICATES = 1000
SIZES = [(10, 100), (10, 10), (50, 50), (50, 500), (500, 500)]


def cut(s, distance, ties):
    """Scores with 8 levels, or as they are."""
    return np.digitize(s, np.linspace(-2, 2 + distance, 7)).astype(float) if ties else s


def truth(distance, ties):
    """AUC of two normal distributions at this distance, cut or not."""
    if not ties:
        return norm.cdf(distance / sqrt(2))
    edges = [-np.inf, *np.linspace(-2, 2 + distance, 7), np.inf]
    pos = np.array([norm.cdf(b - distance) - norm.cdf(a - distance) for a, b in pairwise(edges)])
    neg = np.array([norm.cdf(b) - norm.cdf(a) for a, b in pairwise(edges)])
    return float(pos @ (np.cumsum(neg) - neg / 2))


@pytest.mark.slow
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    ("sizes", "true_auc", "count"),
    [
        *first_rows([(sizes, true_auc, 1) for sizes in SIZES for true_auc in (0.5, 0.95)], 2),
        *first_rows([((n_pos, 2 * n_pos), 0.7, 5) for n_pos in (10, 50, 500)]),
    ],
)
def test_coverage_of_the_interval(sizes, true_auc, count, ties):
    """With many rows and no signal it is in the band of its level; otherwise it is not below it."""
    rng = np.random.default_rng(12 if count == 1 else 13)
    y, fold = np.repeat([1, 0], sizes), np.arange(sum(sizes)) % count
    distance = sqrt(2) * norm.ppf(true_auc)
    expected, covered = truth(distance, ties), 0
    for _ in range(REPLICATES):
        s = cut(rng.normal(size=y.size) + distance * y, distance, ties)
        found = auc_interval([Fold(y[fold == j], s[fold == j]) for j in range(count)])
        covered += found.low <= expected <= found.high
    low, high = binom.interval(0.999, REPLICATES, 0.95)
    assert low <= covered <= (high if true_auc == 0.5 and min(sizes) >= 500 else REPLICATES)


@pytest.mark.slow
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("true_auc", [0.5, 0.8])
@pytest.mark.parametrize("sizes", first([(50, 50), (10, 10), (10, 100), (50, 500), (500, 500)]))
def test_type_one_error_of_the_difference(sizes, true_auc, ties):
    """At most in the upper band, and inside it where rows are many."""
    rng = np.random.default_rng(14)
    y, distance = np.repeat([1, 0], sizes), sqrt(2) * norm.ppf(true_auc)
    rejected = covered = 0
    for _ in range(REPLICATES):
        common = rng.normal(size=y.size)
        a, b = (
            cut((common + rng.normal(size=y.size)) / sqrt(2) + distance * y, distance, ties)
            for _ in range(2)
        )
        found = auc_difference([Fold(y, a)], [Fold(y, b)])
        rejected += found.p < 0.05
        covered += found.low <= 0 <= found.high
    low, high = binom.interval(0.999, REPLICATES, 0.05)
    assert (low if min(sizes) >= 500 else 0) <= rejected <= high
    assert covered == REPLICATES - rejected
