"""Shapes of effects in a plan: their text, ids, files, and what the fits of a run keep."""

from dataclasses import replace

import numpy as np
import pytest

from aucbench import Data, compare, get_solver, solve
from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plan, write_plan
from aucbench.bench.plan.values import default_solvers
from aucbench.datasets.tables import with_shapes
from aucbench.records import CellStatus
from aucbench.registry.specs import Spec

pytestmark = pytest.mark.usefixtures("in_process")


def test_equal_shapes_are_one_text_and_one_cell():
    plans = [
        Plan.of({"data": ("x",), "monotone": "income=+1,age=-1"}),
        Plan.of({"data": ("x",), "monotone": " age = decreasing , income=increasing "}),
        Plan.of({"data": ("x",), "monotone": {"income": 1, "age": "-1"}}),
    ]

    assert {plan.monotone for plan in plans} == {"age=decreasing,income=increasing"}
    assert len({cell for plan in plans for cell in plan.cells()}) == len([*plans[0].cells()])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no column has a shape"),
        ("income", "'income' has no shape"),
        ("income=up", "unknown shape of an effect"),
        ("income=+1,income=-1", "has a shape twice"),
        (3, "wanted text such as"),
    ],
)
def test_what_is_no_shape_is_refused(text, said):
    with pytest.raises(PlanError, match=said):
        Plan.of({"data": ("x",), "monotone": text})


def test_a_plan_in_a_file_has_its_shapes():
    plan = Plan.of({"data": ("x",), "monotone": "age=+1"})

    assert parse_plan(write_plan(plan)) == plan
    assert 'monotone = "age=increasing"' in write_plan(plan)
    assert parse_plan('data = ["x"]\nmonotone = {age = "+1"}').monotone == plan.monotone
    with pytest.raises(PlanError, match="monotone: "):
        parse_plan('data = ["x"]\nmonotone = "age=up"')


def test_the_solvers_of_a_comparison_with_shapes_are_those_that_keep_them():
    solvers = default_solvers([Spec("x")], monotone="age=increasing")
    assert solvers
    assert all("shapes" in get_solver(name).needs.capabilities for name in solvers)


@pytest.fixture(scope="module")
def table():
    """Rows whose label falls in the first column, rises in the second and ignores the third."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)).round(2)
    y = X @ [-1.0, 1.0, 0.0] + rng.normal(size=90) > 0
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    return frame.assign(kind=rng.choice(["x", "y"], 90), bad=np.where(y, "yes", "no"))


@pytest.mark.slow
def test_a_run_keeps_the_shapes_of_a_table(table):
    wrong = {"a": 1, "b": "-1"}  # against what the data say: both effects become 0
    told = compare("rank-svm,svm-or", table, target="bad", monotone=wrong, splits=2, quiet=True)
    ours, other = told[:2]

    assert all(record.ok for record in told if record.cell.solver.name == "rank-svm")
    assert ours.cell.monotone == "a=increasing,b=decreasing"
    assert other.status.status is CellStatus.SKIPPED
    assert "rank-svm" in other.why
    assert told.findings.frame.source.common["monotone"] == ours.cell.monotone
    free = compare("rank-svm", table, target="bad", splits=2, quiet=True)
    assert free[0].measures.auc > 0.7 > ours.measures.auc


def test_shapes_of_rows_in_python_hold(table):
    data = Data.of(table[["a", "b", "c"]], table["bad"] == "yes")
    free = solve("rank-svm", data).w
    kept = solve("rank-svm", with_shapes(data, "a=+1")).w

    assert free[0] < 0 <= kept[0]
    assert solve("rank-svm", with_shapes(data, [1, 0, 0])).w.tolist() == kept.tolist()
    assert (
        solve("rank-svm", with_shapes(replace(data, names=None), {"0": 1})).w.tolist()
        == kept.tolist()
    )
