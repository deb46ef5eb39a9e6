"""The wrappers in `examples/` obey the laws of solvers, and a comparison runs them."""

import json
import re
import subprocess
from pathlib import Path
from shutil import copy, which

import pytest
from nights import first_rows
from typer.testing import CliRunner

from aucbench.cli import app

pytestmark = pytest.mark.plain

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COMPILER = which("cc") or which("gcc")
WRAPPERS = first_rows(
    [
        ("external_program", "PairwiseSgd"),
        ("sklearn_pipeline", "QuadraticLogistic"),
        ("torch_model", "TorchPairs"),
    ]
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The folder with the compiled program, which is on the path."""
    if COMPILER is None:
        pytest.skip("no compiler of C")
    folder = tmp_path_factory.mktemp("program")
    strict = ["-Wall", "-Wextra", "-Werror"]
    made = ["-o", folder / "pairwise-sgd", EXAMPLES / "pairwise_sgd.c", "-lm"]
    subprocess.run([COMPILER, "-O2", *strict, *made], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(folder), prepend=":")
        yield folder


def run(*arguments):
    ended = CliRunner().invoke(app, [*map(str, arguments)])
    assert ended.exit_code == 0, ended.output
    return ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("file", "name"), WRAPPERS)
def test_a_wrapper_obeys_the_laws_and_a_comparison_runs_it(file, name, program, site, tmp_path):
    if file == "torch_model":
        pytest.importorskip("torch", reason="torch is not installed")
    copy(EXAMPLES / f"{file}.py", site.path)
    site.metadata("examples", "1.0", {"mine": f"{file}:{name}"})
    shown = tmp_path / "rows.json"
    options = ("--data", "breast-cancer", "--splits", 2, "--passes", 20, "--json", shown)
    run("compare", "--solvers", "mine", *options)
    rows = json.loads(shown.read_text(encoding="utf-8"))
    assert [row["status"] for row in rows] == ["ok", "ok"]
    assert all(row["auc"] > 0.95 for row in rows)

    printed = run("check", f"{EXAMPLES / file}.py:{name}")
    assert re.search(r"\d+ hold, \d+ not asked$", printed, re.MULTILINE)
    assert "BROKEN" not in printed
