import signal
from itertools import count

import pytest

from aucbench.bench.engines.local import LocalEngine
from aucbench.processes import Ending


@pytest.fixture(scope="module")
def engine(quick):
    """Two jobs at once, with one supervisor for all tests."""
    with LocalEngine(2).opened() as engine:
        yield engine


def test_each_job_comes_back_once_under_its_id(engine, cells):
    cells.require_each_once(engine)
    assert list(engine.run([])) == []


def test_endless_jobs_are_taken_as_there_is_room(engine, cells):
    taken = []
    jobs = ((str(n), cells.job("echo", n)) for n in count() if not taken.append(n))
    running = engine.run(jobs)
    for returned in range(1, 6):
        next(running)
        assert returned + 2 <= len(taken) <= returned + 3
    running.close()


def test_jobs_run_before_the_caller_asks_and_end_with_the_generator(cells):
    running = LocalEngine(2).run(cells.jobs(5))
    cells.until(lambda: cells.started() == [0, 9])
    name, outcome = next(running)
    assert (name, outcome.ending, outcome.result) == ("quick", Ending.OK, {"n": 9})
    cells.until(lambda: cells.started() == [0, 1, 9])
    running.close()
    assert cells.alive() == []
    assert cells.started() == [0, 1, 9]


def test_an_exception_among_the_jobs_ends_those_that_run(engine, cells):
    def jobs():
        yield "a", cells.job("wait")
        cells.until(cells.started)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(engine.run(jobs()))
    assert cells.alive() == []


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_nothing_runs_on_when_the_caller_is_ended(cells, sign):
    cells.require_nothing_left(sign, name="local", jobs=2)
