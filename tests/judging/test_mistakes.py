"""A table that does not say what is asked of it is refused in one plain sentence."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from command_line import refused

import aucbench
from aucbench.errors import AucbenchError

METHODS, SETS = ("a", "b", "c"), [f"set {k}" for k in range(7)]
pytestmark = pytest.mark.plain


@pytest.fixture
def long():
    """A value for each method, data set and fold."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "method": np.repeat(METHODS, len(SETS) * 3),
            "dataset": np.tile(np.repeat(SETS, 3), len(METHODS)),
            "fold": np.tile([0, 1, 2], len(METHODS) * len(SETS)),
            "auc": rng.uniform(0.6, 0.9, len(METHODS) * len(SETS) * 3),
        }
    )


def sentence(table, **options):
    """The one sentence by which a table is refused."""
    with pytest.raises(AucbenchError) as error:
        aucbench.judge(table, **options)
    said = str(error.value)
    assert "\n" not in said
    assert len(said) < 400
    return said


WRONG = {
    "two columns of methods": (
        lambda t: t.assign(solver=t["method"]),
        "the columns method and solver can both be the method; choose one with --method",
    ),
    "two columns of folds": (
        lambda t: t.assign(split=0),
        "the columns fold and split can both be the fold; choose one with --fold",
    ),
    "errors of a metric that nobody names": (
        lambda t: t.rename(columns={"auc": "metric_error"}),
        "no column names the metric of which metric_error is the error; name it with --by",
    ),
    "errors of different metrics": (
        lambda t: t.rename(columns={"auc": "metric_error"}).assign(
            problem_type=["binary"] * 30 + ["regression"] * 33
        ),
        "metric_error is of another metric for each problem_type, here binary, regression; choose "
        "one with --where problem_type=binary",
    ),
    "an unknown direction": (
        lambda t: t.rename(columns={"auc": "value"}),
        "it is not known whether a smaller value is better; give --smaller or --larger, or the "
        "name of the metric with --by",
    ),
    "several metrics": (
        lambda t: t.assign(logloss=0.2),
        "there are 2 metrics: auc, logloss; each is judged by itself, so choose one with --by",
    ),
    "no values": (
        lambda t: t.drop(columns="auc").assign(points=1.0),
        "no column is known to hold the values; choose one of points with --value",
    ),
    "the same fold twice": (
        lambda t: pd.concat([t, t.iloc[[0, 4]]]),
        "there are several values of a on set 0 (fold 0), a on set 1 (fold 1); give one value for "
        "each fold, or name the columns that distinguish them with --fold and --repeat",
    ),
    "folds without a column": (
        lambda t: t.drop(columns="fold"),
        "there are several values of a on set 0, a on set 1, a on set 2 and 18 more; give one "
        "value for each fold, or name the columns that distinguish them with --fold and --repeat",
    ),
    "per cent": (
        lambda t: t.assign(auc=100 * t["auc"]),
        "63 value(s) in total are outside of [0, 1]; give shares, not per cent, or name another "
        "metric with --by",
    ),
    "one method": (
        lambda t: t[t["method"] == "a"],
        "a is the only method; give a table with two or more",
    ),
    "one value of each method": (
        lambda t: t[(t["dataset"] == "set 0") & (t["fold"] == 0)],
        "there is one data set with one value of each method, and no test can say whether they "
        "differ; give the values of its folds, or more data sets",
    ),
    "repeats of one fold": (
        lambda t: t[t["dataset"] == "set 0"].rename(columns={"fold": "repeat"}),
        "give --ratio, test rows divided by training rows, or --folds",
    ),
    "no fold in common": (
        lambda t: t[(t["method"] != "a") | (t["fold"] == 0)].query("method != 'b' or fold == 1"),
        "on set 0 there is no fold in which all methods have a value",
    ),
    "a text": (
        lambda t: t.assign(auc="good"),
        "'good' in the column 'auc' is no number; leave cells without a value empty",
    ),
    "infinity": (
        lambda t: t.assign(auc=np.inf),
        "the column 'auc' has an infinite value; leave such cells empty",
    ),
    "no name": (
        lambda t: t.replace({"method": {"b": ""}}),
        "21 row(s) name no method; give each value a method",
    ),
    "a row of means": (
        lambda t: t.replace({"dataset": {"set 3": "Average"}}),
        "'Average' is named as a data set, but sounds like a summary of the others; leave that "
        "row out",
    ),
    "nothing": (lambda t: t.assign(auc=np.nan), "the table has no value of auc; fill its cells"),
    "no row": (lambda t: t.iloc[:0], "this table holds no row of results"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_table(long, what):
    change, expected = WRONG[what]
    assert expected in sentence(change(long))


OPTIONS = {
    "a column that is not there": ({"method": "Method"}, "did you mean 'method'?"),
    "two roles of a column": (
        {"method": "method", "dataset": "method"},
        "--method and --dataset name the same column 'method'; give each its own",
    ),
    "two directions": ({"smaller": True, "larger": True}, "contradict each other; give one"),
    "folds and repeats": ({"folds": 3, "repeats": 1}, "--repeats follows from --folds"),
    "folds that do not divide": ({"folds": 2}, "set 0 has 3 folds, which --folds 2 does not"),
    "an unknown metric": ({"by": "f1"}, "unknown metric 'f1': known are: auc"),
    "an unknown rule": ({"missing": "mean"}, "known are: complete, worst"),
    "an unknown format": ({"form": "csv"}, "unknown format 'csv'"),
    "an unknown option": ({"colour": 1}, "unknown option of judge 'colour'"),
    "a column of a tool": (
        {"form": "amlb", "method": "method"},
        "--method cannot name a column in the format amlb, which has its own; leave it out, or "
        "give --from long",
    ),
    "a column of methods in a wide table": (
        {"form": "wide", "value": "auc"},
        "--value cannot name a column in the format wide",
    ),
    "a level": ({"level": 95}, "the level must be in (0, 1), got 95; 0.95 is usual"),
    "a rope": ({"rope": -1}, "rope must be at least 0.0, got -1"),
    "a ratio": ({"ratio": 0}, "ratio must be greater than 0.0, got 0"),
}


@pytest.mark.parametrize("what", OPTIONS)
def test_a_wrong_option(long, what):
    options, expected = OPTIONS[what]
    assert expected in sentence(long, **options)


def test_many_folds_do_not_say_how_they_divide_the_rows(long):
    many = pd.concat([long.assign(fold=long["fold"] + 3 * k) for k in range(4)])
    assert "set 0 has 12 folds, and it is not known how many of them split the rows" in sentence(
        many
    )
    assert aucbench.judge(many, folds=3).findings.datasets[0].rows[0].planned == 12


FILES = {
    "pickle.pkl": (pickle.dumps({"a": 1}), "it is a pickle, which can run any code"),
    "pickle.dat": (pickle.dumps({"a": 1}), "it is a pickle, which can run any code"),
    "empty.csv": (b"", "it is empty; give a table of results"),
    "header.csv": (b"method,dataset,auc\n", "there is no row below the header"),
    "numbers.csv": (b"1,2\n3,4\n", "its first line names no columns"),
    "uneven.csv": (b"method,dataset,auc\na,b\n", "row 1 below the header has 2 cells"),
    "text.json": (b'"a"', "it holds no table; give a list of objects"),
    "broken.json": (b"[{", "cannot be read as json"),
    "broken.parquet": (b"PAR1", "cannot be read as parquet"),
    "columns.json": (json.dumps({"a": [1], "b": [1, 2]}).encode(), "of the same length"),
    "twins.csv": (b"method,method,auc\na,b,.5\n", "have the same name 'method'"),
    "a.svm": (b"1 1:2\n", "its ending is not that of a table"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_wrong_file(tmp_path, name):
    content, expected = FILES[name]
    (tmp_path / name).write_bytes(content)
    said = sentence(tmp_path / name)
    assert expected in said
    assert str(tmp_path / name) in said


def test_files_of_two_formats(long, tmp_path):
    long.to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"dataset": SETS, "a": 0.5, "b": 0.6}).to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(AucbenchError, match="different formats: a long, b wide"):
        aucbench.judge(tmp_path / "a.csv", tmp_path / "b.csv")


def test_what_is_no_table():
    assert "got int as a table of results, wanted a file" in sentence(3)
    assert "must be lists or vectors of the same length" in sentence({"a": [1, [2]], "b": 3})
    assert "there is no file nothing.csv" in sentence("nothing.csv")
    with pytest.raises(AucbenchError, match="there is no table of results"):
        aucbench.judge()


def test_the_command_says_them_too(long, tmp_path):
    long.assign(solver=long["method"]).to_csv(tmp_path / "a.csv", index=False)
    assert "choose one with --method" in refused("judge", tmp_path / "a.csv")
