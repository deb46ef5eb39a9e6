"""The warm process that starts before the command line is parsed: for runs, and never left."""

import os
import subprocess
import sys

import pytest

from aucbench.bench.engines.local import LocalEngine
from aucbench.cli.head_start import head_start, supervisor_of
from aucbench.errors import AucbenchError
from aucbench.processes.records import Job

MAIN = "from aucbench.cli import main; main()"


@pytest.fixture(scope="module", autouse=True)
def shared_supervisors():
    """Each test opens its own."""


@pytest.fixture
def opened(monkeypatch):
    """Return the supervisors that were opened; they import nothing."""
    found, own = [], LocalEngine.open
    monkeypatch.setattr("aucbench.bench.engines.local.PRELOAD", ())

    def remembered(engine):
        found.append(own(engine))
        return found[-1]

    monkeypatch.setattr(LocalEngine, "open", remembered)
    return found


def is_closed(supervisor):
    try:
        supervisor.call(Job("builtins:dict.get", {}))
    except AucbenchError as error:
        return "is closed" in str(error)
    return False


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("compare --data iris.csv", 1),
        ("run plan.toml --out results", 1),
        ("compare --help", 0),
        ("run plan.toml --engine=dask=tcp://host:1", 0),
        ("run plan.toml --out results --threads 2", 0),
        ("--no-plugins compare", 0),
        ("list solvers", 0),
        ("", 0),
    ],
)
def test_only_the_words_of_a_run_start_it(words, count, opened):
    with head_start(words.split()):
        assert len(opened) == count

    assert all(map(is_closed, opened))


def test_a_run_takes_it_once(opened):
    with head_start(["compare"]):
        with supervisor_of(LocalEngine(jobs=4)) as taken, supervisor_of(LocalEngine()) as other:
            assert opened == [taken, other]
            assert taken is not other
        assert is_closed(taken)


def test_a_run_with_other_threads_does_not_take_it(opened):
    with head_start(["compare"]), supervisor_of(LocalEngine(threads=2)) as own:
        assert opened[0] is not own
        assert not is_closed(opened[0])
    assert is_closed(opened[0])


def test_a_run_opens_its_own_where_none_could_start_ahead(monkeypatch, opened):
    def refused(engine):
        raise OSError("no space left")

    with monkeypatch.context() as full_disk:
        full_disk.setattr(LocalEngine, "open", refused)
        start = head_start(["compare"])
        start.__enter__()
    with supervisor_of(LocalEngine()) as own:
        assert opened == [own]
    start.__exit__(None, None, None)


@pytest.mark.parametrize("words", [["--nonsense"], ["--solvers", "sht-auc"], ["--splits", "x"]])
def test_a_refused_option_leaves_nothing(words, tmp_path):
    command = [sys.executable, "-c", MAIN, "compare", *words]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )

    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert [*tmp_path.iterdir()] == []
