from math import nan

import numpy as np
import pytest

from aucbench.errors import DataError
from aucbench.stats.fragile import fragile
from aucbench.stats.pairs import pairwise
from aucbench.stats.tables import Rule
from aucbench.stats.words import Word

SETS = [f"set{i}" for i in range(40)]


def table(n=12, k=3, seed=0, step=0.008):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.6, 0.9, (n, 1)) + step * np.arange(k) + rng.normal(0, 0.012, (n, k))


@pytest.mark.parametrize("seed", range(6))
def test_data_sets_left_out_are_those_whose_table_without_them_says_otherwise(seed):
    values, names = table(seed=seed), "abc"
    values[4, 1] = nan
    expected = {}
    for pair in pairwise(values, names):
        expected[pair.a, pair.b] = {
            (SETS[i], word)
            for i in range(12)
            for other in pairwise(np.delete(values, i, axis=0), names)
            if (other.a, other.b) == (pair.a, pair.b) and (word := other.word) is not pair.word
        }
    found = {
        (one.a, one.b): {(c.without, c.word) for c in one.changes if c.without}
        for one in fragile(values, names, SETS[:12])
    }
    assert {pair: changes for pair, changes in found.items() if changes} == {
        pair: changes for pair, changes in expected.items() if changes
    }


def test_both_outcomes_occur_in_the_test_above():
    sizes = [len(fragile(table(seed=seed), "abc", SETS[:12])) for seed in range(6)]
    assert min(sizes) < 3
    assert max(sizes) > 0


def test_a_verdict_that_hangs_on_the_rule():
    values = table(12, 2, step=0.05)
    values[:4, 1] = nan  # where the better solver failed
    [found] = fragile(values, "ab", SETS[:12])
    assert found.word is Word.UNCLEAR
    assert ("with complete cases only", Word.WORSE) in {(c.cause, c.word) for c in found.changes}
    [other] = fragile(values, "ab", SETS[:12], rule=Rule.COMPLETE_CASES)
    assert other.word is Word.WORSE
    assert "if failed cells count as the worst rank" in {c.cause for c in other.changes}


def test_a_bayesian_verdict_that_hangs_on_its_seed():
    rng = np.random.default_rng(0)
    for _ in range(200):  # a table whose probability is near the level
        values = np.column_stack([rng.normal(0.01, 0.02, 10), np.zeros(10)])
        probability = pairwise(values, "ab", draws=20_000)[0].sign_test.better
        if abs(probability - 0.95) < 0.002:
            break
    else:
        raise AssertionError("no such table was drawn")
    [found] = fragile(values, "ab", SETS[:10], draws=300)
    assert "in the Bayesian test, depending on its seed" in {c.cause for c in found.changes}


def test_clear_verdicts_are_not_fragile():
    values = np.column_stack([np.linspace(0.6, 0.9, 14) + gap for gap in (0.0, 0.0001, 0.1)])
    assert {pair.word for pair in pairwise(values, "abc")} == {Word.EQUIVALENT, Word.WORSE}
    assert fragile(values, "abc", SETS[:14]) == ()


def test_with_six_data_sets_every_verdict_hangs_on_each_of_them():
    values = np.column_stack([np.zeros(6), 0.1 + 0.01 * np.arange(6)])
    [found] = fragile(values, "ab", SETS[:6])
    assert found.word is Word.WORSE
    assert {c.without for c in found.changes} == {*SETS[:6]}
    assert str(found) == (
        "a is worse than b, but not distinguishable without any one of 6 data sets, such as "
        "set0, set1, set2."
    )
    assert str(found.flipped()).startswith("b is better than a, but not distinguishable without")


@pytest.mark.parametrize(("n", "k"), [(0, 2), (1, 2), (5, 1)])
def test_little_data_is_not_fragile(n, k):
    assert fragile(table(n, k), "ab"[:k], SETS[:n]) == ()


def test_names_of_data_sets_must_be_as_many_as_the_rows():
    with pytest.raises(DataError, match="12 rows of values have 3 names"):
        fragile(table(), "abc", SETS[:3])
