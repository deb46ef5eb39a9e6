"""The command `judge`: the answer first, one screen, files, and exit codes for checks."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import done, refused

pytestmark = pytest.mark.plain
METHODS = 40


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The AUC of forty methods on twelve data sets; the first ones are better."""
    rng = np.random.default_rng(0)
    skill = np.linspace(0.9, 0.6, METHODS) + rng.normal(0, 0.01, (12, METHODS))
    names = [f"m{number:02d}" for number in range(METHODS)]
    path = tmp_path_factory.mktemp("results") / "table.csv"
    frame = pd.DataFrame(skill, columns=names)
    frame.insert(0, "dataset", [f"set {number}" for number in range(12)])
    frame.to_csv(path, index=False)
    return path


def lines_of(said):
    """How many methods have a line in the table."""
    return sum(line.lstrip("* ").startswith("m") and "12/12" in line for line in said.splitlines())


def test_the_answer_stands_first_and_the_table_fits_on_a_screen(table):
    said = done("judge", table, "--by", "auc").stdout
    assert said.startswith("With 95 % confidence the best ")
    assert "the first 30 of 40 lines" in said
    assert lines_of(said) == 30
    assert lines_of(done("judge", table, "--by", "auc", "--all").stdout) == METHODS


@pytest.mark.parametrize(
    ("method", "code", "standing"),
    [("m00", 0, "may be the best"), ("m39", 1, "is certainly behind the best")],
)
def test_a_check_asks_for_one_method(table, tmp_path, method, code, standing):
    files = ["--badge", tmp_path / "badge.txt", "--json", tmp_path / "verdict.json"]
    done("judge", table, "--by", "auc", "--require", method, *files, code=code)
    badge = (tmp_path / "badge.txt").read_text(encoding="utf-8")
    assert badge == f"{method} {standing} of 40 methods\n"
    [known] = [
        one
        for one in json.loads((tmp_path / "verdict.json").read_bytes())["solvers"]
        if one["solver"] == method
    ]
    assert known["possible_best"] == (code == 0)


def test_a_badge_of_all_methods_and_an_unknown_one(table, tmp_path):
    done("judge", table, "--by", "auc", "--badge", tmp_path / "badge.txt")
    badge = (tmp_path / "badge.txt").read_text(encoding="utf-8")
    assert badge.endswith("of 40 methods may be the best (12 data sets)\n")
    assert "m99" in refused("judge", table, "--by", "auc", "--require", "m99")
