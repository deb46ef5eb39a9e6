"""Numbers that no float holds: a plugin that gives one has an error, and its folder can be read."""

import csv
import json

import pytest
from command_line import call, done

from aucbench.bench.results.store import Store

SAYS = """
from dataclasses import dataclass
from typing import ClassVar

from aucbench.objectives import PairwiseSquare
from aucbench.protocols import Needs, Problem, State

HUGE = 10**400


class Huge(PairwiseSquare):
    def value(self, w):
        return HUGE


@dataclass(frozen=True)
class Says:
    what: str
    size: int = HUGE

    space: ClassVar = {}
    needs: ClassVar = Needs()

    def problem(self, data, rng):
        return Problem((Huge if self.what == "objective" else PairwiseSquare)(data))

    def iterates(self, problem, rng):
        m_neg, m_pos = problem.data.means
        yield State(1, 1e-3 * (m_pos - m_neg), problem.data.n, **SAID.get(self.what, {}))


SAID = {name: {name: HUGE} for name in ("gap", "residual", "value")}
SAID["info"] = {"info": {"width": HUGE}}
"""
WHAT = ("gap", "residual", "value", "info", "objective")
RUN = ("--data", "breast-cancer", "--splits", 2, "--passes", 2)


@pytest.fixture
def says(tmp_path):
    path = tmp_path / "says.py"
    path.write_text(SAYS)
    return lambda what: f"{path}:Says[what={what}]"


def test_the_cell_of_a_plugin_that_says_one_is_an_error_and_no_command_minds(says, tmp_path):
    solvers = ",".join([says("nothing"), *map(says, WHAT)])
    folder, table = tmp_path / "kept", tmp_path / "rows.csv"
    done("compare", *RUN, "--solvers", solvers, "--out", folder)
    found = {record.cell.solver.params["what"]: record for record in Store(folder).records()}
    assert found["nothing"].ok, found["nothing"].why
    for what in WHAT:
        assert found[what].status.error_type == "PluginError", found[what].why
        assert "100000" in found[what].why
    assert found["nothing"].parameters["size"] == hex(10**400)
    assert_readable(folder, table)
    assert sum(row["status"] == "ok" for row in rows(table)) == 2  # one for each split


def assert_readable(folder, table):
    for command in (
        ("report", folder),
        ("status", folder),
        ("status", folder, "--cells"),
        ("export", folder, table),
        ("export", folder, table.with_suffix(".json")),
        ("export", folder, table.with_suffix(".parquet")),
    ):
        done = call(*command)
        assert done.exit_code == 0, (command, done.output)
    json.loads(table.with_suffix(".json").read_text())


def rows(table):
    with table.open(newline="") as file:
        return [*csv.DictReader(file)]
