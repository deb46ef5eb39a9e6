import random
import tracemalloc
from itertools import permutations

import pytest
from bench_toys import cell, record_of

from aucbench.bench.plan.plan import Choice, Plan, choices
from aucbench.bench.show.tables import Tally, plain_table, protocol, rich_table
from aucbench.bench.text import aligned, shown


def row(solver="a", dataset="x", *, split=0, seed=0, features="maxabs", tune=False, **measured):
    planned = cell(solver, dataset, split=split, seed=seed, features=features, tune=tune)
    return record_of(planned, **measured)


def summarise(rows):
    tally = Tally()
    for each in rows:
        tally.add(each)
    return tally.summaries()


ROWS = [
    row(split=0, auc=0.8, fit_seconds=1.0, nnz=2),
    row(split=1, auc=0.9, fit_seconds=2.0, nnz=3),
    row(split=2, auc=1.0, fit_seconds=9.0, nnz=3),
    row("b", split=0, auc=1.0, fit_seconds=1.0, nnz=1),
    row("b", split=1, status="timeout", reason="boom", fit_seconds=99.0),
    row("c", split=0, status="invalid", reason="nan", nnz=7),
]


def test_summary_counts_ok_rows_only():
    a, b, c = summarise(ROWS)

    assert (a.auc, a.spread, a.fit_seconds) == pytest.approx((0.9, 0.1, 2.0))
    assert (a.ok, a.planned, a.best) == (3, 3, True)
    assert (b.auc, b.spread, b.fit_seconds, b.ok, b.planned) == (1.0, None, 1.0, 1, 2)
    assert not b.best
    assert (c.auc, c.fit_seconds, c.nnz, c.ok, c.best) == (None, None, None, 0, False)
    assert plain_table([a, c]).splitlines()[1:] == [
        "x         a       0.9000 ± 0.1000      2        2.7  3/3",
        "x         c                     -      -          -  0/1",
    ]


def test_best_is_chosen_for_each_data_set():
    rows = [row("a", "x", auc=0.7), row("b", "x", auc=0.6), row("a", "y", auc=0.5)]

    assert [summary.best for summary in summarise(rows)] == [True, False, True]


def test_the_order_in_which_cells_end_changes_nothing():
    plan = Plan(("x",), choices(["a", "b", "c", "absent"]), ("maxabs",), splits=3)
    found = set()
    for seed in range(5):
        tally = Tally(plan)
        for record in random.Random(seed).sample(ROWS, len(ROWS)):
            tally.add(record)
        found.add((tally.summaries(), tally.failures()))

    ((summaries, failures),) = found
    assert [s.solver for s in summaries] == ["a", "b", "c"]
    assert failures[0] == "2 of 6 rows have no AUC; the first of each solver:"


def test_the_feature_map_has_a_column_when_there_are_several():
    several = summarise([row(features="none", auc=0.5), row(features="maxabs", auc=0.6)])

    assert plain_table(several).splitlines()[0].split()[:4] == [
        "data",
        "set",
        "features",
        "solver",
    ]
    assert [s.best for s in several] == [False, True]
    assert [c.header for c in rich_table(several).columns][1] == "features"
    assert "features" not in plain_table(several[:1])


def test_the_spread_of_repeated_fits_has_a_column():
    timed = [
        row(split=j, auc=0.5, fit_seconds=0.5, fit_seconds_spread=x)
        for j, x in ((0, 1.5), (1, 0.25), (2, 1))
    ]
    lines = plain_table(summarise([*timed, row("b", auc=0.5, fit_seconds=1.0)])).splitlines()

    assert "fit s  spread s" in lines[0]
    assert lines[1].split()[5:7] == ["0.5", "1"]
    assert lines[2].split()[3:5] == ["1", "-"]


def test_tuned_and_plain_solvers_are_told_apart():
    grids = [False, True, [["k", [1, 2]]]]
    plan = Plan(("x",), (Choice("a"), Choice("a", True), Choice("a", {"k": (1, 2)})), ("maxabs",))
    tally = Tally(plan)
    for tune in reversed(grids):
        tally.add(row(tune=tune, auc=0.5))

    assert [s.solver for s in tally.summaries()] == ["a", "a (tuned)", "a (tuned k=1|2)"]


def test_failures_tell_the_first_reason_of_each_solver():
    tally = Tally()
    for record in [
        row(auc=1.0),
        *(row("b", split=j, status="error", reason=f"E{j}") for j in (1, 0)),
    ]:
        assert tally.failures() == () or tally.failed
        tally.add(record)

    assert tally.failures() == (
        "2 of 3 rows have no AUC; the first of each solver:",
        "  b on x: error: E0",
    )


def ended(solver="a", dataset="x", *, split=0, gap=None, stop="PASSES", value=0.5, **given):
    """Row of a fit that fell from f(0) = 1 to `value`."""
    known = {"auc": 0.5, "objective_at_start": 1.0, "objective": value, "problem": "p"}
    known |= {"data": dataset, "gap": gap, "stop": stop, "passes": 4.0}
    return row(solver, dataset, split=split, **{**known, **given})


def test_marks_say_how_fits_ended_and_notes_which_have_not_converged():
    curve = tuple({"passes": t, "gap": 0.4 / t} for t in (1.0, 2.0, 3.0, 4.0))
    tally = Tally()
    for record in [
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
    ]:
        tally.add(record)
    summaries = tally.summaries()
    lines = plain_table(summaries).splitlines()

    assert {s.solver: s.ends.mark for s in summaries if s.dataset == "x"} == {
        **{"exact": "", "online": "b", "slow": "N", "stuck": "s", "lost": "N", "poor": "N"},
        **{"trees": "", "forest": "b", "broken": ""},
    }
    assert lines[0].endswith("ok  end")
    assert [line.split()[-1] for line in lines if "/" in line][:4] == ["1/1", "b", "N", "N"]
    assert [column.header for column in rich_table(summaries).columns][-1] == "end"
    assert tally.notes() == (
        "b: the budget ended fits, not the method",
        "s: stalled above the gap tolerance:",
        "  stuck on x: 1 of 1 fits, gap up to 0.001",
        "  lost on x: 1 of 1 fits, nothing certified",
        "N: not converged, gap > 1 % of f(0) − f*:",
        "  slow on x, y, z and 2 more: 6 of 7 fits, about 20x passes",
        "  lost on x: 1 of 1 fits, the curve no longer falls",
        "  poor on x: 1 of 1 fits",
    )


def test_a_table_in_which_all_is_well_has_no_marks():
    tally = Tally()
    tally.add(ended("exact", gap=1e-9, stop="CERTIFIED"))

    assert tally.notes() == ()
    assert plain_table(tally.summaries()).splitlines()[0].endswith("ok")
    assert [column.header for column in rich_table(tally.summaries()).columns][-1] == "ok"


def test_the_order_in_which_fits_end_changes_no_mark():
    rows = [ended("a", value=0.6), ended("b", value=0.5), ended("c", split=1, value=0.9)]
    found = set()
    for order in permutations(rows):
        tally = Tally()
        for record in order:
            tally.add(record)
        found.add(frozenset((s.solver, s.ends) for s in tally.summaries()))

    assert len(found) == 1


def test_memory_is_a_few_bytes_per_cell():
    tally = Tally()
    tracemalloc.start()
    for number in range(20_000):
        tally.add(row(split=number, auc=0.5, fit_seconds=float(number), nnz=number, log="x" * 1000))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()

    assert held < 20_000 * 40
    assert tally.summaries()[0].planned == tally.total == 20_000


def test_protocol_tells_the_budget():
    both = protocol(Plan(("x",), passes=2, seconds=0.5, objective="logistic"))
    tuned = Plan(("x",), choices(["a"], tune=True), features=("none", "unit"), seeds=(3, 8))

    assert "auto, objective logistic, 2 passes or 0.5 seconds, gap 1e-06, seed 0" in both
    assert ", 50 passes, " in protocol(Plan(("x",)))
    assert ", 3 seconds, " in protocol(Plan(("x",), seconds=3))
    assert "none,unit, tuned by at most 20 points x 3 inner splits, 50 passes" in protocol(tuned)
    assert protocol(tuned).endswith("seed 3,8")


def test_protocol_tells_how_many_points_were_tried():
    tuned, tally = Plan(("x",), choices(["a"], tune=True)), Tally()
    tally.add(row(auc=1.0))
    assert tally.tried is None

    tally.add(row(auc=1.0, tuning={"table": [{}] * 7}))
    assert ", tuned by 7 point(s) x 3 inner splits" in protocol(tuned, tally.tried)

    for count in (20, 12):
        tally.add(row(status="error", tuning={"table": [{}] * count}))
    assert ", tuned by 7 to 20 point(s) x 3 inner splits" in protocol(tuned, tally.tried)


def test_text_is_aligned_and_harmless():
    assert shown("a\x1b[1m\nµ") == "a\\x1b[1m\\nµ"
    assert aligned([("a", "1"), ("bcd", "22")], right=[1]) == "a     1\nbcd  22"
    assert aligned([]) == ""
