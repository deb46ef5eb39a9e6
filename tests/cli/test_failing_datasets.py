"""Data sets that raise, hang, crash or are nonsense are failed rows; the others are run."""

import json
import sys

import numpy as np
import pytest
from command_line import done
from toys import Site

from aucbench.data import Data, Labels
from aucbench.data.arrays import Rows
from aucbench.data.sound import unsound

SOURCE = """
import os
import time

import numpy as np

from aucbench import Data, hookimpl
from aucbench.data import Labels
from aucbench.data.arrays import Rows

X = np.arange(40.0).reshape(20, 2)
Y = np.arange(20) % 2


def fine(n: int = 20): return Data.of(np.c_[X, Y + X[:, 0] % 3][:n], Y[:n])
def raises(): return 1 / 0
def value(): raise ValueError("no such year")
def nan_labels(): return Data.of(X, np.where(Y > 0, np.nan, 1.0))
def array(): return X, Y
def shape(): return Data(Rows(np.zeros(7), None, None, 20, 2), Labels(np.ones(20, np.int8)))
def hangs(): time.sleep(600)
def crashes(): os.kill(os.getpid(), 11)
def eats():
    kept = np.ones(200_000_000)
    time.sleep(600)


@hookimpl
def aucbench_datasets():
    names = (fine, raises, value, nan_labels, array, shape, hangs, crashes, eats)
    return {f.__name__.replace("_", "-"): f for f in names}
"""
FAILED = {
    "raises": ("error", "ZeroDivisionError", "division by zero"),
    "value": ("error", "ValueError", "no such year"),
    "nan-labels": ("error", "PluginError", "label"),
    "array": ("error", "PluginError", "it is a tuple, wanted Data"),
    "shape": ("error", "PluginError", "7 numbers are not 20 rows of 2 columns"),
    "hangs": ("timeout", None, "did not end within 5 s"),
    "crashes": ("crash", None, "SIGSEGV"),
    "eats": ("memout", "MemoryError", "llocat"),
}


@pytest.fixture
def places(tmp_path, monkeypatch):
    site = Site(tmp_path)
    site.module("ward_sets", SOURCE)
    site.metadata("ward", "1.5", dict.fromkeys(("fine", *FAILED), "ward_sets"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("AUCBENCH_PLUGINS", raising=False)
    yield tmp_path
    sys.modules.pop("ward_sets", None)


def test_each_is_a_failed_row_that_names_it(places, tmp_path):
    out, rows = tmp_path / "results", tmp_path / "rows.json"
    sets = ",".join(["fine", *FAILED, "breast-cancer"])
    asked = ("--solvers", "constant,svm-or", "--splits", 2, "--timeout", 5, "--memory", 500)
    result = done("compare", "--data", sets, *asked, "--json", rows, "--out", out)
    found = json.loads(rows.read_text(encoding="utf-8"))
    assert len(found) == 4 * (len(FAILED) + 2)  # splits and solvers
    for name, (status, error, sentence) in FAILED.items():
        mine = [row for row in found if row["dataset"] == name]
        assert len(mine) == 4
        for row in mine:
            assert row["status"] == status, row["reason"]
            assert row["error_type"] == error
            assert sentence in row["reason"]
            assert f"ward:{name}" in row["reason"]
            if status == "error":
                assert f"{places / 'ward_sets.py'}, line " in row["reason"]
    good = [row for row in found if row["dataset"] in ("fine", "breast-cancer")]
    assert {row["status"] for row in good} == {"ok"}, [row["reason"] for row in good]
    assert f"{4 * len(FAILED)} of {len(found)} rows have no AUC" in result.stdout
    listed = done("status", out, "--cells").stdout
    assert all(name in listed for name in FAILED)


X = np.arange(6.0)
Y = np.array([1, -1, 1], np.int8)
DENSE = Rows(X, None, None, 3, 2)


def sparse(columns=(0, 1, 0), starts=(0, 2, 2, 3), values=(1.0, 2.0, 3.0)):
    return Rows(np.array(values), np.array(columns, np.int32), np.array(starts, np.int32), 3, 2)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (None, "it is None, wanted Data"),
        (Data(X, Labels(Y)), "its rows are a ndarray"),
        (Data(Rows(X, None, None, 0, 2), Labels(Y)), "0 rows of 2 columns"),
        (Data(Rows(X.astype("f2"), None, None, 3, 2), Labels(Y)), "are float16 of shape"),
        (Data(Rows(X.reshape(3, 2), None, None, 3, 2), Labels(Y)), "of shape (3, 2)"),
        (Data(Rows(X * np.nan, None, None, 3, 2), Labels(Y)), "NaN or infinite"),
        (Data(sparse(columns=(0, 2, 0)), Labels(Y)), "not in 0 to 1"),
        (Data(sparse(columns=(1, 0, 0)), Labels(Y)), "do not grow"),
        (Data(sparse(columns=(0, 0, 0)), Labels(Y)), "do not grow"),
        (Data(sparse(starts=(0, 3, 2, 3)), Labels(Y)), "do not grow from 0"),
        (Data(sparse(starts=(0, 2, 3)), Labels(Y)), "wanted as many columns as numbers, and 4"),
        (Data(DENSE, Labels(Y[:2])), "3 rows and 2 labels"),
        (Data(DENSE, Labels(np.ones(3, np.int8))), "wanted -1 and 1"),
        (Data(DENSE, Labels(np.array([1, 0, 1], np.int8))), "wanted -1 and 1"),
        (Data(DENSE, Labels(Y * np.nan)), "its labels are float"),
        (Data(DENSE, Labels(Y, np.array([1.0, np.nan, 1.0]))), "not finite and above 0"),
        (Data(DENSE, Labels(Y, np.ones(2))), "3 rows and 2 weights"),
        (Data(DENSE, Y), "its target is a ndarray"),
        (Data(DENSE, Labels(Y), ("a",)), "2 columns and 1 names"),
        (Data(DENSE, Labels(Y), groups=np.zeros(2, np.int32)), "groups for 2"),
    ],
)
def test_nonsense_is_told(data, sentence):
    assert sentence in unsound(data)
