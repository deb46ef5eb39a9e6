"""What `compare` prints and returns: tables, notes, the answer, and remarks on failures."""

import numpy as np
import pandas as pd
import pytest
from toys import cell, cells_in_process, record_of

import aucbench
from aucbench import compare
from aucbench.report.collecting import frame_of
from aucbench.report.document import text
from aucbench.report.findings import findings_of
from aucbench.report.grid import shorten_names
from aucbench.report.notes import answer
from aucbench.report.tables import tables


def row(solver="a", dataset="x", split=0, **given):
    sizes = {"n_train": 80, "n_test": 40, "d": 7}
    return record_of(cell(solver, dataset, split=split), **{**sizes, **given})


def findings(rows):
    return findings_of(frame_of(rows), curves=False)


def test_numbers_are_of_ok_rows_only():
    rows = [
        row(split=0, auc=0.8, fit_seconds=1.0, nnz=2),
        row(split=1, auc=0.9, fit_seconds=2.0, nnz=3),
        row(split=2, auc=1.0, fit_seconds=9.0, nnz=3),
        row("b", split=0, auc=1.0, fit_seconds=1.0, nnz=1),
        row("b", split=1, status="timeout", reason="boom", fit_seconds=99.0),
        row("c", split=0, status="invalid", reason="nan", nnz=7),
    ]
    (table,) = tables(findings(rows))
    assert table.title == "x: 120 rows, 7 features"
    assert table.header[:4] == ("", "solver", "AUC", "95 % interval")
    assert table.header[4:] == ("rank", "fit s", "non-zeros", "ok")
    a, b, c = table.lines
    assert (a[2], *a[4:]) == ("0.9000", "1", "2", "2.7", "3/3")
    assert (b[2], *b[4:]) == ("(1.0000)", "-", "1", "1", "1/2")
    assert c[2:] == ("-", "-", "-", "-", "-", "0/1")
    assert table.best == (True, False, False)
    low, high = map(float, a[3].split("–"))
    assert low < 0.9 < high


def test_a_table_says_which_fits_the_budget_has_ended():
    ends = {
        "long": {"overspent": True, "passes": 99.0},
        "forest": {},
        "trees": {"stop": "FINISHED"},
    }
    rows = [row(name, **{"auc": 0.5, "stop": "PASSES", **more}) for name, more in ends.items()]
    (table,) = tables(findings(rows))
    assert table.header[-1] == "end"
    words = {line[1]: line[-1] for line in table.lines}
    assert words == {"long": "over budget", "forest": "budget", "trees": ""}


def test_a_data_set_on_which_a_solver_was_not_planned_does_not_count_against_it():
    rows = [row(name, data, auc=0.5) for name in ("a", "b") for data in ("x", "y")]
    found = findings([*rows, row("c", "x", auc=0.4)])
    assert found.values.shape == (1, 3)
    assert "On 1 of 2 data sets some solvers were not planned" in answer(found).replace("\n  ", " ")


NASTY = "<script>alert(1)</script>\x1b[31m&\"'"


def nasty_table():
    rng = np.random.default_rng(0)
    age = rng.normal(50, 10, 90)
    label = np.where(age + rng.normal(0, 5, 90) > 50, "yes", "no")
    return pd.DataFrame({"age": age, NASTY: rng.normal(size=90), "back": label})


@pytest.fixture(scope="module")
def results():
    with cells_in_process():
        return compare(nasty_table(), "logistic,svm-or", target="back", splits=2, passes=3)


def test_names_lose_their_middle_in_a_narrow_terminal_and_numbers_never_do():
    long = "estimator[sklearn.neighbors:KNeighborsClassifier,n_neighbors=15]"
    path = f"{'a/very/long/path/' * 5}data.svm"
    found = tables(findings([row(x, path, auc=0.75, fit_seconds=1.0) for x in (long, "b")]))
    narrow = text(found, 80).splitlines()
    assert max(map(len, narrow)) <= 80
    assert narrow[0].startswith("a/very/")
    assert narrow[0].endswith("data.svm: 120 rows, 7 features")
    assert all("…" in line for line in (narrow[0], narrow[2]))
    assert all("0.7500" in line for line in narrow[2:])
    assert long in text(found)
    assert shorten_names(["abcdefgh", "abxxxxgj"], 5) == ["ab…gh", "ab…gj"]
    alike = ["abcdefgh", "abxxxxgh"]  # which would become the same
    assert shorten_names(alike, 5) == alike


@pytest.mark.usefixtures("in_process")
def test_names_are_escaped_in_notebooks_and_a_page_cannot_reach_its_notebook(results):
    html = aucbench.fit(nasty_table(), target="back", solver="svm-or", splits=2)._repr_html_()
    assert "&lt;script&gt;" in html
    for shown in (html, results._repr_html_()):
        assert "<script" not in shown
        assert "\x1b" not in shown
    assert 'sandbox="allow-scripts"' in results.report()._repr_html_()
