"""Which values are compared: folds in common, repeats, missing ones, and directions by names."""

import json

import numpy as np
import pandas as pd
import pytest

import aucbench
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.judging.metrics import direction

pytestmark = pytest.mark.plain


def grid(methods=("a", "b", "c"), sets=8, folds=3, seed=0):
    """A value for each method, data set and fold; later methods are worse."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"method": m, "dataset": f"set {i}", "fold": k, "auc": 0.8 - 0.05 * j + rng.normal(0, 0.02)}
        for j, m in enumerate(methods)
        for i in range(sets)
        for k in range(folds)
    )


def values_of(judged):
    names = judged.findings.frame.solvers
    return pd.DataFrame(judged.findings.values, columns=names)


def test_only_folds_that_all_methods_have_count_and_the_others_are_counted():
    table = grid()
    less = table.drop(index=[0, 5])  # fold 0 of a on set 0, fold 2 of a on set 1
    judged = aucbench.judge(less)
    common = table.drop(
        index=table.query(
            "(dataset == 'set 0' and fold == 0) or (dataset == 'set 1' and fold == 2)"
        ).index
    )
    expected = common.pivot_table("auc", "dataset", "method")
    assert values_of(judged).to_numpy() == pytest.approx(expected.to_numpy())
    notes = " ".join(judged.notes)
    assert "On 2 of 8 data sets the methods have values of different" in notes
    assert "Only those that all of them have are used, and 2 are left out." in notes


def test_an_absent_cell_is_the_last_of_its_data_set():
    table = grid().query("method != 'a' or dataset != 'set 3'")
    judged = aucbench.judge(table)
    row = judged.findings.frame.datasets.index("set 3")
    assert np.isnan(values_of(judged)["a"][row])
    assert any("Without a value: a on 1 of 8 data sets" in s for s in judged.sentences)
    gap = grid()
    gap.loc[(gap["method"] == "a") & (gap["dataset"] == "set 3"), "auc"] = np.nan
    assert {*aucbench.judge(gap).sentences} == {*judged.sentences}
    complete = aucbench.judge(table, missing="complete")
    assert len(values_of(complete)) == 7
    assert "1 of 8 data sets are left out" in " ".join(complete.notes)


def test_a_data_set_without_any_value_is_none_of_this_metric():
    table = grid()
    table.loc[table["dataset"] == "set 5", "auc"] = np.nan
    judged = aucbench.judge(table)
    assert len(values_of(judged)) == 7
    assert "1 data set is left out: no method has a value there." in judged.notes
    assert not any("Without a value" in sentence for sentence in judged.sentences)


def test_data_sets_of_a_family_count_as_one(tmp_path):
    table = grid()
    related = table.assign(
        kind=[f"kind {name[-1]}" if name < "set 4" else "other" for name in table["dataset"]]
    )
    judged = aucbench.judge(related, family="kind")
    assert judged.findings.advice.best.units == 5
    assert [line[1] for line in judged.grids[0].lines] == ["a", "b", "c"]  # b and c are as far
    assert aucbench.judge(table).findings.advice.best.units == 8
    wide = table.pivot_table("auc", "dataset", "method").assign(kind="one")
    assert (
        aucbench.judge(wide, by="auc", family="kind").findings.frame.source.families == ("one",) * 8
    )
    with pytest.raises(DataError, match="set 0 is in the families one and two"):
        aucbench.judge(table.assign(kind=np.where(table["fold"] == 0, "one", "two")), family="kind")


def test_some_rows_of_a_table_are_judged(tmp_path):
    table = grid()
    both = pd.concat([table.assign(arm="tuned"), table.assign(arm="default", auc=0.5)])
    with pytest.raises(DataError, match="there are several values"):
        aucbench.judge(both)
    judged = aucbench.judge(both, where=("arm=tuned",))
    assert judged.answer() == aucbench.judge(table).answer()
    two = aucbench.judge(both, where=("arm=tuned", "method=a", "method=c"))
    assert two.answer() == aucbench.judge(table[table["method"] != "b"]).answer()
    with pytest.raises(ParameterError, match="--where takes COLUMN=VALUE, as in arm=tuned, got"):
        aucbench.judge(both, where=("tuned",))
    with pytest.raises(UnknownNameError, match="value in the column arm"):
        aucbench.judge(both, where=("arm=tunde",))
    with pytest.raises(UnknownNameError, match="column"):
        aucbench.judge(both, where=("arms=tuned",))


@pytest.mark.parametrize("name", ["dataset", "name of the set"])
def test_a_column_that_chooses_rows_is_no_method_of_a_wide_table(name):
    wide = grid().pivot_table("auc", "dataset", "method").reset_index(names=name)
    both = pd.concat([wide.assign(arm=1), wide.assign(arm=2, a=0.5)])
    for table in (both, both[["arm", name, "a", "b", "c"]]):
        judged = aucbench.judge(table, by="auc", where=("arm=1",))
        assert judged.sentences == aucbench.judge(wide, by="auc").sentences
    some = tuple(f"{name}=set {k}" for k in range(7))
    assert len(values_of(aucbench.judge(wide, by="auc", where=some))) == 7


@pytest.mark.parametrize("marks", [(True, False), (1, 0), ("yes", "no"), (1.0, np.nan)])
def test_imputed_values_were_not_measured(marks):
    table = grid()
    at = (table["method"] == "c") & (table["dataset"] < "set 3")
    judged = aucbench.judge(table.assign(Imputed=np.where(at, *marks)))
    missing = aucbench.judge(table.assign(auc=table["auc"].mask(at)))
    assert judged.sentences == missing.sentences
    assert "9 row(s) are imputed" in " ".join(judged.notes)
    row = judged.findings.datasets[0].rows[-1]
    assert {*judged.findings.frame.facts["why"][judged.findings.frame.rows(0, row.solver)]} == {
        "The value is imputed."
    }


def test_imputed_rows_of_a_wide_table():
    wide = grid().pivot_table("auc", "dataset", "method").reset_index()
    marked = wide.assign(imputed=wide["dataset"] == "set 0")
    judged = aucbench.judge(marked, by="auc")
    assert values_of(judged).columns.tolist() == ["a", "b", "c"]
    assert len(values_of(judged)) == 7


def test_values_that_stand_for_a_failure_count_as_missing():
    table = grid()
    failed = (table["method"] == "a") & (table["dataset"] == "set 0")
    zero = (table["method"] == "b") & (table["dataset"] == "set 1")
    filled = table.assign(auc=table["auc"].mask(failed, 0.5).mask(zero, 0.0))
    judged = aucbench.judge(filled)
    gaps = table.assign(auc=table["auc"].mask(failed | zero))
    assert judged.sentences == aucbench.judge(gaps).sentences
    assert "count as missing: a on set 0 (0.5), b on set 1 (0)." in " ".join(judged.notes)


def test_a_constant_prediction_is_measured():
    table = grid()
    constant = table.assign(auc=table["auc"].mask(table["method"] == "c", 0.5))
    once = grid(folds=1)
    single = once.assign(auc=once["auc"].mask(once.index == 0, 0.5))
    accuracy = table.rename(columns={"auc": "accuracy"})
    half = accuracy.assign(accuracy=accuracy["accuracy"].mask(accuracy.index < 3, 0.5))
    for measured in (constant, single, half):
        assert not np.isnan(values_of(aucbench.judge(measured))).any(axis=None)


def test_repeats_are_known_by_a_column_or_by_an_option():
    table = grid(sets=1, folds=6)
    split = table.assign(repeat=table["fold"] // 3, fold=table["fold"] % 3)
    said = [
        aucbench.judge(split).sentences,
        aucbench.judge(table, folds=3).sentences,
        aucbench.judge(table, repeats=2).sentences,
        aucbench.judge(table, repeats=2, ratio=0.5).sentences,
    ]
    assert said.count(said[0]) == 4
    assert {*aucbench.judge(table, folds=3).findings.frame.seed} == {0, 1}
    assert aucbench.judge(table, repeats=2, ratio=0.1).sentences != said[0]


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
    assert "The repeats of 8 data sets are averaged" in " ".join(judged.notes)
    [inside] = aucbench.judge(
        grid(sets=1).rename(columns={"fold": "repeat"}), ratio=0.25
    ).findings.datasets
    assert len(inside.pairs) == 3


def test_losses_and_scales():
    table = grid().rename(columns={"auc": "error"})
    judged = aucbench.judge(table)
    assert judged.findings.smaller
    assert "c has the lowest mean error" in " ".join(judged.sentences)
    turned = aucbench.judge(table, larger=True)
    assert not turned.findings.smaller
    large = aucbench.judge(table.assign(error=1000 * table["error"]))
    assert {
        name: j in large.findings.leading
        for j, name in enumerate(large.findings.frame.solvers)
        if name != "c"
    } == {"a": False, "b": False}


@pytest.mark.parametrize(
    ("name", "smaller"),
    [
        ("AUC", False),
        ("roc_auc", False),
        ("Accuracy", False),
        ("f1-macro", False),
        ("neg_log_loss", False),
        ("R2", False),
        ("log loss", True),
        ("hinge_loss", True),
        ("metric_error", True),
        ("RMSE", True),
        ("time", True),
        ("gain", None),
        ("lossless", None),
    ],
)
def test_directions_are_those_of_known_names(name, smaller):
    assert direction(name) is smaller


def test_means_with_a_spread_and_marks_of_missing_cells(tmp_path):
    (tmp_path / "t.csv").write_text(
        "dataset;a;b\n"
        + "".join(f"NA{k};.8{k} ± .02;{'-' if k == 2 else '.7 +/- .1'}\n" for k in range(8)),
        encoding="utf-8",
    )
    judged = aucbench.judge(tmp_path / "t.csv", by="auc")
    assert judged.findings.frame.datasets[:2] == ("NA0", "NA1")
    assert values_of(judged)["a"].tolist() == pytest.approx([0.8 + k / 100 for k in range(8)])
    assert np.isnan(values_of(judged)["b"][2])


def test_several_files_are_one_table(tmp_path):
    for name, some in grid().groupby("method"):
        some.to_csv(tmp_path / f"{name}.csv", index=False)
    judged = aucbench.judge(*(tmp_path / f"{name}.csv" for name in "abc"))
    assert judged.sentences == aucbench.judge(grid()).sentences
    assert judged.title == "a.csv, b.csv, c.csv"


def test_a_file_without_data_sets_is_one(tmp_path):
    for name in ("one", "two"):
        one = grid(sets=1, seed=len(name)).drop(columns="dataset")
        one.to_csv(tmp_path / f"{name}.csv", index=False)
    judged = aucbench.judge(tmp_path / "one.csv", tmp_path / "two.csv")
    assert judged.findings.frame.datasets == ("one", "two")


def test_the_verdict_of_many_data_sets_has_what_was_tested():
    told = json.loads(aucbench.judge(grid()).json())
    assert [(one["solver"], one["possible_best"]) for one in told["solvers"]] == [
        ("a", True),
        ("b", False),
        ("c", False),
    ]
    assert [one["certainly_behind"] for one in told["solvers"]] == [False, True, True]
    assert told["solvers"][1]["p"] <= told["solvers"][1]["adjusted_p"] <= 0.05
    assert told["remarks"][0].startswith("These are values of others")
    assert told["data_sets"][0]["solvers"][0]["values"] == pytest.approx(
        grid().query("method == 'a' and dataset == 'set 0'")["auc"].tolist()
    )
