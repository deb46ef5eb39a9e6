"""What a supervisor is, whichever system it is for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol, Self

from aucbench.errors import AucbenchError

if TYPE_CHECKING:
    from aucbench.processes.records import Job, Outcome, Step

KINDS = LINUX, PORTABLE = "linux", "portable"
MARK = "AUCBENCH_SUPERVISED"  # variable of all processes that a supervisor has started: its token


class Supervisor(Protocol):
    """Runs jobs in processes of their own, under limits; a context manager.

    All its processes have `token` in their variable AUCBENCH_SUPERVISED. Methods may be called
    from several threads. A fork of this process cannot use the supervisor.
    """

    token: str

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def submit(self, job: Job) -> int:
        """Start a job at once, whatever the number of running jobs; `wait` returns this ticket.

        It waits only for jobs that are run again. It is an error when a request is not JSON, when
        the supervisor is closed, or when no process could be started.
        """
        ...

    def wait(self, timeout: float | None = None) -> list[tuple[int, Outcome]]:
        """Return tickets and outcomes since the last call, in the order in which the jobs ended.

        It waits for the first outcome, at most `timeout` seconds. It returns an empty list at
        once when no job is running.
        """
        ...

    def kill(self, ticket: int) -> None:
        """End a job; `wait` will not return it. A step that it has begun is lost."""
        ...

    def forget(self, step: Step) -> None:
        """Let go what a step has kept. A later job does it again; jobs that run do not need it."""
        ...

    def close(self) -> None:
        """End all processes. A thread that waits gets an AucbenchError."""
        ...


def require_usable(owner: int, end: str | None) -> None:
    """Raise `AucbenchError` in a process that is not the owner, and where jobs can run no more."""
    forked = os.getpid() != owner
    if why := "the supervisor is that of another process" if forked else end:
        raise AucbenchError(f"{why}; make a new one")


def is_supervised() -> bool:
    """Whether a supervisor has started this process."""
    return MARK in os.environ
