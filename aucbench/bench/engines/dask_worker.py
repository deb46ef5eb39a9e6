"""The worker's side of the dask engine."""

from __future__ import annotations

from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from aucbench.bench.engines.shared_supervisor import SharedSupervisor
from aucbench.processes.records import Job, Outcome


class CellPlugin(WorkerPlugin):
    """Keeps one shared supervisor in each worker process for one run.

    A worker is a daemonic process and cannot interrupt a task. So the supervisor is a
    subprocess, and kills the job of a task that was cancelled.
    """

    def __init__(self, run: str, threads: int):
        self.name = run
        self.threads = threads

    def setup(self, worker: Worker) -> None:
        """Create the supervisor; it starts its processes with the first cell."""
        self.shared = SharedSupervisor(self.threads)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Kill a running cell that was cancelled."""
        given_up = start in ("executing", "long-running") and finish == "released"
        if given_up and str(key).startswith(self.name):
            self.shared.drop(str(key))

    def teardown(self, worker: Worker) -> None:
        """End all processes of the supervisor."""
        self.shared.close()


def run_cell(run: str, job: Job) -> Outcome:
    """Run one job in the supervisor of this worker; first report to the client where it runs."""
    worker = get_worker()
    key = str(worker.get_current_task())
    worker.log_event(run, {"action": "start", "key": key, "worker": worker.address})
    plugin = worker.plugins[run]
    assert isinstance(plugin, CellPlugin)
    return plugin.shared.run(key, job)
