"""What the tests put into the workers of a dask cluster."""

from distributed import WorkerPlugin
from engines.hosts import start_quickly

from aucbench.processes import Ending, Outcome


class QuickStart(WorkerPlugin):
    def setup(self, worker):
        start_quickly()


def run_nothing(run, job):
    """In place of `run_cell`, where only the bookkeeping of the client matters."""
    return Outcome(Ending.OK, result=dict(job.request))


def run_badly(run, job):
    """In place of `run_cell`, on a worker where no supervisor can be started."""
    raise OSError("no disk")


class BrokenPlugin(WorkerPlugin):
    """In place of `CellPlugin`, for workers without aucbench."""

    def __init__(self, run, threads):
        self.name = run

    def setup(self, worker):
        raise ImportError("no aucbench")
