"""`--features`: maps that follow the preprocessing."""

import json

import pytest

from aucbench.bench.plan.checks import PlanError
from aucbench.bench.plan.plan import Plan, choices
from aucbench.bench.plan.toml import parse_plan, write_plan

SMALL = "radial[n=300]"
ASK = ("compare", "--data", SMALL, "--solvers", "means", "--splits", 2, "--quiet")


def records(path):
    return json.loads(path.read_text())


def test_each_map_follows_each_preprocessing_and_is_a_part_of_its_name(cli, toys, tmp_path):
    path = tmp_path / "rows.json"
    features = ("--features", "nystroem[rank=60]", "--features", "none,unit+nystroem[rank=9]")
    result = cli(*ASK, "--preprocess", "standard,none", *features, "--json", path)
    found = {(row["preprocess"], row["d"]): row["auc"] for row in records(path)}

    assert result.exit_code == 0, result.output
    assert set(found) == {
        (f"{first}+{then}", d)
        for first in ("standard", "none")
        for then, d in (("nystroem[rank=60]", 60), ("none", 2), ("unit+nystroem[rank=9]", 9))
    }
    assert "standard+nystroem[rank=60]" in result.stdout
    assert found["standard+none", 2] < 0.8 < 0.9 < found["standard+nystroem[rank=60]", 60]


@pytest.mark.parametrize(
    ("features", "sentence"),
    [
        ("nystroem[rnk=5]", "did you mean 'rank'"),
        ("unit+append-one", "is not preprocessing"),
        ("nystroem[", "']' is missing"),
        ("nystroem+", "nothing stands here"),
        ("", "nothing stands here"),
    ],
)
def test_what_makes_no_sense_is_told_before_the_first_fit(cli, toys, features, sentence):
    result = cli(*ASK, "--features", features)

    assert result.exit_code == 2
    assert sentence in result.stderr


PLAN = """\
datasets = ["radial[n=300]"]
preprocess = ["standard"]
features = ["nystroem[rank=20]"]
splits = 2

[[solvers]]
spec = "means"
"""


def test_a_plan_file_has_the_key_features():
    plan = parse_plan(PLAN)
    joined = ("standard+nystroem[rank=20]",)

    assert plan == Plan((SMALL,), choices(["means"]), joined, splits=2)
    assert parse_plan(write_plan(plan)) == plan
    assert parse_plan(PLAN.replace('preprocess = ["standard"]\n', "")).preprocess == (
        "maxabs+nystroem[rank=20]",
    )
    assert parse_plan(PLAN.replace('["nystroem[rank=20]"]', "[]")).preprocess == ("standard",)


@pytest.mark.parametrize("wrong", ['"nystroem"', "[5]", "3"])
def test_features_of_a_plan_file_are_a_list_of_names(wrong):
    with pytest.raises(PlanError, match=r"plan, line 3: features must be a list of names"):
        parse_plan(PLAN.replace('["nystroem[rank=20]"]', wrong))


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("nystroem[rank=20]", "nystrom", 3, "did you mean 'nystroem'"),
        ('"standard"', '"none", "minmax"', 2, "unit-centred"),
    ],
)
def test_a_mistake_in_a_plan_is_told_with_its_line(cli, toys, tmp_path, old, new, line, sentence):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.replace(old, new))
    result = cli("run", path, "--out", tmp_path / "out", "--quiet")

    assert result.exit_code == 2
    assert f"line {line}: " in result.stderr
    assert sentence in result.stderr


def test_the_map_is_listed(cli):
    assert "nystroem" in cli("list", "features").stdout
