"""Threads: how many are used, what a failure does, and that forked processes have their own."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

import aucbench
from aucbench.kernels import parallel


def test_one_thread_unless_asked_and_a_with_block_gives_back_what_was():
    assert parallel.count() == 1
    with aucbench.threads(2):
        with aucbench.threads(3):
            assert parallel.count() == 3
        assert parallel.count() == 2
        aucbench.threads(4)  # without a block it holds from now on
        assert parallel.count() == 4
    assert parallel.count() == 1


@pytest.mark.parametrize(("text", "found"), [("3", "3"), ("two", "'two'")])
def test_the_environment_says_how_many_threads_a_process_begins_with(text, found):
    command = [sys.executable, "-c", "from aucbench.kernels.parallel import *; print(count())"]
    env = {**os.environ, parallel.VARIABLE: text}
    ended = subprocess.run(command, env=env, capture_output=True, text=True)
    assert found in ended.stdout + ended.stderr
    assert (ended.returncode == 0) == (text == "3")


def test_after_a_failure_no_other_part_is_begun_and_none_is_running():
    begun, ended = [], []

    def compute(part):
        begun.append(part)
        if part == 3:
            raise ZeroDivisionError
        sleep(0.01)
        ended.append(part)

    with aucbench.threads(2), pytest.raises(ZeroDivisionError):
        parallel.mapped(compute, range(1000))
    assert len(begun) < 10
    assert sorted([*ended, 3]) == sorted(begun)


def test_calls_within_a_part_and_of_threads_of_the_user_end():
    def inner(part):
        return sum(parallel.mapped(lambda i: i + part, range(8)))

    with aucbench.threads(3), ThreadPoolExecutor(8) as pool:
        wanted = [28 + 8 * part for part in range(8)]
        found = pool.map(lambda _: parallel.mapped(inner, range(8)), range(8))
        assert [*found] == [wanted] * 8


def test_where_no_thread_can_be_started_the_caller_computes_and_says_so(monkeypatch):
    class Full:
        def submit(self, work):
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(parallel, "_helpers", Full())
    with aucbench.threads(2), pytest.warns(RuntimeWarning, match="can't start"):
        assert parallel.mapped(str, range(3)) == ["0", "1", "2"]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    met = threading.Barrier(2, timeout=60)
    with aucbench.threads(2):
        parallel.mapped(lambda _: met.wait(), range(2))  # the parent has a second thread now
        child = os.fork()
        if child == 0:  # without a second thread, nobody passes the barrier
            again = threading.Barrier(2, timeout=30)
            ranks = parallel.mapped(lambda _: again.wait(), range(2))
            os._exit(0 if sorted(ranks) == [0, 1] else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert sorted(parallel.mapped(lambda _: met.wait(), range(2))) == [0, 1]
