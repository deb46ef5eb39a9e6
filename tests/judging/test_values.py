"""Which values of others are compared, and what is said of them: folds, repeats, gaps, items."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from command_line import done
from nights import NIGHTLY
from refusals import assert_refused
from scipy.stats import binom

import aucbench
from aucbench.errors import DataError
from aucbench.judging.metrics import direction
from aucbench.stats.items import ItemTest
from aucbench.stats.tables import ResultTable, Scale

pytestmark = pytest.mark.plain


def grid(methods="abc", sets=8, folds=3, seed=0):
    """A value for each method, data set and fold; later methods are worse."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"method": m, "dataset": f"set {i}", "fold": k, "auc": 0.8 - 0.05 * j + rng.normal(0, 0.02)}
        for j, m in enumerate(methods)
        for i in range(sets)
        for k in range(folds)
    )


def wide():
    return grid().pivot_table("auc", "dataset", "method")


def values_of(judged):
    names = judged.findings.frame.solvers
    return pd.DataFrame(judged.findings.values, columns=names)


def notes_of(judged):
    return " ".join(judged.notes)


def test_only_folds_that_all_methods_have_count_and_the_others_are_counted():
    table = grid()
    judged = aucbench.judge(table.drop(index=[0, 5]))  # a: fold 0 of set 0, fold 2 of set 1
    lost = [("set 0", 0), ("set 1", 2)]
    common = table[[place not in lost for place in zip(table.dataset, table.fold, strict=True)]]
    expected = common.pivot_table("auc", "dataset", "method")
    assert values_of(judged).to_numpy() == pytest.approx(expected.to_numpy())
    assert "On 2 of 8 data sets the methods have values of different" in notes_of(judged)
    assert "2 are left out" in notes_of(judged)


def test_data_sets_of_a_family_count_as_one():
    table = grid()
    names = [f"kind {name[-1]}" if name < "set 4" else "other" for name in table["dataset"]]
    judged = aucbench.judge(table.assign(kind=names), family="kind")
    assert judged.findings.advice.best.units == 5
    assert aucbench.judge(table).findings.advice.best.units == 8
    whole = aucbench.judge(wide().assign(kind="one"), by="auc", family="kind")
    assert whole.findings.frame.source.families == ("one",) * 8
    two = table.assign(kind=np.where(table["fold"] == 0, "one", "two"))
    assert_refused(lambda: aucbench.judge(two, family="kind"), DataError, "one and two")


def test_some_rows_of_a_table_are_judged():
    table = grid()
    both = pd.concat([table.assign(arm="tuned"), table.assign(arm="default", auc=0.5)])
    assert_refused(lambda: aucbench.judge(both), DataError, "several values")
    judged = aucbench.judge(both, where=("arm=tuned",))
    assert judged.answer() == aucbench.judge(table).answer()
    two = aucbench.judge(both, where=("arm=tuned", "method=a", "method=c"))
    assert two.answer() == aucbench.judge(table[table["method"] != "b"]).answer()


def test_repeats_are_known_by_a_column_or_by_an_option():
    table = grid(sets=1, folds=6)
    split = table.assign(repeat=table["fold"] // 3, fold=table["fold"] % 3)
    said = [aucbench.judge(split).sentences]
    for options in ({"folds": 3}, {"repeats": 2}, {"repeats": 2, "ratio": 0.5}):
        said.append(aucbench.judge(table, **options).sentences)
    assert said.count(said[0]) == 4
    assert aucbench.judge(table, repeats=2, ratio=0.1).sentences != said[0]
    many = pd.concat([grid().assign(fold=lambda t, k=k: t["fold"] + 3 * k) for k in range(4)])
    assert aucbench.judge(many, folds=3).findings.datasets[0].rows[0].planned == 12


def test_a_fold_that_nobody_has_moves_no_other_into_another_repeat():
    table = grid(sets=1, folds=6).query("fold != 1")
    frame = aucbench.judge(table, folds=3).findings.frame
    own = frame.rows(0, 0)
    places = zip(frame.seed[own].tolist(), frame.split[own].tolist(), strict=True)
    assert [*places] == [(0, 0), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert aucbench.judge(table, folds=3).sentences == aucbench.judge(table, repeats=2).sentences


def test_repeats_of_one_fold_are_averaged_across_data_sets():
    judged = aucbench.judge(grid().rename(columns={"fold": "repeat"}))
    assert values_of(judged).to_numpy() == pytest.approx(values_of(aucbench.judge(grid())))
    assert "The repeats of 8 data sets are averaged" in notes_of(judged)
    one = grid(sets=1).rename(columns={"fold": "repeat"})
    [inside] = aucbench.judge(one, ratio=0.25).findings.datasets
    assert len(inside.pairs) == 3


def test_an_absent_cell_is_the_last_of_its_data_set():
    judged = aucbench.judge(grid().query("method != 'a' or dataset != 'set 3'"))
    row = judged.findings.frame.datasets.index("set 3")
    assert np.isnan(values_of(judged)["a"][row])
    assert any("Without a value: a on 1 of 8 data sets" in s for s in judged.sentences)
    gap = grid()
    gap.loc[(gap["method"] == "a") & (gap["dataset"] == "set 3"), "auc"] = np.nan
    assert {*aucbench.judge(gap).sentences} == {*judged.sentences}
    complete = aucbench.judge(gap, missing="complete")
    assert len(values_of(complete)) == 7
    assert "1 of 8 data sets are left out" in notes_of(complete)


@pytest.mark.parametrize("marks", [(True, False), ("yes", "no"), (1.0, np.nan)])
def test_imputed_values_were_not_measured(marks):
    table = grid()
    at = (table["method"] == "c") & (table["dataset"] < "set 3")
    judged = aucbench.judge(table.assign(Imputed=np.where(at, *marks)))
    missing = aucbench.judge(table.assign(auc=table["auc"].mask(at)))
    assert judged.sentences == missing.sentences
    assert "9 row(s) are imputed" in notes_of(judged)
    marked = wide().reset_index().assign(imputed=lambda t: t["dataset"] == "set 0")
    values = values_of(aucbench.judge(marked, by="auc"))
    assert (values.columns.tolist(), len(values)) == (["a", "b", "c"], 7)


def test_values_that_stand_for_a_failure_count_as_missing_and_constant_predictions_do_not():
    table, once = grid(), grid(folds=1)
    lost = (table["method"] == "a") & (table["dataset"] == "set 0")
    zero = (table["method"] == "b") & (table["dataset"] == "set 1")
    judged = aucbench.judge(table.assign(auc=table["auc"].mask(lost, 0.5).mask(zero, 0.0)))
    gaps = aucbench.judge(table.assign(auc=table["auc"].mask(lost | zero)))
    assert judged.sentences == gaps.sentences
    assert "count as missing: a on set 0 (0.5), b on set 1 (0)." in notes_of(judged)
    constant = table.assign(auc=table["auc"].mask(table["method"] == "c", 0.5))
    single = once.assign(auc=once["auc"].mask(once.index == 0, 0.5))
    half = table.assign(accuracy=table["auc"].mask(table.index < 3, 0.5)).drop(columns="auc")
    for measured in (constant, single, half):
        assert not np.isnan(values_of(aucbench.judge(measured))).any(axis=None)


def test_means_with_a_spread_and_marks_of_missing_cells(tmp_path):
    cells = (f"NA{k};.8{k} ± .02;{'-' if k == 2 else '.7 +/- .1'}" for k in range(8))
    (tmp_path / "t.csv").write_text("\n".join(["dataset;a;b", *cells]) + "\n", encoding="utf-8")
    judged = aucbench.judge(tmp_path / "t.csv", by="auc")
    assert judged.findings.frame.datasets[:2] == ("NA0", "NA1")
    assert values_of(judged)["a"].tolist() == pytest.approx([0.8 + k / 100 for k in range(8)])
    assert np.isnan(values_of(judged)["b"][2])


def test_losses_and_scales():
    for name in ("AUC", "roc_auc", "f1-macro", "neg_log_loss", "log loss", "metric_error", "RMSE"):
        assert direction(name) is (name in ("log loss", "metric_error", "RMSE"))
    assert direction("gain") is direction("lossless") is None
    table = grid().rename(columns={"auc": "error"})
    judged = aucbench.judge(table)
    assert judged.findings.smaller
    assert "c has the lowest mean error" in " ".join(judged.sentences)
    assert not aucbench.judge(table, larger=True).findings.smaller
    large = aucbench.judge(table.assign(error=1000 * table["error"])).findings
    assert {large.frame.solvers[j] for j in large.leading} == {"c"}


def test_several_files_are_one_table_and_a_file_without_data_sets_is_one(tmp_path):
    for name, some in grid().groupby("method"):
        some.to_csv(tmp_path / f"{name}.csv", index=False)
    judged = aucbench.judge(*(tmp_path / f"{name}.csv" for name in "abc"))
    assert judged.sentences == aucbench.judge(grid()).sentences
    for name in ("one", "two"):
        one = grid(sets=1, seed=len(name)).drop(columns="dataset")
        one.to_csv(tmp_path / f"{name}.csv", index=False)
    judged = aucbench.judge(tmp_path / "one.csv", tmp_path / "two.csv")
    assert judged.findings.frame.datasets == ("one", "two")


def test_the_verdict_of_many_data_sets_has_what_was_tested():
    known = json.loads(aucbench.judge(grid()).json())
    standing = [(x["solver"], x["possible_best"], x["certainly_behind"]) for x in known["solvers"]]
    assert standing == [("a", True, False), ("b", False, True), ("c", False, True)]
    assert known["solvers"][1]["p"] <= known["solvers"][1]["adjusted_p"] <= 0.05
    assert known["remarks"][0].startswith("These are values of others")
    values = grid().query("method == 'a' and dataset == 'set 0'")["auc"].tolist()
    assert known["data_sets"][0]["solvers"][0]["values"] == pytest.approx(values)


@pytest.mark.parametrize(
    ("method", "code", "standing"),
    [("a", 0, "may be the best"), ("c", 1, "is certainly behind the best")],
)
def test_a_check_asks_for_one_method(tmp_path, method, code, standing):
    grid().to_csv(tmp_path / "t.csv", index=False)
    files = ["--badge", tmp_path / "badge.txt", "--json", tmp_path / "verdict.json"]
    said = done("judge", tmp_path / "t.csv", "--require", method, *files, code=code).stdout
    assert said.startswith("With 95 % confidence the best ")
    assert (tmp_path / "badge.txt").read_text("utf-8") == f"{method} {standing} of 3 methods\n"
    known = json.loads((tmp_path / "verdict.json").read_bytes())["solvers"]
    [possible] = [one["possible_best"] for one in known if one["solver"] == method]
    assert possible == (code == 0)


def test_a_long_table_is_cut_to_a_screen_unless_all_of_it_is_asked_for(tmp_path):
    long = grid([f"m{k:02}" for k in range(40)], sets=3, folds=1)
    long.assign(auc=long["auc"].rank(pct=True)).to_csv(tmp_path / "t.csv", index=False)
    for more, lines in ((), 30), (("--all",), 40):
        said = done("judge", tmp_path / "t.csv", *more).stdout
        assert ("the first 30 of 40 lines" in said) == (lines == 30)
        assert len({*re.findall(r"^[* ]*(m\d\d) .*3/3", said, re.MULTILINE)}) == lines


def solved(methods=(0.9, 0.85, 0.3), items=60, groups=10, seed=0):
    """A row for each method and item: whether it was solved; later methods are worse."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"model": f"m{number}", "instance_id": f"item {i}", "repository": f"group {i % groups}"}
        | {"resolved": int(rng.random() < share)}
        for number, share in enumerate(methods)
        for i in range(items)
    )


def solver(judged, name):
    [one] = [one for one in json.loads(judged.json())["solvers"] if one["solver"] == name]
    return one


def test_two_methods_are_compared_by_mcnemars_test():
    """a wins on 8 items, and b on one."""
    first = [1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1]
    second = [0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0]
    table = pd.DataFrame({"item": [f"i{k}" for k in range(12)], "a": first, "b": second})
    judged = aucbench.judge(table, by="accuracy")
    assert solver(judged, "b")["p"] == pytest.approx(binom.sf(8 - 1, 8 + 1, 0.5))
    assert judged.sentences[0].endswith("the best method on items like these is a.")
    assert judged.standing("b") == "is certainly behind the best"


def test_the_mean_is_over_items_and_groups_flip_together(tmp_path):
    table = solved()
    alone, grouped = aucbench.judge(table), aucbench.judge(table, family="repository")
    means = table.groupby("model")["resolved"].mean()
    for judged in (alone, grouped):
        assert solver(judged, "m0")["mean"] == pytest.approx(means["m0"])
        assert judged.standing("m2") == "is certainly behind the best"
        assert solver(judged, "m2")["ranks"] == [3, 3]
    assert alone.badge().endswith("(60 items)")
    assert grouped.badge().endswith("(60 items in 10 groups)")
    assert grouped.findings.best.units == 10
    by_set = aucbench.judge(table.rename(columns={"repository": "dataset"}))
    assert by_set.badge() == grouped.badge()
    table.assign(resolved=table["resolved"] == 1).to_csv(tmp_path / "t.csv", index=False)
    assert aucbench.judge(tmp_path / "t.csv").json() == alone.json()
    page = alone.report().content.decode()
    assert all(part in page for part in (alone.sentences[0], "m0", "m1", "m2"))
    few = aucbench.judge(solved(groups=3), family="repository")
    assert few.sentences[0].startswith("Nothing can be ruled out")
    assert {*few.possible} == {"m0", "m1", "m2"}


def test_attempts_at_an_item_are_averaged_and_without_a_value_it_was_not_solved():
    table = pd.concat([solved(seed=seed).assign(repeat=seed) for seed in range(3)])
    mean = table.groupby("model")["resolved"].mean()["m1"]
    assert solver(aucbench.judge(table), "m1")["mean"] == pytest.approx(mean)
    unknown = table.drop(columns="repeat")
    assert_refused(lambda: aucbench.judge(unknown), DataError, "m0 on item 0")
    whole = solved()
    less = aucbench.judge(whole.query("model != 'm0' or resolved != 0"))
    assert less.sentences == aucbench.judge(whole).sentences
    assert "have no value and count as 0" in notes_of(less)


@pytest.mark.parametrize("count", [15, pytest.param(150, marks=NIGHTLY)])
@pytest.mark.parametrize("groups", [None, 20])
def test_equal_methods_are_rarely_called_behind(groups, count):
    rng, items, methods, wrong = np.random.default_rng(1), 150, 20, 0
    for _ in range(count):
        odds = rng.normal(0, 1.5, (items, 1)) + np.zeros((items, methods))
        group = rng.integers(0, groups, items) if groups else np.arange(items)
        if groups:  # methods differ by group
            odds += rng.normal(0, 1.0, (groups, methods))[group]
        values = (rng.random((items, methods)) < 1 / (1 + np.exp(-odds))).astype(float)
        names = [f"m{number}" for number in range(methods)]
        table = ResultTable(values, names, families=[*map(str, group)], scale=Scale.LARGER)
        wrong += any(ItemTest(flips=1999).best_set(table).behind)
    assert wrong <= binom.ppf(0.999, count, 0.05)
