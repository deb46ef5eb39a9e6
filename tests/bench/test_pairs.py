"""Pairs and shapes of a plan: their text, and what the fits of a run make of them."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tables import table

from aucbench import Data, auc, compare, get_solver, solve
from aucbench.bench.cell import ALL_PAIRS
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plan, write_plan
from aucbench.datasets.reading import ReadOptions
from aucbench.metrics.pairs import quality_of
from aucbench.pairs import Group
from aucbench.records import CellStatus
from aucbench.report.notes import notes
from aucbench.solving.tuning import fit_and_judge

pytestmark = pytest.mark.usefixtures("in_process")


def of(**given):
    return Plan.of({"data": ("x",), **given})


def test_a_column_of_groups_is_one_that_the_reader_takes():
    named = of(pairs="group[column=user,each=group]")
    positional = of(pairs="group[user,each=group]")
    apart = of(pairs="group[each=group]", reading=ReadOptions(groups="user"))
    assert named == positional == apart
    assert {str(cell.pairs) for cell in named.cells()} == {"group[each=group]"}
    assert of(pairs="grade[query]").reading.groups == "query"
    assert str(of(pairs="grade[query]").pairs) == "grade[query]"  # else of all rows
    assert 'pairs = "group"' in write_plan(of(pairs="group[column=user]"))
    for pairs in (None, "all"):
        assert [*of(pairs=pairs).cells()] == [*of().cells()]
        assert next(of(pairs=pairs).cells()).pairs is None


@pytest.fixture(scope="module")
def grouped():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(30), 4)
    y = (rng.random(120) < 0.4).astype(int)
    y[group == 7] = 0
    X = np.c_[rng.normal(size=120) + y, rng.normal(size=30)[group], rng.normal(size=120)]
    return Data.of(X, y, groups=group)


def test_a_solver_without_these_pairs_takes_part_on_all_pairs_and_is_marked(grouped):
    arguments = {"splits": 2, "metrics": "auc", "features": "none"}
    results = compare("logistic", grouped, pairs=Group(), **arguments)
    plain = compare("logistic", grouped, **arguments)
    assert {record.sizes.trained_on for record in results} == {ALL_PAIRS}
    assert {record.sizes.trained_on for record in plain} == {None}
    assert [r.measures.auc for r in results] == [r.measures.auc for r in plain]
    assert {r.id for r in results}.isdisjoint(r.id for r in plain)
    assert any(line.startswith("other pairs") for line in notes(results.findings))


def test_the_measure_and_the_tuner_are_those_of_the_pairs(grouped):
    results = compare(
        "logistic[C=1]", grouped, pairs=Group(each="group"), splits=2, features="none"
    )
    row = results.findings.datasets[0].rows[0]
    shares = []
    for record in results:
        arrays = results._store.scores(record.id, record.sizes.data)
        rows = grouped.take(arrays["rows"].astype(np.int32))
        shares.append(quality_of(replace(rows, pairs=Group(each="group")), arrays["scores"]))
    assert results.findings.measure == "grouped AUC[each=group]"
    assert row.within.values == pytest.approx(shares)
    held = replace(grouped, pairs=Group())
    solver = partial(solve, passes=5)
    result, _ = fit_and_judge(lambda _: get_solver("logistic"), solver, {}, (grouped, held), None)
    run = solver(get_solver("logistic"), grouped)
    assert result.score == quality_of(held, run.decision_function(held.rows))
    assert result.score != auc(held.y, run.decision_function(held.rows))


@pytest.mark.parametrize(
    ("pairs", "word"), [("time", "survival"), ("group", "--groups"), ("class", "--pairs class")]
)
def test_pairs_that_the_rows_do_not_have_are_a_reason(pairs, word):
    rows = Data.of(np.eye(8), np.arange(8) % 2)
    results = compare("logistic", rows, splits=2, pairs=pairs, metrics="auc")
    assert {record.status.status for record in results} == {"skipped"}
    assert all(word in record.why for record in results)


def test_equal_shapes_are_one_text_and_one_cell():
    texts = "income=+1,age=-1", " age = decreasing , income=increasing "
    plans = [of(monotone=shapes) for shapes in (*texts, {"income": 1, "age": "-1"})]
    assert {plan.monotone for plan in plans} == {"age=decreasing,income=increasing"}
    assert len({cell for plan in plans for cell in plan.cells()}) == len([*plans[0].cells()])
    plan = parse_plan('data = ["x"]\nmonotone = {age = "+1"}')
    assert plan.monotone == of(monotone="age=+1").monotone == "age=increasing"


@pytest.fixture(scope="module")
def frame():
    """Rows whose label falls in `dose` and rises in `lab`."""
    made = table(0, 90, "dose lab ward", target=None)
    y = made["lab"] - made["dose"] + np.random.default_rng(1).normal(size=90) > 0
    return made.assign(bad=np.where(y, "yes", "no"))


def test_a_run_keeps_the_shapes_of_a_table(frame):
    wrong = {"dose": 1, "lab": "-1"}  # against what the data say: both effects become 0
    how = {"target": "bad", "splits": 2, "quiet": True}
    found = compare("rank-svm,svm-or", frame, monotone=wrong, **how)
    ours, other = found[:2]
    assert all(record.ok for record in found if record.cell.solver.name == "rank-svm")
    assert ours.cell.monotone == "dose=increasing,lab=decreasing"
    assert other.status.status is CellStatus.SKIPPED
    assert "rank-svm" in other.why
    free = compare("rank-svm", frame, **how)
    assert free[0].measures.auc > 0.7 > ours.measures.auc
