import random
from dataclasses import replace
from pathlib import Path

import pytest
from bench_toys import cell, record_of
from traced import held, tracing

from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Conditions
from aucbench.bench.show.tally import Tally


def row(solver="a", dataset="x", *, split=0, seed=0, features="maxabs", tune=False, **measured):
    planned = cell(solver, dataset, split=split, seed=seed, features=features, tune=tune)
    return record_of(planned, **measured)


def test_the_order_in_which_cells_end_changes_nothing():
    plan = Plan(("x",), choices(["a", "b", "c", "absent"]), ("maxabs",), splits=3)
    records = [
        row(auc=0.8),
        row("b", split=0, auc=1.0),
        row("b", split=1, status="timeout", reason="boom"),
        row("c", status="invalid", reason="nan"),
    ]
    found = set()
    for seed in range(5):
        tally = Tally(plan)
        for record in random.Random(seed).sample(records, len(records)):
            tally.add(record)
        found.add(tally.failures())

    (failures,) = found
    assert failures[0] == "2 of 4 rows have no AUC; the first of each solver:"


def test_failures_tell_the_first_reason_of_each_solver():
    tally = Tally()
    for record in [
        row(auc=1.0),
        *(row("b", split=j, status="error", reason=f"E{j}") for j in (1, 0)),
    ]:
        assert tally.failures() == () or tally.failed
        tally.add(record)

    found = ("2 of 3 rows have no AUC; the first of each solver:", "  b on x: error: E0")
    without = (
        "`aucbench status DIR --cells` lists them after a run with --out DIR, "
        "--log CELL has a traceback"
    )
    assert tally.failures() == (*found, without)
    assert tally.failures(Path("my results")) == (
        *found,
        "`aucbench status 'my results' --cells` lists them, --log CELL has a traceback",
    )


def test_timed_rows_that_were_not_pinned_are_counted():
    timed = Conditions(timing=True)
    machines = [{"pinned": [1]}, {"pinned": None}, {"host": "another"}, {}]
    tally = Tally()
    tally.add(row(auc=1.0))
    assert tally.remarks() == ()
    for machine in machines:
        tally.add(replace(row(auc=1.0), conditions=timed, machine=machine))

    (remark,) = tally.remarks()
    assert remark.startswith("2 of 5 timed rows ran on cores that others may use too")


@pytest.mark.nightly
def test_memory_is_a_few_bytes_per_cell():
    tally = Tally()
    with tracing():
        for number in range(4_000):
            given = {"auc": 0.5, "fit_seconds": float(number), "nnz": number, "log": "x" * 1000}
            tally.add(row(split=number, **given))
        assert 0 < held(__file__) < 4_000 * 40
    assert tally.total == 4_000
