"""Sign flips of whole data sets: who may be the best, sets of ranks, and a reference.

They are compared with a naive twin, golden numbers and laws.
"""

from itertools import product
from math import isnan, nan

import numpy as np
import pytest
from nights import first, first_rows
from scipy.stats import rankdata

from aucbench.stats.best_set import SignTest
from aucbench.stats.flips import signs_of
from aucbench.stats.pairs import PairTest
from aucbench.stats.tables import ResultTable, Scale
from aucbench.stats.versus import fragile, versus
from aucbench.stats.words import Word

SETS = [f"set{i}" for i in range(40)]
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


def values_of(n=9, m=4, seed=0, spread=0.02):
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.6, 0.9, (n, 1)) + 0.01 * np.arange(m) + rng.normal(0, spread, (n, m))
    return np.round(np.clip(values, 0, 1), 3)


def table(values, **options):
    return ResultTable(values, [f"s{j}" for j in range(values.shape[1])], **options)


def naive(values, families=None, shares=True):
    """T of each pair under all flips of families, (flips, m, m), pair by pair."""
    n, m = values.shape
    families = np.arange(n) if families is None else np.array(families)
    filled = np.where(np.isnan(values), -np.inf, values)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log((filled + 0.005) / (1 - filled + 0.005)) if shares else filled
    y = np.where(np.isnan(values), -np.inf, y)
    units = np.unique(families)
    flips = np.array([*product([1, -1], repeat=len(units))])
    T = np.full((len(flips), m, m), -np.inf)
    for j, i in product(range(m), repeat=2):
        if i != j:
            with np.errstate(invalid="ignore"):
                d = np.nan_to_num(y[:, j] - y[:, i], posinf=np.inf, neginf=-np.inf)
            ranks = rankdata(np.abs(d)) * np.sign(d)
            own = np.array([np.mean(ranks[families == unit]) for unit in units])
            T[:, j, i] = flips @ own / (np.linalg.norm(own) or 1.0)
    return T


def step_down(statistics):
    """Adjusted p-values of statistics under all flips, (flips, k), the strongest one first."""
    order, adjusted, before = np.argsort(-statistics[0], kind="stable"), {}, 0.0
    for k, i in enumerate(order):
        largest = statistics[:, order[k:]].max(axis=1)
        before = max(before, np.mean(largest >= statistics[0, i] - 1e-9))
        adjusted[i] = before
    return [adjusted[i] for i in range(len(order))]


def require_equal(found, T):
    S = T.max(axis=1)
    assert found.s == pytest.approx(S[0])
    assert found.p == pytest.approx(np.mean(S[0] - 1e-9 <= S, axis=0))
    assert found.adjusted_p == pytest.approx(step_down(S))


def test_golden_numbers():
    found = SignTest().best_set(ResultTable(GOLDEN, "abcd"))
    assert found.s == pytest.approx((-0.9802, 0.9802, 2.5205, 2.5205), abs=6e-5)
    assert found.p == pytest.approx((0.9766, 0.4062, 0.0117, 0.0078), abs=6e-5)
    assert found.adjusted_p == pytest.approx((0.9766, 0.5742, 0.0312, 0.0312), abs=6e-5)
    assert found.of(found.possible) == ("a", "b")
    assert found.of(found.behind) == ("c", "d")
    assert not any(found.unlikely + found.borderline)
    assert found.units == 8
    ranks = SignTest().rank_sets(ResultTable(GOLDEN, "abcd"))
    assert (ranks.low, ranks.high) == ((1, 1, 3, 4), (2, 2, 3, 4))
    assert ranks.above == ((), (), ("a", "b"), ("a", "b", "c"))
    assert ranks.below[0] == ("c", "d")


@pytest.mark.parametrize("shares", [True, False])
@pytest.mark.parametrize("seed", first(range(4)))
def test_the_set_is_that_of_the_naive_twin(seed, shares):
    values = values_of(seed=seed)
    values[1, 2] = values[4, 0] = values[4, 1] = nan  # both failed: no difference
    values[2, 0] = values[2, 1]
    scale = Scale.SHARES if shares else Scale.LARGER
    require_equal(SignTest().best_set(table(values, scale=scale)), naive(values, shares=shares))


def test_a_family_flips_as_one():
    values = values_of(n=11, seed=3)
    families = ["x", "x", None, None, "y", "y", "y", None, None, None, None]
    found = SignTest().best_set(table(values, families=families))
    assert found.units == 8
    require_equal(found, naive(values, [0, 0, 1, 2, 3, 3, 3, 4, 5, 6, 7]))


def test_a_family_of_many_counts_no_more_than_another_one():
    """Twelve variants on which b is ahead do not outvote eleven tables on which a is."""
    ahead = np.repeat([[0.8, 0.81], [0.81, 0.8]], [12, 11], axis=0)
    values = ahead + np.random.default_rng(0).normal(0, 0.001, (23, 1))
    families = ["cuts of one"] * 12 + [None] * 11
    found = SignTest().best_set(ResultTable(values, "ab", families=families))
    assert found.of(found.behind) == ("b",)
    assert SignTest().best_set(ResultTable(values, "ab")).of(found.possible) == ("a",)


@pytest.mark.parametrize("seed", range(3))
def test_sets_of_ranks_are_those_of_the_naive_twin(seed):
    values = values_of(n=11, m=4, seed=seed, spread=0.012)
    T = naive(values, [0, 0, 0, *range(1, 9)])
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    p = step_down(np.abs([T[:, a, b] for a, b in pairs]).T)
    better = np.zeros((4, 4), bool)
    for (a, b), p_value in zip(pairs, p, strict=True):
        ahead = (a, b) if T[0, a, b] > 0 else (b, a)
        better[ahead] = p_value <= 0.05
    found = SignTest().rank_sets(table(values, families=["x", "x", "x", *"abcdefgh"]))
    assert found.units == 9
    assert found.low == tuple(1 + better.sum(axis=0))
    assert found.high == tuple(4 - better.sum(axis=1))


@pytest.mark.parametrize("seed", range(3))
def test_a_reference_is_tested_against_the_others_only(seed):
    values = values_of(seed=seed)
    found = SignTest().against(table(values), "s1")
    T = naive(values)[:, [0, 2, 3], 1]
    assert found.names == ("s0", "s2", "s3")
    assert found.t == pytest.approx(T[0])
    assert found.p == pytest.approx(np.mean(np.abs(T) >= np.abs(T[0]) - 1e-9, axis=0))
    assert found.adjusted_p == pytest.approx(step_down(np.abs(T)))


@pytest.mark.parametrize("seed", range(3))
def test_random_flips_come_near_to_all_flips(seed):
    values = table(values_of(n=13, m=5, seed=seed))
    all_flips, some = (SignTest(flips=flips).best_set(values) for flips in (9999, 4001))
    assert not any(all_flips.borderline)
    assert some.p != all_flips.p
    assert some.p == pytest.approx(all_flips.p, abs=0.03)
    assert some.adjusted_p == pytest.approx(all_flips.adjusted_p, abs=0.03)
    assert some == SignTest(flips=4001).best_set(values)


def test_all_flips_are_taken_if_there_are_no_more_than_asked_for():
    signs, are_all = signs_of(4, 15, 0)  # and the identity: one of each two is there
    assert (signs.shape, are_all) == ((4, 8), True)
    assert {*map(tuple, signs.T)} | {*map(tuple, -signs.T)} == {*product([1.0, -1.0], repeat=4)}
    signs, are_all = signs_of(4, 14, 0)
    assert (signs.shape, are_all) == ((4, 7), False)
    assert (signs[:, 0] == 1.0).all()


@pytest.mark.parametrize("n", range(6))
def test_few_data_sets_take_no_star_away(n):
    few = table(values_of(n=n, m=3, spread=0.0))
    found = SignTest().best_set(few)
    assert found.possible == (True,) * 3
    assert found.behind == (False,) * 3
    assert all(isnan(p) for p in found.p + SignTest().against(few, "s0").adjusted_p)
    assert found.note == f"To leave a solver out takes at least 6 data sets; here are {n}."


def test_steadiness_leaves_each_data_set_out():
    values = values_of(n=9, m=5, seed=7)
    values[2, 1] = nan
    whole = ResultTable(values, "abcde", families=[None] * 7 + ["x", "x"])
    found = SignTest().steadiness(whole)
    sets = [SignTest(flips=1999).best_set(whole.without(i)) for i in range(9)]
    names = [{*one.of(one.possible)} for one in sets]
    assert (found.fewest, found.most) == (min(map(len, names)), max(map(len, names)))
    assert {*found.always} == set.intersection(*names)
    assert {*found.ever} == set.union(*names)


SIZES = [(4, 10), (4, 40), (12, 20), (25, 80)]
BY_NIGHT = [(*size, gap, 400) for size, gap in product(SIZES, (0.0, 0.05, 0.2))]


@pytest.mark.parametrize(("m", "count", "gap", "tables"), first_rows([(4, 12, 0.1, 40), *BY_NIGHT]))
def test_all_ranks_are_in_their_sets(m, count, gap, tables):
    """Without a gap, all solvers share the ranks from 1 to m."""
    rng, held, sizes = np.random.default_rng(1), [], []
    true = np.arange(1, m + 1)
    for _ in range(tables):
        scale = np.exp(0.5 * rng.normal(size=(count, 1)))
        odds = 2 + rng.normal(size=(count, 1)) + 0.2 * scale * rng.normal(size=(count, m))
        odds += gap * np.arange(m)[::-1]  # solver 0 is the best
        found = SignTest(flips=399).rank_sets(table(1 / (1 + np.exp(-odds))))
        low, high = np.array(found.low), np.array(found.high)
        least, last = (true, true) if gap else (1, m)
        held.append((low <= least).all() and (last <= high).all())
        sizes.append(np.mean(high - low + 1))
    assert np.mean(held) >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / tables)
    assert np.mean(sizes) < 3.5 or tables == 400


def stepped(n=12, k=3, seed=0, step=0.008):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.6, 0.9, (n, 1)) + step * np.arange(k) + rng.normal(0, 0.012, (n, k))


@pytest.mark.parametrize("seed", range(3))
def test_effects_are_those_of_the_pairs_and_p_values_those_of_the_flips(seed):
    values = ResultTable(stepped(k=4, seed=seed), "abcd")
    pairs = {(p.a, p.b): p for pair in PairTest().pairs(values) for p in (pair, pair.flipped())}
    tested = SignTest().against(values, "c")
    for pair, p in zip(versus(values, "c"), tested.adjusted_p, strict=True):
        known = pairs[pair.a, "c"]
        assert pair.difference == known.difference
        assert (pair.wins, pair.losses, pair.mean) == (known.wins, known.losses, known.mean)
        assert pair.adjusted_p == p
        assert pair.word is pair.difference.word(p=p)
    of_two = ResultTable(stepped(k=2, seed=2), "ab")
    assert versus(of_two, "b") == tuple(PairTest().pairs(of_two))


def test_scales_that_do_not_agree_give_no_word():
    # b is ahead by much where the AUC is near .5, and behind by less where it is near 1.
    reference = np.repeat([0.6, 0.985], [8, 12])
    b = reference + np.repeat([0.02, -0.012], [8, 12])
    values = ResultTable(np.column_stack([reference, b, reference - 0.1]), "abc")
    pair, _ = versus(values, "a")
    assert SignTest().against(values, "a").t[0] < 0.0 < pair.mean
    assert pair.word is not Word.BETTER


@pytest.mark.parametrize("seed", range(4))
def test_data_sets_left_out_are_those_whose_table_without_them_says_otherwise(seed):
    values = stepped(n=11, seed=seed, step=0.006)
    values[4, 1] = nan
    words = {pair.a: pair.word for pair in versus(ResultTable(values, "abc"), "a")}
    expected = {
        (pair.a, SETS[i], pair.word)
        for i in range(11)
        for pair in versus(ResultTable(np.delete(values, i, axis=0), "abc"), "a")
        if pair.word is not words[pair.a]
    }
    found = fragile(ResultTable(values, "abc", SETS[:11]), "a")
    assert {(x.a, c.without, c.word) for x in found for c in x.changes if c.without} == expected


def test_families_stay_families_when_a_data_set_is_left_out():
    values, sets = stepped(k=3, seed=3, step=0.02), SETS[:12]
    whole = ResultTable(values, "abc", sets, families=["x"] * 6 + [None] * 6)
    assert versus(whole, "a")[1].word is Word.BETTER
    assert all(c.without in sets[6:] for one in fragile(whole, "a") for c in one.changes)
    rng = np.random.default_rng(1)
    twins = np.repeat(rng.uniform(0.6, 0.8, (6, 1)), 2, axis=0) + np.array([0.05, 0.0])
    families = [f"f{i // 2}" for i in range(12)]
    assert fragile(ResultTable(twins, "ab", sets, families=families), "b") == ()
    [one] = fragile(ResultTable(twins[:11], "ab", sets[:11], families=families[:11]), "b")
    assert [change.without for change in one.changes] == ["set10"]  # the last of its family


def test_a_verdict_that_depends_on_the_rule_or_on_each_data_set_is_fragile():
    values = stepped(12, 2, step=0.05)
    values[:4, 1] = nan  # where the better solver failed
    [found] = fragile(ResultTable(values, "ab", SETS[:12]), "b")
    assert found.word is Word.UNCLEAR
    assert ("with complete cases only", Word.WORSE) in {(c.cause, c.word) for c in found.changes}
    values = np.column_stack([np.zeros(6), 0.1 + 0.01 * np.arange(6)])
    [found] = fragile(ResultTable(values, "ab", SETS[:6]), "b")
    assert found.word is Word.WORSE
    assert {c.without for c in found.changes} == {*SETS[:6]}
    assert "not distinguishable without any one of 6 data sets, such as set0" in str(found)
