"""`--features`: maps of the rows, fitted on the training rows."""

import pytest
from command_line import done, said, strict

from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plan, write_plan

SMALL = "radial[n=300]"
ASK = ("compare", "--data", SMALL, "--solvers", "means", "--splits", 2, "--quiet")


MAPS = ("standard+nystroem[rank=60]", "none", "none+unit+nystroem[rank=9]")


@pytest.mark.parametrize("option", ["--features", "--preprocess"])
def test_each_map_gives_cells_and_joined_ones_are_applied_in_turn(toys, tmp_path, option):
    path = tmp_path / "rows.json"
    result = done(*ASK, option, MAPS[0], option, ",".join(MAPS[1:]), "--json", path)
    found = {(row["features"], row["d"]): row["auc"] for row in strict(path)}
    assert set(found) == {*zip(MAPS, (60, 2, 9), strict=True)}
    assert "standard+nystroem[rank=60]" in result.stdout
    assert found["none", 2] < 0.8 < 0.9 < found[MAPS[0], 60]


PLAN = """\
datasets = ["radial[n=300]"]
features = ["standard+nystroem[rank=20]", "none"]
splits = 2

[[solvers]]
spec = "means"
"""


def test_a_plan_file_has_the_key_features():
    plan = parse_plan(PLAN)

    assert plan == Plan(
        (SMALL,), choices(["means"]), ("standard+nystroem[rank=20]", "none"), splits=2
    )
    assert parse_plan(write_plan(plan)) == plan
    line = PLAN.splitlines()[1]
    assert parse_plan(PLAN.replace(line, "")).features == ("auto",)


@pytest.mark.parametrize("wrong", ['"nystroem"', "[5]", "3"])
def test_features_of_a_plan_file_are_a_list_of_names(wrong):
    with pytest.raises(PlanError, match=r"plan, features: features (must be|holds)"):
        parse_plan(PLAN.replace('["standard+nystroem[rank=20]", "none"]', wrong))


def test_the_map_is_listed():
    assert "nystroem" in said("list", "features")
