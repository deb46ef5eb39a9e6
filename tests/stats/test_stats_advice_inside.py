"""What is said of one data set: the words of each rival, and what next."""

import numpy as np

from aucbench.stats import Advice, PairTest, ResultTable, SplitTest, Word

FOLDS = np.array([-1.0, 0.5, 1.0, -0.5, 0.0]) / np.sqrt(0.625)  # mean 0, standard deviation 1


def splits(mean, sd, repeats=1):
    """The values of a solver over repeats of five folds, with this mean and deviation."""
    values = np.tile(FOLDS, repeats)
    return mean + sd * values / values.std(ddof=1)


def advice(
    repeats=1, redrawn=True, seconds=None, level=0.95, reference=None, **means_and_deviations
):
    """The advice on "german", where the leader is constant and the others scatter."""
    values = {n: splits(*one, repeats) for n, one in means_and_deviations.items()}
    found = SplitTest(ratio=1 / 4, repeats=repeats, redrawn=redrawn, level=level).of_values(
        values, "No scores."
    )
    row = [v.mean() for v in values.values()]
    times = None if seconds is None else [seconds]
    names = [*values]
    options = {"seconds": times, "test": PairTest(level=level), "against": reference}
    table = ResultTable([row], names, ["german"])
    return Advice(table=table, within=found, **options).sentences


BEST = (0.83, 0.0)
FIVE = "5 repeats of the folds (`--repeats 5`)"


def test_the_words_of_the_rivals_stand_between_the_answer_and_what_next():
    said = advice(best=BEST, far=(0.7, 0.01), near=(0.829, 0.001), odd=(0.81, 0.02))
    assert said[:3] == (
        "On german, best has the highest AUC, 0.8300.",
        "With 95 % confidence the best of them is one of these 3: best, near, odd.",
        "It is better than far (+0.1300, 95 % interval +0.1114 to +0.1486).",
    )
    assert "It is equivalent to near (+0.0010, 95 % interval -0.0009 to +0.0029)." in said
    assert any(one.startswith("It is not distinguishable from odd (+0.0200") for one in said)
    assert said[-2] == "More repeats will not help; more rows, or accept the cheaper one."
    assert said[-1] == "This holds for data like german; it says nothing about other data sets."
    assert "data sets" not in " ".join(said[:-1])


def test_probably_better_says_what_five_repeats_would_lower_for_ten_pairs():
    """The difference that is needed falls from 3.75 to 2.07 standard deviations."""
    others = {name: (0.80, sd) for name, sd in zip("bcd", (0.0133, 0.014, 0.015), strict=True)}
    said = advice(best=BEST, **others, e=(0.5, 0.01))
    [probable] = [one for one in said if "probably" in one and one.startswith("It is")]
    assert probable.startswith("It is probably better than b (+0.0300, 95 % interval +0.0052 to")
    assert probable.endswith(", each pair by itself: 1 in 20 such words is chance.")
    assert (
        f'{FIVE} would lower the difference that "better" takes among 10 pairs: from '
        "0.0499 to 0.0276 for b, from 0.0526 to 0.0290 for c, from 0.0563 to 0.0311 for d."
    ) in said
    assert "1 in 10 such words is chance" in " ".join(advice(level=0.9, best=BEST, **others))


def test_not_yet_says_what_a_pair_alone_takes():
    """1.86 and 1.39 standard deviations."""
    others = {name: (0.5 - 0.001 * j, 0.01) for j, name in enumerate("cde")}
    said = advice(best=BEST, b=(0.80, 0.018), **others)
    assert any(one.startswith("It is not yet distinguishable from b (+0.0300") for one in said)
    assert (
        f'{FIVE} would lower the difference that "probably better" takes: from 0.0335 to '
        "0.0249 for b."
    ) in said
    two = advice(best=BEST, b=(0.80, 0.018))
    assert any('difference that "better" takes: from 0.0335' in one for one in two)


def test_a_word_of_one_table_is_turned_with_its_pair():
    found = SplitTest(ratio=1 / 4).of_values(
        {"a": splits(0.83, 0.0), "b": splits(0.80, 0.018)}, "No scores."
    )
    assert found.pair("a", "b").word is found.pair("b", "a").word is Word.NOT_YET
