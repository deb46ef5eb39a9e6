"""Pairs of a plan: their text, the column of their groups, what records say of them."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from aucbench import Data, auc, compare, get_solver, solve
from aucbench.bench.cell import ALL_PAIRS
from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plan, write_plan
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import ParameterError
from aucbench.metrics.pairs import quality_of
from aucbench.pairs import Group
from aucbench.report.document import text
from aucbench.report.notes import notes
from aucbench.report.tables import tables
from aucbench.solving.tuning import fit_and_judge

pytestmark = pytest.mark.usefixtures("in_process")


def test_a_column_of_groups_is_one_that_the_reader_takes():
    named = Plan.of({"data": ("x",), "pairs": "group[column=user,each=group]"})
    positional = Plan.of({"data": ("x",), "pairs": "group[user,each=group]"})
    apart = Plan.of(
        {"data": ("x",), "pairs": "group[each=group]", "reading": ReadOptions(groups="user")}
    )

    assert named == positional == apart
    assert {str(cell.pairs) for cell in named.cells()} == {"group[each=group]"}
    assert Plan.of({"data": ("x",), "pairs": "grade[query]"}).reading.groups == "query"
    graded = Plan.of({"data": ("x",), "pairs": "grade[query]"}).pairs
    assert str(graded) == "grade[query]"  # else of all rows


@pytest.mark.parametrize("pairs", [None, "all"])
def test_all_pairs_are_none_by_name(pairs):
    cell = next(Plan.of({"data": ("x",), "pairs": pairs}).cells())

    assert cell.pairs is None
    assert cell == next(Plan.of({"data": ("x",)}).cells())


def test_a_plan_in_a_file_has_its_pairs():
    plan = Plan.of({"data": ("x",), "pairs": "group[column=user]"})

    assert parse_plan(write_plan(plan)) == plan
    assert 'pairs = "group"' in write_plan(plan)
    with pytest.raises(PlanError, match="pairs"):
        parse_plan('data = ["x"]\npairs = 3')


@pytest.fixture(scope="module")
def grouped():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(30), 4)
    y = (rng.random(120) < 0.4).astype(int)
    y[group == 7] = 0
    X = np.c_[rng.normal(size=120) + y, rng.normal(size=30)[group], rng.normal(size=120)]
    return Data.of(X, y, groups=group)


def test_a_solver_without_these_pairs_takes_part_on_all_pairs_and_is_marked(grouped):
    arguments = {"splits": 3, "metrics": "auc", "features": "none"}
    results = compare("logistic", grouped, pairs=Group(), **arguments)
    plain = compare("logistic", grouped, **arguments)

    assert {record.sizes.trained_on for record in results} == {ALL_PAIRS}
    assert {record.sizes.trained_on for record in plain} == {None}
    assert [r.measures.auc for r in results] == [r.measures.auc for r in plain]
    assert {r.id for r in results}.isdisjoint(r.id for r in plain)
    assert "other pairs" in text(tables(results.findings))
    said = "other pairs: trained on all pairs, in place of those that count: logistic"
    assert said in [*notes(results.findings)]


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


def test_rows_bring_their_pairs(grouped):
    rows = replace(grouped, pairs=Group())
    results = compare("logistic", rows, splits=2, metrics="auc")

    assert {str(record.cell.pairs) for record in results} == {"group"}
    with pytest.raises(ParameterError, match="come with the pairs group"):
        compare("logistic", rows, splits=2, pairs="group[each=group]")


@pytest.mark.parametrize(
    ("pairs", "said"),
    [("time", "survival"), ("group", "--groups"), ("class", "leave --pairs class out")],
)
def test_pairs_that_the_rows_do_not_have_are_a_reason(pairs, said):
    rows = Data.of(np.eye(8), np.arange(8) % 2)
    results = compare("logistic", rows, splits=2, pairs=pairs, metrics="auc")

    assert {record.status.status for record in results} == {"skipped"}
    assert all(said in record.why for record in results)
