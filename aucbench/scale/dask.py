"""Parts on the workers of an existing dask cluster.

Design
  a. A task takes a block of consecutive parts, merges their summaries as far as the fixed tree
     does, and sends the few nodes that are left. There are two tasks for each thread of the
     cluster, since a task costs 3 to 4 ms, and neighbours are on one worker. There the nodes of
     four tasks at a time are merged.
  b. Where the rows take at most 60 % of the memory of the cluster, workers keep the blocks that
     they have read; else each question reads again.
  c. Tasks are pure, and what they need is in the graph or in files. So dask computes again what a
     lost worker had, and the tree gives the same bits. (Rejected: `scatter`, whose data are lost
     with their worker.)
  d. Workers say which part they begin. A part whose worker was lost twice by one question is named
     in an error, because a file that ends a process would end each one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from math import inf
from pickle import dumps
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from distributed import CancelledError, Client, Future, KilledWorker
from distributed.comm.core import CommClosedError

from aucbench.errors import AucbenchError, DataError
from aucbench.progress import Progress
from aucbench.scale.chosen import Chosen, read_from
from aucbench.scale.dask_tasks import (
    Held,
    Numbers,
    answered,
    carried,
    held,
    joined,
    joined_tallies,
    row_bytes,
    scanned,
    tallied,
)
from aucbench.scale.engines import Here, begin_reading, numbers_of
from aucbench.scale.parts import Parts
from aucbench.scale.summary import Summary, Tally, Tree

S = TypeVar("S", bound=Summary)
C = TypeVar("C", bound=Tally)
T = TypeVar("T")

ANSWER = 20.0  # seconds for a scheduler to answer
PATIENCE = 60.0  # seconds that a cluster may be without workers
TICK = 1.0  # seconds without an event after which the cluster is looked at
EACH_THREAD = 2  # tasks for each thread of the cluster
FAN_IN = 4  # summaries that a worker merges at a time
KEPT = 0.6  # of the memory of the cluster, up to which blocks stay there
LARGE = 1 << 16  # bytes of arguments that go to workers once, and not with each task
MOST_LOSSES = 2  # of workers that were at the same part


class Dask:
    """Asks the workers of a dask cluster, see `Engine`.

    Parameters
    ----------
    client : distributed.Client or str
        A client, or the address of a scheduler.
    progress : Progress, optional
        Shows how many rows of a reading have answered.
    keep : bool, optional
        Whether workers keep the rows. None: if they fit into 60 % of the memory of the cluster.
    """

    def __init__(
        self,
        client: Client | str,
        progress: Progress | None = None,
        *,
        keep: bool | None = None,
    ) -> None:
        self._client = connected(client) if isinstance(client, str) else client
        self._progress, self._keep = progress or Progress(), keep
        self._name = f"aucbench-{uuid4().hex[:12]}"
        self._events: SimpleQueue[Any] = SimpleQueue()  # filled by threads of the client
        self._at: dict[tuple[str, str], int] = {}  # (worker, task): the part that it is at
        self._losses: Counter[int] = Counter()
        self._sent: dict[str, Future[Any]] = {}
        self._blocks: dict[tuple[str, Numbers], tuple[int, Future[Held]]] = {}
        self._row_bytes: dict[str, float] = {}
        self._topics = ("all", self._name)  # of events: workers come and go; parts begin

    def reduce(
        self, parts: Parts, of: Callable[..., S], *args: Any, some: Sequence[int] | None = None
    ) -> S:
        """Return the merged answers, see `Engine`.

        Raises
        ------
        DataError
            When a part cannot be read, or two workers were lost that were at the same part.
        AucbenchError
            When the scheduler is gone, or has no worker.
        """
        with self._listening():
            told: Tree[S] = self._merged(parts, some, answered, joined, of, args)
        return told.root

    def tally(
        self, parts: Parts, start: Callable[..., C], *args: Any, some: Sequence[int] | None = None
    ) -> C:
        """Return the tally of all pieces, see `Engine`; raises as `reduce`."""
        with self._listening():
            told: C = self._merged(parts, some, tallied, joined_tallies, start, args)
        return told

    def scan(
        self, parts: Parts, of: Callable[..., T], *args: Any, some: Sequence[int] | None = None
    ) -> Iterator[tuple[int, list[T]]]:
        """Yield the answers of each part in order, see `Engine`; raises as `reduce`."""
        with self._listening():
            yield from self._scanned(parts, of, args, some)

    def _scanned(
        self,
        parts: Parts,
        of: Callable[..., T],
        args: tuple[Any, ...],
        some: Sequence[int] | None,
    ) -> Iterator[tuple[int, list[T]]]:
        sent = self._arguments(args)
        waiting: list[tuple[int, Future[list[T]]]] = []
        most = 2 * sum(self._threads().values())
        for numbers, worker in self._divided(parts, some):
            own, held = self._given(parts, numbers, worker)
            for place, i in enumerate(numbers):
                task = self._submit(scanned, own, i, held, place, of, sent, near=worker)
                waiting.append((i, task))
                if len(waiting) > most:
                    yield self._first(parts, waiting)
        while waiting:
            yield self._first(parts, waiting)

    def __reduce__(self) -> Any:
        """Pickle it as threads: a fitted estimator that has used a cluster has no need of it."""
        return Here, ()

    def _first(
        self, parts: Parts, waiting: list[tuple[int, Future[list[T]]]]
    ) -> tuple[int, list[T]]:
        i, task = waiting.pop(0)
        answers = self._result(parts, task, {})
        self._tell(parts, (i,))
        return i, answers

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Hear events of the cluster, and say in a sentence when it is gone."""
        try:
            for topic in self._topics:
                self._client.subscribe_topic(topic, lambda event: self._events.put(event[1]))
            yield
        except AucbenchError:
            raise
        except Exception as error:
            if isinstance(error, CommClosedError) or self._client.status != "running":
                raise self._gone() from error
            raise
        finally:
            if self._client.status == "running":
                for topic in self._topics:
                    self._client.unsubscribe_topic(topic)

    def _merged(
        self,
        parts: Parts,
        some: Sequence[int] | None,
        block: Callable[..., Any],
        join: Callable[..., Any],
        *asked: Any,
    ) -> Any:
        self._losses.clear()  # of one question
        of, args = asked
        sent = self._arguments(args)
        nodes, counted, place = [], {}, 0
        blocks = self._divided(parts, some)
        for numbers, worker in blocks:
            span = place, sum(len(block) for block, _ in blocks)
            own, held = self._given(parts, numbers, worker)
            task = self._submit(block, own, numbers, span, held, of, sent, self._name, near=worker)
            counted[str(task.key)] = numbers
            task.add_done_callback(lambda task: self._events.put({"done": str(task.key)}))
            nodes.append(task)
            place += len(numbers)
        leaves = nodes  # they must live until the root is there
        while len(nodes) > 1:
            starts = range(0, len(nodes), FAN_IN)
            nodes = [self._submit(join, *nodes[at : at + FAN_IN]) for at in starts]
        root = self._result(parts, nodes[0], counted)
        for numbers in counted.values():  # those whose end has not been heard of yet
            self._tell(parts, numbers)
        del leaves
        return root

    def _divided(
        self, parts: Parts, some: Sequence[int] | None
    ) -> list[tuple[Numbers, str | None]]:
        """Return blocks of consecutive parts with about equal rows, and a worker for each."""
        numbers = tuple(begin_reading(parts, some, self._progress))
        slots = [w for w, own in sorted(self._threads().items()) for _ in range(own)]
        many = min(len(numbers), EACH_THREAD * len(slots))
        if partitions_of(parts) is not None:  # each one is where it is
            return [((i,), None) for i in numbers]
        ends = np.cumsum([parts.sizes[i] for i in numbers])
        block = np.minimum((ends - 1) * many // int(ends[-1]), many - 1)
        starts = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(numbers)]
        pairs = pairwise(starts)
        return [(numbers[lo:hi], slots[int(block[lo]) * len(slots) // many]) for lo, hi in pairs]

    def _threads(self) -> dict[str, int]:
        """Return the threads of each worker; wait for one if there is none."""
        start = monotonic()
        while not (threads := dict(self._client.nthreads())):
            if monotonic() - start > PATIENCE:
                raise AucbenchError(
                    f"the dask scheduler at {self._address} has had no worker for {PATIENCE:g} s; "
                    f"start some with `dask worker {self._address}`"
                )
            with suppress(TimeoutError):
                self._client.wait_for_workers(1, timeout=TICK)
        return threads

    @property
    def _address(self) -> str:
        scheduler = self._client.scheduler
        return "its address" if scheduler is None else str(scheduler.address)

    def _submit(
        self, function: Callable[..., Any], *args: Any, near: str | None = None
    ) -> Future[Any]:
        """Give a task to the cluster, if possible to a worker that holds what it needs."""
        key = f"{self._name}-{function.__name__}-{uuid4().hex[:12]}"
        return self._client.submit(
            function, *args, key=key, pure=False, workers=near, allow_other_workers=near is not None
        )

    def _carried(self, parts: Parts) -> Future[Parts]:
        """Send the parts to the workers once; what they need to read is not the rows."""
        if parts.fingerprint not in self._sent:
            self._sent[parts.fingerprint] = self._submit(carried, parts)
        return self._sent[parts.fingerprint]

    def _arguments(self, args: tuple[Any, ...]) -> Any:
        """Return arguments, or where workers find them if they are large."""
        return self._submit(carried, args) if len(dumps(args)) > LARGE else args

    def _given(
        self, parts: Parts, numbers: Numbers, worker: str | None
    ) -> tuple[Future[Parts] | None, Future[Held] | None]:
        """Return what a task about a block reads with: its parts, or the rows that workers hold.

        Both are given where the rows are some of a partition of a collection.
        """
        if (partitions := partitions_of(parts)) is not None:
            some = self._carried(parts) if isinstance(parts, Chosen) else None
            return some, partitions[numbers[0]]
        held = self._held(parts, numbers, worker)
        return (self._carried(parts) if held is None else None), held

    def _held(self, parts: Parts, numbers: Numbers, worker: str | None) -> Future[Held] | None:
        """Return the rows of a block that stay on a worker; None if each question reads them."""
        place = parts.fingerprint, numbers
        if place not in self._blocks:
            rows = sum(parts.sizes[i] for i in numbers)
            if not self._has_room(parts, rows):
                return None
            task = self._submit(held, self._carried(parts), numbers, self._name, near=worker)
            self._blocks[place] = rows, task
        return self._blocks[place][1]

    def _has_room(self, parts: Parts, rows: int) -> bool:
        """Whether workers keep more rows; blocks of another division go for them."""
        if self._keep is not None:
            return self._keep
        source = parts.fingerprint
        if source not in self._row_bytes:
            first = numbers_of(parts, None)[0]
            task = self._submit(row_bytes, self._carried(parts), first)
            self._row_bytes[source] = self._result(parts, task, {})
        room = KEPT * self._memory() / self._row_bytes[source]
        if parts.n > room:
            return False
        while self._blocks and sum(kept for kept, _ in self._blocks.values()) + rows > room:
            del self._blocks[next(iter(self._blocks))]
        return True

    def _memory(self) -> float:
        """Return the bytes that all workers may use."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return float(sum(worker["memory_limit"] or inf for worker in workers))

    def _result(self, parts: Parts, task: Future[T], counted: dict[str, Numbers]) -> T:
        """Wait for a task, and tell of the blocks that end meanwhile."""
        task.add_done_callback(lambda task: self._events.put({"done": str(task.key)}))
        while not task.done():
            self._next_event(parts, counted)
        try:
            return task.result()
        except KilledWorker as error:
            raise self._lost(parts, None) from error
        except CancelledError as error:
            raise self._gone() from error
        except Exception as error:
            if self._client.status != "running":
                raise self._gone() from error
            raise

    def _next_event(self, parts: Parts, counted: dict[str, Numbers]) -> None:
        try:
            event = self._events.get(timeout=TICK)
        except Empty:
            if self._client.status != "running":
                raise self._gone() from None
            self._threads()
            return
        match event:
            case {"done": key}:
                self._at = {own: i for own, i in self._at.items() if own[1] != key}
                if key in counted:
                    self._tell(parts, counted.pop(key))
            case {"part": i, "key": key, "worker": worker}:
                self._at[worker, key] = i
            case {"action": "remove-worker", "worker": worker}:
                for own in [own for own in self._at if own[0] == worker]:
                    i = self._at.pop(own)
                    self._losses[i] += not event.get("expected", False)
                    if self._losses[i] >= MOST_LOSSES:
                        raise self._lost(parts, i)

    def _tell(self, parts: Parts, numbers: Numbers) -> None:
        self._progress.advance(sum(parts.sizes[i] for i in numbers))

    def _lost(self, parts: Parts, i: int | None) -> DataError:
        place = "a part" if i is None else parts.where(i, 0)
        return DataError(
            f"several dask workers were lost at the same part of the rows: that of {place}; check "
            "that file, and the memory of the workers"
        )

    def _gone(self) -> AucbenchError:
        return AucbenchError(
            f"the dask scheduler at {self._address} is gone; start it and run the same command "
            "again, fit with --resume"
        )


def partitions_of(parts: Parts) -> Sequence[Future[Held]] | None:
    """Return the partitions of a collection, of which the rows are or come from; else None."""
    return getattr(read_from(parts), "partitions", None)


def connected(address: str) -> Client:
    """Return a client of the scheduler at an address.

    Raises
    ------
    AucbenchError
        When none answers.
    """
    try:
        return Client(address, timeout=ANSWER, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise AucbenchError(
            f"no dask scheduler answered at {address!r} ({type(error).__name__}: {error}); give "
            "the address that `dask scheduler` prints, such as tcp://host:8786"
        ) from error
