"""What is particular to dask: how many cells the cluster gets, and the supervisor of a worker."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

import pytest
from engines.conftest import PATIENCE
from supervise.asking import until

from aucbench.errors import AucbenchError
from aucbench.processes import Ending, Outcome

pytest.importorskip("distributed", reason="the extra [dask] is not installed")

from distributed import LocalCluster

from aucbench.bench.engines import dask
from aucbench.bench.engines.dask import CellPlugin, DaskEngine


@pytest.mark.parametrize(("jobs", "most"), [(None, 2), (1, 1), (50, 2)])
def test_cells_are_taken_as_there_is_room(dask_engine, cells, monkeypatch, jobs, most):
    monkeypatch.setattr(dask, "run_cell", lambda run, job: Outcome(Ending.OK, result={}))
    taken = []
    endless = ((str(n), cells.job("sign", n)) for n in count() if not taken.append(n))
    running = replace(dask_engine, jobs=jobs).run(endless)
    for returned in range(1, 6):
        next(running)
        assert len(taken) <= returned + most
    assert len(taken) >= most
    running.close()


@pytest.mark.nightly
def test_a_lost_scheduler_is_a_clear_error_and_finished_cells_are_kept(cells, tmp_path):
    file = tmp_path / "scheduler.json"
    with dask_command(tmp_path, "scheduler", "--port=0", f"--scheduler-file={file}") as scheduler:
        until(lambda: file.exists() and file.read_text().rstrip().endswith("}"), PATIENCE)
        address = json.loads(file.read_text())["address"]
        with dask_command(tmp_path, "worker", address, "--nthreads=1", "--no-nanny"):
            running = DaskEngine(address).run(cells.jobs(1))
            assert next(running)[0] == "quick"
            cells.until_started(0, 9)
            scheduler.kill()
            with pytest.raises(AucbenchError, match="gone"):
                next(running)
            cells.until_none_runs()


@contextmanager
def dask_command(folder, name, *options):
    """A scheduler or a worker in a process of its own."""
    command = [sys.executable, "-m", "dask", name, "--no-dashboard", *options]
    env = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(folder)}
    process = subprocess.Popen([*command, "--host=127.0.0.1"], stderr=subprocess.DEVNULL, env=env)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_cluster_without_scheduler_or_workers_is_a_clear_error(cells, monkeypatch):
    some = [("a", cells.job("sign"))]
    monkeypatch.setattr(dask, "ANSWER", 0.2)
    with pytest.raises(AucbenchError, match=r"127.0.0.1:1"):
        list(DaskEngine("tcp://127.0.0.1:1").run(some))
    monkeypatch.undo()
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as empty,
        pytest.raises(AucbenchError, match="no worker"),
    ):
        list(DaskEngine(empty.scheduler_address, patience=0.5).run(some))


def test_workers_that_cannot_run_cells_are_a_clear_error(dask_engine, cells, monkeypatch):
    def fail(*_, **__):
        raise OSError("no disk")

    broken = type("Broken", (CellPlugin,), {"setup": fail})
    for name, thing in (("run_cell", fail), ("CellPlugin", broken)):
        monkeypatch.setattr(dask, name, thing)
        with pytest.raises(AucbenchError, match="no disk"):
            list(dask_engine.run([("a", cells.job("sign"))]))
