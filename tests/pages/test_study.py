"""The plans of the study, and the tables of its results."""

import csv
import importlib.util
import json
import sys
from pathlib import Path

import pytest
from toys import cells_in_process

from aucbench.bench import Plan, Store, make_engine, run
from aucbench.bench.plan.toml import parse_plan, write_plan
from aucbench.registry import get_solver

SCRIPT = Path(__file__).parents[2] / "examples" / "study" / "study.py"


@pytest.fixture
def study(monkeypatch):
    spec = importlib.util.spec_from_file_location("study_of_tests", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_a_cap_goes_beside_the_other_brackets_of_a_data_set(study):
    def capped(dataset, all_rows, rows):
        return study.Task("t", dataset, "g", all_rows).capped(rows)

    assert capped("a9a", 32561, 2500) == "a9a[rows=2500]"
    assert capped("a9a[rows=5000]", 32561, 2500) == "a9a[rows=2500]"
    assert capped("keel:car[positive=vgood,rows=5000,negative=rest]", 9000, 50) == (
        "keel:car[positive=vgood,negative=rest,rows=50]"
    )
    assert capped("a9a[rows=5000]", 32561, 50000) == "a9a"
    assert capped("german[rows=5000]", 1000, 2500) == "german"


def test_each_plan_says_what_it_says_in_its_file(study):
    for plan in study.plans().values():
        assert parse_plan(write_plan(plan)) == plan


def test_tasks_of_one_group_are_a_family(study):
    plan, groups = study.plans()["study"], {task.task: task.group for task in study.tasks()}
    members = sum(map(len, plan.families.values()))
    alone = len(groups) - members
    assert len(plan.data) == len(groups)
    assert len(plan.families) + alone == len({*groups.values()})
    for name in ("seconds", "large"):
        assert study.plans()[name].families == {}


def test_every_solver_is_known_and_those_that_are_tuned_have_a_grid(study):
    for name in (*study.TUNED, *study.AS_THEY_ARE, *study.UNTUNED):
        solver = get_solver(name)
        assert solver.space or name not in study.TUNED, name
    plan = study.plans()["study"]
    assert len({str(choice) for choice in plan.solvers}) == len(plan.solvers)


def test_the_tables_are_those_of_the_records(study, tmp_path, monkeypatch):
    monkeypatch.setattr(study, "TUNED", ("logistic",))
    monkeypatch.setattr(study, "AS_THEY_ARE", ("additive",))
    monkeypatch.setattr(study, "UNTUNED", ("uni-exp[eta=1e+300]",))
    monkeypatch.setattr(study, "TABLES", tmp_path)
    two = [
        study.Task("three", "breast-cancer", "one", 1797),
        study.Task("eight", "digits-8", "one", 1797),
    ]
    monkeypatch.setattr(study, "tasks", lambda: two)
    monkeypatch.setattr(study, "ROWS", 2000)
    monkeypatch.setattr(study, "LEAST", 1000)
    plan = study.plans()["study"]
    some = Plan.of(
        {
            "data": plan.data[:1],
            "solvers": plan.solvers,
            "splits": plan.splits,
            "tune_evals": plan.tune_evals,
            "inner_splits": plan.inner_splits,
            "timeout": plan.timeout,
            "memory": plan.memory,
        }
    )
    with Store(tmp_path / "study", create=True) as store, cells_in_process():
        records = [*run(some, store, make_engine())]

    sentences = [*study.write_tables(tmp_path)]

    with (tmp_path / "means.csv").open() as file:
        lines = [*csv.DictReader(file)]
    assert [(line["arm"], line["solver"]) for line in lines] == [
        *(("default", name) for name in ("additive", "logistic", "uni-exp[eta=1e+300]")),
        *(("tuned", name) for name in ("logistic", "additive")),
    ]
    assert {line["task"] for line in lines} == {"three"}  # the other one was not run
    for line in lines:
        tuned = line["solver"] == "logistic" and line["arm"] == "tuned"
        of = [
            record
            for record in records
            if (str(record.cell.solver), record.cell.tune is not False) == (line["solver"], tuned)
        ]
        ok = [record.measures.auc for record in of if record.ok]
        assert (line["cells"], line["ok"]) == ("2", str(len(ok)))
        if line["solver"].startswith("uni-exp"):
            assert line["auc"] == ""  # it has diverged
        else:
            assert float(line["auc"]) == pytest.approx(sum(ok) / 2, rel=1e-4)
    told = json.loads((tmp_path / "run.json").read_text())
    assert (told["planned"], told["not_run"]) == (16 + 12 + 12, 8 + 12 + 12)
    assert sentences[0].startswith("5 rows in ")
