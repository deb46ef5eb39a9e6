"""What is said of results: the best, each rival, what is fragile, and what next."""

import re
from math import nan

import numpy as np
import pytest

from aucbench.stats import Advice, ResultTable
from aucbench.stats.advice_more import settle
from aucbench.stats.signed_rank import signed_rank
from aucbench.stats.words import Word

NAMES = ["svm-or", "logistic", "sht-auc", "constant"]


def results(n=14, splits=10, seed=3):
    """Folds (n, 4, splits): `logistic` equals `svm-or`, `sht-auc` scatters, `constant` is far."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.65, 0.92, (n, 1, 1))
    effect = np.array([0.001, 0.0, -0.001, -0.2])[:, None]
    noise = rng.normal(0, 1, (n, 4, 1)) * np.array([0.001, 0.001, 0.012, 0.03])[:, None]
    return base + effect + noise + rng.normal(0, 0.002, (n, 4, splits))


OF_FOLDS = results()
VALUES = OF_FOLDS.mean(axis=2)


def advice(values=VALUES, names=NAMES, **options):
    sets = [f"set{i}" for i in range(len(values))]
    return Advice(table=ResultTable(values, names, sets), **options)


def said(found, *parts):
    """The one sentence that holds all parts."""
    [sentence] = [s for s in found.sentences if all(part in s for part in parts)]
    return sentence


def test_the_example_of_the_page():
    seconds = np.tile([1.4, 0.1, 0.7, nan], (14, 1))
    nonzeros = np.tile([100.0, 100.0, 5.0, 0.0], (14, 1))
    options = {"seconds": seconds, "nonzeros": nonzeros, "folds": OF_FOLDS, "ratio": 0.25}
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
    assert "equivalent to svm-or within 0.005 and 14 times faster" in said(found, "logistic is beh")
    assert "2.0 times faster and has 20 times fewer" in said(found, "sht-auc, which may be the bes")
    more = r"has 2 now, and with 14 more data sets like these about \d, with 42 more"
    assert re.search(more, found.sentences[-1])
    assert str(found) == " ".join(found.sentences)


def test_two_solvers_are_described_by_their_pair():
    better = advice(VALUES[:, [3, 1]], ["constant", "logistic"])
    assert better.sentences[0].endswith("on a typical data set is logistic.")
    assert said(better, "better than").startswith("logistic is better than constant (+0.")
    assert better.best.of(better.best.possible) == ("logistic",)


def test_failures_are_counted_and_the_complete_cases_stand_alongside():
    values = VALUES.copy()
    values[[2, 5, 3], [2, 2, 3]] = nan
    mean = np.delete(values, [2, 3, 5], axis=0)[:, 0].mean()
    found = advice(values)
    assert "count as the worst" in said(found, "sht-auc on 2, constant on 1 of 14 data sets")
    assert f"AUC, {mean:.4f}" in said(found, "complete cases only, 11 data sets, svm-or has the h")


def test_a_solver_that_is_ahead_where_it_has_a_value_does_not_lead_and_is_named():
    values = np.column_stack([np.linspace(0.6, 0.9, 10)] * 2)
    values[:, 1] += 0.05 + 0.001 * np.arange(10)
    values[:2, 1] = nan
    found = advice(values, ["a", "b"])
    assert found.leader == "a"
    assert "With complete cases only, 8 data sets, b has the highest mean AUC" in str(found)
    assert "but worse with complete cases only" in said(found, "Fragile: a is")


def test_too_few_data_sets_show_nothing_and_it_says_how_many_it_takes():
    found = advice(VALUES[:4])
    assert "better than" not in str(found)
    assert "takes at least 6 data sets; here are 4" in said(found, "Nothing can be ruled out")
    two = advice(VALUES[:2], stars=[["svm-or"], ["svm-or", "logistic"]]).sentences
    assert two[2] == "On set1 alone the best may be svm-or or logistic."
    assert two[3].startswith("All of this holds at once with 95 % confidence; a star is of one")
    assert found.sentences[-1].startswith("For a more certain answer, run more data sets")


@pytest.mark.parametrize("values", [np.full((3, 2), nan), np.empty((0, 2))])
def test_if_all_failed_nothing_is_recommended(values):
    found = advice(values, ["a", "b"])
    assert found.leader is None
    assert found.sentences == ("No solver has a value of AUC, so that none can be recommended.",)


def test_settling_by_data_sets_grows_with_their_number():
    """As many data sets drawn again are settled as often as promised."""
    rng = np.random.default_rng(1)
    d = rng.normal(0.002, 0.01, 14)
    assert signed_rank(d).word() is Word.UNCLEAR
    found = settle(d)
    assert found.more >= 1
    total = 14 + found.more
    samples = (rng.choice(d, total) + rng.normal(0, 1e-9, total) for _ in range(300))
    settled = [signed_rank(sample).word() is not Word.UNCLEAR for sample in samples]
    assert np.mean(settled) == pytest.approx(0.8, abs=0.07)
    assert settle(d) == found
