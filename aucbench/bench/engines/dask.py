"""Supervised jobs on the workers of an existing dask cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Self
from uuid import uuid4

from distributed import CancelledError, Client, Future, KilledWorker

from aucbench.bench.engines.dask_worker import CellPlugin, run_cell
from aucbench.errors import AucbenchError
from aucbench.infra.supervise.records import Ending, Job, Outcome

LOSSES = 2  # so many workers may be lost under a cell before it is a crash
ANSWER = 20.0  # seconds for a scheduler to answer
LEAVE = 1.0  # seconds for the cluster to answer when we leave it
TICK = 1.0  # seconds without news after which the state of the cluster is looked at


@dataclass(frozen=True, slots=True)
class DaskEngine:
    """Each cell is a task, supervised in a subprocess of the worker that runs it.

    dask queues the cells of a lost worker again. One under which two workers were lost
    ends as a crash: a third one is not risked.

    Parameters
    ----------
    scheduler : str
        Address of the scheduler, such as tcp://host:8786.
    jobs : int, optional
        Cells on the cluster at once. If left out, and at the most: what its workers run
        (one cell per thread of dask), and one more for each of these.
    threads : int
        Threads of BLAS and OpenMP in each cell.
    patience : float
        Seconds that the cluster may be without workers.
    """

    scheduler: str
    jobs: int | None = None
    threads: int = 1
    patience: float = 60.0

    def run(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Outcome]]:
        """Yield (id, outcome) as the jobs end; closing the generator kills what runs.

        Raises
        ------
        AucbenchError
            When the scheduler does not answer or is lost, when it stays without workers, or
            when a worker cannot run cells at all.
        """
        waiting = iter(jobs)
        with _Run(self) as run:
            run.fill(waiting)
            while run.flights:
                ended = run.hear()
                run.fill(waiting)
                yield from ended


@dataclass(slots=True)
class _Flight:
    """A job on the cluster: the worker that runs it now, the workers lost under it."""

    id: str
    future: Future[Outcome]
    worker: str | None = None
    lost: tuple[str, ...] = ()


class _Run:
    """One use of the cluster; everything that it leaves there bears its name."""

    def __init__(self, engine: DaskEngine):
        self.flights: dict[str, _Flight] = {}
        self._engine = engine
        self._name = f"aucbench-{uuid4().hex[:12]}"
        self._topics = ("all", self._name)  # of events: workers come and go; cells start
        self._numbers = count()
        self._news: SimpleQueue[Any] = SimpleQueue()  # filled by threads of the client
        self._slots = 0
        self._workless = monotonic()  # when there was last reason to hope for workers

    def __enter__(self) -> Self:
        self._client = self._connect()
        try:
            for topic in self._topics:
                self._client.subscribe_topic(topic, lambda event: self._news.put(event[1]))
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
        # A worker kills what was cancelled, and closes its supervisor with the plugin. With
        # the scheduler gone there is nobody to tell; its workers end by themselves.
        if client.status == "running" and client.scheduler is not None:
            forget = client.scheduler.unregister_worker_plugin
            with suppress(OSError, TimeoutError):
                client.cancel([flight.future for flight in self.flights.values()])
                for topic in self._topics:
                    client.unsubscribe_topic(topic)
                client.sync(forget, name=self._name, callback_timeout=LEAVE)
        with suppress(OSError, TimeoutError):
            client.close(timeout=LEAVE)

    def fill(self, waiting: Iterator[tuple[str, Job]]) -> None:
        """Hand in as many jobs as there is room for."""
        room = 2 * max(self._slots, 1)
        if self._engine.jobs is not None:
            room = min(room, self._engine.jobs)
        for cell, job in islice(waiting, max(room - len(self.flights), 0)):
            key = f"{self._name}-{next(self._numbers)}"
            future = self._client.submit(run_cell, self._name, job, key=key, pure=False)
            self.flights[key] = _Flight(cell, future)
            future.add_done_callback(partial(self._tell_done, key))

    def hear(self) -> list[tuple[str, Outcome]]:
        """Wait for one piece of news and return the jobs that it ends, often none."""
        try:
            news = self._news.get(timeout=TICK)
        except Empty:
            self._require_cluster()
            return []
        match news:
            case {"action": "done", "key": key}:
                return self._land(key)
            case {"action": "start", "key": key, "worker": worker} if key in self.flights:
                self.flights[key].worker = worker
            case {"action": "add-worker"}:
                self._count_slots()
            case {"action": "remove-worker", "worker": worker}:
                self._count_slots()
                return self._mourn(worker, news)
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

    def _tell_done(self, key: str, _: Future[Outcome]) -> None:
        self._news.put({"action": "done", "key": key})

    def _count_slots(self) -> None:
        self._slots = sum(self._client.nthreads().values())
        self._workless = monotonic()

    def _require_cluster(self) -> None:
        if self._client.status != "running":
            raise self._gone()
        if self._slots == 0 and monotonic() - self._workless > self._engine.patience:
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
            f"({type(error).__name__}: {error}); see to it that it has what is installed here"
        )

    def _land(self, key: str) -> list[tuple[str, Outcome]]:
        flight = self.flights.pop(key, None)
        if flight is None:  # given up before
            return []
        try:
            return [(flight.id, flight.future.result())]
        except KilledWorker as error:
            return [(flight.id, Outcome(Ending.CRASH, f"dask gave it up: {error}"))]
        except CancelledError as error:
            raise self._gone() from error
        except Exception as error:
            if self._client.status != "running":
                raise self._gone() from error
            raise self._unfit(error) from error

    def _mourn(self, worker: str, news: dict[str, Any]) -> list[tuple[str, Outcome]]:
        """Charge a lost worker to the cells that it ran, not to those that waited there."""
        if news.get("expected", False):
            return []
        charged = [key for key in news["processing-tasks"] if key in self.flights]
        ended = []
        for key, flight in [(key, self.flights[key]) for key in charged]:
            if flight.worker == worker:
                flight.lost += (worker,)
            if len(flight.lost) >= LOSSES:
                del self.flights[key]
                flight.future.cancel()
                why = f"its dask workers were lost: {' and '.join(flight.lost)}"
                ended.append((flight.id, Outcome(Ending.CRASH, why)))
        return ended
