import re
from math import inf, nan

import numpy as np
import pytest

from aucbench.errors import DataError
from aucbench.stats.advice import advise
from aucbench.stats.pairs import pairwise
from aucbench.stats.tables import Rule
from aucbench.stats.words import Difference, Word

NAMES = ["svm-or", "logistic", "sht-auc", "constant"]


def results(n=14, splits=10, seed=3):
    """Folds (n, 4, splits): `logistic` equals `svm-or`, `sht-auc` scatters, `constant` is far."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.65, 0.92, (n, 1, 1))
    effect = np.array([0.001, 0.0, -0.001, -0.2])[:, None]
    noise = rng.normal(0, 1, (n, 4, 1)) * np.array([0.001, 0.001, 0.012, 0.03])[:, None]
    return base + effect + noise + rng.normal(0, 0.002, (n, 4, splits))


def sets(n):
    return [f"set{i}" for i in range(n)]


def said(advice, *parts):
    """The one sentence that holds all parts."""
    [found] = [s for s in advice.sentences if all(part in s for part in parts)]
    return found


def test_the_example_of_the_page():
    folds = results()
    values = folds.mean(axis=2)
    seconds = np.tile([1.4, 0.1, 0.7, nan], (14, 1))
    nonzeros = np.tile([100.0, 100.0, 5.0, 0.0], (14, 1))
    found = advise(
        *(values, NAMES, sets(14)), seconds=seconds, nonzeros=nonzeros, folds=folds, ratio=0.25
    )
    mean = values[:, 0].mean()
    assert found.leader == "svm-or"
    assert found.sentences[0] == f"svm-or has the highest mean AUC, {mean:.4f} over 14 data sets."
    assert said(found, "equivalent") == "logistic is equivalent within 0.005 and 14 times faster."
    assert said(found, "It is better than").startswith("It is better than constant (+0.")
    assert "sht-auc (+" in said(found, "not distinguishable", "It is")
    assert "sht-auc is 2.0 times faster and has 20 times fewer non-zero weights." in found.sentences
    surer = said(found, "To be surer")
    assert re.search(r"about \d+ more data sets like these would settle svm-or against", surer)
    assert surer.endswith("; more splits would not.")
    assert str(found) == " ".join(found.sentences)


def test_the_pairs_are_those_of_pairwise_seen_from_the_leader():
    values = results().mean(axis=2)[:, [1, 0, 2, 3]]
    names = ["logistic", "svm-or", "sht-auc", "constant"]
    found = advise(values, names, sets(14))
    assert [pair.a for pair in found.pairs] == ["svm-or"] * 3
    expected = {
        frozenset((pair.a, pair.b)): pair if pair.a == "svm-or" else pair.flipped()
        for pair in pairwise(values, names)
    }
    assert all(pair == expected[frozenset((pair.a, pair.b))] for pair in found.pairs)


def test_nothing_is_said_of_times_that_are_not_known():
    text = str(advise(results().mean(axis=2), NAMES, sets(14)))
    assert "faster" not in text
    assert "fewer" not in text
    assert "logistic is equivalent within 0.005." in text
    assert "more splits do not replace data sets" in text


def test_a_slower_equal_is_not_called_faster():
    seconds = np.tile([0.1, 1.4, 0.09, 1.0], (14, 1))
    text = str(advise(results().mean(axis=2), NAMES, sets(14), seconds=seconds))
    assert "faster" not in text


def test_failures_are_counted_and_the_complete_cases_stand_beside():
    values = results().mean(axis=2)
    values[[2, 5], 2] = nan
    values[3, 3] = nan
    found = advise(values, NAMES, sets(14))
    assert (
        "Without a value: sht-auc on 2, constant on 1 of 14 data sets; there they count as the "
        "worst." in found.sentences
    )
    complete = np.delete(values, [2, 3, 5], axis=0)[:, 0].mean()
    assert (
        f"With complete cases only, 11 data sets, svm-or has the highest mean AUC, {complete:.4f}."
        in found.sentences
    )
    left_out = advise(values, NAMES, sets(14), rule=Rule.COMPLETE_CASES)
    assert "there they are left out" in said(left_out, "Without a value")


def test_a_solver_that_is_ahead_where_it_has_a_value_does_not_lead_but_is_told():
    values = np.column_stack([np.linspace(0.6, 0.9, 10)] * 2)
    values[:, 1] += 0.05 + 0.001 * np.arange(10)
    values[:2, 1] = nan
    found = advise(values, ["a", "b"], sets(10))
    assert found.leader == "a"
    assert "With complete cases only, 8 data sets, b has the highest mean AUC" in str(found)
    assert "but worse with complete cases only" in said(found, "Fragile")


def test_without_a_complete_solver_the_average_rank_leads():
    values = results().mean(axis=2)
    values[[0, 1, 2, 3], [0, 1, 2, 3]] = nan
    first = advise(values, NAMES, sets(14)).sentences[0]
    assert first.startswith(
        "No solver has a value on all 14 data sets. svm-or has the best average"
    )


def test_a_solver_without_any_value_is_last_and_told():
    values = results().mean(axis=2)
    values[:, 3] = nan
    found = advise(values, NAMES, sets(14))
    assert "constant (constant has no value on most data sets)" in said(found, "It is better than")
    assert "inf" not in str(found)
    assert "With complete cases only, 14 data sets, svm-or has the highest mean" in str(found)


def test_without_any_complete_case_it_says_so():
    values = np.array([[0.8, nan], [nan, 0.7], [0.6, nan]])
    found = advise(values, ["a", "b"], sets(3))
    assert "No data set has a value of every solver." in found.sentences


def test_equal_solvers_are_all_named():
    values = np.repeat(results().mean(axis=2)[:, :1], 2, axis=1)
    found = advise(values, ["a", "b"], sets(14))
    assert found.sentences[0].startswith("a and b have the highest mean AUC")
    assert "b is equivalent within 0.005." in found.sentences
    assert len(found.sentences) == 2


def test_a_mean_that_hangs_on_one_data_set_is_not_praised():
    values = np.column_stack([np.linspace(0.6, 0.8, 14), np.linspace(0.6, 0.8, 14) - 0.01])
    values[0, 1] += 0.6
    found = advise(values, ["usual", "lucky"], sets(14))
    assert found.leader == "lucky"
    assert "it is worse than usual" in said(found, "On most data sets it is behind")
    assert said(found, "Fragile: usual") == "Fragile: usual has the highest mean without set0."


def test_too_few_data_sets_show_nothing_and_it_says_how_many_it_takes():
    values = results().mean(axis=2)
    found = advise(values[:4], NAMES, sets(4))
    assert all(pair.word is Word.UNCLEAR for pair in found.pairs)
    assert "is better than" not in str(found)
    assert (
        "4 data sets cannot show that one of 4 solvers is better; this takes at least 8."
        in found.sentences
    )
    assert found.sentences[-1].startswith("To be surer, run more data sets")


def test_many_solvers_are_summed_up():
    rng = np.random.default_rng(0)
    values = rng.uniform(0.6, 0.9, (40, 1)) - 0.02 * np.arange(12) + rng.normal(0, 0.01, (40, 12))
    found = advise(values, [f"s{j}" for j in range(12)], sets(40))
    assert re.search(r"It is better than 1[01] solvers, from \+0\.0\d+ \(s\d\) to", str(found))
    assert max(map(len, found.sentences)) < 250


def test_one_solver_is_not_compared():
    values = np.array([[0.8], [0.6], [nan]])
    found = advise(values, ["a"], sets(3))
    assert found.leader == "a"
    assert found.sentences == (
        "a has a mean AUC of 0.7000 over 2 data sets.",
        "It has no value on 1 of 3 data sets.",
        "There is no other solver to compare it with.",
    )


def test_one_data_set_speaks_for_itself_only():
    within = {
        ("a", "b"): Difference(-0.03, -0.05, -0.01, 0.001, 0.95, "DeLong"),
        ("c", "b"): Difference(0.001, -0.001, 0.002, 0.5, 0.95, "DeLong"),
        ("a", "c"): Difference(-0.02, -0.05, 0.01, 0.2, 0.95, "DeLong"),
    }
    found = advise([[0.80, 0.83, 0.829, nan]], ["a", "b", "c", "d"], ["german"], within=within)
    assert found.sentences == (
        "On german, b has the highest AUC, 0.8300.",
        "There it is better than a (+0.0300, 95 % interval +0.0100 to +0.0500).",
        "There it is equivalent to c (-0.0010, 95 % interval -0.0020 to +0.0010).",
        "d has no value.",
        "One data set says nothing about others: run more of them.",
    )
    alone = advise([[0.80, 0.83]], ["a", "b"], ["german"])
    assert "better" not in str(alone)


def test_inside_one_data_set_the_pairs_are_adjusted_together():
    barely = Difference(0.03, 0.001, 0.05, 0.03, 0.95, "DeLong")
    within = {("a", "b"): barely, ("a", "c"): barely, ("b", "c"): barely}
    found = advise([[0.83, 0.80, 0.77]], ["a", "b", "c"], ["german"], within=within)
    assert "There it is not distinguishable from b" in str(found)
    assert "; Holm's correction for 3 pairs makes it unclear)" in str(found)


def test_if_all_failed_nothing_is_recommended():
    found = advise(np.full((3, 2), nan), ["a", "b"], sets(3))
    assert found.leader is None
    assert found.sentences == ("No solver has a value of AUC, so that none can be recommended.",)
    assert advise(np.empty((0, 2)), ["a", "b"], []).leader is None


def test_another_measure_is_named():
    values = results().mean(axis=2)
    assert "highest mean average precision" in str(
        advise(values, NAMES, sets(14), measure="average precision")
    )


def test_the_same_seed_gives_the_same_words():
    values = results().mean(axis=2)
    assert advise(values, NAMES, sets(14), seed=2) == advise(values, NAMES, sets(14), seed=2)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"data_sets": sets(3)}, "14 rows of values have 3 names"),
        ({"seconds": [1.0]}, "seconds must have the shape"),
        ({"nonzeros": np.ones((4, 14))}, "nonzeros must have the shape"),
        ({"folds": np.ones((14, 4))}, "folds must have the shape"),
        ({"values": np.full((14, 4), inf)}, "infinite"),
    ],
)
def test_shapes_that_do_not_agree_are_refused(given, sentence):
    usual = {"values": results().mean(axis=2), "names": NAMES, "data_sets": sets(14)}
    with pytest.raises(DataError, match=sentence):
        advise(**{**usual, **given})


def test_of_many_that_cannot_be_told_apart_the_fastest_and_the_sparsest_are_named():
    rng = np.random.default_rng(3)
    values = 0.8 + 0.02 * rng.normal(size=(6, 5))
    values[:, 0] += 0.001
    seconds = np.array([[8.0, 4.0, 2.0, 1.0, 8.0]] * 6)
    nonzeros = np.array([[100.0, 100.0, 100.0, 100.0, 5.0]] * 6)
    found = advise(
        values,
        ["a", "b", "c", "fast", "sparse"],
        [f"x{j}" for j in range(6)],
        seconds=seconds,
        nonzeros=nonzeros,
    )
    assert [sentence for sentence in found.sentences if " times f" in sentence] == [
        "fast is 8.0 times faster.",
        "sparse has 20 times fewer non-zero weights.",
    ]
