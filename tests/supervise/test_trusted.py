"""New interpreters do several jobs, if all of their code is that of aucbench."""

import os
import signal
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import psutil
import pytest
from supervise.asking import alive, code, job, until

from aucbench.processes.records import Ending, Outcome
from aucbench.processes.steps import Steps

MB = 2**20
pytestmark = pytest.mark.starts("spawn")


@pytest.fixture
def described(supervisor):
    """described(code, ...) -> the outcome of a trusted job, with what it has found."""
    return lambda text="", **how: supervisor.call(
        job("describe_process", code(text), **{"trusted": True, **how})
    )


def pid_of(outcome):
    return outcome.result["pid"]


def test_trusted_jobs_share_a_process_in_which_each_finds_what_is_its_own(described):
    change = "os.chdir('/'); os.environ['TMPDIR'] = tempfile.tempdir = '/'; print({})"
    first, second, again = (described(change.format(n)) for n in (1, 2, 2))

    assert pid_of(first) == pid_of(second) == pid_of(again)
    assert (first.log, second.log) == ("1\n", "2\n")
    for name in ("cwd", "temporary", "drawn"):
        assert first.result[name] != second.result[name]
    assert Path(second.result["temporary"]).parents[1] == Path(second.result["cwd"]).parent
    assert second.result["drawn"] == again.result["drawn"]  # seeds are those of a request
    until(lambda: not Path(first.result["cwd"]).exists())


def test_the_memory_of_each_job_has_its_own_limit(described):
    free, limited = described(), described(memory=200 * MB)
    more, freed = described(memory=300 * MB), described()

    assert pid_of(free) == pid_of(freed)
    assert free.result["limit"] == freed.result["limit"]
    assert 50 * MB < more.result["limit"] - limited.result["limit"] < 150 * MB


def test_a_job_that_is_not_trusted_has_a_process_of_its_own(described):
    first, *others = (pid_of(described(trusted=trusted)) for trusted in (True, False, False))

    assert len({first, *others}) == 3
    assert pid_of(described()) == first
    assert not alive(others)


def test_an_exception_does_not_end_a_process_but_a_crash_or_what_is_left_does(described):
    first = pid_of(described())
    assert described("raise ValueError(os.getpid())").reason == str(first)
    assert pid_of(described()) == first
    for text, ending in (("os._exit(1)", "crash"), ("os.fork() or hang(room)", "ok")):
        assert described(text).ending == ending
        second = pid_of(described())
        assert second != first
        assert not alive([first])
        first = second


def test_a_process_that_was_killed_while_it_waited_costs_no_job(described):
    first = pid_of(described())
    os.kill(first, signal.SIGKILL)
    until(lambda: not alive([first]) and psutil.Process(first).num_threads() <= 1)

    assert described().ending == "ok"


def test_a_trusted_step_is_not_done_where_the_same_one_of_another_job_is_being_done(tmp_path):
    steps, step = Steps(tmp_path, rmtree), job("describe_process", key="described")
    places = []

    def do(folder):
        places.extend((folder, steps.folder(replace(step, trusted=True))))
        return Outcome(Ending.OK)

    steps.done(step, do, lambda: False)
    assert len({*places}) == 2
