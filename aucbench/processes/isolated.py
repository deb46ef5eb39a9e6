"""Jobs that may crash, hang or take all memory, one or many of them, in processes of their own.

One supervisor serves the calls of a context. It is opened for the first of them, and closed at the
end of the context.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property, partial
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any, TypeVar

from aucbench.processes.records import Job, Outcome
from aucbench.processes.supervisor import Supervisor

LOOK = 0.2  # seconds that a thread waits which a signal should interrupt
MANY = 10**6  # jobs at once
Open = Callable[[], Supervisor]
Line = Mapping[str, Any]
K = TypeVar("K")


class Process:
    """A supervisor that is opened for the first job; `close` closes it."""

    def __init__(self, open_one: Open = Supervisor) -> None:
        self._stack, self._open = ExitStack(), open_one
        self.close = self._stack.close

    @cached_property
    def _supervisor(self) -> Supervisor:
        return self._stack.enter_context(self._open())

    def run(self, job: Job, meanwhile: Callable[[], object] | None = None) -> Outcome:
        """Run one job to its end; `meanwhile` is called while it runs."""
        [outcome] = self.run_all([job], meanwhile=meanwhile)
        return outcome

    def run_all(
        self, jobs: Sequence[Job], most: int = MANY, meanwhile: Callable[[], object] | None = None
    ) -> list[Outcome]:
        """Run jobs to their ends, `most` of them at once."""
        outcomes: dict[int, Outcome] = {}
        for ended in ends(self._supervisor, enumerate(jobs), most) if jobs else ():
            if meanwhile is not None and not ended:
                meanwhile()
            outcomes.update(ended)
        return [outcomes[number] for number in range(len(jobs))]

    def stream(self, job: Job) -> Iterator[Line | Outcome]:
        """Yield the lines of a job as they come, and then its outcome."""
        messages: SimpleQueue[Line | Outcome | BaseException] = SimpleQueue()
        cancelled = Event()
        with ThreadPoolExecutor(1) as pool:
            call = partial(self._supervisor.call, job, hear=messages.put, cancelled=cancelled)
            pool.submit(_put, messages, call)
            try:
                while True:
                    message = _taken(messages)
                    yield message
                    if isinstance(message, Outcome):
                        return
            finally:
                cancelled.set()


def ends(
    supervisor: Supervisor, jobs: Iterable[tuple[K, Job]], most: int
) -> Generator[list[tuple[K, Outcome]], None, None]:
    """Run jobs, `most` of them at once, and yield those that have ended; closed, it ends the rest.

    It yields when others run in their place, and first when the first jobs run: then none has
    ended.
    """
    waiting, running, cancelled = iter(jobs), 0, Event()
    ended: SimpleQueue[tuple[K, Outcome] | BaseException] = SimpleQueue()
    fresh: list[tuple[K, Outcome]] = []
    with ThreadPoolExecutor(most) as pool:
        try:
            while True:
                for key, job in islice(waiting, most - running):
                    call = partial(supervisor.call, job, cancelled=cancelled)
                    pool.submit(_put, ended, partial(_with_key, key, call))
                    running += 1
                yield fresh
                if not running:
                    return
                fresh = [_taken(ended)]
                with suppress(Empty):
                    while True:
                        fresh.append(_raised(ended.get_nowait()))
                running -= len(fresh)
        finally:
            cancelled.set()


def _with_key(key: K, call: Callable[[], Outcome]) -> tuple[K, Outcome]:
    return key, call()


def _put(queue: SimpleQueue[Any], call: Callable[[], object]) -> None:
    """Put into a queue what a call returns, or raises."""
    try:
        queue.put(call())
    except BaseException as error:  # whatever it is, nobody may wait for ever
        queue.put(error)


def _taken(queue: SimpleQueue[Any]) -> Any:
    """Wait for what comes next; a signal interrupts that on all systems."""
    while True:
        with suppress(Empty):
            return _raised(queue.get(timeout=LOOK))


def _raised(got: Any) -> Any:
    if isinstance(got, BaseException):
        raise got
    return got


_current: ContextVar[Process | None] = ContextVar("_current", default=None)


@contextmanager
def supervised(open_one: Open = Supervisor) -> Iterator[Process]:
    """Keep processes warm inside the context, if any is asked for; it may be nested.

    The outermost context says by `open_one` how its supervisor is opened.
    """
    if (known := _current.get()) is not None:
        yield known
        return
    with closing(Process(open_one)) as process:
        token = _current.set(process)
        try:
            yield process
        finally:
            _current.reset(token)
