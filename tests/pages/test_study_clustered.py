"""Regression over families of data sets: by statsmodels, by a naive twin, by its coverage."""

from math import isnan

import numpy as np
import pytest
import scipy.stats
from nights import NIGHTLY
from study.clustered import mean_over_families, meta_regression

from aucbench.errors import DataError, ParameterError

NAMES = ("rows", "share")


def drawn(count=40, sizes=(1,), seed=0, effects=(0.0, 0.0), shared=0.5):
    """Families of uneven size whose data sets share a part of their errors and properties."""
    rng = np.random.default_rng(seed)
    family = np.repeat(np.arange(count), [sizes[g % len(sizes)] for g in range(count)])
    n = family.size
    x = rng.normal(size=(count, 2))[family] + 0.5 * rng.normal(size=(n, 2))
    error = np.sqrt(shared) * rng.normal(size=count)[family]
    error += np.sqrt(1 - shared) * rng.normal(size=n)
    return x @ np.asarray(effects) + error, x, [f"f{g}" for g in family]


def weighted(x, families):
    sizes = {name: families.count(name) for name in families}
    w = np.array([1 / sizes[name] for name in families])
    middle = w @ x / w.sum()
    unit = np.sqrt(w @ (x - middle) ** 2 / w.sum())
    return w, (x - middle) / unit


@pytest.mark.parametrize("seed", range(3))
def test_without_families_it_is_the_hc2_of_statsmodels(seed):
    api = pytest.importorskip("statsmodels.api")
    y, x, _ = drawn(seed=seed)
    _, z = weighted(x, [*map(str, range(40))])
    oracle = api.OLS(y, api.add_constant(z)).fit(cov_type="HC2")
    found = meta_regression(y, x, NAMES)
    assert [one.difference.estimate for one in found.slopes] == pytest.approx(oracle.params[1:])
    assert found.mean.estimate == pytest.approx(oracle.params[0])
    assert found.explained == pytest.approx(oracle.rsquared)
    for one, error in zip(found.slopes, oracle.bse[1:], strict=True):
        t = scipy.stats.t.ppf(0.975, one.degrees)
        assert (one.difference.high - one.difference.estimate) / t == pytest.approx(error)
        assert one.difference.p == pytest.approx(
            2 * scipy.stats.t.sf(abs(one.difference.estimate) / error, one.degrees)
        )


def test_with_weights_the_slopes_are_those_of_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    y, x, families = drawn(sizes=(1, 4, 2), seed=3)
    w, z = weighted(x, families)
    oracle = api.WLS(y, api.add_constant(z), weights=w).fit()
    found = meta_regression(y, x, NAMES, families=families)
    assert [one.difference.estimate for one in found.slopes] == pytest.approx(oracle.params[1:])
    assert found.mean.estimate == pytest.approx(oracle.params[0])  # properties are centred
    inflated = np.linalg.inv(np.corrcoef(np.sqrt(w) * z.T, rowvar=True))  # about, for a guess
    assert found.slopes[0].inflation == pytest.approx(inflated[0, 0], rel=0.2)


def naive(y, z, w, families):
    """Variances and degrees by loops over families, from the formulas."""
    X = np.sqrt(w)[:, None] * np.column_stack([np.ones(len(y)), z])
    target = np.sqrt(w) * y
    M = np.linalg.inv(X.T @ X)
    e = target - X @ M @ X.T @ target
    H = X @ M @ X.T
    names = [*dict.fromkeys(families)]
    V, P = np.zeros((X.shape[1],) * 2), []
    for name in names:
        at = [i for i, other in enumerate(families) if other == name]
        A = scipy.linalg.inv(scipy.linalg.sqrtm(np.eye(len(at)) - H[np.ix_(at, at)])).real
        s = M @ X[at].T @ A @ e[at]
        V += np.outer(s, s)
        P.append((np.eye(len(y)) - H)[:, at] @ A @ X[at] @ M)
    degrees = []
    for k in range(X.shape[1]):
        gram = np.array([[a[:, k] @ b[:, k] for b in P] for a in P])
        values = np.linalg.eigvalsh(gram)
        degrees.append(values.sum() ** 2 / (values**2).sum())
    return np.sqrt(np.diag(V)), degrees


def test_it_is_the_naive_twin():
    y, x, families = drawn(count=12, sizes=(1, 5, 2), seed=1)
    w, z = weighted(x, families)
    errors, degrees = naive(y, z, w, families)
    found = meta_regression(y, x, NAMES, families=families)
    for one, error, degree in zip(found.slopes, errors[1:], degrees[1:], strict=True):
        assert one.degrees == pytest.approx(degree)
        half = scipy.stats.t.ppf(0.975, degree) * error
        assert one.difference.high - one.difference.estimate == pytest.approx(half)
        assert one.low < one.difference.low  # together it is wider
    # Each family has one mean: its interval is Student's.
    means = [
        np.mean([v for v, f in zip(y, families, strict=True) if f == name])
        for name in dict.fromkeys(families)
    ]
    low, high = scipy.stats.t.interval(0.95, 11, np.mean(means), scipy.stats.sem(means))
    assert (found.mean.low, found.mean.high) == pytest.approx((low, high))


def test_the_joint_interval_is_between_one_property_and_bonferroni():
    y, x, families = drawn(sizes=(1, 3), seed=2)
    found = meta_regression(y, x, NAMES, families=families)
    for one in found.slopes:
        d = one.difference
        alone = (d.high - d.estimate) / scipy.stats.t.ppf(0.975, one.degrees)
        joint = (one.high - d.estimate) / alone
        single, both = scipy.stats.t.ppf([0.975, 0.9875], one.degrees)
        assert single < joint < both * 1.01
        assert d.p <= one.adjusted <= min(1.0, 2 * d.p) + 0.01
    # Two properties that are nearly the same one cost nothing, each alone.
    same = np.column_stack([x[:, 0], x[:, 0] + 1e-9 * x[:, 1]])
    [first, _] = meta_regression(y, same, NAMES, families=families, separately=True).slopes
    assert first.high == pytest.approx(first.difference.high, abs=0.03)


def test_copies_of_a_data_set_add_nothing():
    y, x, _ = drawn(count=15)
    once = meta_regression(y, x, NAMES)
    thrice = meta_regression(
        np.tile(y, 3), np.tile(x, (3, 1)), NAMES, families=[*map(str, range(15))] * 3
    )
    assert thrice.families == once.families == 15
    assert thrice.data_sets == 45
    for one, other in zip(once.slopes, thrice.slopes, strict=True):
        assert one.difference.estimate == pytest.approx(other.difference.estimate)
        assert one.difference.high == pytest.approx(other.difference.high)


def test_alone_a_property_takes_what_it_shares_with_others():
    y, x, _ = drawn(count=200, effects=(1.0, 0.0))
    x[:, 1] += x[:, 0]
    together = meta_regression(y, x, NAMES)
    alone = meta_regression(y, x, NAMES, separately=True)
    assert together.slopes[1].adjusted > 0.05
    assert alone.slopes[1].adjusted < 0.001
    assert together.slopes[1].inflation > 1.3
    assert alone.slopes[1].inflation == pytest.approx(1.0)
    assert isnan(alone.explained)


def test_one_family_that_decides_a_slope_is_named():
    y, x, _ = drawn(count=12)
    x[:, 0] = [0.01 * i for i in range(11)] + [100.0]
    assert "the slope of rows" in meta_regression(y, x, NAMES).note
    assert meta_regression(*drawn(count=40)[:2], NAMES).note == ""


def test_what_cannot_be_regressed_is_refused():
    y, x, _ = drawn(count=12)
    with pytest.raises(DataError, match="rows is constant"):
        meta_regression(y, np.ones((12, 2)), NAMES)
    with pytest.raises(DataError, match="is a combination of the others"):
        meta_regression(y, x[:, [0, 0]], NAMES)
    with pytest.raises(DataError, match="take at least 5 families of data sets; here are 4"):
        meta_regression(y[:4], x[:4], NAMES)
    with pytest.raises(DataError, match="got the shape"):
        meta_regression(y, x[:, :1], NAMES)
    with pytest.raises(DataError, match="vector of finite numbers"):
        meta_regression(np.append(y[:11], np.nan), x, NAMES)
    with pytest.raises(ParameterError, match="level"):
        meta_regression(y, x, NAMES, level=1.0)
    assert isnan(mean_over_families([0.1, 0.3], ["a", "a"]).low)
    assert mean_over_families([0.1, 0.3], ["a", "a"]).estimate == pytest.approx(0.2)
    assert mean_over_families([0.1, 0.1]).p == 0.0


def held(count, sizes, tables, seed, **how):
    """Shares of tables in which each slope, and both together, are inside their intervals."""
    one, both = [], []
    for k in range(tables):
        y, x, families = drawn(count, sizes, seed + k, **how)
        found = meta_regression(y, x, NAMES, families=families, draws=2000)
        one.append([s.difference.low <= 0 <= s.difference.high for s in found.slopes])
        both.append(all(s.low <= 0 <= s.high for s in found.slopes))
    return np.mean(one), np.mean(both)


def test_intervals_hold_where_families_are_few_and_uneven():
    one, both = held(14, (1, 1, 8), 120, 0, shared=0.8)
    assert one >= 0.90
    assert both >= 0.89


@NIGHTLY
@pytest.mark.parametrize("sizes", [(1,), (1, 1, 1, 12), (2, 5)])
@pytest.mark.parametrize("count", [12, 30, 80])
def test_intervals_hold_by_night(count, sizes):
    one, both = held(count, sizes, 1000, 10_000, shared=0.7)
    error = np.sqrt(0.05 * 0.95 / 1000)
    assert abs(one - 0.95) < 4 * error
    assert both > 0.95 - 4 * error
