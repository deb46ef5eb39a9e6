"""Several results folders that are read as one."""

import json
from dataclasses import replace

import pytest
from command_line import done, refused
from result_folders import written_folder

from aucbench.bench import Store
from aucbench.errors import DataError
from aucbench.report import notes, tables
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame
from aucbench.report.verdict import verdict

SETS = ("t0", "t1", "t2")


@pytest.fixture
def two(tmp_path):
    """Folders a and b of logistic, whose records b has from a, and one further solver each."""
    a = written_folder(tmp_path / "a", SETS, ("logistic", "means"))
    b = written_folder(tmp_path / "b", SETS, ("logistic", "raises"), seed=1)
    change(b, lambda record: Store(a).read(record.id) or record)
    return a, b


def change(folder, changed):
    """Write the records of a folder anew."""
    with Store(folder) as store:
        for record in [*store.records()]:
            store.write(changed(record))


def changed_plan(folder, old, new):
    for path in (folder / "plans").glob("*.toml"):
        text = path.read_text("utf-8").partition("# seal")[0]  # which is of the text as it was
        path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_record_that_both_folders_have_counts_once(two):
    a, b = map(str, two)
    found = read_frame(a, b, stale=True)
    assert found.solvers == ("logistic", "means", "raises")
    assert found.source.folders == (f"{a}, {b}", a, b)
    assert found.statuses == {"ok": 18}
    assert {plan.folder for plan in found.source.plans} == {a, b}
    assert {*found.facts["folder"][found.dataset == 0]} == {a, b}


def test_terminal_page_and_verdict_say_where_a_solver_comes_from(two):
    a, b = map(str, two)
    findings = findings_of(read_frame(a, b, stale=True))
    assert [*notes.folder_lines(findings.frame)] == [
        f"from {a}, {b}: logistic",
        f"from {a}: means",
        f"from {b}: raises",
    ]
    told = {one["solver"]: one["folder"] for one in verdict(findings)["solvers"]}
    assert told == {"logistic": f"{a}, {b}", "means": a, "raises": b}
    board = tables.leaderboard(findings)
    assert board.header[-1] == "folder"
    assert [line[-1] for line in board.lines if line[1] == "means"] == [a]


@pytest.mark.parametrize("other_id", [True, False], ids=["other code", "other result"])
def test_other_results_of_one_solver_stand_apart(two, other_id):
    a, b = map(str, two)

    def changed(record):
        auc = record.measures.auc - 0.1
        return replace(
            record,
            id=record.id[::-1] if other_id else record.id,
            measures=replace(record.measures, auc=auc),
        )

    if other_id:
        records = [*Store(two[1]).records()]
        for path in (two[1] / "cells").rglob("*.json"):
            path.unlink()
        with Store(two[1]) as store:
            for record in records:
                store.write(changed(record))
    else:
        change(two[1], changed)
    found = findings_of(read_frame(a, b, stale=True))
    names = (f"logistic, folder={a}", "means", f"logistic, folder={b}", "raises")
    assert found.frame.solvers == names
    assert found.frame.source.folders == (a, a, b, b)
    solvers = found.frame.solvers
    known = {name: one.estimate for name, one in zip(solvers, found.means, strict=True)}
    assert known[names[0]] - known[names[2]] == pytest.approx(0.1)


def test_another_protocol_is_refused_in_one_sentence(two):
    a, b = map(str, two)
    changed_plan(two[1], "passes = 10", "passes = 20")
    with pytest.raises(DataError) as refusal:
        read_frame(a, b, stale=True)
    said = f"passes of {b} alone: 20, of {a} alone: 10; run its solvers by the plans of {a}"
    assert said in str(refusal.value)
    changed_plan(two[1], "'t2'", "'t3'")
    changed_plan(two[1], "passes = 20", "passes = 10")
    assert f"data sets of {b} alone: t3, of {a} alone: t2;" in refused("report", a, b)


def test_results_of_other_rows_are_refused(two):
    change(two[1], lambda one: replace(one, sizes=replace(one.sizes, data="0" * 31 + "9")))
    with pytest.raises(DataError, match=r"have results of other rows of t\d, which cannot be"):
        read_frame(*two, stale=True)


def test_the_command_takes_several(two, tmp_path):
    a, b = map(str, two)
    told = done("report", a, b, "--stale", "--json", tmp_path / "verdict.json")
    assert f"from {b}: raises" in told.stdout
    assert len(json.loads((tmp_path / "verdict.json").read_text("utf-8"))["solvers"]) == 3
