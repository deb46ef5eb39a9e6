from dataclasses import replace
from pathlib import Path

from toys import cell, record_of

from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Conditions
from aucbench.report.remarks import remarks_on


def row(solver="a", dataset="x", *, split=0, seed=0, features="maxabs", tune=False, **measured):
    planned = cell(solver, dataset, split=split, seed=seed, features=features, tune=tune)
    return record_of(planned, **measured)


def test_failures_tell_the_first_reason_of_each_solver_in_the_order_of_the_plan():
    plan = Plan.of(
        {
            "data": ("x", "y"),
            "solvers": ["a", "b", "c", "absent"],
            "features": ("maxabs",),
            "splits": 3,
        }
    )
    records = [
        row(auc=0.8),
        row("c", status="invalid", reason="nan"),
        row("b", split=1, status="timeout", reason="boom"),
        row("b", split=2, status="error", reason="E2"),
    ]
    found = (
        "3 of 4 rows have no AUC; the first of each solver:",
        "  b on x: timeout: boom",
        "  c on x: invalid: nan",
    )
    without = (
        "`aucbench status DIR --cells` lists them after a run with --out DIR, "
        "--log CELL has a traceback"
    )
    assert (*remarks_on(plan, records[:1]),) == ()
    assert (*remarks_on(plan, records),) == (*found, without)
    assert (*remarks_on(plan, records, Path("my results")),) == (
        *found,
        "`aucbench status 'my results' --cells` lists them, --log CELL has a traceback",
    )


def test_timed_rows_that_were_not_pinned_are_counted():
    plan = Plan.of({"data": ("x",), "solvers": ["a"], "features": ("maxabs",)})
    timed = Conditions(timing=True)
    machines = [{"pinned": [1]}, {"pinned": None}, {"host": "another"}, {}]
    records = [replace(row(auc=1.0), conditions=timed, machine=machine) for machine in machines]

    (remark,) = remarks_on(plan, [row(auc=1.0), *records])
    assert remark.startswith("2 of 5 timed rows ran on cores that others may use too")
