"""Metrics of other packages: in every place where a built-in one can be, and never in this process.

What a metric does wrong is told with its name, its version, its file and its line, and costs
nothing but its own values.
"""

import sys

import numpy as np
import pytest
from command_line import flat, said, strict
from toys import Site

from aucbench import compare
from aucbench.bench import Store
from aucbench.bench.measuring import MOST_ENDS, measure_of
from aucbench.errors import ParameterError, UnknownNameError
from aucbench.processes.records import Limits
from aucbench.stats import Fold

SOURCE = '''
"""Metrics, right and wrong ones."""
import os
import time

import numpy as np

from aucbench.about import metric
from aucbench.hookspecs import hookimpl


@metric(low=0, high=1)
def lift(y, scores, sample_weight=None, *, depth=0.5):
    """Share of the positives in the first part of the rows."""
    weights = np.ones(y.size) if sample_weight is None else sample_weight
    first = np.argsort(-scores, kind="stable")[: round(depth * y.size)]
    return (weights * y)[first].sum() / (weights * y).sum()


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
        "nothing": lambda y, scores: None,
        "nan": lambda y, scores: float("nan"),
        "percent": metric(low=0, high=1)(lambda y, scores: 50.0),
        "leaves": lambda y, scores: os._exit(3),
        "quits": lambda y, scores: exit("bye"),
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


def test_a_column_the_rows_and_the_verdict(acme, folder, tmp_path):
    path, spec = tmp_path / "rows.json", "acme:lift[depth=0.4]"
    asked = ("--out", folder, "--json", path, "--metrics", f"{spec},miss,brier")
    told = said(*RUN, *asked)
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


def test_in_python(acme):
    records = compare("logistic,constant", "breast-cancer", splits=2, metrics="acme:lift,raises")
    assert "acme:lift" in records.table()
    frame = records.to_frame()
    assert frame["acme:lift"].between(0, 1).all()
    assert frame["raises"].isna().all()
    assert "logistic has the highest acme:lift" in flat(records.answer())
    assert "acme_plugin" not in sys.modules
    answer = flat(
        compare("logistic,constant", "breast-cancer", splits=2, metrics="raises").answer()
    )
    assert "logistic has the highest AUC" in answer
    assert "is missing: the metric acme:raises 1.2 has no value on 4 of 4 fits" in answer


WRONG = {
    "raises": "it raised ValueError: no [bold]luck second line, in the metric acme:raises 1.2 (",
    "nothing": "it returned None, wanted a finite float",
    "nan": "it returned nan, wanted a finite float",
    "percent": "it returned 50.0, and says that its values are in [0, 1]",
    "quits": "it raised SystemExit: bye",
    "writes": "it raised ValueError: sort array is read-only",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_and_the_auc_stays(acme, folder, tmp_path, name):
    path = tmp_path / "rows.json"
    told = flat(said(*RUN, "--out", folder, "--json", path, "--metrics", name))
    assert f"the metric acme:{name} 1.2 has no value on 4 of 4 fits: {WRONG[name]}" in told
    assert "logistic has the highest AUC" in told
    for row in strict(path):
        assert row["auc"] >= 0.5
        assert row[name] is None
        assert WRONG[name] in row["metric_failures"][name]


@pytest.mark.parametrize(("name", "reason"), [("leaves", "crash"), ("sleeps", "timeout")])
def test_one_that_ends_its_process_or_hangs_is_asked_a_few_times(
    acme, folder, monkeypatch, name, reason
):
    if name == "sleeps":
        monkeypatch.setattr("aucbench.bench.measuring.LIMITS", Limits(timeout=1.0))
    told = flat(said(*RUN, "--out", folder, "--metrics", name))
    assert f"it ended its process ({reason}:" in told
    assert name == "sleeps" or f"not asked again, since {MOST_ENDS} processes" in told
    assert "highest AUC" in told


def test_an_import_that_never_ends_has_the_time_of_a_cell(tmp_path):
    (tmp_path / "endless.py").write_text("import time\ntime.sleep(600)\n")
    told = said(*RUN, "--timeout", 1, "--metrics", f"{tmp_path / 'endless.py'}:m", code=2)
    assert "cannot use the" in told
    assert "did not end within 1 s" in flat(told)


def test_names(acme):
    assert measure_of("acme:lift[0.3]").name == "acme:lift[depth=0.3]"
    assert measure_of("lift").smaller is False
    assert measure_of("miss").smaller is True
    assert measure_of("aucbench:pauc[.2]").name == "pauc[max_fpr=0.2]"
    # A built-in name cannot be taken, and that of the distribution is never ambiguous.
    y, scores = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    assert measure_of("auc")(y, scores) == 0.75
    assert measure_of("acme:auc")(y, scores) == 0.123
    with pytest.raises(UnknownNameError, match="unknown measure 'lfit': did you mean 'lift'"):
        measure_of("lfit")
    with pytest.raises(ParameterError, match="unknown parameter of lift 'deep'"):
        measure_of("lift[deep=1]")


def test_rows_with_weights(acme):
    y, scores, weights = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], [1.0, 2.0, 1.0, 6.0]
    assert measure_of("lift")(y, scores, weights) == 0.75
    miss = measure_of("miss")
    assert np.isnan(miss(y, scores, weights))
    assert "the test rows have weights, which it does not take" in miss.failure(
        Fold(y, scores, weights)
    )
    assert miss(y, scores, [2.0] * 4) == 0.5


def test_a_changed_file_is_another_metric(monkeypatch, tmp_path):
    site = Site(tmp_path)
    text = (
        "from aucbench.hookspecs import hookimpl\n"
        "@hookimpl\ndef aucbench_metrics(): return {'flat': lambda y, scores: 0.25}\n"
    )
    site.add("flat", flat=text)
    monkeypatch.syspath_prepend(tmp_path)
    y, scores = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    assert measure_of("flat")(y, scores) == 0.25
    site.module("flat_flat", text.replace("0.25", "0.5"))
    assert measure_of("flat")(y, scores) == 0.5
