"""The supervisor of Linux: submit jobs, wait for outcomes."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from threading import Lock, RLock
from time import monotonic
from typing import Any, Self
from uuid import uuid4

from aucbench.errors import ParameterError, require_whole
from aucbench.processes import scratch
from aucbench.processes.answers import with_answer
from aucbench.processes.linux import orders
from aucbench.processes.linux.described import DescribedAnswer
from aucbench.processes.linux.fixed import sealed
from aucbench.processes.linux.fork_server_handle import ForkServerHandle, Setup
from aucbench.processes.linux.wire import close_all, packed
from aucbench.processes.records import Ending, Job, Outcome, Step, reported
from aucbench.processes.supervisor import require_usable
from aucbench.processes.tickets import Tickets

MOST_STARTS = 3  # times in a row that the warm process may end before it is ready
LOST = (
    "the process that starts all jobs ended while it ran, and ended again while it ran as the "
    "only job"
)


class LinuxSupervisor:
    """Runs jobs in processes of their own, under limits; a context manager.

    It owns one warm process and all processes below that. The warm process is started at once
    and is ready after a second or two. When this process ends, in any way, the others end within
    about two seconds. Methods may be called from several threads, also in a daemonic process. A
    fork of this process cannot use the supervisor.

    When the warm process is killed, another one is started. The jobs that were running are run
    again, one at a time, with no other job beside them. One that is lost a second time ends as a
    crash. So is a job that was killed itself, as another job may have done that. A process that is
    stopped is continued.

    `threads` is the number of threads of aucbench, OpenMP, OpenBLAS and MKL in each job. `preload`
    names modules to import in the warm process. They must not start threads, and must not be
    third-party plugins: if one crashes there, no job can run. `hidden` are variables that a fence
    may hide. They come to the warm process later than the others, so that they are not in the
    environment with which it began, and which all its jobs can read. All its processes have `token`
    in their variable AUCBENCH_SUPERVISED.
    """

    def __init__(
        self, *, threads: int = 1, preload: Sequence[str] = (), hidden: Sequence[str] = ()
    ):
        require_whole(1, threads=threads)
        self._threads, self._owner = threads, os.getpid()
        self.token = uuid4().hex
        self._scratch = scratch.Scratch()
        self._folder = self._scratch.path
        self._setup = Setup(tuple(preload), str(self._folder), self._scratch.lock)
        self._hidden = {name: os.environ[name] for name in hidden if name in os.environ}
        self._lock, self._reading = RLock(), Lock()
        self._tickets: Tickets[tuple[dict[str, Any], bytes]] = Tickets()
        self._waste = scratch.Waste()
        self._end: str | None = None  # why it cannot run more jobs
        self._failed_starts = 0
        self._server: ForkServerHandle | None = None
        try:
            self._server = self._started()
        except BaseException:
            self._scratch.remove()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, job: Job) -> int:
        """Start a job at once, whatever the number of running jobs; `wait` returns this ticket.

        It waits only for jobs that are run again. It is an error when a request is not JSON, when
        the supervisor is closed, or when its warm process could not be started.
        """
        with self._lock:
            ticket = self._tickets.new()
        try:
            sent = orders.ordered(job)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"the request is not JSON: {error}; give plain values") from error
        with self._lock:
            require_usable(self._owner, self._end)
            self._tickets.add(ticket, sent)
            self._start_due()
        return ticket

    def wait(self, timeout: float | None = None) -> list[tuple[int, Outcome]]:
        """Return tickets and outcomes since the last call, in the order in which the jobs ended.

        It waits for the first outcome, at most `timeout` seconds. It returns an empty list at
        once when no job is running.
        """
        last = inf if timeout is None else monotonic() + timeout
        while True:
            ended, left = None, max(0.0, last - monotonic())
            # One thread reads the messages for all; the others look again when it has finished.
            if self._reading.acquire(timeout=-1 if left == inf else left):
                try:
                    ended = self._taken()
                    if ended is None:
                        self._listen(left)
                finally:
                    self._reading.release()
            ended = self._taken() if ended is None else ended
            if ended is not None or monotonic() >= last:
                return ended or []

    def kill(self, ticket: int) -> None:
        """End a job; `wait` will not return it. A step that it has begun is lost."""
        with self._lock:
            if self._tickets.withdraw(ticket) and self._server:
                self._send(self._server, {"kill": ticket})

    def forget(self, step: Step) -> None:
        """Let go what a step has kept. A later job does it again; jobs that run do not need it."""
        with self._lock:
            if self._server:
                self._send(self._server, {"forget": step.identity})

    def close(self) -> None:
        """End all processes. A thread that waits gets an AucbenchError."""
        if os.getpid() != self._owner:
            return
        with self._lock:
            self._end = self._end or "the supervisor is closed"
            server = self._server
            self._waste.stop()  # the folders are in one that is removed as a whole
            if server:
                server.close_input()
        with self._reading:
            if server and self._server is server:
                self._remove_server(server)
            self._waste.stop()
            self._scratch.remove()

    def _started(self) -> ForkServerHandle:
        self._folder.mkdir(stat.S_IRWXU, exist_ok=True)  # a job may have removed it
        return ForkServerHandle(
            self._setup, threads=self._threads, token=self.token, hidden=self._hidden
        )

    def _start_due(self) -> None:
        """Send the jobs that may run now; the caller holds the lock."""
        for ticket, (order, requests) in self._tickets.due():
            self._server = self._server or self._started()
            if not self._send(self._server, {"run": ticket, "order": order}, requests):
                return
            self._tickets.start(ticket)

    def _send(self, server: ForkServerHandle, message: Mapping[str, Any], *files: bytes) -> bool:
        descriptors = [sealed(content) for content in files]
        try:
            server.send(packed(message, descriptors), descriptors)
        except BrokenPipeError:
            return False  # it has ended; `_listen` finds that out
        finally:
            close_all(descriptors)
        return True

    def _taken(self) -> list[tuple[int, Outcome]] | None:
        with self._lock:
            ended = self._tickets.take()
            if ended is None:
                require_usable(self._owner, self._end)
            return ended

    def _listen(self, timeout: float) -> None:
        """Handle messages of the fork server that come within `timeout` seconds.

        The caller holds the lock `_reading`.
        """
        server = self._server
        messages = server.receive(timeout) if server else []
        for message in messages or ():
            if "ended" in message:
                self._finish_ticket(message["ended"], message)
            elif server:
                server.ready = "ready" in message
                self._end = self._end or message.get("failed")
        if server and messages is None:
            self._remove_server(server)
        with self._lock:
            if not self._end:
                self._start_due()

    def _finish_ticket(self, ticket: int, message: Mapping[str, Any]) -> None:
        """Make the outcome of a job from what it has left, and let its folder be removed."""
        folder = self._folder / str(ticket)
        ended = ticket not in self._tickets or self._settled(ticket, self._outcome(message), folder)
        close_all(message["descriptors"])
        if ended:
            self._waste.put(folder)

    def _settled(self, ticket: int, outcome: Outcome, folder: Path) -> bool:
        """Whether a job has its outcome; not so where it runs again, since it was killed."""
        if outcome.killed:
            scratch.remove(folder)  # at once, since it may be made again
        with self._lock:
            return self._tickets.end(ticket, outcome)

    def _outcome(self, message: Mapping[str, Any]) -> Outcome:
        if "report" in message:
            return with_answer(
                reported(message["report"]), DescribedAnswer.at(*message["descriptors"])
            )
        server = self._server
        log = server.last_line() if server else ""
        return Outcome(Ending.CRASH, message["why"], log=log, killed="parent" in message)

    def _remove_server(self, server: ForkServerHandle) -> None:
        """End what is left of a fork server that has ended; its running jobs wait again."""
        words = server.last_line()
        self._waste.stop()  # `end` empties the folder
        server.end()
        with self._lock:
            self._server = None
            if self._end:
                return
            why = server.how_it_ended()
            if server.ready:
                self._failed_starts = 0
                self._tickets.lose(Outcome(Ending.CRASH, f"{LOST} ({why})", log=words))
                return
            self._tickets.recall()
            self._failed_starts += 1
            if self._failed_starts == MOST_STARTS:
                self._end = f"the warm process could not be started ({why}): {words}"
