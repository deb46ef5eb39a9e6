"""A file that cannot be read is one sentence and exit code 2, in each format and command."""

from pathlib import Path

import numpy as np
import pytest
from command_line import call

from aucbench.bench.cell import Choice
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.plan import Plan
from aucbench.bench.resolver import resolve_names
from aucbench.models import Model, ScoreFunction
from aucbench.processes.isolated import supervised
from aucbench.processes.records import Ending, Outcome
from aucbench.registry.specs import parse_spec

NOISE = bytes(range(256)) * 3
FILES = ("t.parquet", "t.feather", "t.xlsx", "t.npz", "t.csv", "t.csv.xz", "t.svm.gz", "t.zip")
PLAN = """
data = ["t.parquet"]

[[solvers]]
spec = "constant"
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with supervised():
        yield


@pytest.fixture
def model():
    score = ScoreFunction(weights=np.ones(2), trees=None, maps=())
    Model(functions=(score,), labels=((0,), (1,)), width=2, columns=("a", "b")).save("m")
    return Path("m")


def refused(result, file):
    assert result.exit_code == 2, result.output
    [line] = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert file in line


@pytest.mark.parametrize("file", FILES)
def test_each_format_is_refused_by_each_command(model, file):
    Path(file).write_bytes(NOISE)
    refused(call("compare", "--data", file, "--solvers", "constant", "--quiet"), file)
    refused(call("predict", model, file), file)
    refused(call("explain", file), file)
    if file == "t.parquet":
        refused(call("fit", "--data", file, "--solver", "svm-or", "--out", "f", "--quiet"), file)
        Path("plan.toml").write_text(PLAN)
        refused(call("run", "plan.toml", "--out", "out", "--quiet"), file)


def test_columns_that_no_fit_can_take_are_refused_before_it_begins():
    Path("w.svm").write_text("".join(f"{i % 2} {i + 1}:1 2147483646:1\n" for i in range(12)))
    refused(call("compare", "--data", "w.svm", "--solvers", "constant", "--quiet"), "w.svm")


class Ends(LocalEngine):
    """An engine whose jobs about data sets end by a crash."""

    def run(self, jobs):
        return self._replaced([*jobs])

    def _replaced(self, jobs):
        calls = {key: job.call for key, job in jobs}
        for key, outcome in super().run(iter(jobs)):
            data = calls[key].endswith(":read")
            yield key, Outcome(Ending.CRASH, "killed by SIGSEGV") if data else outcome


def test_a_process_that_ends_while_it_reads_a_file_is_a_file_that_cannot_be_read():
    Path("t.svm").write_text("1 1:2\n-1 2:3\n")
    plan = Plan.of({"data": ("t.svm",), "solvers": (Choice(parse_spec("constant")),)})
    with pytest.raises(PlanError, match=r"t\.svm cannot be read: killed by SIGSEGV; get it again"):
        resolve_names(plan, Ends())
