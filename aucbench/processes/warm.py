"""One warm process for several calls, each in a process of its own.

A call that may crash is made from a program that is not a run: its supervisor is opened for the
first of them, and closed at the end of the context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar

from aucbench.processes.client import Supervisor
from aucbench.processes.records import Job, Outcome

Open = Callable[[], AbstractContextManager[Supervisor]]


class Process:
    """A supervisor that is opened for the first job."""

    def __init__(self, stack: ExitStack, open_one: Open) -> None:
        self._stack, self._open = stack, open_one
        self._supervisor: Supervisor | None = None

    def run(self, job: Job, meanwhile: Callable[[], object] | None = None) -> Outcome:
        """Run one job to its end; when that is interrupted, the job ends too.

        `meanwhile` is called while the job runs.
        """
        if self._supervisor is None:
            self._supervisor = self._stack.enter_context(self._open())
        ticket = self._supervisor.submit(job)
        try:
            if meanwhile is not None:
                meanwhile()
            [(_, outcome)] = self._supervisor.wait()
        except BaseException:
            self._supervisor.kill(ticket)
            raise
        return outcome


_current: ContextVar[Process | None] = ContextVar("_current", default=None)


@contextmanager
def supervised(open_one: Open = Supervisor) -> Iterator[Process]:
    """Keep processes warm inside the context, if any is asked for; it may be nested.

    The outermost context says by `open_one` how its supervisor is opened.
    """
    if (known := _current.get()) is not None:
        yield known
        return
    with ExitStack() as stack:
        process = Process(stack, open_one)
        token = _current.set(process)
        try:
            yield process
        finally:
            _current.reset(token)
