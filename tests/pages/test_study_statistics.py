"""The statistics of the study: regression over families of data sets, and a tree that advises.

Both are asked beside statsmodels or a naive twin, and of what they must not find.
"""

from math import isnan

import numpy as np
import pytest
import scipy.linalg
import scipy.stats
from refusals import assert_refused, refusals
from study.advising_tree import Leaf, Split, advised, advising_tree, leaves_of, regrets_of
from study.clustered import mean_over_families, meta_regression

from aucbench.errors import DataError, ParameterError

NAMES = ("rows", "share")


def families_of(count=40, sizes=(1,), seed=0, effects=(0.0, 0.0), shared=0.5):
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
    return w, (x - middle) / np.sqrt(w @ (x - middle) ** 2 / w.sum())


def test_without_families_it_is_the_hc2_of_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    y, x, _ = families_of()
    _, z = weighted(x, [*map(str, range(40))])
    oracle = api.OLS(y, api.add_constant(z)).fit(cov_type="HC2")
    found = meta_regression(y, x, NAMES)
    assert [one.difference.estimate for one in found.slopes] == pytest.approx(oracle.params[1:])
    assert found.mean.estimate == pytest.approx(oracle.params[0])
    assert found.explained == pytest.approx(oracle.rsquared)
    for one, error in zip(found.slopes, oracle.bse[1:], strict=True):
        t = scipy.stats.t(one.degrees)
        of = one.difference
        assert (of.high - of.estimate) / t.ppf(0.975) == pytest.approx(error)
        assert of.p == pytest.approx(2 * t.sf(abs(of.estimate) / error))


def naive(y, z, w, families):
    """Slopes, variances and degrees by loops over families, from the formulas."""
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
    return M @ X.T @ target, np.sqrt(np.diag(V)), degrees


def test_it_is_the_naive_twin():
    y, x, families = families_of(count=12, sizes=(1, 5, 2), seed=1)
    w, z = weighted(x, families)
    found = meta_regression(y, x, NAMES, families=families)
    [_, *rows] = zip(*naive(y, z, w, families), strict=True)
    for one, (slope, error, degree) in zip(found.slopes, rows, strict=True):
        assert one.difference.estimate == pytest.approx(slope)
        assert one.degrees == pytest.approx(degree)
        half = scipy.stats.t.ppf(0.975, degree) * error
        assert one.difference.high - one.difference.estimate == pytest.approx(half)
        assert one.low < one.difference.low  # together it is wider
    # Each family has one mean: its interval is Student's.
    of = [np.mean([v for v, f in zip(y, families, strict=True) if f == g]) for g in {*families}]
    low, high = scipy.stats.t.interval(0.95, 11, np.mean(of), scipy.stats.sem(of))
    assert (found.mean.low, found.mean.high) == pytest.approx((low, high))


def test_alone_a_property_takes_what_it_shares_with_others():
    y, x, _ = families_of(count=200, effects=(1.0, 0.0))
    x[:, 1] += x[:, 0]
    together = meta_regression(y, x, NAMES).slopes[1]
    alone = meta_regression(y, x, NAMES, separately=True)
    assert together.adjusted > 0.05
    assert alone.slopes[1].adjusted < 0.001
    assert together.inflation > 1.3
    assert alone.slopes[1].inflation == pytest.approx(1.0)
    assert isnan(alone.explained)


def test_the_mean_of_one_family_has_no_interval():
    assert isnan(mean_over_families([0.1, 0.3], ["a", "a"]).low)
    assert mean_over_families([0.1, 0.3], ["a", "a"]).estimate == pytest.approx(0.2)
    assert mean_over_families([0.1, 0.1]).p == 0.0


def held(count, sizes, tables, seed, **how):
    """Shares of tables in which each slope, and both together, are inside their intervals."""
    one, both = [], []
    for k in range(tables):
        y, x, families = families_of(count, sizes, seed + k, **how)
        found = meta_regression(y, x, NAMES, families=families, draws=2000)
        one.append([s.difference.low <= 0 <= s.difference.high for s in found.slopes])
        both.append(all(s.low <= 0 <= s.high for s in found.slopes))
    return np.mean(one), np.mean(both)


def test_intervals_hold_where_families_are_few_and_uneven():
    one, both = held(14, (1, 1, 8), 120, 0, shared=0.8)
    assert one >= 0.90
    assert both >= 0.89


# --- a tree that advises a solver ---------------------------------------------------------

QUESTIONS = ("rows", "features")


def tables(n=60, seed=0, gain=0.05):
    """Solver a is the best with few rows, and b with many; c is always behind."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.uniform(0, 10, n), rng.uniform(0, 10, n)])
    few = x[:, :1] <= 4.0
    values = 0.8 + np.where(few, [[gain, 0.0, -0.1]], [[0.0, gain, -0.1]])
    return values + rng.normal(0, 0.01, (n, 3)), x


def test_it_finds_who_is_better_where():
    values, x = tables()
    found = advising_tree(values, "abc", x, QUESTIONS)
    assert isinstance(found.tree, Split)
    assert (found.tree.question, found.tree.threshold) == ("rows", pytest.approx(4.0, abs=0.4))
    assert advised(found.tree, np.array([1.0, 5.0]), QUESTIONS) == "a"
    assert advised(found.tree, np.array([9.0, 5.0]), QUESTIONS) == "b"
    assert found.helps
    assert found.gain.estimate == pytest.approx(found.by_single.estimate - found.by_tree.estimate)
    assert sum(leaf.families for leaf in leaves_of(found.tree)) == pytest.approx(60)


def test_where_nothing_decides_it_does_not_help():
    rng = np.random.default_rng(1)
    values, x = 0.8 + rng.normal(0, 0.02, (60, 4)), rng.uniform(size=(60, 3))
    found = advising_tree(values, "abcd", x, "xyz")
    assert not found.helps
    assert found.seen < found.by_tree.estimate  # on its own data sets a tree looks good
    constant = advising_tree(values + np.array([0.2, 0, 0, 0]), "abcd", x, "xyz")
    assert isinstance(constant.tree, Leaf)
    assert constant.tree.solver == constant.single == "a"
    assert constant.gain.estimate == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_one_question_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    values, x = rng.uniform(0.6, 0.9, (24, 3)), rng.integers(0, 6, (24, 2)).astype(float)
    families = [f"f{i // 3}" if i < 9 else None for i in range(24)]
    w = np.array([1 / 3] * 9 + [1.0] * 15)
    regrets = values.max(axis=1, keepdims=True) - values
    best = min(
        (w[side] @ regrets[side]).min() + (w[~side] @ regrets[~side]).min()
        for k in range(2)
        for cut in np.unique(x[:, k])[:-1]
        for side in [x[:, k] <= cut]
        if min(w[side].sum(), w[~side].sum()) >= 0.2 * w.sum()
    )
    found = advising_tree(values, "abc", x, QUESTIONS, families=families, depth=1, least=0.2)
    assert found.seen == pytest.approx(best / w.sum())


def test_it_is_measured_without_the_family_of_a_data_set():
    values, x = tables(n=40, seed=2)
    families = [f"f{i // 2}" for i in range(40)]
    found = advising_tree(values, "abc", x, QUESTIONS, families=families)
    regrets, lost = regrets_of(values, "abc"), []
    for g in range(20):
        kept = [i for i in range(40) if i // 2 != g]
        others = {"families": [families[i] for i in kept]}
        own = advising_tree(values[kept], "abc", x[kept], QUESTIONS, **others)
        for i in (2 * g, 2 * g + 1):
            choice = advised(own.tree, x[i], QUESTIONS)
            assert found.chosen[i] == choice
            lost.append(regrets[i, "abc".index(choice)])
    assert found.by_tree.estimate == pytest.approx(np.mean(lost))


def test_a_solver_without_a_value_loses_as_much_as_the_worst():
    values = np.array([[0.9, 0.7, np.nan], [0.8, np.nan, 0.85]])
    np.testing.assert_allclose(regrets_of(values, "abc"), [[0, 0.2, 0.2], [0.05, 0.05, 0]])


def regressed(n=12, x=None, y=None, **how):
    values, properties, _ = families_of(count=12)
    y, x = (values if y is None else y)[:n], (properties if x is None else x)[:n]
    return lambda: meta_regression(y, x, NAMES, **how)


def grown(columns=2, **how):
    values, x = tables(n=10)
    return lambda: advising_tree(values, "abc", x[:, :columns], QUESTIONS, **how)


@refusals(
    ("constant", regressed(x=np.ones((12, 2))), DataError, "constant"),
    ("combination", regressed(x=np.ones((12, 2)) * np.arange(12)[:, None]), DataError, "combin"),
    ("few families", regressed(4), DataError, "5 families"),
    ("one column", regressed(x=np.ones((12, 1))), DataError, "shape"),
    ("NaN", regressed(y=np.full(12, np.nan)), DataError, "finite"),
    ("level", regressed(level=1.0), ParameterError, "level"),
    ("one family", grown(families=["f"] * 10), DataError, "two or more"),
    ("one question", grown(1), DataError, "questions"),
    ("least share", grown(least=0.6), DataError, "least"),
    ("no value", lambda: regrets_of([[np.nan, np.nan]], "ab"), DataError, "no solver"),
)
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)
