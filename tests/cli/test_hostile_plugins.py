"""Plugins, data sets and metrics that raise, hang, crash or are nonsense cost themselves only.

What nobody asked for cannot hold a command, and what was asked for is named.
"""

import sys

import numpy as np
import pytest
from command_line import done, flat, refused, said, strict
from toys import Site

from aucbench.bench import Store
from aucbench.bench.measuring import MOST_ENDS
from aucbench.data import Data, Labels
from aucbench.data.arrays import Rows
from aucbench.data.sound import unsound
from aucbench.processes.records import Limits

DATASETS = """
import os
import time
import numpy as np
from aucbench import Data, hookimpl
X = np.arange(40.0).reshape(20, 2)
Y = np.arange(20) % 2
def fine(n: int = 20): return Data.of(np.c_[X, Y + X[:, 0] % 3][:n], Y[:n])
def raises(): return 1 / 0
def nan_labels(): return Data.of(X, np.where(Y > 0, np.nan, 1.0))
def array(): return X, Y
def hangs(): time.sleep(600)
def crashes(): os.kill(os.getpid(), 11)
def eats():
    kept = np.ones(200_000_000)
    time.sleep(600)
@hookimpl
def aucbench_datasets():
    names = (fine, raises, nan_labels, array, hangs, crashes, eats)
    return {f.__name__.replace("_", "-"): f for f in names}
"""
FAILED = {
    "raises": ("error", "ZeroDivisionError", "division by zero"),
    "nan-labels": ("error", "PluginError", "label"),
    "array": ("error", "PluginError", "it is a tuple, wanted Data"),
    "hangs": ("timeout", None, "did not end within 5 s"),
    "crashes": ("crash", None, "SIGSEGV"),
    "eats": ("memout", "MemoryError", "llocat"),
}


@pytest.mark.slow
def test_each_data_set_that_fails_is_failed_rows_that_name_it(tmp_path, monkeypatch):
    site = Site(tmp_path)
    site.module("ward_sets", DATASETS)
    site.metadata("ward", "1.5", dict.fromkeys(("fine", *FAILED), "ward_sets"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("AUCBENCH_PLUGINS", raising=False)
    out, rows = tmp_path / "results", tmp_path / "rows.json"
    asked = ("--solvers", "constant,svm-or", "--splits", 2, "--timeout", 5, "--memory", 500)
    sets = ",".join(["fine", *FAILED, "breast-cancer"])
    result = done("compare", "--data", sets, *asked, "--json", rows, "--out", out)
    found = strict(rows)
    assert len(found) == 4 * (len(FAILED) + 2)  # splits and solvers
    for name, (status, error, sentence) in FAILED.items():
        mine = [row for row in found if row["dataset"] == name]
        assert len(mine) == 4
        for row in mine:
            assert (row["status"], row["error_type"]) == (status, error), row["reason"]
            assert sentence in row["reason"]
            assert f"ward:{name}" in row["reason"]
            if status == "error":
                assert f"{tmp_path / 'ward_sets.py'}, line " in row["reason"]
    good = [row for row in found if row["dataset"] in ("fine", "breast-cancer")]
    assert {row["status"] for row in good} == {"ok"}, [row["reason"] for row in good]
    assert f"{4 * len(FAILED)} of {len(found)} rows have no AUC" in result.stdout
    listed = done("status", out, "--cells").stdout
    assert all(name in listed for name in FAILED)
    sys.modules.pop("ward_sets", None)


X, Y = np.arange(6.0), np.array([1, -1, 1], np.int8)
DENSE = Rows(X, None, None, 3, 2)


def sparse(columns=(0, 1, 0), starts=(0, 2, 2, 3), values=(1.0, 2.0, 3.0)):
    return Rows(np.array(values), np.array(columns, np.int32), np.array(starts, np.int32), 3, 2)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (None, "it is None, wanted Data"),
        (Data(X, Labels(Y)), "its rows are a ndarray"),
        (Data(Rows(X.astype("f2"), None, None, 3, 2), Labels(Y)), "are float16 of shape"),
        (Data(Rows(X * np.nan, None, None, 3, 2), Labels(Y)), "NaN or infinite"),
        (Data(sparse(columns=(0, 2, 0)), Labels(Y)), "not in 0 to 1"),
        (Data(sparse(columns=(1, 0, 0)), Labels(Y)), "do not grow"),
        (Data(sparse(starts=(0, 2, 3)), Labels(Y)), "wanted as many columns as numbers, and 4"),
        (Data(DENSE, Labels(Y[:2])), "3 rows and 2 labels"),
        (Data(DENSE, Labels(np.array([1, 0, 1], np.int8))), "wanted -1 and 1"),
        (Data(DENSE, Labels(Y * np.nan)), "its labels are float"),
        (Data(DENSE, Labels(Y, np.array([1.0, np.nan, 1.0]))), "not finite and above 0"),
        (Data(DENSE, Y), "its target is a ndarray"),
        (Data(DENSE, Labels(Y), groups=np.zeros(2, np.int32)), "groups for 2"),
    ],
)
def test_a_data_set_that_is_nonsense_is_told(data, sentence):
    assert sentence in unsound(data)


SOURCE = '''
"""Metrics, right and wrong ones."""
import os
import time
import numpy as np
from aucbench.about import metric
from aucbench.hookspecs import hookimpl
@metric(low=0, high=1)
def lift(y, scores, *, depth=0.5):
    """Share of the positives in the first part of the rows."""
    return y[np.argsort(-scores, kind="stable")[: round(depth * y.size)]].sum() / y.sum()
@metric(greater_is_better=False)
def miss(y, scores):
    """Share of the positives that are not above the median."""
    assert {*y.tolist()} == {0, 1} and not y.flags.writeable and not scores.flags.writeable
    return float(np.mean(scores[y == 1] <= np.median(scores)))
def raises(y, scores):
    raise ValueError("no [bold]luck\\nsecond line")
@hookimpl
def aucbench_metrics():
    return {
        "lift": lift,
        "miss": miss,
        "raises": raises,
        "nan": lambda y, scores: float("nan"),
        "percent": metric(low=0, high=1)(lambda y, scores: 50.0),
        "quits": lambda y, scores: exit("bye"),
        "leaves": lambda y, scores: os._exit(3),
        "sleeps": lambda y, scores: time.sleep(100),
        "writes": lambda y, scores: scores.sort() or 0.5,
        "auc": lambda y, scores: 0.123,
    }
'''


def lift(y, scores, depth=0.5):
    first = np.argsort(-scores, kind="stable")[: round(depth * y.size)]
    return float((y == 1)[first].sum() / (y == 1).sum())


RUN = ("compare", "--quiet", "--solvers", "logistic,constant", "--data", "breast-cancer")
RUN += ("--splits", 2)


@pytest.mark.slow
def test_a_metric_of_a_plugin_has_a_column_rows_and_the_verdict(acme, folder, tmp_path):
    path, spec = tmp_path / "rows.json", "acme:lift[depth=0.4]"
    told = said(*RUN, "--out", folder, "--json", path, "--metrics", f"{spec},miss,brier")
    assert "acme_plugin" not in sys.modules
    header = next(line for line in told.splitlines() if "solver" in line)
    assert header.split()[1] == spec
    assert "corrected resampled t" in told  # the interval over splits, as there is no DeLong
    assert f"logistic has the highest {spec}" in flat(told)
    rows = strict(path)
    with Store(folder) as store:
        for row in rows:
            arrays = store.scores(row["id"])
            assert row[spec] == pytest.approx(lift(arrays["y"], arrays["scores"], 0.4), rel=1e-12)
            assert 0 <= row["miss"] <= 1
            assert "metric_failures" not in row
    mean = np.mean([row[spec] for row in rows if row["solver"] == "logistic"])
    assert f"{mean:.4f}" in told


WRONG = {
    "raises": "it raised ValueError: no [bold]luck second line, in the metric acme:raises 1.2 (",
    "nan": "it returned nan, wanted a finite float",
    "percent": "it returned 50.0, and says that its values are in [0, 1]",
    "quits": "it raised SystemExit: bye",
    "writes": "it raised ValueError: sort array is read-only",
}


def test_what_is_wrong_with_a_metric_is_told_and_the_auc_stays(acme, folder, tmp_path):
    path = tmp_path / "rows.json"
    told = flat(said(*RUN, "--out", folder, "--json", path, "--metrics", ",".join(WRONG)))
    assert "logistic has the highest AUC" in told
    for name, why in WRONG.items():
        assert f"the metric acme:{name} 1.2 has no value on 4 of 4 fits: {why}" in told
        for row in strict(path):
            assert row["auc"] >= 0.5
            assert row[name] is None
            assert why in row["metric_failures"][name]


@pytest.mark.parametrize(("name", "reason"), [("leaves", "crash"), ("sleeps", "timeout")])
def test_a_metric_that_ends_its_process_or_hangs_is_asked_a_few_times(
    acme, folder, monkeypatch, name, reason
):
    if name == "sleeps":
        monkeypatch.setattr("aucbench.bench.measuring.LIMITS", Limits(timeout=1.0))
    told = flat(said(*RUN, "--out", folder, "--metrics", name))
    assert f"it ended its process ({reason}:" in told
    assert name == "sleeps" or f"not asked again, since {MOST_ENDS} processes" in told
    assert "highest AUC" in told


def test_a_metric_whose_import_never_ends_has_the_time_of_a_cell(tmp_path):
    (tmp_path / "endless.py").write_text("import time\ntime.sleep(600)\n")
    told = refused(*RUN, "--timeout", 1, "--metrics", f"{tmp_path / 'endless.py'}:m")
    assert "did not end within 1 s" in told
