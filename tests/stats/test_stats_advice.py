import re
from math import nan

import numpy as np
import pytest

from aucbench.errors import DataError
from aucbench.stats.advice import Advice
from aucbench.stats.tables import ResultTable

NAMES = ["svm-or", "logistic", "sht-auc", "constant"]


def results(n=14, splits=10, seed=3):
    """Folds (n, 4, splits): `logistic` equals `svm-or`, `sht-auc` scatters, `constant` is far."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.65, 0.92, (n, 1, 1))
    effect = np.array([0.001, 0.0, -0.001, -0.2])[:, None]
    noise = rng.normal(0, 1, (n, 4, 1)) * np.array([0.001, 0.001, 0.012, 0.03])[:, None]
    return base + effect + noise + rng.normal(0, 0.002, (n, 4, splits))


FOLDS = results()
VALUES = FOLDS.mean(axis=2)


def sets(n):
    return [f"set{i}" for i in range(n)]


def without(*places):
    """The values, NaN at some places."""
    values = VALUES.copy()
    for i, j in places:
        values[i, j] = nan
    return values


def advice(values=VALUES, names=NAMES, **options):
    return Advice(table=ResultTable(values, names, sets(len(values))), **options)


def said(found, *parts):
    """The one sentence that holds all parts."""
    [sentence] = [s for s in found.sentences if all(part in s for part in parts)]
    return sentence


def test_the_example_of_the_page():
    seconds = np.tile([1.4, 0.1, 0.7, nan], (14, 1))
    nonzeros = np.tile([100.0, 100.0, 5.0, 0.0], (14, 1))
    options = {"seconds": seconds, "nonzeros": nonzeros, "folds": FOLDS, "ratio": 0.25}
    found = advice(**options, against="sht-auc")
    mean = VALUES[:, 0].mean()
    assert found.leader == "svm-or"
    assert found.sentences[:4] == (
        "With 95 % confidence the best solver on a typical data set is one of these 2: svm-or and "
        "sht-auc.",
        f"svm-or has the highest mean AUC, {mean:.4f} over 14 data sets.",
        "2 are certainly behind: logistic and constant.",
        said(found, "Worse than sht-auc: constant (-0."),
    )
    assert "Not distinguishable from sht-auc: svm-or and logistic." in found.sentences
    assert said(found, "equivalent") == (
        "logistic is behind, but equivalent to svm-or within 0.005 and 14 times faster."
    )
    faster = "2.0 times faster and has 20 times fewer non-zero weights."
    assert f"sht-auc, which may be the best too, is {faster}" in found.sentences
    assert re.fullmatch(
        r"For a more certain answer: the set has 2 now, and with 14 more data sets like these "
        r"about \d, with 42 more data sets like these about 1; more splits do not replace data "
        r"sets\.",
        found.sentences[-1],
    )
    assert str(found) == " ".join(found.sentences)


def test_two_solvers_are_told_by_their_pair():
    values = VALUES[:, 1:3]
    found = advice(values, NAMES[1:3], folds=FOLDS[:, 1:3], ratio=0.25)
    assert found.sentences[0] == (
        "Nothing can be ruled out: with 14 data sets, either solver may be the best on a typical "
        "one."
    )
    assert said(found, "logistic is").startswith("logistic is not distinguishable from sht-auc (+")
    surer = said(found, "For a more certain answer")
    assert re.search(r"about \d+ more data sets like these would settle logistic against", surer)
    assert surer.endswith("; more splits would not.")
    better = advice(VALUES[:, [3, 1]], ["constant", "logistic"])
    assert better.sentences[0].endswith("on a typical data set is logistic.")
    assert said(better, "better than").startswith("logistic is better than constant (+0.")
    assert better.best.of(better.best.possible) == ("logistic",)


def test_failures_are_counted_and_the_complete_cases_stand_beside():
    values = without((2, 2), (5, 2), (3, 3))
    mean = np.delete(values, [2, 3, 5], axis=0)[:, 0].mean()
    found = advice(values)
    counted = "Without a value: sht-auc on 2, constant on 1 of 14 data sets; there they "
    assert f"{counted}count as the worst." in found.sentences
    assert (
        f"With complete cases only, 11 data sets, svm-or has the highest mean AUC, {mean:.4f}."
        in found.sentences
    )


def test_a_solver_that_is_ahead_where_it_has_a_value_does_not_lead_but_is_told():
    values = np.column_stack([np.linspace(0.6, 0.9, 10)] * 2)
    values[:, 1] += 0.05 + 0.001 * np.arange(10)
    values[:2, 1] = nan
    found = advice(values, ["a", "b"])
    assert found.leader == "a"
    assert "With complete cases only, 8 data sets, b has the highest mean AUC" in str(found)
    assert "but worse with complete cases only" in said(found, "Fragile: a is")


def test_a_mean_that_hangs_on_one_data_set_is_not_praised():
    values = np.column_stack([np.linspace(0.6, 0.8, 14), np.linspace(0.6, 0.8, 14) - 0.01])
    values[0, 1] += 0.3
    found = advice(values, ["usual", "lucky"])
    assert found.leader == "lucky"
    assert found.sentences[0].endswith("on a typical data set is usual.")
    assert found.sentences[1].endswith(
        "over 14 data sets, but it is not in the set: its mean comes from a few data sets."
    )
    assert "lucky is worse than usual" in str(found)


def test_too_few_data_sets_show_nothing_and_it_says_how_many_it_takes():
    found = advice(VALUES[:4])
    assert "better than" not in str(found)
    assert found.sentences[0] == (
        "Nothing can be ruled out: to leave a solver out takes at least 6 data sets; here are 4."
    )
    told = advice(VALUES[:2], stars=[["svm-or"], ["svm-or", "logistic"]]).sentences
    assert told[1:3] == (
        "On set0 alone the best may be svm-or.",
        "On set1 alone the best may be svm-or or logistic.",
    )
    assert told[3].startswith("All of this holds at once with 95 % confidence; a star is of one")
    assert found.sentences[-1].startswith("For a more certain answer, run more data sets")


@pytest.mark.parametrize("values", [np.full((3, 2), nan), np.empty((0, 2))])
def test_if_all_failed_nothing_is_recommended(values):
    found = advice(values, ["a", "b"])
    assert found.leader is None
    assert found.sentences == ("No solver has a value of AUC, so that none can be recommended.",)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seconds": [1.0]}, "seconds must have the shape"),
        ({"nonzeros": np.ones((4, 14))}, "nonzeros must have the shape"),
        ({"folds": np.ones((14, 4))}, "folds must have the shape"),
    ],
)
def test_shapes_that_do_not_agree_are_refused(options, sentence):
    with pytest.raises(DataError, match=sentence):
        advice(**options)
