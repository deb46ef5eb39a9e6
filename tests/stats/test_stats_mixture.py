"""The mixture beta: its golden numbers, its definition, its limits, and what it says of pairs."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import special
from scipy.stats import beta, norm, t

from aucbench.stats import Fold, Word, auc_difference, auc_interval
from aucbench.stats.delong import Placements
from aucbench.stats.mixture import Seen, mixture_beta


def rows(positives, negatives):
    return Fold(np.repeat([1, 0], [len(positives), len(negatives)]), np.r_[positives, negatives])


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
    told = auc_interval([rows(positives, negatives)])
    assert_allclose((told.estimate, told.low, told.high), expected, atol=5e-5)
    assert told.method == "DeLong, mixture beta"


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


@pytest.mark.parametrize("n", [1, 7, 200])
@pytest.mark.parametrize("level", [0.01, 0.5, 0.95])
def test_without_a_misplaced_row_it_is_the_interval_of_clopper_and_pearson(n, level):
    expected = ((1 - level) / 2) ** (1 / n)
    assert_allclose(mixture_beta(1.0, 0.0, inf, n, level), (expected, 1.0), rtol=1e-12)
    assert_allclose(mixture_beta(0.0, 0.0, inf, n, level), (0.0, 1 - expected), rtol=1e-9)


def test_with_many_misplaced_rows_it_is_that_of_delong():
    a, n = 0.8, 10**6
    se = np.sqrt(0.1 * a * (1 - a) / n)
    low, high = mixture_beta(a, se**2, 1e6, n, 0.95)
    assert_allclose([(a - low) / se, (high - a) / se], 1.96, atol=0.02)


@pytest.mark.parametrize(
    "seen",
    [
        (0.5, 0.0, inf, 1.0),  # a constant score for one row of a class
        (1 - 1e-16, 1e-34, 3.0, 1e9),
        (1e-12, 1e-25, 2.0, 5.0),
        (0.9, 0.08, 1.0, 1.0),
        (0.5, 1e-300, 1e300, 4.0),
    ],
)
def test_extreme_numbers_have_bounds(seen):
    low, high = mixture_beta(*seen, 0.95)
    assert 0 <= low <= seen[0] <= high <= 1
    assert high > low


@given(SEEN, st.floats(0.0, 1.0), st.floats(0.05, 0.95))
def test_the_p_value_is_the_largest_size_whose_interval_leaves_a_value_out(seen, weight, at):
    a, share, f, n = seen
    one = Seen(a, share * a * (1 - a) / n, f, n, weight)
    theta = at * a
    p = one.p(theta)
    assert 0 <= p <= 1
    if 1e-8 < p < 0.999:  # nearer to 1 a level has too few digits
        assert one.low(1 - p * (1 + 1e-6)) >= theta - 1e-7
        assert one.low(1 - p * (1 - 1e-6)) <= theta + 1e-7


def pair(rng, m, n, shift=0.0):
    y, common = np.repeat([1, 0], [m, n]), rng.normal(size=m + n)
    a, b = (common + 0.5 * rng.normal(size=m + n) + d * y for d in (1.5 + shift, 1.5))
    return Fold(y, a), Fold(y, b)


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
        if accepted(middle, mean, v, f, n, weight=w):
            low = middle
        else:
            far = middle
    return low * width - 1


@pytest.mark.parametrize("sizes", [(12, 40), (70, 25), (200, 300)])
def test_a_difference_is_that_of_its_definition(sizes):
    a, b = pair(np.random.default_rng(2), *sizes, 0.4)
    found = auc_difference([a], [b])
    assert_allclose(found.low, naive_difference(a, b), atol=1e-9)
    assert_allclose(found.high, -naive_difference(b, a), atol=1e-9)


def test_where_the_variance_of_a_class_is_unknown_hidden_rows_count_in_full():
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [1, 30])
    a, b = (Fold(y, rng.normal(size=31)) for _ in range(2))
    found = auc_difference([a], [b])
    assert found.note == "A fold has one row of a class."
    assert found.high - found.low > 1.5
    assert found.p > 0.5
    opposite = auc_difference([rows(np.ones(20), np.zeros(20))], [rows(np.zeros(20), np.ones(20))])
    assert opposite.note == "The rows of each class are placed alike."
    assert_allclose((opposite.low, opposite.high), (2 * 0.025 ** (1 / 20) - 1, 1.0))
    assert_allclose(opposite.p, 2 * 0.5**20)
    assert opposite.word() is Word.BETTER


def test_a_group_with_rows_in_several_folds_counts_once():
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], 40)
    scores, group = y + rng.normal(size=80), np.arange(80) % 40
    one = Fold(y, scores, None, group)
    for folds in ([one], [one] * 5):
        assert_allclose(Placements.of(folds).rows(1), 40.0)
    apart = [Fold(y, scores, None, group + 40 * k) for k in range(5)]
    assert_allclose(Placements.of(apart).rows(1), 200.0)
    assert_allclose(Placements.of([Fold(y, scores)] * 10).rows(2), 200.0)
