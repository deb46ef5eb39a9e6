"""The worker's side of the dask engine."""

from __future__ import annotations

from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from aucbench.bench.engines.shared_supervisor import SharedSupervisor
from aucbench.infra.supervise.records import Job, Outcome


class CellPlugin(WorkerPlugin):
    """Keeps one shared supervisor in each worker process for one run.

    A worker is a daemonic process that cannot interrupt a task: the supervisor is a
    subprocess, and a task that its client gave up is killed there.

    Parameters
    ----------
    run : str
        Name of the run: of this plugin, of its topic, and what its keys begin with.
    threads : int
        Threads of BLAS and OpenMP in each cell.
    """

    def __init__(self, run: str, threads: int):
        self.name = run
        self.threads = threads

    def setup(self, worker: Worker) -> None:
        """Make the supervisor; its processes start with the first cell."""
        self.shared = SharedSupervisor(self.threads)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Kill a cell that runs although nobody waits for it any more."""
        given_up = start in ("executing", "long-running") and finish == "released"
        if given_up and str(key).startswith(self.name):
            self.shared.drop(str(key))

    def teardown(self, worker: Worker) -> None:
        """Leave no process behind."""
        self.shared.close()


def run_cell(run: str, job: Job) -> Outcome:
    """Run one job in the supervisor of this worker; tell the client where it started."""
    worker = get_worker()
    key = str(worker.get_current_task())
    worker.log_event(run, {"action": "start", "key": key, "worker": worker.address})
    plugin = worker.plugins[run]
    assert isinstance(plugin, CellPlugin)
    return plugin.shared.run(key, job)
