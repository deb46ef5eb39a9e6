"""A run of ours, written in each format, gets the words that `compare` has for it."""

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused
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


def judged_as(*tables, **options):
    return verdict_of(aucbench.judge(*tables, **options).findings)


def test_our_own_export_says_what_compare_says(compared, own, tmp_path):
    compared.to_frame().to_csv(tmp_path / "rows.csv", index=False)
    judged = aucbench.judge(tmp_path / "rows.csv", dataset="dataset", fold="split")
    assert verdict_of(judged.findings) == own
    lines = compared.answer().splitlines()
    answer = [line for line in lines if not any(words in line for words in SAYS_COSTS)]
    assert judged.answer().splitlines() == answer
    assert "fit s" not in judged.table()


WRITE = {
    "csv": lambda table, path: table.to_csv(path, index=False),
    "tsv": lambda table, path: table.to_csv(path, index=False, sep="\t"),
    "parquet": lambda table, path: table.to_parquet(path),
    "feather": lambda table, path: table.to_feather(path),
    "json": lambda table, path: table.to_json(path, orient="records"),
    "xlsx": lambda table, path: table.to_excel(path, index=False),
}


@pytest.mark.parametrize("ending", WRITE)
def test_every_kind_of_file_is_read(frame, own, tmp_path, ending):
    WRITE[ending](frame, tmp_path / f"rows.{ending}")
    assert judged_as(tmp_path / f"rows.{ending}") == own


def test_wide_tables_of_means_and_of_folds(frame, own, tmp_path):
    means = frame.pivot_table("auc", "dataset", "solver", sort=False)
    assert judged_as(means, by="auc") == own
    means.to_csv(tmp_path / "means.csv")
    assert judged_as(tmp_path / "means.csv", by="roc_auc") == own
    folds = frame.pivot_table("auc", ["dataset", "split"], "solver", sort=False).reset_index()
    assert judged_as(folds, by="auc") == own


def test_benchopt_takes_the_last_point_of_each_curve(frame, own, tmp_path):
    last = pd.DataFrame({"objective_name": "Classification", "solver_name": frame["solver"]})
    last = last.assign(data_name=frame["dataset"], idx_rep=frame["split"], stop_val=10, time=1.0)
    last = last.assign(objective_auc=frame["auc"], objective_value=1 - frame["auc"])
    first = last.assign(stop_val=0, objective_auc=0.5, objective_value=0.5)
    path = tmp_path / "run.parquet"
    pd.concat([last, first]).sample(frac=1, random_state=0).to_parquet(path)
    assert judged_as(path, by="auc", folds=2) == own
    averaged = aucbench.judge(path, by="auc")
    assert verdict_of(averaged.findings) == own
    assert "averaged" in " ".join(averaged.notes)
    assert aucbench.judge(path, by="objective_value").findings.smaller
    assert_refused(lambda: aucbench.judge(path), ParameterError, "auc, objective_value")


@pytest.fixture
def amlb(frame):
    names = {"dataset": "task", "solver": "framework", "split": "fold"}
    constants = {"id": "openml.org/t/1", "constraint": "1h8c", "type": "binary", "metric": "auc"}
    table = frame.rename(columns=names).assign(result=frame["auc"], **constants, seed=42, info="")
    return table.assign(acc=0.9, logloss=0.2)


def test_amlb(amlb, own, tmp_path):
    amlb.to_csv(tmp_path / "results.csv", index=False)
    assert judged_as(tmp_path / "results.csv") == own
    # Some versions write the negative of a loss.
    values = 1 - aucbench.judge(amlb).findings.values
    loss = amlb.assign(logloss=1 - amlb["auc"], metric="logloss", auc=0.5)
    for result in (loss["logloss"], -loss["logloss"]):
        for table in (loss, loss.drop(columns="logloss"), loss.assign(metric="neg_logloss")):
            found = aucbench.judge(table.assign(result=result)).findings
            assert found.smaller
            assert found.values == pytest.approx(values)
    assert_refused(lambda: aucbench.judge(loss.assign(result=7)), DataError, "result 7")


def test_a_framework_that_failed_says_why(amlb):
    at = (amlb["framework"] == "svm-or") & (amlb["task"] == "digits-0")
    amlb.loc[at, ["result", "auc"]] = np.nan
    amlb.loc[at, "info"] = "TimeoutError: 1h"
    judged = aucbench.judge(amlb)
    assert any("svm-or on 1 of 6 data sets" in line for line in judged.sentences)
    assert b"TimeoutError: 1h" in judged.report().content
    complete = aucbench.judge(amlb, missing="complete")
    assert len(complete.findings.frame.datasets) == 5
    assert "1 of 6 data sets are left out" in " ".join(complete.notes)
    amlb.loc[at, "metric"] = ""  # a row that failed has the metric of its task
    assert aucbench.judge(amlb).sentences == judged.sentences


def test_tabarena_has_errors(frame, own):
    names = {"split": "fold", "solver": "method"}
    constants = {"metric": "roc_auc", "problem_type": "binary", "time_train_s": 1.0}
    table = frame.rename(columns=names).assign(metric_error=1 - frame["auc"], **constants)
    table = table.drop(columns="auc")
    judged = aucbench.judge(table)
    assert verdict_of(judged.findings) == own
    assert (judged.findings.measure, judged.findings.smaller) == ("AUC", False)
    both = table.assign(framework="x")
    assert aucbench.judge(both, method="method").sentences == judged.sentences
    losses = aucbench.judge(table.assign(metric="log_loss").rename(columns={"method": "framework"}))
    assert (losses.findings.measure, losses.findings.smaller) == ("log_loss", True)
    assert losses.findings.values == pytest.approx(1 - judged.findings.values)
    assert aucbench.judge(table.assign(metric="neg_log_loss")).sentences == losses.sentences
    assert aucbench.judge(table.assign(metric="hinge")).findings.measure == "hinge_error"


def splits(folds, sets=1):
    """Errors of three methods in as many splits, which are numbered in one series."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"method": m, "dataset": f"d{i}", "fold": k, "metric": "roc_auc", "metric_error": e}
        for m, mean in (("a", 0.17), ("b", 0.2), ("c", 0.22))
        for i in range(sets)
        for k, e in enumerate(rng.normal(mean, 0.02, folds))
    )


def repeats(judged):
    return judged.findings.datasets[0].within.repeats


def test_splits_of_tabarena_are_repeats_of_three_folds_and_others_are_named():
    for folds in (9, 30):
        judged = aucbench.judge(splits(folds))
        assert repeats(judged) == folds // 3
        assert judged.sentences == aucbench.judge(splits(folds), folds=3).sentences
        assert "repeats of 3 folds; --folds says otherwise" in " ".join(judged.notes)
        assert repeats(aucbench.judge(splits(folds), repeats=1)) == 1
    guessed = aucbench.judge(splits(10))
    assert repeats(guessed) == 1
    assert "up to 10, are taken for one split of its rows" in " ".join(guessed.notes)
    for known in (aucbench.judge(splits(10), folds=10), aucbench.judge(splits(5))):
        assert "taken for one" not in " ".join(known.notes)


def test_results_by_data_set_of_autogluon_have_folds_in_the_names_of_tasks():
    table = splits(3, sets=6)
    names = table["dataset"] + "_" + table["fold"].astype(str)
    ranked = table.assign(dataset=names, problem_type="binary").drop(columns=["fold", "metric"])
    assert aucbench.judge(ranked, by="roc_auc").sentences == aucbench.judge(table).sentences
    errors = aucbench.judge(ranked, by="metric_error").findings
    assert (errors.measure, errors.smaller) == ("metric_error", True)


@pytest.fixture(scope="module")
def search():
    """What a search of scikit-learn has found."""
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {"logisticregression__C": [1e-4, 0.1, 10.0]}
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    scores = ["roc_auc", "neg_log_loss"]
    return GridSearchCV(model, grid, scoring=scores, refit="roc_auc", cv=cv).fit(X, y).cv_results_


@pytest.mark.parametrize("kind", ["mapping", "csv"])
def test_a_search_of_scikit_learn(search, tmp_path, kind):
    table = search if kind == "mapping" else tmp_path / f"search.{kind}"
    if kind == "csv":
        pd.DataFrame(search).to_csv(table)
    judged = aucbench.judge(table, by="roc_auc", folds=4)
    values = {
        f"logisticregression__C={c}": np.array(
            [search[f"split{k}_test_roc_auc"][row] for k in range(12)]
        )
        for row, c in enumerate((0.0001, 0.1, 10.0))
    }
    [inside] = judged.findings.datasets
    expected = SplitTest(ratio=1 / 3, repeats=3).of_values(values)
    assert [(p.a, p.b, p.word) for p in inside.pairs] == [
        (p.a, p.b, p.word) for p in expected.pairs
    ]
    leading = {judged.findings.frame.solvers[row.solver] for row in inside.rows if row.leading}
    assert leading == {one.name for one in expected.solvers if one.not_worse}
    assert "pays for 3 methods" in " ".join(judged.notes)
    assert_refused(lambda: aucbench.judge(search, by="roc_auc"), ParameterError, "12 folds")


def test_losses_of_scikit_learn_are_larger_for_a_better_model(search):
    judged = aucbench.judge(search, by="neg_log_loss", folds=4)
    assert not judged.findings.smaller
    assert judged.findings.values.max() < 0
