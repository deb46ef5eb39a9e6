"""A run of ours, written in each format, gets the words that `compare` has for it."""

import json

import numpy as np
import pandas as pd
import pytest
from result_folders import verdict_of
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aucbench
from aucbench.errors import DataError, ParameterError
from aucbench.stats import SplitTest

SAYS_COSTS = (" faster", " fewer non-zero weights")


@pytest.mark.nightly
def test_our_own_export_says_what_compare_says(compared, own, tmp_path):
    compared.to_frame().to_csv(tmp_path / "rows.csv", index=False)
    judged = aucbench.judge(tmp_path / "rows.csv", dataset="dataset", fold="split")
    assert verdict_of(judged.findings) == own
    answer = [line for line in compared.answer().splitlines() if not _of_costs(line)]
    assert judged.answer().splitlines() == answer
    assert "fit s" not in judged.table()


def _of_costs(line):
    return any(words in line for words in SAYS_COSTS)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "feather", "json", "xlsx"])
def test_every_kind_of_file_is_read(frame, own, tmp_path, ending):
    path = tmp_path / f"rows.{ending}"
    write = {
        "csv": lambda: frame.to_csv(path, index=False),
        "tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        "parquet": lambda: frame.to_parquet(path),
        "feather": lambda: frame.to_feather(path),
        "json": lambda: frame.to_json(path, orient="records"),
        "xlsx": lambda: frame.to_excel(path, index=False),
    }
    write[ending]()
    assert verdict_of(aucbench.judge(path).findings) == own


def test_wide_means(frame, own, tmp_path):
    means = frame.pivot_table("auc", "dataset", "solver", sort=False)
    assert verdict_of(aucbench.judge(means, by="auc").findings) == own
    means.to_csv(tmp_path / "means.csv")
    assert verdict_of(aucbench.judge(tmp_path / "means.csv", by="roc_auc").findings) == own


def test_a_wide_table_of_folds(frame, own):
    wide = frame.pivot_table("auc", ["dataset", "split"], "solver", sort=False).reset_index()
    assert verdict_of(aucbench.judge(wide, by="auc").findings) == own


@pytest.mark.parametrize("name", ["dataset_name", "data_name"])
def test_benchopt_takes_the_last_point_of_each_curve(frame, own, tmp_path, name):
    last = pd.DataFrame(
        {
            "objective_name": "Classification",
            "solver_name": frame["solver"],
            name: frame["dataset"],
            "idx_rep": frame["split"],
            "stop_val": 10,
            "time": 1.0,
            "objective_auc": frame["auc"],
            "objective_value": 1 - frame["auc"],
        }
    )
    first = last.assign(stop_val=0, objective_auc=0.5, objective_value=0.5)
    pd.concat([last, first]).sample(frac=1, random_state=0).to_parquet(tmp_path / "run.parquet")
    assert verdict_of(aucbench.judge(tmp_path / "run.parquet", by="auc", folds=2).findings) == own
    averaged = aucbench.judge(tmp_path / "run.parquet", by="auc")
    assert verdict_of(averaged.findings) == own
    assert "averaged" in " ".join(averaged.notes)
    assert aucbench.judge(tmp_path / "run.parquet", by="objective_value").findings.smaller
    with pytest.raises(ParameterError, match="2 metrics: auc, objective_value"):
        aucbench.judge(tmp_path / "run.parquet")


def _amlb(frame):
    return pd.DataFrame(
        {
            "id": "openml.org/t/1",
            "task": frame["dataset"],
            "framework": frame["solver"],
            "constraint": "1h8c",
            "fold": frame["split"],
            "type": "binary",
            "result": frame["auc"],
            "metric": "auc",
            "seed": 42,
            "info": "",
            "acc": 0.9,
            "auc": frame["auc"],
            "logloss": 0.2,
        }
    )


def test_amlb(frame, own, tmp_path):
    _amlb(frame).to_csv(tmp_path / "results.csv", index=False)
    assert verdict_of(aucbench.judge(tmp_path / "results.csv").findings) == own


def test_amlb_writes_the_negative_of_a_loss_in_some_versions(frame):
    loss = _amlb(frame).assign(logloss=1 - frame["auc"], metric="logloss", auc=0.5)
    for result in (loss["logloss"], -loss["logloss"]):
        for table in (loss, loss.drop(columns="logloss"), loss.assign(metric="neg_logloss")):
            judged = aucbench.judge(table.assign(result=result))
            assert judged.findings.smaller
            assert judged.findings.values == pytest.approx(
                1 - aucbench.judge(_amlb(frame)).findings.values
            )
    wrong = loss.assign(result=7)
    with pytest.raises(DataError, match="and the result 7;"):
        aucbench.judge(wrong)


def test_a_framework_that_failed_says_why(frame):
    table = _amlb(frame)
    at = (table["framework"] == "svm-or") & (table["task"] == "digits-0")
    table.loc[at, ["result", "auc"]] = np.nan
    table.loc[at, "info"] = "TimeoutError: 1h"
    judged = aucbench.judge(table)
    assert any("svm-or on 1 of 6 data sets" in line for line in judged.answer().splitlines())
    assert b"TimeoutError: 1h" in judged.report().content
    complete = aucbench.judge(table, missing="complete")
    assert len(complete.findings.frame.datasets) == 5
    assert "1 of 6 data sets are left out" in " ".join(complete.notes)


def test_a_row_that_failed_has_the_metric_of_its_task(frame):
    table = _amlb(frame)
    at = (table["framework"] == "constant") & (table["task"] == "digits-1")
    table.loc[at, ["result", "auc"]] = np.nan
    table.loc[at, "metric"] = ""
    judged = aucbench.judge(table)
    assert any("constant on 1 of 6 data sets" in line for line in judged.sentences)


def test_tabarena_has_errors(frame, own):
    table = pd.DataFrame(
        {
            "dataset": frame["dataset"],
            "fold": frame["split"],
            "method": frame["solver"],
            "metric": "roc_auc",
            "metric_error": 1 - frame["auc"],
            "problem_type": "binary",
            "time_train_s": 1.0,
        }
    )
    judged = aucbench.judge(table)
    assert verdict_of(judged.findings) == own
    assert (judged.findings.measure, judged.findings.smaller) == ("AUC", False)
    both = table.assign(framework="x")
    assert aucbench.judge(both, method="method").sentences == judged.sentences
    losses = aucbench.judge(table.assign(metric="log_loss").rename(columns={"method": "framework"}))
    assert (losses.findings.measure, losses.findings.smaller) == ("log_loss", True)
    assert losses.findings.values == pytest.approx(1 - judged.findings.values)
    negative = aucbench.judge(table.assign(metric="neg_log_loss"))
    assert negative.sentences == losses.sentences
    assert aucbench.judge(table.assign(metric="hinge")).findings.measure == "hinge_error"


def _splits(folds, sets=1):
    """Errors of three methods in as many splits, which are numbered in one series."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"method": m, "dataset": f"d{i}", "fold": k, "metric": "roc_auc", "metric_error": e}
        for m, mean in (("a", 0.17), ("b", 0.2), ("c", 0.22))
        for i in range(sets)
        for k, e in enumerate(rng.normal(mean, 0.02, folds))
    )


@pytest.mark.parametrize("folds", [9, 30])
def test_splits_of_tabarena_are_repeats_of_three_folds(folds):
    judged = aucbench.judge(_splits(folds))
    assert judged.findings.datasets[0].within.repeats == folds // 3
    assert judged.sentences == aucbench.judge(_splits(folds), folds=3).sentences
    assert "repeats of 3 folds; --folds says otherwise" in " ".join(judged.notes)
    one = aucbench.judge(_splits(folds), repeats=1).findings.datasets[0].within
    assert one.repeats == 1


def test_ten_folds_of_which_nothing_says_that_they_are_one_repeat_are_named():
    guessed = aucbench.judge(_splits(10))
    assert guessed.findings.datasets[0].within.repeats == 1
    assert "up to 10, are taken for one split of its rows" in " ".join(guessed.notes)
    for known in (aucbench.judge(_splits(10), folds=10), aucbench.judge(_splits(5))):
        assert "taken for one division" not in " ".join(known.notes)


def test_results_by_data_set_of_autogluon_have_folds_in_the_names_of_tasks():
    table = _splits(3, sets=6)
    names = table["dataset"] + "_" + table["fold"].astype(str)
    ranked = table.assign(dataset=names, problem_type="binary").drop(columns=["fold", "metric"])
    assert aucbench.judge(ranked, by="roc_auc").sentences == aucbench.judge(table).sentences
    errors = aucbench.judge(ranked, by="metric_error").findings
    assert (errors.measure, errors.smaller) == ("metric_error", True)


@pytest.fixture(scope="module")
def search():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {"logisticregression__C": [1e-4, 0.1, 10.0]}
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    scores = ["roc_auc", "neg_log_loss"]
    return GridSearchCV(model, grid, scoring=scores, refit="roc_auc", cv=cv).fit(X, y)


@pytest.mark.parametrize("kind", ["mapping", "csv", "json"])
def test_a_search_of_scikit_learn(search, tmp_path, kind):
    found, table = search.cv_results_, tmp_path / f"search.{kind}"
    if kind == "mapping":
        table = found
    elif kind == "csv":
        pd.DataFrame(found).to_csv(table)
    else:
        plain = {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in found.items()}
        table.write_text(json.dumps(plain))
    judged = aucbench.judge(table, by="roc_auc", folds=4)
    names = [f"logisticregression__C={c}" for c in (0.0001, 0.1, 10.0)]
    values = {
        name: np.array([found[f"split{k}_test_roc_auc"][row] for k in range(12)])
        for row, name in enumerate(names)
    }
    [inside] = judged.findings.datasets
    expected = SplitTest(ratio=1 / 3, repeats=3).of_values(values)
    assert {(p.a, p.b): p.word for p in inside.pairs} == {
        (p.a, p.b): p.word for p in expected.pairs
    }
    assert {judged.findings.frame.solvers[row.solver] for row in inside.rows if row.leading} == {
        one.name for one in expected.solvers if one.not_worse
    }
    assert "pays for 3 methods" in " ".join(judged.notes)


def test_losses_of_scikit_learn_are_larger_for_a_better_model(search):
    judged = aucbench.judge(search.cv_results_, by="neg_log_loss", folds=4)
    assert not judged.findings.smaller
    assert judged.findings.values.max() < 0
    with pytest.raises(ParameterError, match="12 folds, and it is not known how many"):
        aucbench.judge(search.cv_results_, by="roc_auc")
