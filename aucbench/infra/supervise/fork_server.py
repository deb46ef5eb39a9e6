"""The warm process: it imports once, forks job parents and gives each one a job at a time.

A job with light steps goes to the process of light steps first, see light_steps.py.

Its argument is {"preload", "folder", "client"}, see fork_server_handle.py. Then it reads and
writes JSON lines.

    input    {"variables": {...}} once, {"run": ticket, "job": {...}} and {"kill": ticket}
    output   {"ready": pid} or {"failed": reason} once,
             {"ended": ticket, "why": ...} when no process of that job is left

When its input or the client ends, it ends all processes below it.

Design
  a. The modules that jobs ask for are imported when the first of these jobs comes. Job parents
     that were forked before are kept for jobs that do not need them: a process with fewer
     modules forks faster.
  b. A new process leaves the stack of this process by an exception before it does anything:
     what the fork server has read for other jobs is then no object of the job any more. What
     they ask for it has never read, see orders.py.
"""

from __future__ import annotations

import gc
import os
import resource
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

from aucbench.infra import scratch
from aucbench.infra.supervise import job_parent, light_steps, proc, watch
from aucbench.infra.supervise.wire import LOOK_SECONDS, Inbox, Outbox, packed, send

KILL_PAUSE_MS = 5  # milliseconds between two looks at processes that were killed
END_PATIENCE = 1.5  # seconds for all processes to end when the fork server ends
Main = Callable[[int, Path, int], NoReturn]


class _IsForked(BaseException):
    """Raised in a process that has just been forked: it leaves all frames of the fork server."""

    def __init__(self, descriptor: int, main: Main):
        self.descriptor = descriptor  # of the socket to the fork server
        self.main = main


@dataclass(slots=True)
class _Worker:
    """A job parent, or the process of light steps: it takes one job at a time."""

    guard: proc.Guard
    inbox: Inbox
    modules: frozenset[str]  # those that jobs have asked for, at the time of its fork
    ticket: int | None = None  # of its job; None when it is free

    @property
    def pid(self) -> int:
        return self.guard.pid


class ForkServer:
    """The job parents, and the messages about their jobs."""

    def __init__(self, inbox: Inbox, outbox: Outbox, setup: dict[str, Any]):
        self._inbox, self._outbox = inbox, outbox
        self._folder = Path(setup["folder"])
        self._client = os.pidfd_open(os.getppid())
        self._parents: dict[int, _Worker] = {}  # by the descriptor of their inbox
        self._light: _Worker | None = None  # the process of light steps, if there is one
        self._prepared: dict[str, Any] | None = None  # the job whose steps it does
        self._deadline = inf  # of these steps
        self._modules: frozenset[str] = frozenset()  # those that jobs have asked for
        # Messages about jobs whose job parent was killed: the latest time to send each one.
        self._lost: list[tuple[float, dict[str, Any]]] = []
        self._poll = select.poll()
        for fd in (inbox.fd, self._client):
            self._poll.register(fd, select.POLLIN)

    def client_has_ended(self) -> bool:
        """Whether the client has ended; processes that it forked may still hold its pipe open."""
        watched = select.poll()
        watched.register(self._client, select.POLLIN)
        return bool(watched.poll(0))

    def serve(self) -> None:
        """Start jobs and report their ends until the client ends."""
        while True:
            for fd, _ in self._poll.poll(self._pause()):
                if fd == self._client or (fd == self._inbox.fd and not self._listen()):
                    return
                if fd in self._parents:
                    self._on_message(self._parents[fd])
                elif self._light and fd == self._light.inbox.fd:
                    self._on_steps(self._light)
            self._report_lost_jobs()
            self._look()

    def _pause(self) -> float | None:
        """Milliseconds until the next look at processes; None: there is nothing to look for."""
        if self._lost or self._outbox:
            return KILL_PAUSE_MS
        busy = any(known.ticket is not None for known in self._workers())
        return LOOK_SECONDS * 1000 if busy else None

    def _workers(self) -> list[_Worker]:
        return [*self._parents.values(), *([self._light] if self._light else [])]

    def _look(self) -> None:
        """Continue those that were stopped; end the process of light steps when it is late."""
        for known in self._workers():
            known.guard.look()
        if self._light and self._light.ticket is not None and monotonic() > self._deadline:
            os.kill(self._light.pid, signal.SIGKILL)

    def _listen(self) -> bool:
        """Handle the messages of the client; False when it has closed the pipe."""
        messages = self._inbox.read()
        for message in messages or ():
            if "run" in message:
                self._start(message)
            elif "kill" in message:
                self._kill(message["kill"])
            elif "variables" in message:
                os.environ.update(message["variables"])
        return messages is not None

    def _kill(self, ticket: int) -> None:
        for known in self._parents.values():
            if known.ticket == ticket:
                os.kill(known.pid, signal.SIGKILL)
        if self._prepared and self._prepared["run"] == ticket:
            self._prepared = None  # its steps are done all the same
            self._outbox.send({"ended": ticket, "why": None})

    def _start(self, message: dict[str, Any]) -> None:
        """Give a job to the process of light steps, if that is free, or to a job parent."""
        free = self._light is None or self._light.ticket is None
        try:
            if free and light_steps.wanted(message["job"], self._folder):
                self._light = self._light or self._forked(light_steps.main)
                self._prepared, self._deadline = message, monotonic() + light_steps.PATIENCE
                self._hand(self._light, message)
            else:
                self._run(message)
        except Exception as error:
            self._refuse(message, error)

    def _run(self, message: dict[str, Any]) -> None:
        """Give a job to the smallest free job parent that has its modules, or to a new one."""
        needed = frozenset(message["job"]["preload"])
        self._preload(needed)
        idle = (known for known in self._parents.values() if known.ticket is None)
        fit = (known for known in idle if needed <= known.modules)
        chosen = min(fit, key=lambda known: len(known.modules), default=None)
        if chosen is None:
            chosen = self._forked(job_parent.main)
            self._parents[chosen.inbox.fd] = chosen
        self._hand(chosen, message)

    def _refuse(self, message: dict[str, Any], error: Exception) -> None:
        why = f"no process could be started: {_words(error)}"
        self._outbox.send({"ended": message["run"], "why": why})

    def _hand(self, worker: _Worker, message: dict[str, Any]) -> None:
        worker.ticket, worker.guard.stops = message["run"], 0
        # If it was killed while it was free, the end of its socket shows that.
        with suppress(BrokenPipeError):
            send(worker.inbox.fd, packed(message), worker.guard.look)

    def _preload(self, needed: frozenset[str]) -> None:
        """Import what was not imported yet; the client may end between two modules."""
        for module in sorted(needed - self._modules):
            if self.client_has_ended():
                return
            try:
                import_module(module)
            except Exception as error:
                traceback.print_exc()
                raise ImportError(f"cannot preload {module}: {_words(error)}") from error
            self._modules |= {module}
            _freeze()

    def _forked(self, main: Main) -> _Worker:
        ours, its = socket.socketpair()
        with its:
            pid = os.fork()
            if pid == 0:
                raise _IsForked(its.detach(), main)
        ours.setblocking(False)
        fd = ours.detach()
        self._poll.register(fd, select.POLLIN)
        return _Worker(proc.Guard(pid), Inbox(fd), self._modules)

    def _reap(self, worker: _Worker) -> int:
        """Wait for a process whose socket was closed; return its status."""
        self._poll.unregister(worker.inbox.fd)
        os.close(worker.inbox.fd)
        return os.waitpid(worker.pid, 0)[1]

    def _on_steps(self, known: _Worker) -> None:
        """Give the job whose light steps are done, or were given up, to a job parent."""
        if known.inbox.read():
            known.ticket = None
        else:
            self._reap(known)
            self._light = None
        prepared, self._prepared = self._prepared, None
        if prepared:
            try:
                self._run(prepared)
            except Exception as error:
                self._refuse(prepared, error)

    def _on_message(self, known: _Worker) -> None:
        """Handle the end of a job, or of a job parent itself."""
        if known.inbox.read():
            self._outbox.send({"ended": known.ticket, "why": None})
            known.ticket = None
            return
        del self._parents[known.inbox.fd]
        status = self._reap(known)
        if known.ticket is not None:
            cause = proc.exit_text(os.waitstatus_to_exitcode(status)) + known.guard.words()
            message = {"ended": known.ticket, "why": f"its job parent: {cause}"}
            self._lost.append((monotonic() + watch.KILL_PATIENCE, message))

    def _report_lost_jobs(self) -> None:
        """Report jobs whose job parent was killed, when their processes have ended too."""
        left = self._kill_orphans() if self._lost else set()
        now = monotonic()
        while self._lost and (not left or now > self._lost[0][0]):
            self._outbox.send(self._lost.pop(0)[1])
        self._outbox.flush()

    def _kill_orphans(self) -> set[int]:
        """Kill and reap children that are no workers; return those that were found."""
        left = proc.children(os.getpid()) - {known.pid for known in self._workers()}
        for pid in left:
            proc.kill_with_groups({pid, *proc.descendants(pid)})
            os.waitpid(pid, os.WNOHANG)
        return left


def main(setup: dict[str, Any]) -> None:
    """Serve the client through stdin and stdout, then end all processes and remove the folder."""
    inbox, outbox = Inbox(os.dup(0)), Outbox(os.dup(1))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # an import may print, which must not look like a message
    _set_signals()
    server, descriptor = os.getpid(), None
    work: Main = job_parent.main
    try:
        _serve(inbox, outbox, setup)
    except _IsForked as born:
        descriptor, work = born.descriptor, born.main
    finally:
        if os.getpid() == server:
            proc.end_descendants({}, END_PATIENCE)
            os.close(outbox.fd)  # a sign for the client that all processes have ended
    if descriptor is not None:
        del inbox, outbox
        work(descriptor, Path(setup["folder"]), server)
    # Not after an exception: the client then starts another fork server in this folder.
    scratch.remove(Path(setup["folder"]))


def _serve(inbox: Inbox, outbox: Outbox, setup: dict[str, Any]) -> None:
    # With another parent, the client has ended already.
    if os.getppid() == setup["client"]:
        with suppress(BrokenPipeError):  # the client ended before it read a message
            server = ForkServer(inbox, outbox, setup)
            if _warm(server, outbox, setup["preload"]):
                server.serve()


def _set_signals() -> None:
    """Set signals independently of those of the client; let jobs write no core dumps."""
    proc.adopt_orphans()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that `finally` runs
    signal.pthread_sigmask(signal.SIG_SETMASK, (signal.SIGCHLD,))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _warm(server: ForkServer, outbox: Outbox, modules: list[str]) -> bool:
    """Import the modules; False when that failed, or when the client has ended."""
    gc.disable()  # until `_freeze`: imports leave little to collect, and looking takes time
    for module in modules:
        try:
            import_module(module)
        except BaseException as error:
            traceback.print_exc()
            reason = f"cannot preload {module}: {_words(error)}"
            outbox.send({"failed": reason})
            return False
        if server.client_has_ended():
            return False
    _freeze()
    outbox.send({"ready": os.getpid()})
    return True


def _freeze() -> None:
    """Leave what is imported to no garbage collection: in a child it would copy every page.

    What is garbage now stays too, a megabyte. To look for it would take 0.05 s.
    """
    gc.freeze()
    gc.enable()


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
