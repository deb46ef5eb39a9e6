"""The tables that `compare` prints, and the answer below them."""

from dataclasses import replace

import numpy as np
from toys import cell, record_of

from aucbench.bench.cell import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.report.collecting import frame_of
from aucbench.report.document import markdown, tex, text
from aucbench.report.findings import findings_of
from aucbench.report.grid import shorten_name
from aucbench.report.notes import answer, notes
from aucbench.report.tables import tables

SPLITS = 3


CHOSEN = ("split", "seed", "features", "tune", "seconds")  # fields of a cell, not of a record


def row(solver="a", dataset="x", **given):
    asked = {name: given.pop(name) for name in CHOSEN if name in given}
    sizes = {"n_train": 80, "n_test": 40, "d": 7}
    return record_of(cell(solver, dataset, **asked), **{**sizes, **given})


def findings(rows, plans=(), scores=lambda *_: None):
    return findings_of(frame_of(rows, plans, scores=scores), curves=False)


ROWS = [
    row(split=0, auc=0.8, fit_seconds=1.0, nnz=2),
    row(split=1, auc=0.9, fit_seconds=2.0, nnz=3),
    row(split=2, auc=1.0, fit_seconds=9.0, nnz=3),
    row("b", split=0, auc=1.0, fit_seconds=1.0, nnz=1),
    row("b", split=1, status="timeout", reason="boom", fit_seconds=99.0),
    row("c", split=0, status="invalid", reason="nan", nnz=7),
]


def test_numbers_are_of_ok_rows_only():
    (table,) = tables(findings(ROWS))

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


def test_labels_give_positives_and_delongs_interval():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(90) % 3 == 0, 1, -1)
    scores = {name: rng.normal(size=90) + shift * y for name, shift in (("a", 1.5), ("b", -1.0))}
    rows = [
        replace(row(name, split=j, auc=0.5), id=f"{name}{j}")
        for name in scores
        for j in range(SPLITS)
    ]
    parts = {r.id: slice(30 * r.cell.split, 30 * r.cell.split + 30) for r in rows}

    def stored(number, _):
        name, part = number[0], parts[number]
        return {"scores": scores[name][part], "y": y[part]}

    found = findings(rows, scores=stored)
    (table,) = tables(found)

    assert table.title == "x: 90 test rows, 30 positive (33.3%), 7 features"  # of 120
    assert [line[0] for line in table.lines] == ["*", ""]
    assert any(line.startswith("intervals: ") for line in notes(found))
    assert "a has the highest AUC" in answer(found)


def test_tuned_and_plain_solvers_are_told_apart_and_choices_are_named():
    solvers = (Choice("a"), Choice("a", True), Choice("a", {"k": (1, 2)}))
    plan = Plan.of(
        {
            "data": ("x",),
            "solvers": solvers,
            "features": ("maxabs",),
            "splits": 3,
            "passes": 4.0,
            "tune_evals": 16,
        }
    )
    chosen = {"table": [{"parameters": {"k": 2}, "auc": 0.5}], "chosen": {"k": 2}}
    rows = [
        row(tune=tune, auc=0.5, tuning=chosen if tune else None)
        for tune in (True, plan.solvers[2].tune, False)
    ]
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
        **{"trees": "", "forest": "budget", "broken": ""},
    }
    lines = [*notes(found)]
    assert lines[lines.index("budget: fits used up their budget before the method ended") :] == [
        "budget: fits used up their budget before the method ended",
        "stalled: above the gap tolerance:",
        "  stuck on x: 1 of 1 fits, gap up to 0.001",
        "  lost on x: 1 of 1 fits, nothing certified",
        "not converged: gap > 1 % of f(0) − f*:",
        "  slow on x, y, z and 2 more: 6 of 7 fits, gap up to 16.7 %",
        "  lost on x: 1 of 1 fits",
        "  poor on x: 1 of 1 fits, gap up to 20 %",
    ]


def test_fits_beyond_the_budget_of_their_plan_are_marked_and_the_note_says_how_far():
    over = {"overspent": True, "passes": 8.0}
    free = ended("free", "z", **over, passes_limit=4.0)
    found = findings(
        [
            ended("long", **over),
            ended("long", split=1, overspent=False),
            ended("late", "y", overspent=True, fit_seconds=9.0, passes=None, seconds=3.0),
            ended("exact", gap=1e-9, stop="CERTIFIED", **over),
            ended("plain", overspent=False),
            replace(free, cell=replace(free.cell, passes=None)),
        ]
    )

    marks = {line[1].split(",")[0]: line[-1] for table in tables(found) for line in table.lines}
    assert marks == {
        **dict.fromkeys(("long", "late", "exact"), "over budget"),
        **{"plain": "budget", "free": "budget"},
    }
    lines = [*notes(found)]
    assert lines[lines.index("budget: fits used up their budget before the method ended") :] == [
        "budget: fits used up their budget before the method ended",
        "over budget: used more than 1.1 times the budget:",
        "  long, passes=4.0 on x: 1 of 2 fits, up to 2x",
        "  exact, passes=4.0 on x: 1 of 1 fits, up to 2x",
        "  late, passes=4.0, seconds=3.0 on y: 1 of 1 fits, up to 3x",
    ]
    assert "| over budget |" in markdown(tables(found))
    assert r"& over budget \\" in tex(tables(found))


def test_names_lose_their_middle_where_a_terminal_is_narrow_and_numbers_never():
    long = "estimator[sklearn.neighbors:KNeighborsClassifier,n_neighbors=15]"
    path = f"{'a/very/long/path/' * 5}data.svm"
    found = tables(findings([row(x, path, auc=0.75, fit_seconds=1.0) for x in (long, "b")]))

    narrow = text(found, 80).splitlines()
    assert max(map(len, narrow)) <= 80
    assert "…" in narrow[0]
    assert "120 rows, 7 features" in narrow[0]
    assert all("0.7500" in line for line in narrow[2:])
    assert long in text(found)
    assert shorten_name("abcdefgh", 5) == "ab…gh"


def test_markup_in_names_stays_text():
    name = "a|b_*<script>&%"
    found = tables(findings([row(name, "x", auc=0.5), row("c\x1b", "x", auc=0.4)]))

    assert "| **a\\|b\\_\\*\\<script\\>&%** |" in markdown(found)
    assert r"\textbf{a|b\_*<script>\&\%}" in tex(found)
    assert "\x1b" not in text(found) + markdown(found) + tex(found)
    assert tex(found).count(r"\\") == 3


def test_a_data_set_on_which_a_solver_was_not_planned_does_not_count_against_it():
    rows = [row(name, data, auc=0.5) for name in ("a", "b") for data in ("x", "y")]
    found = findings([*rows, row("c", "x", auc=0.4)])

    assert found.values.shape == (1, 3)
    assert "On 1 of 2 data sets some solvers were not planned" in answer(found).replace("\n  ", " ")
