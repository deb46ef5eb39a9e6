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

from aucbench.bench.engines import MOST_LOSSES
from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import AucbenchError
from aucbench.processes import Ending, Job, Outcome, Supervisor
from aucbench.processes.records import CancelledError as GivenUpError

ANSWER = 20.0  # seconds for a scheduler to answer
LEAVE = 1.0  # seconds for the cluster to answer at the end of a run
IDLE_SECONDS = 60.0  # after which a worker without cells ends its warm process
CHECK_TICK = 1.0  # seconds without an event after which the state of the cluster is checked


@dataclass(frozen=True, slots=True)
class DaskEngine:
    """Each cell is a task of dask, supervised by the worker that runs it.

    When a worker is lost, dask queues its cells again. A cell ends as a crash when two workers
    were lost while they ran it.
    """

    scheduler: str  # address of the scheduler, such as tcp://host:8786
    # Cells on the cluster at once; at most two for each thread of dask: one runs and one waits.
    jobs: int | None = None
    threads: int = 1  # of aucbench, BLAS and OpenMP in each cell
    patience: float = 60.0  # seconds that the cluster may have no workers

    def run(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Outcome]]:
        """Yield (id, outcome) as the jobs end; closing the generator kills what runs."""
        waiting = iter(jobs)
        with _DaskRun(self) as run:
            run.fill(waiting)
            while run.tasks:
                ended = run.next_outcomes()
                run.fill(waiting)
                yield from ended


@dataclass(slots=True)
class _Task:
    """A job on the cluster: which worker runs it, and which workers were lost while it ran."""

    id: str
    future: Future[Outcome]
    worker: str | None = None
    lost: tuple[str, ...] = ()


class _DaskRun:
    """One run on the cluster; all its topics, plugins and keys contain its name."""

    def __init__(self, engine: DaskEngine):
        self.tasks: dict[str, _Task] = {}
        self._engine = engine
        self._name = f"aucbench-{uuid4().hex[:12]}"
        self._topics = ("all", self._name)  # of events: workers come and go; cells start
        self._numbers = count()
        self._events: SimpleQueue[Any] = SimpleQueue()  # filled by threads of the client
        self._slots = 0
        self._counted = monotonic()  # when the workers were counted last

    def __enter__(self) -> Self:
        self._client = self._connect()
        try:
            for topic in self._topics:
                self._client.subscribe_topic(topic, lambda event: self._events.put(event[1]))
            self._client.register_plugin(CellPlugin(self._name, self._engine.threads))
            self._count_slots()
        except BaseException as error:
            self.__exit__()
            if isinstance(error, Exception):
                raise self._unfit(error) from error
            raise
        return self

    def __exit__(self, *_: object) -> None:
        client = self._client
        # A worker kills cancelled cells, and closes its supervisor when the plugin is removed.
        # When the scheduler is lost, its workers end by themselves.
        if client.status == "running" and client.scheduler is not None:
            forget = client.scheduler.unregister_worker_plugin
            with suppress(OSError, TimeoutError):
                client.cancel([task.future for task in self.tasks.values()])
                for topic in self._topics:
                    client.unsubscribe_topic(topic)
                client.sync(forget, name=self._name, callback_timeout=LEAVE)
        with suppress(OSError, TimeoutError):
            client.close(timeout=LEAVE)

    def fill(self, waiting: Iterator[tuple[str, Job]]) -> None:
        """Submit jobs until the cluster has enough of them."""
        most = 2 * max(self._slots, 1)
        if self._engine.jobs is not None:
            most = min(most, self._engine.jobs)
        for cell, job in islice(waiting, max(most - len(self.tasks), 0)):
            key = f"{self._name}-{next(self._numbers)}"
            future = self._client.submit(run_cell, self._name, job, key=key, pure=False)
            self.tasks[key] = _Task(cell, future)
            event = {"action": "done", "key": key}
            future.add_done_callback(lambda _, event=event: self._events.put(event))

    def next_outcomes(self) -> list[tuple[str, Outcome]]:
        """Wait for one event and return the jobs that it ends, often none."""
        try:
            event = self._events.get(timeout=CHECK_TICK)
        except Empty:
            self._require_cluster()
            return []
        match event:
            case {"action": "done", "key": key}:
                return self._finish(key)
            case {"action": "start", "key": key, "worker": worker} if key in self.tasks:
                self.tasks[key].worker = worker
            case {"action": "add-worker"}:
                self._count_slots()
            case {"action": "remove-worker", "worker": worker}:
                self._count_slots()
                return self._on_lost_worker(worker, event)
        return []

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
        self._slots = sum(self._client.nthreads().values())
        self._counted = monotonic()

    def _require_cluster(self) -> None:
        if self._client.status != "running":
            raise self._gone()
        if self._slots == 0 and monotonic() - self._counted > self._engine.patience:
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

    def _finish(self, key: str) -> list[tuple[str, Outcome]]:
        task = self.tasks.pop(key, None)
        if task is None:  # its workers were lost before
            return []
        try:
            return [(task.id, task.future.result())]
        except KilledWorker as error:
            return [(task.id, Outcome(Ending.CRASH, f"dask gave it up: {error}"))]
        except CancelledError as error:
            raise self._gone() from error
        except Exception as error:
            if self._client.status != "running":
                raise self._gone() from error
            raise self._unfit(error) from error

    def _on_lost_worker(self, worker: str, event: dict[str, Any]) -> list[tuple[str, Outcome]]:
        """Count a lost worker for the cells that it ran, but not for those that waited there."""
        if event.get("expected", False):
            return []
        charged = [key for key in event["processing-tasks"] if key in self.tasks]
        ended = []
        for key, task in [(key, self.tasks[key]) for key in charged]:
            if task.worker == worker:
                task.lost += (worker,)
            if len(task.lost) >= MOST_LOSSES:
                del self.tasks[key]
                task.future.cancel()
                why = f"its dask workers were lost: {' and '.join(task.lost)}"
                ended.append((task.id, Outcome(Ending.CRASH, why)))
        return ended


class CellPlugin(WorkerPlugin):
    """Keeps one supervisor in each worker process for the run of this name.

    A worker cannot interrupt a task. So the supervisor gives up the job of a task that was
    cancelled. It is closed when no cell has come for a while, so that no process is left when the
    client disappears. All topics and keys begin with the name.
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
    """Run one job in the supervisor of this worker; first report to the client where it runs."""
    worker = get_worker()
    key = str(worker.get_current_task())
    worker.log_event(run, {"action": "start", "key": key, "worker": worker.address})
    plugin = worker.plugins[run]
    assert isinstance(plugin, CellPlugin)
    return plugin.run(key, job)
