import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from itertools import count

import psutil
import pytest

from aucbench.errors import AucbenchError
from aucbench.processes import Ending

pytest.importorskip("distributed", reason="the extra [dask] is not installed")

from dask import config
from dask_clusters import two_workers
from distributed import LocalCluster

from aucbench.bench.engines.dask import DaskEngine

WORKER = "multiprocessing.spawn"  # is in the command line of a LocalCluster's worker


@pytest.fixture(scope="module")
def client(quick, tmp_path_factory):
    settings = {
        "temporary-directory": str(tmp_path_factory.mktemp("dask")),
        "distributed.deploy.lost-worker-timeout": "10 minutes",  # for a killed one to start again
    }
    with config.set(settings), two_workers(processes=True) as client:
        from engine_workers import QuickStart

        client.register_plugin(QuickStart())
        yield client


@pytest.fixture
def engine(client):
    client.wait_for_workers(2, timeout=60)  # a test before may have killed one
    return DaskEngine(client.scheduler.address, patience=60)


@contextmanager
def dask(folder, *arguments):
    command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard", "--host=127.0.0.1"]
    env = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(folder)}
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=env)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def worker_of(cells):
    """A worker that holds a cell that waits."""
    parents = psutil.Process(cells.alive()[0]).parents()
    return next(p for p in parents if WORKER in " ".join(p.cmdline()))


def test_each_cell_comes_back_once_under_its_id(engine, cells):
    cells.require_each_once(engine)


@pytest.mark.parametrize(("jobs", "most"), [(None, 4), (1, 1), (50, 4)])
def test_cells_are_taken_as_there_is_room(engine, cells, monkeypatch, jobs, most):
    from engine_workers import run_nothing

    monkeypatch.setattr("aucbench.bench.engines.dask.run_cell", run_nothing)
    taken = []
    endless = ((str(n), cells.job("echo", n)) for n in count() if not taken.append(n))
    running = DaskEngine(engine.scheduler, jobs).run(endless)
    for returned in range(1, 6):
        next(running)
        assert len(taken) <= returned + most
    assert len(taken) >= most
    running.close()


@pytest.mark.nightly
def test_cells_of_a_killed_worker_are_queued_again(engine, cells):
    running = engine.run(cells.jobs(4))
    ended = [next(running)]
    cells.until(lambda: len(cells.started()) == 3)
    worker_of(cells).kill()
    cells.until(lambda: len(cells.started()) == 4)
    cells.open()
    ended += running
    assert sorted(name for name, _ in ended) == ["0", "1", "2", "3", "quick"]
    assert {outcome.ending for _, outcome in ended} == {Ending.OK}
    assert cells.alive() == []


@pytest.mark.nightly
def test_a_cell_under_which_two_workers_were_lost_is_a_crash(engine, cells):
    jobs = [(str(n), cells.job("echo", n)) for n in range(6)]
    jobs.insert(2, ("bad", cells.job("kill_host", host=WORKER)))
    ended = dict(engine.run(jobs))
    bad = ended.pop("bad")
    assert bad.ending is Ending.CRASH
    assert bad.reason.startswith("its dask workers were lost: tcp://")
    assert " and tcp://" in bad.reason
    assert sorted(ended) == list("012345")
    assert {outcome.ending for outcome in ended.values()} == {Ending.OK}
    # A third try may have begun before it was called off.
    assert len((cells.folder / "kills").read_text().split()) in (2, 3)


@pytest.mark.nightly
def test_closing_kills_what_runs_and_leaves_the_cluster_usable(engine, cells):
    running = engine.run(cells.jobs(9))
    next(running)
    cells.until(lambda: len(cells.started()) == 3)
    running.close()
    cells.until(lambda: cells.alive() == [])
    (again,) = engine.run([("again", cells.job("echo", 3))])
    assert again[1].result == {"n": 3}
    assert len(cells.started()) == 4


@pytest.mark.nightly
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_nothing_runs_on_when_the_caller_is_ended(engine, cells, sign):
    cells.require_nothing_left(sign, name=f"dask={engine.scheduler}")


@pytest.mark.nightly
def test_a_lost_scheduler_is_a_clear_error_and_finished_cells_are_kept(cells, tmp_path):
    file = tmp_path / "scheduler.json"
    with dask(tmp_path, "scheduler", "--port=0", f"--scheduler-file={file}") as scheduler:
        cells.until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        address = json.loads(file.read_text())["address"]
        with dask(tmp_path, "worker", address, "--nthreads=1", "--no-nanny"):
            running = DaskEngine(address).run(cells.jobs(1))
            assert next(running)[0] == "quick"
            cells.until(lambda: cells.started() == [0, 9])
            scheduler.kill()
            with pytest.raises(AucbenchError, match=f"at {address} is gone; finished cells"):
                next(running)
            cells.until(lambda: cells.alive() == [])


def test_a_scheduler_that_stays_without_workers_is_a_clear_error(cells):
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as empty,
        pytest.raises(AucbenchError, match=r"has had no worker for 0\.5 s; start some with"),
    ):
        list(DaskEngine(empty.scheduler_address, patience=0.5).run([("a", cells.job("echo"))]))


def test_workers_that_cannot_run_cells_are_a_clear_error(engine, cells, monkeypatch):
    from engine_workers import BrokenPlugin, run_badly

    plain = [("a", cells.job("echo"))]
    monkeypatch.setattr("aucbench.bench.engines.dask.run_cell", run_badly)
    with pytest.raises(AucbenchError, match=r"could not run cells \(OSError: no disk\)"):
        list(engine.run(plain))
    monkeypatch.setattr("aucbench.bench.engines.dask.CellPlugin", BrokenPlugin)
    with pytest.raises(AucbenchError, match=r"could not run cells \(ImportError: no aucbench\)"):
        list(engine.run(plain))


def test_no_scheduler_at_the_address_is_a_clear_error(cells, monkeypatch):
    monkeypatch.setattr("aucbench.bench.engines.dask.ANSWER", 0.2)
    with pytest.raises(AucbenchError, match=r"no dask scheduler answered at 'tcp://127.0.0.1:1'"):
        list(DaskEngine("tcp://127.0.0.1:1").run([("a", cells.job("echo"))]))
