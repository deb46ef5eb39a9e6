from math import inf, isnan, nan

import numpy as np
import pytest
from nights import first, first_rows
from scipy.stats import binomtest

from aucbench.errors import DataError, ParameterError
from aucbench.stats.pairs import PairTest
from aucbench.stats.tables import ResultTable
from aucbench.stats.versus import fragile
from aucbench.stats.words import Word

NEAR = (0.001, -0.002, 0.0031, 0.0042, -0.0011, 0.0007, 0.0023, -0.0034, 0.0018, 0.0002)
NEAR += (-0.0006, 0.0061, -0.0047, 0.0013)


def table(n=12, k=4, seed=0):
    rng = np.random.default_rng(seed)
    effects = np.array([0.0, 0.001, -0.02, 0.004])[:k]
    noise = rng.normal(0, [0.01, 0.002, 0.02, 0.03][:k], (n, k))
    return rng.uniform(0.6, 0.9, (n, 1)) + effects + noise


def test_the_verdict_has_four_words():
    rng = np.random.default_rng(0)
    small, large = rng.uniform(-0.002, 0.002, 12), 0.03 + rng.uniform(-0.01, 0.01, 12)
    base = rng.uniform(0.6, 0.9, 12)
    wide = base + np.tile([0.05, -0.05], 6)
    values = np.column_stack([base, base + small, base + large, wide])
    pairs = PairTest().pairs(ResultTable(values, ["a", "near", "high", "wide"]))
    words = {(p.a, p.b): p.word for p in pairs}
    assert words["a", "near"] is Word.EQUIVALENT
    assert words["a", "high"] is Word.WORSE
    assert words["near", "high"] is Word.WORSE
    assert words["a", "wide"] is Word.UNCLEAR


def test_a_pair_seen_from_the_other_side():
    values = table()
    [pair] = PairTest().pairs(ResultTable(values[:, [0, 2]], "ac"))
    [other] = PairTest().pairs(ResultTable(values[:, [2, 0]], "ca"))
    back = pair.flipped()
    assert (back.a, back.b, back.wins, back.losses) == (other.a, other.b, other.wins, other.losses)
    assert back.difference == other.difference
    assert back.mean == pytest.approx(other.mean)
    assert back.flipped() == pair


def test_missing_cells_lose_by_the_worst_rank():
    values = table(10, 2)
    values[:, 0] = values[:, 1] + 0.01
    values[[2, 5], 0] = nan
    values[7, 1] = nan
    values[9] = nan
    [pair] = PairTest().pairs(ResultTable(values, "ab"))
    assert (pair.wins, pair.ties, pair.losses) == (7, 0, 2)
    assert pair.mean == pytest.approx(0.01)
    [by_hand] = PairTest().pairs(
        ResultTable(np.column_stack([[0.01] * 6 + [-5.0, -5.0, 5.0], np.zeros(9)]), "ab")
    )
    assert pair.p == by_hand.p
    assert pair.difference.low == -inf


def test_a_solver_that_always_fails_is_worse_and_no_number_is_made_up():
    values = table(8, 2)
    values[:, 1] = nan
    [pair] = PairTest().pairs(ResultTable(values, "ab"))
    assert pair.wins == 8
    assert pair.difference.estimate == inf
    assert isnan(pair.mean)
    assert pair.word is Word.BETTER
    [both] = PairTest().pairs(ResultTable(values * nan, "ab"))
    assert both.word is Word.UNCLEAR
    assert both.data_sets == 0
    assert isnan(both.adjusted_p)


@pytest.mark.parametrize(
    ("values", "names", "sentence"),
    [
        ([[0.1, 0.2]], "abc", "a column for each of 3"),
        ([0.1, 0.2], "ab", "shape"),
        ([[0.1, inf]], "ab", "give NaN"),
        ([[0.1, 0.2]], "aa", "different names"),
    ],
)
def test_tables_that_make_no_sense_are_refused(values, names, sentence):
    with pytest.raises(DataError, match=sentence):
        PairTest().pairs(ResultTable(values, names))


@pytest.mark.parametrize("options", [{"rope": -1.0}, {"level": 0.0}, {"rope": nan}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ParameterError):
        PairTest(**options).pairs(ResultTable(table(), "abcd"))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), first_rows([(14, 4), (9, 3), (30, 5)]))
def test_family_wise_error_on_null_data(n, k):
    """At most 5 % of tables without a difference have a pair that is better or worse."""
    rng, draws = np.random.default_rng(n), 600
    wrong = 0
    for _ in range(draws):
        values = rng.uniform(0.6, 0.9, (n, 1)) + rng.normal(0, 0.02, (n, k))
        words = {pair.word for pair in PairTest().pairs(ResultTable(values, "abcde"[:k]))}
        wrong += bool(words & {Word.BETTER, Word.WORSE})
    assert binomtest(wrong, draws, 0.05, alternative="greater").pvalue > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("n", first([14, 40]))
def test_equivalent_is_rarely_said_at_the_edge_of_the_rope(n):
    """A true difference of exactly the rope is called equivalent with at most (1 - level)/2."""
    rng, draws = np.random.default_rng(n), 2000
    said = 0
    for _ in range(draws):
        values = np.column_stack([rng.normal(0.005, 0.004, n), np.zeros(n)])
        said += PairTest(rope=0.005).pairs(ResultTable(values, "ab")).all[0].word is Word.EQUIVALENT
    assert binomtest(said, draws, 0.025, alternative="greater").pvalue > 1e-3


def test_related_data_sets_count_as_one_with_their_mean():
    rng = np.random.default_rng(3)
    means = rng.uniform(0.6, 0.9, (8, 3))
    table = np.repeat(means, 3, axis=0) + np.tile([[-0.01], [0.0], [0.01]], (8, 1))
    families = [f"f{i // 3}" for i in range(24)]

    mine, one_each = (
        PairTest().pairs(ResultTable(table, "abc", families=families)),
        PairTest().pairs(ResultTable(means, "abc")),
    )
    for pair, other in zip(mine, one_each, strict=True):
        assert pair.p == other.p
        assert pair.difference.low == pytest.approx(other.difference.low)
        assert (pair.wins, pair.losses) == (other.wins, other.losses)
    alone = PairTest().pairs(ResultTable(table, "abc", families=[None] * 24))
    assert [*alone] == [*PairTest().pairs(ResultTable(table, "abc"))]

    table[4, 0] = np.nan  # one of a family: then the family has none
    [first, *_] = PairTest().pairs(ResultTable(table, "abc", families=families))
    assert (first.losses >= 1, first.data_sets) == (True, 8)
    with pytest.raises(DataError, match="24 data sets have 3 families"):
        PairTest().pairs(ResultTable(table, "abc", families=["f"] * 3))


def test_what_is_fragile_of_related_data_sets_keeps_the_rest_of_a_family():
    rng = np.random.default_rng(1)
    values = np.repeat(rng.uniform(0.6, 0.8, (6, 1)), 2, axis=0) + np.array([0.05, 0.0])
    names, sets = ["a", "b"], [f"d{i}" for i in range(12)]
    families = [f"f{i // 2}" for i in range(12)]

    assert fragile(ResultTable(values, names, sets, families=families), "b") == ()
    [one] = fragile(ResultTable(values[:11], names, sets[:11], families=families[:11]), "b")
    assert [change.without for change in one.changes] == ["d10"]  # the last of its family
