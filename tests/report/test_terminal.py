"""What `compare` prints and returns: tables, notes, the answer, and remarks on failures."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from toys import cell, cells_in_process, record_of

import aucbench
from aucbench import compare
from aucbench.bench.cell import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.report.collecting import frame_of
from aucbench.report.document import text
from aucbench.report.findings import findings_of
from aucbench.report.grid import shorten_names
from aucbench.report.notes import answer, notes
from aucbench.report.tables import tables

SPLITS = 3
CHOSEN = ("split", "seed", "features", "tune", "seconds")  # fields of a cell, not of a record
OF_CELLS = {"features": ("maxabs",), "splits": 3, "passes": 4.0, "tune_evals": 16}


def row(solver="a", dataset="x", **given):
    asked = {name: given.pop(name) for name in CHOSEN if name in given}
    sizes = {"n_train": 80, "n_test": 40, "d": 7}
    return record_of(cell(solver, dataset, **asked), **{**sizes, **given})


def findings(rows, plans=(), scores=lambda *_: None):
    return findings_of(frame_of(rows, plans, scores=scores), curves=False)


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


def test_tuned_and_plain_solvers_are_told_apart_and_choices_are_named():
    solvers = (Choice("a"), Choice("a", True), Choice("a", {"k": (1, 2)}))
    plan = Plan.of({"data": ("x",), "solvers": solvers, **OF_CELLS})
    chosen = {"table": [{"parameters": {"k": 2}, "auc": 0.5}], "chosen": {"k": 2}}
    tunings = (True, plan.solvers[2].tune, False)
    rows = [row(tune=tune, auc=0.5, tuning=chosen if tune else None) for tune in tunings]
    found = findings(rows, [plan])
    names = [line[1] for line in tables(found)[0].lines]
    assert [name.split(",")[0] for name in names] == ["a", "a (tuned)", "a (tuned k=1|2)"]
    chose = [line.split(" chose ")[1] for line in notes(found) if " chose " in line]
    assert chose == ["k=2 (1x)"] * 2


def ended(solver="a", dataset="x", *, gap=None, stop="PASSES", value=0.5, **given):
    """Row of a fit that fell from f(0) = 1 to `value`."""
    known = {"auc": 0.5, "objective_at_start": 1.0, "objective": value, "problem": "p"}
    known |= {"data": dataset, "gap": gap, "stop": stop, "passes": 4.0}
    return row(solver, dataset, **{**known, **given})


def notes_from(found, begin):
    lines = [*notes(found)]
    return lines[next(k for k, line in enumerate(lines) if line.startswith(begin)) + 1 :]


def test_words_say_how_fits_ended_and_notes_which_have_not_converged():
    curve = tuple({"passes": t, "gap": 0.4 / t} for t in (1.0, 2.0, 3.0, 4.0))
    found = findings(
        [
            ended("exact", gap=1e-9, stop="CERTIFIED"),
            ended("online", value=0.502),
            *(ended("slow", split=j, gap=0.1, curve=curve) for j in (0, 1)),
            ended("slow", split=2, gap=1e-9, stop="CERTIFIED"),
            *(ended("slow", name, gap=0.1, curve=curve) for name in ("y", "z", "u", "v")),
            ended("stuck", gap=1e-3, stop="STALLED"),
            ended("lost", value=0.5, stop="STALLED"),
            ended("poor", value=0.6),
            ended("long", overspent=True, passes=8.0),
            row("trees", auc=0.5, stop="FINISHED"),
            row("forest", auc=0.5, stop="PASSES"),
            row("broken", status="error", reason="E"),
        ]
    )
    table = tables(found)[0]
    assert table.header[-2:] == ("ok", "end")
    (well,) = tables(findings([ended("exact", gap=1e-9, stop="CERTIFIED")]))
    assert well.header[-1] == "ok"
    assert {line[1]: line[-1] for line in table.lines} == {
        **{"exact": "", "online": "budget", "stuck": "stalled"},
        **dict.fromkeys(("slow", "lost", "poor"), "not converged"),
        **{"trees": "", "forest": "budget", "broken": "", "long": "over budget"},
    }
    assert notes_from(found, "budget") == [
        "stalled: above the gap tolerance:",
        "  stuck on x: 1 of 1 fits, gap up to 0.001",
        "  lost on x: 1 of 1 fits, nothing certified",
        "not converged: gap > 1 % of f(0) − f*:",
        "  slow on x, y, z and 2 more: 6 of 7 fits, gap up to 16.7 %",
        "  lost on x: 1 of 1 fits",
        "  poor on x: 1 of 1 fits, gap up to 20 %",
        "over budget: used more than 1.1 times the budget:",
        "  long on x: 1 of 1 fits, up to 2x",
    ]


def test_a_data_set_on_which_a_solver_was_not_planned_does_not_count_against_it():
    rows = [row(name, data, auc=0.5) for name in ("a", "b") for data in ("x", "y")]
    found = findings([*rows, row("c", "x", auc=0.4)])
    assert found.values.shape == (1, 3)
    assert "On 1 of 2 data sets some solvers were not planned" in answer(found).replace("\n  ", " ")


NASTY = "<script>alert(1)</script>\x1b[31m&\"'"


def elements(html):
    """The elements of a piece of HTML with their attributes, and its texts."""
    found, texts, parser = [], [], HTMLParser()
    parser.handle_starttag = lambda name, attributes: found.append((name, dict(attributes)))
    parser.handle_data = texts.append
    parser.feed(html)
    return found, texts


def names_in(html):
    return [name for name, _ in elements(html)[0]]


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


def test_results_show_what_the_command_prints(results):
    said, html, page = repr(results), results._repr_html_(), results.report()
    first, *_, last = results.answer().splitlines()
    assert said.startswith(results.table())
    assert said.splitlines()[-1] == last
    assert first in elements(html)[1]
    assert (names_in(html).count("tr"), names_in(html).count("details")) == (3, 1)
    [(_, frame)] = elements(page._repr_html_())[0]
    assert frame["sandbox"] == "allow-scripts"  # and nothing of the notebook
    assert frame["srcdoc"] == page.content.decode()


@pytest.mark.usefixtures("in_process")
def test_records_data_and_models_fit_in_a_line_of_text_and_their_names_are_escaped(results):
    data = aucbench.datasets.load(nasty_table(), target="back")
    model = aucbench.fit(nasty_table(), target="back", solver="svm-or", splits=2)
    lines = {"Record ok: logistic on table-": results[0], "Data: 90 rows, ": data}
    for begin, one in {**lines, "Model svm-or: 2 columns of table-": model}.items():
        assert repr(one).startswith(f"<{begin}")
        assert len(repr(one)) < 120
        assert "\n" not in repr(one)
    html = model._repr_html_()
    assert "&lt;script&gt;" in html
    for shown in (html, results._repr_html_()):
        assert "<script" not in shown
        assert "\x1b" not in shown
