"""`--features`: maps of the rows, fitted on the training rows."""

import json

import pytest

from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plan, write_plan

SMALL = "radial[n=300]"
ASK = ("compare", "--data", SMALL, "--solvers", "means", "--splits", 2, "--quiet")


def records(path):
    return json.loads(path.read_text())


MAPS = ("standard+nystroem[rank=60]", "none", "none+unit+nystroem[rank=9]")


@pytest.mark.parametrize("option", ["--features", "--preprocess"])
def test_each_map_gives_cells_and_joined_ones_are_applied_in_turn(cli, toys, tmp_path, option):
    path = tmp_path / "rows.json"
    result = cli(*ASK, option, MAPS[0], option, ",".join(MAPS[1:]), "--json", path)
    found = {(row["features"], row["d"]): row["auc"] for row in records(path)}

    assert result.exit_code == 0, result.output
    assert set(found) == {*zip(MAPS, (60, 2, 9), strict=True)}
    assert "standard+nystroem[rank=60]" in result.stdout
    assert found["none", 2] < 0.8 < 0.9 < found[MAPS[0], 60]


@pytest.mark.parametrize(
    ("features", "sentence"),
    [
        ("nystroem[rnk=5]", "did you mean 'rank'"),
        ("unit+append-one", "adds an intercept"),
        ("nystroem[", "']' is missing"),
        ("nystroem+", "something is missing here"),
        ("", "something is missing here"),
    ],
)
def test_what_makes_no_sense_is_told_before_the_first_fit(cli, toys, features, sentence):
    result = cli(*ASK, "--features", features)

    assert result.exit_code == 2
    assert sentence in result.stderr


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


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("nystroem[rank=20]", "nystrom", "did you mean 'nystroem'"),
        ('"none"', '"minmax"', "unit-centred"),
    ],
)
def test_a_mistake_in_a_plan_is_told_with_its_place(cli, toys, tmp_path, old, new, sentence):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.replace(old, new))
    result = cli("run", path, "--out", tmp_path / "out", "--quiet")

    assert result.exit_code == 2
    assert "plan.toml, features: unknown" in result.stderr
    assert sentence in result.stderr


def test_the_map_is_listed(cli):
    assert "nystroem" in cli("list", "features").stdout
