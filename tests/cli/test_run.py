"""`aucbench run`, `status` and `export`: plans in files, results in folders."""

import shutil
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from command_line import done, refused, said, strict

from aucbench.bench import resolver
from aucbench.bench.results.store import Store

pytestmark = pytest.mark.usefixtures("in_process")

PLAN = """\
data = ["outbreak[n=120,d=10,k=3]"]
splits = 2
solvers = ["means", "raises"]

[budget]
passes = 2
"""
MORE = PLAN.replace("passes = 2", "passes = 3")
RUN = ("run", "plan.toml", "--out", "kept")


@pytest.fixture
def plan(tmp_path, toys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def counts(folder):
    lines = (line.rsplit(maxsplit=1) for line in done("status", folder).stdout.splitlines())
    return {name.strip(): int(number) for name, number in lines}


def column(name):
    """Values of a column of the table that was exported, sorted."""
    return sorted(pd.read_csv("table.csv", dtype=str, keep_default_na=False)[name])


def told(result):
    """The lines of a log, without those about a slow import, as on a loaded machine."""
    return [line for line in result.stderr.splitlines() if not line.startswith("waiting for")]


def test_a_plan_is_run_resumed_retried_counted_and_exported(plan):
    first = done(*RUN, "--jobs", 1)
    assert "means" in first.stdout
    assert "2 of 4 rows have no AUC" in first.stdout
    lines = told(first)
    assert len(lines) == 1 + 4  # the data set, then a line per tenth: here per cell

    again = done(*RUN, "--json", "rows.json")
    assert (again.stdout, told(again)) == (first.stdout, lines[:1])
    cells = [(r["solver"], r["split"]) for r in strict(Path("rows.json"))]
    assert cells == [(name, split) for split in (0, 1) for name in ("means", "raises")]

    lines = told(done(*RUN, "--retry", "error,crash"))
    assert [line.split(":")[0] for line in lines[1:]] == ["3/4", "4/4"]
    assert lines[-1] == "4/4: 2 error, 2 ok"

    plan.write_text(MORE)
    assert done(*RUN, "--quiet").stderr == ""
    absent = dict.fromkeys(("missing", "stale", "other settings"), 0)  # both plans were kept
    assert counts("kept") == {"planned": 8, "done": 8, "failed": 4, "error": 4, **absent}
    assert "8 rows in table.csv" in said("export", "kept", "table.csv")
    assert column("status") == ["error"] * 4 + ["ok"] * 4
    assert {*column("stale")} == {"false"}


def test_stale_rows_and_those_of_other_settings_are_told_apart(plan, monkeypatch):
    for text in (PLAN, MORE):
        plan.write_text(text)
        done(*RUN, "--quiet")
    first = next(path for path in Path("kept/plans").iterdir() if "passes = 2" in path.read_text())
    first.unlink()
    monkeypatch.setattr(resolver, "_fingerprint", cache(lambda distribution, value: "changed"))

    found = counts("kept")
    assert [found[name] for name in ("planned", "missing", "stale", "other settings")] == [4] * 4
    assert "4 rows in table.csv" in said("export", "kept", "table.csv")
    assert {*column("stale")} == {""}
    assert "8 rows in table.csv" in said("export", "kept", "table.csv", "--stale")
    assert {*column("stale")} == {"", "true"}


def test_status_lists_cells_and_prints_the_traceback_of_one(plan):
    done(*RUN, "--quiet")
    with Store("kept") as store:
        store.keep_plan(MORE)
    listed = said("status", "kept", "--cells").splitlines()
    states = [line.split()[line.split().index("split") + 2] for line in listed]
    assert states == ["error"] * 2 + ["missing"] * 4 + ["ok"] * 2
    for line in listed[:2]:
        assert "raises" in line
        assert "ValueError: boom [bold], in the solver" in line
    lines = said("status", "kept", "--log", listed[0].split()[0]).splitlines()
    assert any(line.startswith("ValueError: boom [bold]") for line in lines[2:])
    assert "'zz'" in refused("status", "kept", "--log", "zz")
    assert "give one" in refused("status", "kept", "--cells", "--log", "zz")


def test_an_estimate_runs_pilots_that_the_run_finds(plan):
    told = said(*RUN, "--estimate", "--json", "cost.json", "--quiet", "--jobs", 1)
    cost = strict(Path("cost.json"))
    assert "2 of 4 cells are left: 0:00:" in told
    assert (cost["left"], counts("kept")["done"]) == (2, 2)
    with Store(Path("kept")) as store:
        seconds = [record.process.wall_seconds for record in store.records()]
    assert cost["seconds"] == pytest.approx(sum(seconds))
    assert done(*RUN, "--jobs", 1).stderr.count("/4: ") == 2
    assert "0 of 4 cells are left: 0:00:00" in said(*RUN, "--estimate", "--quiet")


def test_a_run_that_has_no_time_says_so_and_goes_on(plan):
    ended = done(*RUN, "--minutes", 1e-4, "--quiet", code=3)
    assert "the time is over: 4 of 4 rows are missing; the same command goes on" in ended.stderr
    assert "interim" in ended.stdout.lower()
    assert counts("kept")["missing"] == 4
    assert "2 of 4 rows have no AUC" in done(*RUN, "--minutes", 60).stdout


@pytest.mark.parametrize("gone", [lambda kept: kept.rename("elsewhere"), shutil.rmtree])
def test_a_folder_that_goes_away_ends_the_run_and_is_not_made_again(plan, monkeypatch, gone):
    def late(store, *given):
        gone(store.folder)
        return write(store, *given)

    write = Store.write
    monkeypatch.setattr(Store, "write", late)
    result = done(*RUN, "--quiet", code=2)
    assert "the results folder kept was moved or deleted while it was in use" in result.stderr
    assert not Path("kept").exists()
