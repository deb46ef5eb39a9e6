from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import replace

import pytest

from aucbench.bench.engines.shared_supervisor import SharedSupervisor
from aucbench.processes import Step


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as pool:
        yield pool


def submitted(supervisors, number):
    return lambda: supervisors and len(supervisors[-1].jobs) == number


def test_each_thread_gets_its_own_outcome(supervisors, cells, pool):
    shared = SharedSupervisor()
    assert supervisors == []
    answers = [pool.submit(shared.run, f"key{n}", cells.job("echo", n)) for n in range(4)]
    cells.until(submitted(supervisors, 4))
    for ticket in (2, 0, 3, 1):
        supervisors[0].end(ticket)
    assert [answer.result(10).result["n"] for answer in answers] == [0, 1, 2, 3]
    shared.close()
    assert len(supervisors) == 1
    assert supervisors[0].closed


def test_a_dropped_job_is_killed_and_the_others_stay(supervisors, cells, pool):
    shared = SharedSupervisor()
    dropped = pool.submit(shared.run, "a", cells.job("echo", 1))
    cells.until(submitted(supervisors, 1))
    kept = pool.submit(shared.run, "b", cells.job("echo", 2))
    cells.until(submitted(supervisors, 2))
    shared.drop("a")
    with pytest.raises(CancelledError, match="a was dropped"):
        dropped.result(10)
    assert supervisors[0].killed == [0]
    supervisors[0].end(1)
    assert kept.result(10).result["n"] == 2
    shared.close()


def test_a_job_that_was_dropped_before_it_came_is_turned_away(supervisors, cells):
    shared = SharedSupervisor()
    shared.drop("a")
    with pytest.raises(CancelledError):
        shared.run("a", cells.job("echo"))
    assert supervisors == []


def test_closing_frees_who_waits_and_turns_away_who_comes(supervisors, cells, pool):
    shared = SharedSupervisor()
    waiting = pool.submit(shared.run, "a", cells.job("echo"))
    cells.until(submitted(supervisors, 1))
    shared.close()
    assert supervisors[0].closed
    with pytest.raises(CancelledError):
        waiting.result(10)
    with pytest.raises(CancelledError):
        shared.run("b", cells.job("echo"))
    assert len(supervisors) == 1


def test_an_idle_supervisor_is_closed_and_the_next_job_starts_another(supervisors, cells, pool):
    shared = SharedSupervisor(idle=0.05)
    for n in range(2):
        answer = pool.submit(shared.run, f"key{n}", cells.job("echo", n))
        cells.until(lambda n=n: len(supervisors) == n + 1 and supervisors[n].jobs)
        supervisors[n].end(0)
        assert answer.result(10).result["n"] == n
        cells.until(lambda n=n: supervisors[n].closed)
    shared.close()


def test_a_step_that_no_job_needs_any_more_is_forgotten(supervisors, cells, pool):
    shared = SharedSupervisor()
    first, second = (Step(key, "engine_jobs:echo", {}) for key in "ab")
    for ticket, step in enumerate([first, first, second, second]):
        job = replace(cells.job("echo"), steps=(step,))
        answer = pool.submit(shared.run, f"key{ticket}", job)
        cells.until(submitted(supervisors, ticket + 1))
        assert supervisors[0].forgotten == ([] if step is first else [first])
        supervisors[0].end(ticket)
        answer.result(10)
    shared.close()
