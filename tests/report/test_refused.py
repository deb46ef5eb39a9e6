"""What cannot be reported, plotted or compared is refused in one sentence."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from refusals import assert_refused, refusals
from result_folders import DATASETS, SPLITS, written_folder

from aucbench import compare
from aucbench.bench import Choice, Plan, Store
from aucbench.bench.cell import solver_of
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.report.chart import Chart
from aucbench.report.collecting import frame_of
from aucbench.report.figures import check_figure, plot_figure
from aucbench.report.folder import read_frame
from aucbench.report.grid import Grid
from aucbench.report.html_page import InlinePage

TABLE = pd.DataFrame({"x": range(6), "label": ["bad", "good"] * 3, "one": 1.0})
SOLVERS = ("a[b=1]", "a[b=2]", "sht-auc")
POINT = {"a": ([1], [1])}
LAZY = pl.LazyFrame({"y": [0, 1]})


def lines(lines, **bands):
    return Chart("t", "x", "y", lines, **bands)


REFUSED = refusals(
    ("a line that is too short", lambda: Grid(["a", "b"], [(1,)]), ParameterError, "2"),
    ("no lines", lambda: lines({}), ParameterError, "line"),
    ("a band of no line", lambda: lines(POINT, bands={"b": ([1], [1])}), ParameterError, "b"),
    ("no such figure", lambda: check_figure("curve", ".pdf"), UnknownNameError, "'curves'"),
    ("no such ending", lambda: check_figure("curves", ".gif"), ParameterError, ".pdf"),
    ("no such solver", lambda: solver_of(SOLVERS, "a"), UnknownNameError, "solver"),
    ("nothing", lambda: frame_of([]), DataError, "nothing"),
    ("a page nowhere", lambda: InlinePage(b"", "").save(Path("no/r.html")), ParameterError, "no"),
    ("an option", lambda: compare(TABLE, targt="label"), UnknownNameError, "'targt'"),
    ("no positive", lambda: compare(TABLE, target="label"), DataError, "'bad'"),
    ("no data", lambda: compare(), ParameterError, "no data"),
    ("data twice", lambda: compare(TABLE, data=TABLE), ParameterError, "twice"),
    ("a number as data", lambda: compare("logistic", 3), (ParameterError, TypeError), "int"),
    ("a lazy table", lambda: compare(LAZY, solvers="logistic"), ParameterError, "LazyFrame"),
    ("a mapping", lambda: compare(data={"y": [0, 1]}), ParameterError, "dict"),
    ("a target", lambda: compare(TABLE, target=TABLE["label"]), ParameterError, "target"),
    ("test", lambda: compare("logistic", "digits-8", test=TABLE), ParameterError, "test rows"),
)


@REFUSED
@pytest.mark.usefixtures("in_process")
def test_what_makes_no_sense_is_refused(call, error, word):
    assert_refused(call, error, word)


def families(name):
    asked = {"data": DATASETS, "solvers": (Choice("sht-auc[k=10]"),), "passes": 10}
    return Plan.of({**asked, "splits": SPLITS - (name == "d"), "families": {name: ("digits-3",)}})


RESULTS_REFUSED = refusals(
    ("curves", lambda found, _: plot_figure(found, "curves", ".svg"), ParameterError, "--dataset"),
    (
        *("no such set", lambda found, _: plot_figure(found, "curves", ".svg", "digits-33")),
        *(UnknownNameError, "'digits-3'"),
    ),
    (
        *("a set in vain", lambda found, _: plot_figure(found, "leaderboard", ".svg", "digits-8")),
        *(ParameterError, "--dataset"),
    ),
    (
        *("two results", lambda _, some: frame_of([*some, replace(some[0], id=some[0].id[::-1])])),
        *(DataError, "delete"),
    ),
    (
        *("two families", lambda _, some: frame_of(some, [families("digits"), families("d")])),
        *(DataError, "families"),
    ),
)


@RESULTS_REFUSED
def test_results_that_do_not_fit_are_refused(findings, records, call, error, word):
    assert_refused(partial(call, findings, records), error, word)


def test_a_figure_of_no_curves_is_refused(scored, records):
    bare = [replace(r, curve=()) for r in records if str(r.cell.dataset) == "digits-8"]
    figure = partial(plot_figure, scored(bare), "curves", ".svg")
    assert_refused(figure, ParameterError, "digits-8")


OTHERS = {  # of the second folder: what is changed of its plan or record, and how it is refused
    "another protocol": (("passes = 10", "passes = 20"), "passes"),
    "other rows": (None, "other rows"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_folders_that_cannot_be_compared_are_refused(tmp_path, what):
    sets = ("t0", "t1", "t2")
    a = written_folder(tmp_path / "a", sets, ("logistic", "means"))
    b = written_folder(tmp_path / "b", sets, ("logistic", "raises"))
    changes, word = OTHERS[what]
    if changes:
        [plan] = (b / "plans").iterdir()
        text = plan.read_text("utf-8").partition("# seal")[0]  # which is of the text as it was
        plan.write_text(text.replace(*changes), encoding="utf-8")
    else:
        with Store(b) as store:
            for record in [*store.records()]:
                sizes = replace(record.sizes, data="0" * 31 + "9")
                store.write(replace(record, sizes=sizes))
    assert_refused(lambda: read_frame(a, b, stale=True), DataError, word)
