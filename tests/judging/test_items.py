"""Results by item: McNemar's test without groups, signs of whole groups with them."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import aucbench
from aucbench.errors import DataError
from aucbench.stats.items import ItemTest
from aucbench.stats.tables import ResultTable, Scale

pytestmark = pytest.mark.plain


def results(methods=(0.9, 0.85, 0.3), items=60, groups=10, seed=0):
    """A row for each method and item: whether it was solved; later methods are worse."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "model": f"m{number}",
            "instance_id": f"item {i}",
            "repository": f"group {i % groups}",
            "resolved": int(rng.random() < share),
        }
        for number, share in enumerate(methods)
        for i in range(items)
    )


def solver(judged, name):
    [one] = [one for one in json.loads(judged.json())["solvers"] if one["solver"] == name]
    return one


def test_two_methods_are_compared_by_mcnemars_test():
    first = [1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1]
    second = [0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0]
    table = pd.DataFrame({"item": [f"i{k}" for k in range(12)], "a": first, "b": second})
    judged = aucbench.judge(table, by="accuracy")
    wins, losses = 8, 1
    assert solver(judged, "b")["p"] == pytest.approx(binom.sf(wins - 1, wins + losses, 0.5))
    assert judged.sentences[0].endswith("the best method on items like these is a.")
    assert judged.standing("b") == "is certainly behind the best"


def test_the_mean_is_over_items_and_groups_flip_together():
    table = results()
    alone, grouped = aucbench.judge(table), aucbench.judge(table, family="repository")
    means = table.groupby("model")["resolved"].mean()
    for judged in (alone, grouped):
        assert solver(judged, "m0")["mean"] == pytest.approx(means["m0"])
        assert judged.standing("m2") == "is certainly behind the best"
        assert solver(judged, "m2")["ranks"] == [3, 3]
    assert alone.badge().endswith("(60 items)")
    assert grouped.badge().endswith("(60 items in 10 groups)")
    assert grouped.findings.best.units == 10


def test_data_sets_are_the_groups_of_their_items():
    table = results().rename(columns={"repository": "dataset"})
    assert aucbench.judge(table).badge().endswith("(60 items in 10 groups)")


def test_attempts_at_an_item_are_averaged():
    table = pd.concat([results(seed=seed).assign(repeat=seed) for seed in range(3)])
    judged = aucbench.judge(table)
    assert solver(judged, "m1")["mean"] == pytest.approx(
        table.groupby("model")["resolved"].mean()["m1"]
    )
    with pytest.raises(DataError, match="there are several values of m0 on item 0"):
        aucbench.judge(table.drop(columns="repeat"))


def test_an_item_without_a_value_was_not_solved():
    table = results()
    less = table[~((table["model"] == "m0") & (table["resolved"] == 0))]
    judged, whole = aucbench.judge(less), aucbench.judge(table)
    assert judged.sentences == whole.sentences
    assert "have no value and count as 0" in " ".join(judged.notes)


def test_few_groups_rule_nothing_out():
    judged = aucbench.judge(results(groups=3), family="repository")
    assert judged.sentences[0].startswith("Nothing can be ruled out: to leave a method out takes")
    assert {*judged.possible} == {"m0", "m1", "m2"}


def test_truth_values_of_a_file_are_numbers(tmp_path):
    table = results()
    table.assign(resolved=table["resolved"] == 1).to_csv(tmp_path / "t.csv", index=False)
    assert aucbench.judge(tmp_path / "t.csv").json() == aucbench.judge(table).json()


def test_a_page_has_the_answer_and_each_method():
    judged = aucbench.judge(results())
    page = judged.report().content.decode()
    assert judged.sentences[0] in page
    assert all(f"m{number}" in page for number in range(3))
    assert "m2" in repr(judged)


@pytest.mark.nightly
@pytest.mark.parametrize("groups", [None, 20])
def test_equal_methods_are_rarely_called_behind(groups):
    rng, count, items, methods = np.random.default_rng(1), 150, 150, 20
    wrong = 0
    for _ in range(count):
        odds = rng.normal(0, 1.5, (items, 1)) + np.zeros((items, methods))
        group = rng.integers(0, groups, items) if groups else np.arange(items)
        if groups:  # methods differ by group
            odds += rng.normal(0, 1.0, (groups, methods))[group]
        solved = rng.random((items, methods)) < 1 / (1 + np.exp(-odds))
        names = [f"m{number}" for number in range(methods)]
        table = ResultTable(
            solved.astype(float), names, families=[*map(str, group)], scale=Scale.LARGER
        )
        wrong += any(ItemTest(flips=1999).best_set(table).behind)
    assert wrong <= binom.ppf(0.999, count, 0.05)
