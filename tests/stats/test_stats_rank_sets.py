"""Sets of ranks: by golden numbers, by a naive twin of the step-down, and by their coverage."""

from itertools import product

import numpy as np
import pytest
from nights import NIGHTLY
from scipy.stats import rankdata

from aucbench.stats import ResultTable, SignTest

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


def naive(values, families):
    """Ranks from the step-down over all pairs and all flips, by loops."""
    n, m = values.shape
    y = np.log((values + 0.005) / (1 - values + 0.005))
    units = [*dict.fromkeys(families)]
    pairs = [(a, b) for a in range(m) for b in range(a + 1, m)]
    own = {}
    for a, b in pairs:
        d = y[:, a] - y[:, b]
        r = rankdata(np.abs(d)) * np.sign(d)
        own[a, b] = np.array([np.mean([r[i] for i in range(n) if families[i] == u]) for u in units])
        own[a, b] /= np.linalg.norm(own[a, b])
    flips = [np.array(f) for f in product([1, -1], repeat=len(units))]
    T = {pair: np.array([f @ own[pair] for f in flips]) for pair in pairs}
    better, left, p_before = np.zeros((m, m), bool), [*pairs], 0.0
    for pair in sorted(pairs, key=lambda pair: -abs(T[pair][0])):
        largest = np.max([np.abs(T[other]) for other in left], axis=0)
        p_before = max(p_before, np.mean(largest >= abs(T[pair][0]) - 1e-9))
        left.remove(pair)
        if p_before <= 0.05:
            a, b = pair if T[pair][0] > 0 else pair[::-1]
            better[a, b] = True
    return 1 + better.sum(axis=0), m - better.sum(axis=1)


def test_golden_ranks():
    found = SignTest().rank_sets(ResultTable(GOLDEN, "abcd"))
    low, high = naive(GOLDEN, [*range(8)])
    assert found.low == (1, 1, 3, 4) == tuple(low)
    assert found.high == (2, 2, 3, 4) == tuple(high)
    assert found.above == ((), (), ("a", "b"), ("a", "b", "c"))
    assert found.below[0] == ("c", "d")


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_naive_twin(seed):
    values = table(n=11, m=4, seed=seed, spread=0.012)
    families = ["x", "x", "x", *"abcdefgh"]
    low, high = naive(values, families)
    found = SignTest().rank_sets(ResultTable(values, names_of(values), families=families))
    assert found.units == 9
    assert (found.low, found.high) == (tuple(low), tuple(high))


def held(m, count, tables, gap, seed=0):
    """Share of tables in which the ranks of all solvers are in their sets, and their mean size."""
    rng = np.random.default_rng(seed)
    place = gap * np.arange(m)[::-1]  # solver 0 is the best
    whole, sizes = [], []
    for _ in range(tables):
        scale = np.exp(0.5 * rng.normal(size=(count, 1)))
        odds = 2 + rng.normal(size=(count, 1)) + place + 0.2 * scale * rng.normal(size=(count, m))
        found = SignTest(flips=399).rank_sets(
            ResultTable(1 / (1 + np.exp(-odds)), [*map(str, range(m))])
        )
        true = np.arange(1, m + 1) if gap else None
        low, high = np.array(found.low), np.array(found.high)
        if true is None:  # all share the ranks from 1 to m
            whole.append(bool(((low == 1) & (high == m)).all()))
        else:
            whole.append(bool(((low <= true) & (true <= high)).all()))
        sizes.append(float(np.mean(high - low + 1)))
    return np.mean(whole), np.mean(sizes)


def test_all_ranks_are_in_their_sets():
    share, size = held(4, 12, 100, 0.1)
    assert share >= 0.90
    assert size < 3.5


@NIGHTLY
@pytest.mark.parametrize(("m", "count"), [(4, 10), (4, 40), (12, 20), (25, 80)])
@pytest.mark.parametrize("gap", [0.0, 0.05, 0.2])
def test_all_ranks_are_in_their_sets_by_night(m, count, gap):
    tables = 400
    assert held(m, count, tables, gap, seed=1)[0] >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / tables)
