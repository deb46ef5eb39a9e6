import signal
from itertools import count

import pytest

from aucbench.bench.engines import local
from aucbench.bench.engines.local import LocalEngine
from aucbench.processes import Ending


def test_each_job_comes_back_once_under_its_id(supervisors, cells):
    jobs = [(f"cell{n}", cells.job("echo", n)) for n in range(7)]
    ended = dict(LocalEngine(3).run(jobs))
    assert {name: outcome.result["n"] for name, outcome in ended.items()} == {
        f"cell{n}": n for n in range(7)
    }
    assert supervisors[0].most == 3
    assert supervisors[0].closed


def test_no_jobs_no_outcomes(supervisors):
    assert list(LocalEngine(3).run([])) == []
    assert supervisors[0].closed


def test_endless_jobs_are_taken_one_by_one_and_slots_are_filled_before_the_caller_is_asked(
    supervisors, cells
):
    taken = []
    jobs = ((str(n), cells.job("echo", n)) for n in count() if not taken.append(n))
    running = LocalEngine(2).run(jobs)
    for returned in range(1, 6):
        next(running)
        assert len(taken) == returned + 2
        assert len(supervisors[0].running) == 2
    running.close()
    assert supervisors[0].closed


def test_the_first_jobs_run_before_the_caller_asks_for_an_outcome(supervisors, cells):
    jobs = [(str(n), cells.job("echo", n)) for n in range(5)]
    running = LocalEngine(2).run(jobs)

    assert len(supervisors[0].running) == 2
    running.close()
    assert supervisors[0].killed == [0, 1]
    assert supervisors[0].closed


def test_an_interrupt_closes_the_supervisor(supervisors, cells):
    def jobs():
        yield "a", cells.job("echo")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(LocalEngine(2).run(jobs()))
    assert supervisors[0].closed


def test_real_processes_end_with_the_generator(cells, monkeypatch):
    from engine_start import quick

    monkeypatch.setattr(local, "open_supervisor", quick)
    jobs = [("quick", cells.job("echo", 9)), *((str(n), cells.job("wait", n)) for n in range(5))]
    running = LocalEngine(2).run(jobs)
    name, outcome = next(running)
    assert (name, outcome.ending, outcome.result) == ("quick", Ending.OK, {"n": 9})
    cells.until(lambda: cells.started() == [0, 1])
    running.close()
    assert cells.alive() == []
    assert cells.started() == [0, 1]


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_nothing_runs_on_when_the_caller_is_ended(cells, sign):
    assert cells.end_caller(sign, 2, name="local", jobs=2) == -sign
    cells.until(lambda: cells.alive() == [])
    assert len(cells.started()) == 2
