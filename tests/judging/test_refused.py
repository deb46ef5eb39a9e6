"""A table that does not say what is asked of it is refused in one plain sentence."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from command_line import refused
from refusals import assert_refused

import aucbench
from aucbench.errors import AucbenchError

pytestmark = pytest.mark.plain
METHODS, SETS = ("a", "b", "c"), [f"set {k}" for k in range(7)]
LONG = pd.DataFrame(  # a value for each method, data set and fold
    {
        "method": np.repeat(METHODS, len(SETS) * 3),
        "dataset": np.tile(np.repeat(SETS, 3), len(METHODS)),
        "fold": np.tile([0, 1, 2], len(METHODS) * len(SETS)),
        "auc": np.random.default_rng(0).uniform(0.6, 0.9, len(METHODS) * len(SETS) * 3),
    }
)
KINDS = ["binary"] * 30 + ["regression"] * 33


def judging(table=LONG, **options):
    return partial(aucbench.judge, table, **options)


def without(column):
    return LONG.drop(columns=column)


def renamed(**names):
    return LONG.rename(columns=names)


def only(condition, table=LONG):
    return table.query(condition)


ONE_FOLD = only("method != 'a' or fold == 0").query("method != 'b' or fold == 1")
ERRORS = renamed(auc="metric_error")
MANY = pd.concat([LONG.assign(fold=LONG["fold"] + 3 * k) for k in range(4)])

TABLES = {  # and the words of the sentence that say what was wrong, or the way out
    "two columns of methods": (LONG.assign(solver=LONG["method"]), "method and solver", "--method"),
    "errors of a metric that nobody names": (ERRORS, "metric_error", "--by"),
    "errors of two metrics": (ERRORS.assign(problem_type=KINDS), "--where problem_type=binary"),
    "an unknown direction": (renamed(auc="value"), "--smaller or --larger", "--by"),
    "no values": (without("auc").assign(points=1.0), "points", "--value"),
    "the same fold twice": (pd.concat([LONG, LONG.iloc[[0, 4]]]), "set 0 (fold 0)", "--repeat"),
    "folds without a column": (without("fold"), "and 18 more", "--fold"),
    "per cent": (LONG.assign(auc=100 * LONG["auc"]), "63 value(s)", "per cent", "--by"),
    "one method": (only("method == 'a'"), "a is the only method"),
    "one value of each": (only("dataset == 'set 0' and fold == 0"), "no test can say"),
    "no fold in common": (ONE_FOLD, "set 0", "no fold"),
    "many folds": (MANY, "set 0 has 12 folds", "not known how many"),
    "a text": (LONG.assign(auc="good"), "'good'", "no number"),
    "no name": (LONG.replace({"method": {"b": ""}}), "21 row(s)", "no method"),
    "nothing": (LONG.assign(auc=np.nan), "no value of auc"),
    "a number": (3, "got int"),
    "a file that is not there": ("nothing.csv", "nothing.csv"),
}
OPTIONS = {
    "two roles": ({"method": "method", "dataset": "method"}, "--method and --dataset"),
    "two directions": ({"smaller": True, "larger": True}, "contradict"),
    "folds and repeats": ({"folds": 3, "repeats": 1}, "--repeats follows from --folds"),
    "an unknown metric": ({"by": "f1"}, "'f1'", "auc"),
    "an unknown rule": ({"missing": "mean"}, "complete, worst"),
    "an unknown option": ({"colour": 1}, "'colour'"),
    "a column of a tool": ({"form": "amlb", "method": "method"}, "--method", "--from long"),
    "a rope": ({"rope": -1}, "rope", "-1"),
    "rows by no value": ({"where": ("fold",)}, "COLUMN=VALUE"),
    "rows by an unknown value": ({"where": ("method=d",)}, "method"),
}
FILES = {
    "pickle.pkl": (pickle.dumps({"a": 1}), "pickle"),
    "empty.csv": (b"", "empty"),
    "numbers.csv": (b"1,2\n3,4\n", "no columns"),
    "text.json": (b'"a"', "no table"),
    "broken.parquet": (b"PAR1", "parquet"),
    "twins.csv": (b"method,method,auc\na,b,.5\n", "'method'"),
    "a.svm": (b"1 1:2\n", "ending"),
}


@pytest.mark.parametrize("what", [*TABLES, *OPTIONS])
def test_a_wrong_table_or_option(what):
    if what in TABLES:
        table, *words = TABLES[what]
        call = judging(table)
    else:
        options, *words = OPTIONS[what]
        call = judging(**options)
    for word in words:
        assert len(assert_refused(call, AucbenchError, word)) < 400


@pytest.mark.parametrize("name", FILES)
def test_a_wrong_file(tmp_path, name):
    content, word = FILES[name]
    (tmp_path / name).write_bytes(content)
    said = assert_refused(judging(tmp_path / name), AucbenchError, word)
    assert str(tmp_path / name) in said


def test_files_of_two_formats_no_file_and_what_the_command_says(tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    LONG.assign(solver=LONG["method"]).to_csv(a, index=False)
    pd.DataFrame({"dataset": SETS, "a": 0.5, "b": 0.6}).to_csv(b, index=False)
    LONG.to_csv(tmp_path / "c.csv", index=False)
    assert_refused(lambda: aucbench.judge(tmp_path / "c.csv", b), AucbenchError, "c long, b wide")
    assert_refused(aucbench.judge, AucbenchError, "no table")
    assert "choose one with --method" in refused("judge", a)
    assert "m99" in refused("judge", b, "--by", "auc", "--require", "m99")
