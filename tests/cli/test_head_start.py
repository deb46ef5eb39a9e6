"""The warm process that starts before the command line is parsed: for runs, and never left."""

import os
import subprocess
import sys

import pytest

from aucbench.bench.engines.local import LocalEngine
from aucbench.cli.head_start import head_start, supervisor_of
from aucbench.errors import AucbenchError
from aucbench.processes.records import Job

FOREST = "sklearn.ensemble"
LEARNING = {FOREST, "aucbench.bench.worker.scikit_learn"}
MAIN = "from aucbench.cli import main; main()"


@pytest.fixture(scope="module", autouse=True)
def shared_supervisors():
    """Each test opens its own."""


@pytest.fixture
def opened(monkeypatch):
    """Return the supervisors that were opened, each with the modules that were asked for."""
    found, own = {}, LocalEngine.open
    monkeypatch.setattr("aucbench.bench.engines.local.PRELOAD", ())

    def remembered(engine, modules=()):
        made = own(engine)
        found[made] = {*modules}
        return made

    monkeypatch.setattr(LocalEngine, "open", remembered)
    return found


def is_closed(supervisor):
    try:
        supervisor.call(Job("json:loads", {}))
    except AucbenchError as error:
        return "is closed" in str(error)
    return False


@pytest.mark.parametrize(
    ("words", "modules"),
    [
        ("compare --data iris.csv", [LEARNING]),
        ("compare --solvers sht-auc --splits x[", [set()]),
        ("compare --solvers sht-auc,random-forest", [LEARNING]),
        ("compare --help", []),
        *((words, []) for words in ("run plan.toml --out results", "--no-plugins compare", "")),
    ],
)
def test_only_the_words_of_a_run_start_it_with_what_its_solvers_import(words, modules, opened):
    with head_start(words.split()):
        assert [*opened.values()] == modules

    assert all(map(is_closed, opened))


def test_a_run_takes_it_once(opened):
    with head_start(["compare"]):
        with (
            supervisor_of(LocalEngine(jobs=4), [FOREST]) as taken,
            supervisor_of(LocalEngine(), []) as other,
        ):
            assert [*opened] == [taken, other]
            assert taken is not other
        assert is_closed(taken)


def test_a_refused_option_leaves_nothing(tmp_path):
    command = [sys.executable, "-c", MAIN, "compare", "--splits", "x"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)

    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert [*tmp_path.iterdir()] == []
