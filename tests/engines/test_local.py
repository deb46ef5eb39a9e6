"""What is particular to local processes: when jobs are taken, and when they begin."""

from itertools import count

import pytest
from supervise.asking import until

from aucbench.bench.engines.local import LocalEngine


def test_endless_jobs_are_taken_as_there_is_room(local_engine, cells):
    taken = []
    jobs = ((str(n), cells.job("sign", n)) for n in count() if not taken.append(n))
    running = local_engine.run(jobs)
    for returned in range(1, 6):
        next(running)
        assert returned + 2 <= len(taken) <= returned + 3
    running.close()


def test_jobs_run_before_the_caller_asks(cells):
    running = LocalEngine(2).run(cells.jobs(5))
    until(lambda: cells.started() == [0, 9])
    running.close()
    assert not cells.alive()


def test_an_exception_among_the_jobs_ends_those_that_run(local_engine, cells):
    def jobs():
        yield "a", cells.job("wait")
        until(cells.started)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(local_engine.run(jobs()))
    assert not cells.alive()
