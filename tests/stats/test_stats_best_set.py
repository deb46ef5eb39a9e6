"""Sets of possibly best solvers, by a naive twin, by laws and by golden numbers."""

from itertools import product
from math import isnan, nan

import numpy as np
import pytest
from nights import first
from scipy.stats import rankdata

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.stats.best_set import SignTest
from aucbench.stats.tables import ResultTable, Scale

GOLDEN = np.array(
    [
        [0.81, 0.80, 0.78, 0.70],
        [0.92, 0.93, 0.90, 0.85],
        [0.75, 0.74, 0.71, 0.69],
        [0.88, 0.86, 0.85, 0.80],
        [0.67, 0.68, 0.62, 0.60],
        [0.95, 0.94, 0.93, 0.91],
        [0.79, 0.77, 0.775, 0.72],
        [0.84, 0.85, 0.80, 0.81],
    ]
)


def table(n=9, m=4, seed=0, spread=0.02):
    rng = np.random.default_rng(seed)
    ahead = 0.01 * np.arange(m)
    values = rng.uniform(0.6, 0.9, (n, 1)) + ahead + rng.normal(0, spread, (n, m))
    return np.round(np.clip(values, 0, 1), 3)


def names_of(values):
    return [f"s{j}" for j in range(values.shape[1])]


def naive(values, families=None, shares=True):
    """Statistics and p-values by loops over all flips and pairs."""
    n, m = values.shape
    families = range(n) if families is None else families
    filled = np.where(np.isnan(values), -np.inf, values)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log((filled + 0.005) / (1 - filled + 0.005)) if shares else filled
    y = np.where(np.isnan(values), -np.inf, y)
    units = sorted(set(families))
    stats = []
    for flip in product([1, -1], repeat=len(units)):
        T = np.full((m, m), -np.inf)
        for i in range(m):
            for j in range(m):
                if i == j:
                    continue
                with np.errstate(invalid="ignore"):
                    d = np.nan_to_num(y[:, j] - y[:, i], posinf=np.inf, neginf=-np.inf)
                ranks = rankdata(np.abs(d)) * np.sign(d)
                own = np.array(
                    [
                        np.mean([r for r, f in zip(ranks, families, strict=True) if f == u])
                        for u in units
                    ]
                )
                norm = np.sqrt(np.sum(own**2))
                T[j, i] = np.sum(flip * own) / norm if norm else 0.0
        stats.append(T)
    stats = np.array(stats)
    S = stats.max(axis=1)
    s = S[0]
    p = np.mean(s - 1e-9 <= S, axis=0)
    order = sorted(range(m), key=lambda i: -s[i])
    adjusted, before = np.empty(m), 0.0
    for k, i in enumerate(order):
        before = max(before, np.mean(S[:, order[k:]].max(axis=1) >= s[i] - 1e-9))
        adjusted[i] = before
    return s, p, adjusted, stats


def test_golden_numbers():
    found = SignTest().best_set(ResultTable(GOLDEN, "abcd"))
    assert found.s == pytest.approx((-0.9802, 0.9802, 2.5205, 2.5205), abs=6e-5)
    assert found.p == pytest.approx((0.9766, 0.4062, 0.0117, 0.0078), abs=6e-5)
    assert found.adjusted_p == pytest.approx((0.9766, 0.5742, 0.0312, 0.0312), abs=6e-5)
    assert found.of(found.possible) == ("a", "b")
    assert found.of(found.behind) == ("c", "d")
    assert not any(found.unlikely + found.borderline)
    assert found.units == 8


@pytest.mark.parametrize("shares", [True, False])
@pytest.mark.parametrize("seed", first(range(4)))
def test_it_is_the_naive_twin(seed, shares):
    values = table(seed=seed)
    values[1, 2] = values[4, 0] = values[4, 1] = nan  # both failed: no difference
    values[2, 0] = values[2, 1]
    found = SignTest().best_set(
        ResultTable(values, names_of(values), scale=Scale.SHARES if shares else Scale.LARGER)
    )
    s, p, adjusted, _ = naive(values, shares=shares)
    assert found.s == pytest.approx(s)
    assert found.p == pytest.approx(p)
    assert found.adjusted_p == pytest.approx(adjusted)


def test_a_family_flips_as_one():
    values = table(n=11, seed=3)
    families = ["x", "x", None, None, "y", "y", "y", None, None, None, None]
    numbers = [0, 0, 1, 2, 3, 3, 3, 4, 5, 6, 7]
    found = SignTest().best_set(ResultTable(values, names_of(values), families=families))
    s, p, adjusted, _ = naive(values, numbers)
    assert found.units == 8
    assert found.s == pytest.approx(s)
    assert found.p == pytest.approx(p)
    assert found.adjusted_p == pytest.approx(adjusted)


def test_a_family_of_many_counts_no_more_than_another_one():
    """Twelve variants on which b is ahead do not outvote eleven tables on which a is."""
    ahead = np.repeat([[0.8, 0.81], [0.81, 0.8]], [12, 11], axis=0)
    values = ahead + np.random.default_rng(0).normal(0, 0.001, (23, 1))
    families = ["cuts of one"] * 12 + [None] * 11
    found = SignTest().best_set(ResultTable(values, "ab", families=families))
    assert found.of(found.behind) == ("b",)
    assert SignTest().best_set(ResultTable(values, "ab")).of(found.possible) == ("a",)


@pytest.mark.parametrize("seed", range(3))
def test_a_reference_is_tested_against_the_others_only(seed):
    values = table(seed=seed, m=4)
    found = SignTest().against(ResultTable(values, names_of(values)), "s1")
    _, _, _, T = naive(values)
    t = np.abs(T[:, [0, 2, 3], 1])
    assert found.names == ("s0", "s2", "s3")
    assert found.t == pytest.approx(T[0, [0, 2, 3], 1])
    assert found.p == pytest.approx(np.mean(t >= t[0] - 1e-9, axis=0))
    order = np.argsort(-t[0], kind="stable")
    steps = [np.mean(t[:, order[k:]].max(axis=1) >= t[0, i] - 1e-9) for k, i in enumerate(order)]
    assert np.array(found.adjusted_p)[order] == pytest.approx(np.maximum.accumulate(steps))


@pytest.mark.parametrize("seed", range(3))
def test_random_flips_come_near_to_all_flips(seed):
    values = table(n=13, m=5, seed=seed)
    all_flips = SignTest(flips=9999).best_set(ResultTable(values, names_of(values)))
    some = SignTest(flips=4001).best_set(ResultTable(values, names_of(values)))
    assert not any(all_flips.borderline)
    assert some.p == pytest.approx(all_flips.p, abs=0.03)
    assert some.adjusted_p == pytest.approx(all_flips.adjusted_p, abs=0.03)
    assert some == SignTest(flips=4001).best_set(ResultTable(values, names_of(values)))


@pytest.mark.parametrize("n", range(6))
def test_few_data_sets_take_no_star_away(n):
    found = SignTest().best_set(ResultTable(table(n=n, m=3, spread=0.0), "abc"))
    assert found.possible == (True,) * 3
    assert found.behind == (False,) * 3
    assert all(isnan(p) for p in found.p)
    assert found.note == f"To leave a solver out takes at least 6 data sets; here are {n}."
    assert all(
        isnan(p) for p in SignTest().against(ResultTable(table(n=n, m=3), "abc"), "a").adjusted_p
    )


def test_steadiness_leaves_each_data_set_out():
    values = table(n=9, m=5, seed=7)
    values[2, 1] = nan
    families = [None] * 7 + ["x", "x"]
    whole = ResultTable(values, "abcde", families=families)
    found = SignTest().steadiness(whole)
    sets = [SignTest(flips=1999).best_set(whole.without(i)) for i in range(9)]
    names = [{*one.of(one.possible)} for one in sets]
    assert (found.fewest, found.most) == (min(map(len, names)), max(map(len, names)))
    assert {*found.always} == set.intersection(*names)
    assert {*found.ever} == set.union(*names)


def test_wrong_input_is_refused():
    with pytest.raises(DataError, match=r"a value is 1\.2, wanted shares"):
        SignTest().best_set(ResultTable([[1.2, 0.5]], "ab"))
    with pytest.raises(DataError, match="8 data sets have 3 families"):
        SignTest().best_set(ResultTable(GOLDEN, "abcd", families=["x", "y", None]))
    with pytest.raises(ParameterError, match="flips"):
        SignTest(flips=0).best_set(ResultTable(GOLDEN, "abcd"))
    with pytest.raises(UnknownNameError, match="'z'"):
        SignTest().against(ResultTable(GOLDEN, "abcd"), "z")


def test_sizes_of_sets_are_those_of_tables_drawn_with_replacement():
    values = table(n=8, m=4, seed=3)
    found = SignTest().set_sizes(ResultTable(values, "abcd"))
    rng = np.random.default_rng(0)
    for factor, size in found.items():
        rows = rng.integers(0, 8, (9, factor * 8))
        sets = [SignTest(flips=499).best_set(ResultTable(values[some], "abcd")) for some in rows]
        assert size == int(np.median([sum(one.possible) for one in sets]))
