"""The three engines, cells for them, and a look at the processes that run these."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from supervise.asking import HERE, alive, signs_in, until

from aucbench.bench.engines import local
from aucbench.bench.engines.local import LocalEngine
from aucbench.processes import Job, Limits

PATIENCE = 60.0  # seconds
# What is in the command line of a process that holds the supervisor of a cell.
HOSTS = {"dask": "multiprocessing.spawn", "slurm": "submitit.core._submit"}


class Cells:
    """Jobs that share a folder, by which the test and they talk."""

    def __init__(self, folder: Path):
        self.folder = folder

    def job(self, call: str, n: int = 0, **request: object) -> Job:
        wanted = {"n": n, "folder": str(self.folder), **request}
        return Job(f"{HERE}:{call}", wanted, Limits(timeout=PATIENCE))

    def jobs(self, waiting: int) -> list[tuple[str, Job]]:
        """A cell that ends at once, and some that wait."""
        waits = [(str(n), self.job("wait", n)) for n in range(waiting)]
        return [("quick", self.job("sign", 9)), *waits]

    def open(self) -> None:
        """Let the cells end that wait."""
        (self.folder / "open").touch()

    def started(self) -> list[int]:
        """Number of each cell that has begun, again if it was repeated."""
        return [n for n, _ in signs_in(self.folder)]

    def alive(self) -> set[int]:
        return alive(pid for _, pid in signs_in(self.folder))

    def until_started(self, *numbers: int) -> None:
        until(lambda: self.started() == [*numbers], PATIENCE)

    def until_none_runs(self) -> None:
        until(lambda: not self.alive(), PATIENCE)

    def require_nothing_left(self, sign: signal.Signals, **options: object) -> None:
        """End a process that runs an engine by a signal, while two cells wait."""
        command = [sys.executable, "-m", "engines.caller", json.dumps(options), str(self.folder)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as caller:
            try:
                self.until_started(0, 1)
                caller.send_signal(sign)
                assert caller.wait(PATIENCE) == -sign
            finally:
                caller.kill()
        self.until_none_runs()
        assert self.started() == [0, 1]


@pytest.fixture
def cells(tmp_path):
    folder = tmp_path / "cells"
    folder.mkdir()
    return Cells(folder)


@pytest.fixture(scope="module", autouse=True)
def quick():
    """Engines find the modules of the tests, and import nothing before their jobs begin."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)
        patch.setattr(local, "PRELOAD", ())
        yield


@pytest.fixture
def engine(request, name):
    """The engine of this name."""
    return request.getfixturevalue(f"{name}_engine")


@pytest.fixture(scope="module")
def local_engine(quick):
    """Two jobs at once, with one supervisor for all tests."""
    with LocalEngine(2).opened() as engine:
        yield engine


@pytest.fixture(scope="module")
def dask_client(quick, tmp_path_factory):
    """Two workers in processes of their own, which import nothing before their jobs begin.

    They end with the file. Threads of dask draw from the global generator, which laws look at; what
    belongs to a package would live as long as the session, since this folder has no `__init__.py`.
    """
    pytest.importorskip("distributed", reason="the extra [dask] is not installed")
    from dask import config
    from dask_clusters import two_workers

    settings = {
        "temporary-directory": str(tmp_path_factory.mktemp("dask")),
        "distributed.deploy.lost-worker-timeout": "10 minutes",  # for a killed one to start again
    }
    with config.set(settings), two_workers(processes=True) as client:
        client.run(lambda: setattr(local, "PRELOAD", ()))
        yield client


@pytest.fixture
def dask_engine(dask_client):
    from aucbench.bench.engines.dask import DaskEngine

    dask_client.wait_for_workers(2, timeout=60)  # a test before may have killed one
    return DaskEngine(dask_client.scheduler.address, patience=60)


@pytest.fixture
def slurm_engine(tmp_path, monkeypatch):
    """Its shares run on this host, through the same files as under SLURM."""
    pytest.importorskip("submitit", reason="the extra [slurm] is not installed")
    from aucbench.bench.engines import slurm

    def run_quickly(*arguments, run_share=slurm.run_share):
        local.PRELOAD = ()
        run_share(*arguments)

    monkeypatch.setattr(slurm, "run_share", run_quickly)
    times = {"poll": 0.02, "lag": 0.05}
    return slurm.SlurmEngine(tmp_path, jobs=2, cells_per_job=4, cluster="local", **times)
