"""DeLong's variance, also of groups: by its definition, and by other programs.

Its rates are those of `test_simulations.py`.
"""

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nights import first_rows
from numpy.testing import assert_allclose
from scipy import special
from scipy.stats import beta, binom, norm, t
from sklearn.metrics import roc_auc_score

from aucbench.stats import Fold, Word, auc_difference, auc_interval
from aucbench.stats.delong import Placements, equal_p
from aucbench.stats.mixture import Seen, mixture_beta


def drawn(rng, n_pos, n_neg, distance=1.0, levels=None, weighted=False):
    y = np.repeat([1, 0], [n_pos, n_neg])
    s = rng.normal(size=y.size) + distance * y
    if levels:
        s = np.round(s * levels) / levels
    order = rng.permutation(y.size)
    weights = rng.uniform(0.2, 3.0, size=y.size) if weighted else None
    return Fold(y[order], s[order], weights)


def rows(positives, negatives):
    return Fold(np.repeat([1, 0], [len(positives), len(negatives)]), np.r_[positives, negatives])


def pair(rng, m, n, shift=0.0):
    """Two solvers whose scores are alike on the same rows."""
    y, common = np.repeat([1, 0], [m, n]), rng.normal(size=m + n)
    a, b = (common + 0.5 * rng.normal(size=m + n) + d * y for d in (1.5 + shift, 1.5))
    return Fold(y, a), Fold(y, b)


def naive(fold):
    """AUC, and the placements with their weights, pair by pair."""
    s, v = fold.scores[fold.positive], fold.weights[fold.positive]
    r, w = fold.scores[~fold.positive], fold.weights[~fold.positive]
    above = (s[:, None] > r) + (s[:, None] == r) / 2
    v, w = v / v.sum(), w / w.sum()
    return v @ above @ w, above @ w, v @ above, v, w


def naive_variance(parts, repeats, count):
    """Variance of the mean over folds, and degrees of freedom, of (placements, shares)."""
    terms = []
    for placements, share in parts:
        q = (share**2).sum()
        spread = share**2 @ (placements - share @ placements) ** 2
        terms.append((spread / (1 - q), 1 / q - 1))
    total = sum(term for term, _ in terms)
    degrees = total**2 / sum(term**2 / m for term, m in terms)
    return repeats * total / count**2, degrees / repeats


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [None, 1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_mean_variance_and_degrees_agree_with_counting_pairs(seed, levels, weighted):
    rng = np.random.default_rng(seed)
    sizes = [(12, 30), (11, 31), (25, 9)]
    folds = [drawn(rng, *size, levels=levels, weighted=weighted) for size in sizes]
    others = [Fold(x.positive, x.scores + rng.normal(size=x.scores.size), x.weights) for x in folds]
    placed, counted, counted_others = (
        Placements.of(folds),
        *([naive(fold) for fold in some] for some in (folds, others)),
    )
    assert_allclose(placed.aucs, [value for value, *_ in counted], rtol=1e-13)
    expected = [roc_auc_score(x.positive, x.scores, sample_weight=x.weights) for x in folds]
    assert_allclose(placed.aucs, expected, rtol=1e-12)
    parts = [part for _, above, below, v, w in counted for part in ((above, v), (below, w))]
    less = [
        part
        for (_, above, below, v, w), (_, above_b, below_b, *_) in zip(
            counted, counted_others, strict=True
        )
        for part in ((above - above_b, v), (below - below_b, w))
    ]
    minus = placed.minus(Placements.of(others))
    for repeats in (1, 2):
        assert_allclose(placed.variance(repeats), naive_variance(parts, repeats, 3), rtol=1e-11)
        assert_allclose(minus.variance(repeats), naive_variance(less, repeats, 3), rtol=1e-11)
    found = auc_difference(folds, others)
    assert_allclose(found.estimate, np.mean([share @ d for d, share in less]), rtol=1e-11)


def test_folds_of_one_class_are_left_out_and_counted():
    rng = np.random.default_rng(10)
    fold, other = drawn(rng, 30, 30), drawn(rng, 30, 30)
    one_class = Fold(np.ones(5), np.arange(5))
    found, whole = auc_interval([one_class, fold, other]), auc_interval([fold, other])
    assert found.note == "1 of 3 folds hold one class."
    assert (found.estimate, found.low, found.high) == (whole.estimate, whole.low, whole.high)
    none = auc_interval([one_class])
    assert isnan(none.estimate)
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


def test_a_difference_excludes_0_where_its_p_value_says_so():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(30):
        a, b = pair(rng, 60, 200, rng.uniform(0, 0.8))
        for level in (0.8, 0.95, 0.99):
            d = auc_difference([a], [b], level)
            assert (d.low > 0 or d.high < 0) == (d.p < 1 - level)
            found.append(d.p < 1 - level)
    assert 0.2 < np.mean(found) < 0.8


def test_where_the_variance_of_a_class_is_unknown_hidden_rows_count_in_full():
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [1, 30])
    found = auc_difference(*([Fold(y, rng.normal(size=31))] for _ in range(2)))
    assert found.note == "A fold has one row of a class."
    assert found.high - found.low > 1.5
    assert found.p > 0.5
    grouped = (
        Fold([1, 1, 0, 0, 0], s, groups=[0, 0, 1, 2, 3]) for s in ([1, 2, 0, 3, -1], range(5))
    )
    assert auc_difference(*([fold] for fold in grouped)).note.endswith("a class in one group.")
    opposite = auc_difference([rows(np.ones(20), np.zeros(20))], [rows(np.zeros(20), np.ones(20))])
    assert opposite.note == "The rows of each class are placed alike."
    assert_allclose((opposite.low, opposite.high), (2 * 0.025 ** (1 / 20) - 1, 1.0))
    assert_allclose(opposite.p, 2 * 0.5**20)
    assert opposite.word() is Word.BETTER


def normal_scores(n):
    return special.ndtri((np.arange(n) + 0.5) / n)


def some_below(n, count):
    return np.repeat([1.0, -1.0], [n - count, count])


@pytest.mark.parametrize(
    ("positives", "negatives", "expected"),
    [
        (np.ones(10), np.zeros(10), (1.0, 0.6915, 1.0)),
        (np.ones(150), np.zeros(1500), (1.0, 0.9757, 1.0)),
        (some_below(150, 3), np.zeros(1500), (0.98, 0.9425, 0.9960)),
        (some_below(20, 2), np.zeros(200), (0.90, 0.6787, 0.9905)),
        (np.arange(8) + 1.5, np.arange(12) - 1.0, (0.5417, 0.2226, 0.8338)),
        (normal_scores(40) + 1.3, normal_scores(200), (0.8216, 0.7079, 0.8920)),
        (normal_scores(500) + 1.3, normal_scores(1000), (0.8210, 0.7987, 0.8425)),
    ],
)
def test_golden_numbers(positives, negatives, expected):
    found = auc_interval([rows(positives, negatives)])
    assert_allclose((found.estimate, found.low, found.high), expected, atol=5e-5)
    assert found.method == "DeLong, mixture beta"


def accepted(theta, a, v, f, n, level=0.95, weight=None):
    """Whether θ is not rejected, by the definition for θ on either side of A."""
    tail = (1 - level) / 2
    x = n * min(a, 1 - a)
    w = (min(1, 10 / x) if x else 1) if weight is None else weight
    if theta <= a:
        c, k = theta / a, theta * (a - theta) / n
    else:
        c, k = (1 - theta) / (1 - a), (1 - theta) * (theta - a) / n
    var = c * v + w * k
    d = max(1, f * (var / (c * v)) ** 2) if v > 0 else inf
    kappa = t.ppf(1 - tail, d) / norm.ppf(1 - tail)
    nu = min(1e9, max(min(2, n), theta * (1 - theta) / (kappa**2 * var)))
    if theta < a:
        return beta.cdf(theta, a * nu, nu - a * nu + 1) >= tail
    return beta.sf(theta, a * nu + 1, nu - a * nu) >= tail


SEEN = st.tuples(
    st.floats(0.01, 0.99),  # A
    st.floats(0.02, 1.0),  # V as a share of the largest one
    st.floats(1.5, 300.0),  # f
    st.sampled_from([3.0, 10.0, 40.0, 150.5, 3000.0]),  # N
)


@given(SEEN, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_bounds_are_where_the_definition_begins_to_accept(seen, level):
    a, share, f, n = seen
    v = share * a * (1 - a) / n
    low, high = mixture_beta(a, v, f, n, level)
    assert 0 <= low < a < high <= 1
    gap = 1e-6 * (high - low)
    inside = [accepted(theta, a, v, f, n, level) for theta in (low + gap, high - gap)]
    outside = [accepted(theta, a, v, f, n, level) for theta in (low - gap, high + gap)]
    assert (inside, outside) == ([True] * 2, [False] * 2)


@given(SEEN, st.floats(0.0, 1.0), st.floats(0.05, 0.95))
def test_the_p_value_is_the_largest_size_whose_interval_leaves_a_value_out(seen, weight, at):
    a, share, f, n = seen
    one = Seen(a, share * a * (1 - a) / n, f, n, weight)
    p = one.p(at * a)
    assert 0 <= p <= 1
    if 1e-8 < p < 0.999:  # nearer to 1 a level has too few digits
        assert one.low(1 - p * (1 + 1e-6)) >= at * a - 1e-7
        assert one.low(1 - p * (1 - 1e-6)) <= at * a + 1e-7


def test_without_misplaced_rows_it_is_clopper_and_pearsons_and_with_many_delongs():
    for n, level in ((1, 0.95), (7, 0.01), (7, 0.5), (200, 0.95)):
        expected = ((1 - level) / 2) ** (1 / n)
        assert_allclose(mixture_beta(1.0, 0.0, inf, n, level), (expected, 1.0), rtol=1e-12)
        assert_allclose(mixture_beta(0.0, 0.0, inf, n, level), (0.0, 1 - expected), rtol=1e-9)
    a, n = 0.8, 10**6
    se = np.sqrt(0.1 * a * (1 - a) / n)
    low, high = mixture_beta(a, se**2, 1e6, n, 0.95)
    assert_allclose([(a - low) / se, (high - a) / se], 1.96, atol=0.02)


def naive_difference(a, b):
    """Low bound of one fold, by its definition, from all pairs of rows."""
    s, r = a.scores[a.positive], a.scores[~a.positive]
    o, q = b.scores[b.positive], b.scores[~b.positive]
    kernel = (np.sign(s[:, None] - r) - np.sign(o[:, None] - q)) / 2
    ways = [kernel.mean(1), kernel.mean(0)]
    behind = min(np.maximum(0, -d).mean() for d in ways)
    parts = np.array([d.var(ddof=1) / d.size for d in ways])
    f = parts.sum() ** 2 / sum(v**2 / (d.size - 1) for v, d in zip(parts, ways, strict=True))
    n, width = min(map(len, ways)), 1 + kernel.mean() + behind
    mean, v = (1 + kernel.mean()) / width, parts.sum() / width**2
    w = 1 / (2 * max(1, n * behind))
    low, far = mean, 0.0
    for _ in range(50):
        middle = (low + far) / 2
        is_accepted = accepted(middle, mean, v, f, n, weight=w)
        low, far = (middle, far) if is_accepted else (low, middle)
    return low * width - 1


@pytest.mark.parametrize("sizes", [(12, 40), (70, 25), (200, 300)])
def test_a_difference_is_that_of_its_definition(sizes):
    a, b = pair(np.random.default_rng(2), *sizes, 0.4)
    found = auc_difference([a], [b])
    assert_allclose(found.low, naive_difference(a, b), atol=1e-9)
    assert_allclose(found.high, -naive_difference(b, a), atol=1e-9)


def obuchowski(y, s, group):
    """The variance of the AUC, by its formula, for one fold."""
    pos, neg = s[y], s[~y]
    kernel = (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)
    theta, m, n = kernel.mean(), pos.size, neg.size
    above, below = kernel.mean(1) - theta, kernel.mean(0) - theta
    names = np.unique(group)
    v10 = np.array([above[group[y] == name].sum() for name in names])
    v01 = np.array([below[group[~y] == name].sum() for name in names])
    i, i10, i01 = names.size, np.unique(group[y]).size, np.unique(group[~y]).size
    s10 = i10 / ((i10 - 1) * m) * (v10**2).sum()
    s01 = i01 / ((i01 - 1) * n) * (v01**2).sum()
    return s10 / m + s01 / n + 2 * i / ((i - 1) * m * n) * (v10 * v01).sum()


def test_the_variance_of_groups_is_that_of_the_paper():
    rng = np.random.default_rng(0)
    group = np.tile(np.arange(30), 4)  # each group has two rows of each class, and so equal weight
    y = np.repeat([True, False], 60)
    s = y + rng.normal(size=30)[group] + rng.normal(size=120)
    variance, _ = Placements.of([Fold(y, s, None, group)]).variance(1)
    assert_allclose(variance, obuchowski(y, s, group), rtol=1e-12)


def test_groups_of_one_row_are_rows():
    rng = np.random.default_rng(1)
    y, own = np.arange(200) < 80, rng.permutation(200)
    a, b = (y + rng.normal(size=200) for _ in range(2))
    x, z, by_group, other = Fold(y, a), Fold(y, b), Fold(y, a, None, own), Fold(y, b, None, own)
    for found, plain in (
        (auc_interval([by_group]), auc_interval([x])),
        (auc_difference([by_group], [other]), auc_difference([x], [z])),
    ):
        assert_allclose((found.low, found.high), (plain.low, plain.high), rtol=1e-12)
        assert found.method.startswith("DeLong by groups")


def test_a_group_with_rows_in_several_folds_counts_once():
    y, group = np.repeat([1, 0], 40), np.arange(80) % 40
    scores = y + np.random.default_rng(4).normal(size=80)
    one = Fold(y, scores, None, group)
    for folds in ([one], [one] * 5):
        assert_allclose(Placements.of(folds).rows(1), 40.0)
    apart = [Fold(y, scores, None, group + 40 * k) for k in range(5)]
    assert_allclose(Placements.of(apart).rows(1), 200.0)
    assert_allclose(Placements.of([Fold(y, scores)] * 10).rows(2), 200.0)


def test_p_of_two_groups_is_the_size_whose_intervals_just_leave_0_out():
    rng = np.random.default_rng(0)
    a, b = (Placements.of([drawn(rng, *size)]) for size in ((40, 100, 1.8), (60, 80, 0.9)))
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


@pytest.mark.parametrize(
    ("m", "shift", "below", "samples"),
    first_rows(
        [
            *((20, 2.33, 0.05, samples) for samples in (30, 100)),
            *((m, 2.33, 0.05, 100) for m in (10, 40)),
            *((20, 1.3, 0, 100), (10, 2.33, 0, 100)),
        ]
    ),
)
def test_equal_groups_are_seldom_told_apart(m, shift, below, samples):
    """A share of the positives is far below all negatives."""
    rng = np.random.default_rng(1)

    def placed(m, n):
        s = np.where(rng.random(m) < below, -9.0, rng.normal(size=m) + shift)
        return Placements.of([rows(s, rng.normal(size=n))])

    wrong = sum(equal_p(placed(m, 3 * m), placed(200, 800)) < 0.05 for _ in range(samples))
    assert wrong <= binom.ppf(0.999, samples, 0.05)
