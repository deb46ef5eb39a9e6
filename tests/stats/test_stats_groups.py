"""DeLong's variance where rows have groups: the sum over groups of Obuchowski (1997)."""

import numpy as np
import pytest
from nights import NIGHTLY
from numpy.testing import assert_allclose
from scipy.stats import norm

from aucbench.errors import DataError
from aucbench.stats import Fold, auc_difference, auc_interval
from aucbench.stats.delong import Placements

TRUE = norm.cdf(1 / np.sqrt(2))  # AUC of two normal distributions, one standard deviation apart


def drawn(rng, groups, size, alike):
    """Labels, two scores and groups; `alike` is the correlation inside a group."""
    group = np.repeat(np.arange(groups), size)

    def noise():
        shared = rng.normal(size=groups)[group]
        return np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.normal(size=group.size)

    y = noise() > norm.ppf(0.6)
    common = noise()
    a, b = (y + np.sqrt(0.5) * (common + noise()) for _ in range(2))
    return y, a, b, group


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


def test_the_variance_is_that_of_the_paper():
    rng = np.random.default_rng(0)
    group = np.tile(np.arange(30), 4)  # each group has two rows of each class, and so equal weight
    y = np.repeat([True, False], 60)
    s = y + rng.normal(size=30)[group] + rng.normal(size=120)
    variance, _ = Placements.of([Fold(y, s, None, group)]).variance(1)
    assert_allclose(variance, obuchowski(y, s, group), rtol=1e-12)


def test_groups_of_one_row_are_rows():
    rng = np.random.default_rng(1)
    y, a, b, _ = drawn(rng, 200, 1, 0.0)
    own = rng.permutation(200)
    for found, plain in (
        (auc_interval([Fold(y, a, None, own)]), auc_interval([Fold(y, a)])),
        (
            auc_difference([Fold(y, a, None, own)], [Fold(y, b, None, own)]),
            auc_difference([Fold(y, a)], [Fold(y, b)]),
        ),
    ):
        assert_allclose((found.low, found.high), (plain.low, plain.high), rtol=1e-12)
        assert found.method.startswith("DeLong by groups")


def covered(runs, groups=100, size=5, alike=0.6):
    """How often the interval of the AUC and that of a difference hold the true values."""
    hits = np.zeros(3)
    for seed in range(runs):
        y, a, b, group = drawn(np.random.default_rng(seed), groups, size, alike)
        folds = [group % 4 == k for k in range(4)]
        first, second = ([Fold(y[f], s[f], None, group[f]) for f in folds] for s in (a, b))
        own, pair = auc_interval(first), auc_difference(first, second)
        plain = auc_interval([Fold(y[f], a[f]) for f in folds])
        hits += [
            own.low <= TRUE <= own.high,
            pair.low <= 0 <= pair.high,
            plain.low <= TRUE <= plain.high,
        ]
    return hits / runs


@NIGHTLY
@pytest.mark.parametrize(("groups", "size", "alike"), [(100, 5, 0.6), (300, 3, 0.9), (80, 8, 0.3)])
def test_the_share_of_intervals_that_hold_the_truth_is_the_level(groups, size, alike):
    own, pair, plain = covered(1000, groups, size, alike)
    assert own >= 0.93
    assert pair >= 0.93
    assert plain < own


def test_few_groups_have_the_interval_of_few_rows():
    y, a, _, group = drawn(np.random.default_rng(4), 12, 40, 0.5)
    found = auc_interval([Fold(y, a, None, group)])
    assert found.method == "DeLong by groups, mixture beta"
    assert found.high - found.low > 0.2


def test_groups_that_make_no_sense_are_refused():
    with pytest.raises(DataError, match="a whole number for each row"):
        Fold([0, 1], [0.0, 1.0], None, [1.5, 2.0])
    y, a, _, group = drawn(np.random.default_rng(5), 20, 2, 0.5)
    with pytest.raises(DataError, match="some folds have groups"):
        auc_interval([Fold(y, a), Fold(y, a, None, group)])
