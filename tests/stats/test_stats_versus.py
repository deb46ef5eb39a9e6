"""Verdicts against a reference, and which of them are fragile."""

from math import nan

import numpy as np
import pytest

from aucbench.errors import DataError
from aucbench.stats.best_set import SignTest
from aucbench.stats.pairs import PairTest
from aucbench.stats.tables import ResultTable
from aucbench.stats.versus import fragile, versus
from aucbench.stats.words import Word

SETS = [f"set{i}" for i in range(40)]


def table(n=12, k=3, seed=0, step=0.008):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.6, 0.9, (n, 1)) + step * np.arange(k) + rng.normal(0, 0.012, (n, k))


@pytest.mark.parametrize("seed", range(3))
def test_effects_are_those_of_the_pairs_and_p_values_those_of_the_flips(seed):
    values, names = table(k=4, seed=seed), "abcd"
    pairs = {
        (p.a, p.b): p
        for pair in PairTest().pairs(ResultTable(values, names))
        for p in (pair, pair.flipped())
    }
    tested = SignTest().against(ResultTable(values, names), "c")
    for pair, p in zip(versus(ResultTable(values, names), "c"), tested.adjusted_p, strict=True):
        known = pairs[pair.a, "c"]
        assert pair.difference == known.difference
        assert (pair.wins, pair.losses, pair.mean) == (known.wins, known.losses, known.mean)
        assert pair.adjusted_p == p
        assert pair.word is pair.difference.word(p=p)


def test_of_two_solvers_it_is_their_pair():
    values = table(k=2, seed=2)
    [pair] = PairTest().pairs(ResultTable(values, "ab"))
    assert versus(ResultTable(values, "ab"), "b") == (pair,)


def test_scales_that_do_not_agree_give_no_word():
    # b is ahead by much where the AUC is near .5, and behind by less where it is near 1.
    low, high = np.full(8, 0.6), np.full(12, 0.985)
    reference = np.r_[low, high]
    values = np.column_stack([reference, reference + np.r_[np.full(8, 0.02), np.full(12, -0.012)]])
    values = np.column_stack([values, reference - 0.1])
    [b, _] = versus(ResultTable(values, "abc"), "a")
    [t, _] = SignTest().against(ResultTable(values, "abc"), "a").t
    assert t < 0.0 < b.mean
    assert b.word is not Word.BETTER


@pytest.mark.parametrize("seed", range(4))
def test_data_sets_left_out_are_those_whose_table_without_them_says_otherwise(seed):
    values, names = table(n=11, seed=seed, step=0.006), "abc"
    values[4, 1] = nan
    expected = {}
    for pair in versus(ResultTable(values, names), "a"):
        others = {
            SETS[i]: other.word
            for i in range(11)
            for other in versus(ResultTable(np.delete(values, i, axis=0), names), "a")
            if other.a == pair.a
        }
        expected[pair.a] = {(s, word) for s, word in others.items() if word is not pair.word}
    found = {
        one.a: {(c.without, c.word) for c in one.changes if c.without}
        for one in fragile(ResultTable(values, names, SETS[:11]), "a")
    }
    assert {a: some for a, some in found.items() if some} == {
        a: some for a, some in expected.items() if some
    }


def test_families_stay_families_when_a_data_set_is_left_out():
    values = table(k=3, seed=3, step=0.02)
    families = ["x"] * 6 + [None] * 6
    assert versus(ResultTable(values, "abc", families=families), "a")[1].word is Word.BETTER
    found = fragile(ResultTable(values, "abc", SETS[:12], families=families), "a")
    assert all(c.without in SETS[6:12] for one in found for c in one.changes)


def test_a_verdict_that_hangs_on_the_rule():
    values = table(12, 2, step=0.05)
    values[:4, 1] = nan  # where the better solver failed
    [found] = fragile(ResultTable(values, "ab", SETS[:12]), "b")
    assert found.word is Word.UNCLEAR
    assert ("with complete cases only", Word.WORSE) in {(c.cause, c.word) for c in found.changes}


def test_with_six_data_sets_every_verdict_hangs_on_each_of_them():
    values = np.column_stack([np.zeros(6), 0.1 + 0.01 * np.arange(6)])
    [found] = fragile(ResultTable(values, "ab", SETS[:6]), "b")
    assert found.word is Word.WORSE
    assert {c.without for c in found.changes} == {*SETS[:6]}
    assert str(found) == (
        "a is worse than b, but not distinguishable without any one of 6 data sets, such as "
        "set0, set1, set2."
    )


def test_names_of_data_sets_must_be_as_many_as_the_rows():
    with pytest.raises(DataError, match="12 rows of values have 3 names"):
        fragile(ResultTable(table(), "abc", SETS[:3]), "a")
