"""Supervised jobs on the workers of an existing dask cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError as Cancelled
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, islice
from queue import Empty, SimpleQueue
from threading import Event, Lock, Timer
from time import monotonic
from typing import Any, Self
from uuid import uuid4

from distributed import (
    CancelledError,
    Client,
    Future,
    KilledWorker,
    Worker,
    WorkerPlugin,
    get_worker,
)

from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import AucbenchError
from aucbench.processes import Ending, Job, Outcome, Supervisor
from aucbench.processes.records import CancelledError as GivenUpError

ANSWER = 20.0  # seconds for a scheduler to answer
LEAVE = 1.0  # seconds for the cluster to answer at the end of a run
IDLE_SECONDS = 60.0  # after which a worker without cells ends its warm process
CHECK_TICK = 1.0  # seconds after which the threads of the cluster are counted again


@dataclass(frozen=True, slots=True)
class DaskEngine:
    """Each cell is a task of dask, supervised by the worker that runs it.

    When a worker is lost, dask runs its cells again. A cell ends as a crash when dask gives it up:
    when more workers were lost with it than its setting `allowed-failures` permits.
    """

    scheduler: str  # address of the scheduler, such as tcp://host:8786
    # Cells on the cluster at once; at most one for each thread of dask. None waits at a worker:
    # dask counts the loss of a worker for all tasks that it has been given.
    jobs: int | None = None
    threads: int = 1  # of aucbench, BLAS and OpenMP in each cell
    patience: float = 60.0  # seconds that the cluster may have no workers

    def run(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Outcome]]:
        """Yield (id, outcome) as the jobs end; closing the generator kills what runs."""
        waiting = iter(jobs)
        with _DaskRun(self) as run:
            run.fill(waiting)
            while run.tasks:
                ended = run.next_outcome()
                run.fill(waiting)
                if ended is not None:
                    yield ended


class _DaskRun:
    """One run on the cluster; its plugin and all its keys contain its name."""

    def __init__(self, engine: DaskEngine):
        self.tasks: dict[str, tuple[str, Future[Outcome]]] = {}  # by key: id of the cell
        self._engine = engine
        self._name = f"aucbench-{uuid4().hex[:12]}"
        self._numbers = count()
        self._ended: SimpleQueue[str] = SimpleQueue()  # keys; a thread of the client fills it
        self._slots = 0
        self._seen = self._counted = monotonic()  # when there were workers, and when they counted

    def __enter__(self) -> Self:
        self._client = self._connect()
        try:
            self._client.register_plugin(CellPlugin(self._name, self._engine.threads))
        except BaseException as error:
            self.__exit__()
            if isinstance(error, Exception):
                raise self._unfit(error) from error
            raise
        self._count_slots()
        return self

    def __exit__(self, *_: object) -> None:
        client = self._client
        # A worker kills cancelled cells, and closes its supervisor when the plugin is removed.
        # When the scheduler is lost, its workers end by themselves.
        if client.status == "running" and client.scheduler is not None:
            forget = client.scheduler.unregister_worker_plugin
            with suppress(OSError, TimeoutError):
                client.cancel([future for _, future in self.tasks.values()])
                client.sync(forget, name=self._name, callback_timeout=LEAVE)
        with suppress(OSError, TimeoutError):
            client.close(timeout=LEAVE)

    def fill(self, waiting: Iterator[tuple[str, Job]]) -> None:
        """Submit jobs until the cluster has enough of them."""
        if monotonic() - self._counted > CHECK_TICK:
            self._count_slots()
        most = max(self._slots, 1)
        if self._engine.jobs is not None:
            most = min(most, self._engine.jobs)
        for cell, job in islice(waiting, max(most - len(self.tasks), 0)):
            key = f"{self._name}-{next(self._numbers)}"
            future = self._client.submit(run_cell, self._name, job, key=key, pure=False)
            self.tasks[key] = cell, future
            future.add_done_callback(lambda _, key=key: self._ended.put(key))

    def next_outcome(self) -> tuple[str, Outcome] | None:
        """Wait for the end of a job and return it; None if none has ended for a while."""
        try:
            cell, future = self.tasks.pop(self._ended.get(timeout=CHECK_TICK))
        except Empty:
            return None
        try:
            return cell, future.result()
        except KilledWorker as error:
            return cell, Outcome(Ending.CRASH, f"its dask workers were lost: {error}")
        except CancelledError as error:
            raise self._gone() from error
        except Exception as error:
            if self._client.status != "running":
                raise self._gone() from error
            raise self._unfit(error) from error

    def _connect(self) -> Client:
        address = self._engine.scheduler
        try:
            return Client(address, timeout=ANSWER, set_as_default=False, name=self._name)
        except (OSError, TimeoutError, ValueError) as error:
            raise AucbenchError(
                f"no dask scheduler answered at {address!r} ({type(error).__name__}: {error}); "
                "give the address that `dask scheduler` prints, such as tcp://host:8786"
            ) from error

    def _count_slots(self) -> None:
        """Count the threads of the cluster; raise where it is gone, or has had none for long."""
        if self._client.status != "running":
            raise self._gone()
        self._slots = sum(self._client.nthreads().values())
        self._counted = monotonic()
        if self._slots:
            self._seen = self._counted
        elif self._counted - self._seen > self._engine.patience:
            raise AucbenchError(
                f"the dask scheduler at {self._engine.scheduler} has had no worker for "
                f"{self._engine.patience:g} s; start some with `dask worker "
                f"{self._engine.scheduler}` and run the same command again"
            )

    def _gone(self) -> AucbenchError:
        return AucbenchError(
            f"the dask scheduler at {self._engine.scheduler} is gone; finished cells are kept: "
            "start it and run the same command again"
        )

    def _unfit(self, error: Exception) -> AucbenchError:
        return AucbenchError(
            f"a worker of the dask scheduler at {self._engine.scheduler} could not run cells "
            f"({type(error).__name__}: {error}); install the same packages there as here"
        )


class CellPlugin(WorkerPlugin):
    """Keeps one supervisor in each worker process for the run of this name.

    A worker cannot interrupt a task. So the supervisor gives up the job of a task that was
    cancelled. It is closed when no cell has come for a while, so that no process is left when the
    client disappears. All keys begin with the name.
    """

    def __init__(self, run: str, threads: int):
        self.name = run
        self.threads = threads

    def setup(self, worker: Worker) -> None:
        """Begin without a supervisor; the first cell opens it."""
        self._lock, self._closed = Lock(), False
        self._supervisor: Supervisor | None = None
        self._running: dict[str, Event] = {}
        self._dropped: set[str] = set()
        self._timer: Timer | None = None

    def run(self, key: str, job: Job) -> Outcome:
        """Run the job and wait for its outcome; each key is used once.

        `CancelledError`: the key was dropped, also before this call, or this worker ends.
        """
        with self._lock:
            if self._closed or key in self._dropped:
                raise Cancelled(key)
            self._stop_timer()
            self._supervisor = supervisor = self._supervisor or LocalEngine(1, self.threads).open()
            self._running[key] = cancelled = Event()
        try:
            return supervisor.call(job, cancelled=cancelled)
        except GivenUpError as error:
            raise Cancelled(key) from error
        finally:
            with self._lock:
                del self._running[key]
                if not self._running and not self._closed:
                    self._timer = Timer(IDLE_SECONDS, self._close_idle)
                    self._timer.daemon = True
                    self._timer.start()

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Give up a running cell that was cancelled."""
        given_up = start in ("executing", "long-running") and finish == "released"
        if given_up and str(key).startswith(self.name):
            with self._lock:
                self._dropped.add(str(key))
                if (running := self._running.get(str(key))) is not None:
                    running.set()

    def teardown(self, worker: Worker) -> None:
        """End all processes of the supervisor."""
        with self._lock:
            self._closed = True
            self._stop_timer()
            supervisor, self._supervisor = self._supervisor, None
        if supervisor is not None:
            supervisor.close()

    def _close_idle(self) -> None:
        with self._lock:
            if not self._running and self._supervisor is not None:
                self._supervisor.close()
                self._supervisor = None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def run_cell(run: str, job: Job) -> Outcome:
    """Run one job in the supervisor of this worker."""
    worker = get_worker()
    plugin = worker.plugins[run]
    assert isinstance(plugin, CellPlugin)
    return plugin.run(str(worker.get_current_task()), job)
