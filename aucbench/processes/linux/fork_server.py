"""The warm process: it imports once, forks job parents and gives each one a call at a time.

A call is a step or a job; errands.py says which one is next. Light steps go to a process of their
own, see light_steps.py.

Its argument is {"preload", "folder", "client"}, see fork_server_handle.py. Then it reads and
writes JSON lines, some of them with descriptors.

    input    {"variables": {...}} once,
             {"run": ticket, "order": {...}} with the file of its requests,
             {"kill": ticket} and {"forget": identity of a step}
    output   {"ready": pid} or {"failed": reason} once,
             {"ended": ticket, "report": {...}} with its answer, when no process of that job is
             left; in place of the report {"why": ...} where there is none

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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

from aucbench.processes import endings, scratch
from aucbench.processes.linux import job_parent, light_steps, proc
from aucbench.processes.linux.errands import Due, Errand, Steps
from aucbench.processes.linux.wire import LOOK_SECONDS, Inbox, Outbox, packed, send

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
    """A job parent, or the process of light steps: it takes one call at a time."""

    guard: proc.Guard
    inbox: Inbox
    modules: frozenset[str]  # those that jobs have asked for, at the time of its fork
    errand: Errand | None = None  # whose call it does; None when it is free

    @property
    def pid(self) -> int:
        return self.guard.pid


class ForkServer:
    """The processes below this one, and the messages about their jobs."""

    def __init__(self, inbox: Inbox, outbox: Outbox):
        self._inbox, self._outbox = inbox, outbox
        self._client = os.pidfd_open(os.getppid())
        self._errands: dict[int, Errand] = {}  # by ticket
        self._steps = Steps()
        self._workers: dict[int, _Worker] = {}  # by the descriptor of their inbox
        self._light: _Worker | None = None  # that of light steps, if there is one
        self._deadline = inf  # of its step
        self._modules: frozenset[str] = frozenset()  # those that jobs have asked for
        # Jobs whose job parent was killed: the latest time to report each one, and its cause.
        self._lost: list[tuple[float, Errand, str]] = []
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
                if fd in self._workers:
                    self._on_message(self._workers[fd])
            self._report_lost_jobs()
            self._look()

    def _pause(self) -> float | None:
        """Milliseconds until the next look at processes; None: there is nothing to look for."""
        if self._lost or self._outbox:
            return KILL_PAUSE_MS
        busy = any(known.errand is not None for known in self._workers.values())
        return LOOK_SECONDS * 1000 if busy else None

    def _look(self) -> None:
        """Continue those that were stopped; end the process of light steps when it is late."""
        for known in self._workers.values():
            known.guard.look()
        if self._light and self._light.errand is not None and monotonic() > self._deadline:
            os.kill(self._light.pid, signal.SIGKILL)

    def _listen(self) -> bool:
        """Handle the messages of the client; False when it has closed the pipe."""
        messages = self._inbox.read()
        for message in messages or ():
            if "run" in message:
                errand = Errand(message["run"], message["order"], message["descriptors"])
                self._errands[errand.ticket] = errand
                self._advance(errand)
            elif "kill" in message:
                self._kill(message["kill"])
            elif "forget" in message:
                self._steps.forget(message["forget"])
            elif "variables" in message:
                os.environ.update(message["variables"])
        return messages is not None

    def _kill(self, ticket: int) -> None:
        errand = self._errands.get(ticket)
        if errand is None:  # it has ended by now
            return
        at_it = [w for w in self._workers.values() if w.errand is errand and w is not self._light]
        for known in at_it:
            os.kill(known.pid, signal.SIGKILL)
        if not at_it:  # it waits for a step, or its light step is done all the same
            self._steps.withdraw(errand)
            self._end(errand, {"why": None})

    def _end(
        self, errand: Errand, message: Mapping[str, Any], descriptors: Sequence[int] = ()
    ) -> None:
        """Tell the client how a job ended."""
        del self._errands[errand.ticket]
        errand.close()
        self._outbox.send({"ended": errand.ticket, **message}, descriptors)

    def _advance(self, *errands: Errand) -> None:
        """Give what is next for each job to a process, unless it waits or has ended."""
        for errand in errands:
            due = Due.WAIT if errand.is_withdrawn else self._steps.due(errand)
            if due is Due.FAILED:
                report, answer = self._steps.failure(errand)
                self._end(errand, {"report": report}, answer)
            elif due is not Due.WAIT:
                try:
                    self._hand(self._worker_for(errand), errand)
                except Exception as error:
                    self._end(errand, {"why": f"no process could be started: {_words(error)}"})
                    self._abandon(errand)

    def _worker_for(self, errand: Errand) -> _Worker:
        """Return a process for the next call of a job: one that is free, or a new one.

        Of the job parents, it is the smallest that has the modules of the job.
        """
        if (self._light is None or self._light.errand is None) and light_steps.fits(errand):
            self._light = self._light or self._forked(light_steps.main)
            self._deadline = monotonic() + light_steps.PATIENCE
            return self._light
        needed = frozenset(errand.order["preload"])
        self._preload(needed)
        parents = (each for each in self._workers.values() if each is not self._light)
        fit = (each for each in parents if each.errand is None and needed <= each.modules)
        chosen = min(fit, key=lambda known: len(known.modules), default=None)
        return chosen or self._forked(job_parent.main)

    def _abandon(self, errand: Errand) -> None:
        """Let another job do the step that a job has not done."""
        if errand.step is not None:
            self._advance(*self._steps.abandon(errand))

    def _hand(self, worker: _Worker, errand: Errand) -> None:
        worker.errand, worker.guard.stops = errand, 0
        message, descriptors = self._steps.task(errand)
        # If it was killed while it was free, the end of its socket shows that.
        with suppress(BrokenPipeError):
            line = packed(message, descriptors)
            send(worker.inbox.fd, line, worker.guard.look, descriptors)
        if errand.step is None:
            errand.close()

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
        self._workers[fd] = _Worker(proc.Guard(pid), Inbox(fd), self._modules)
        return self._workers[fd]

    def _on_message(self, known: _Worker) -> None:
        """Handle the end of a call, or of the process that does it."""
        messages = known.inbox.read()
        for message in messages or ():
            errand, known.errand = known.errand, None
            assert errand is not None
            self._settle(errand, message)
        if messages is None:
            self._lose(known, self._reap(known))

    def _reap(self, worker: _Worker) -> int:
        """Wait for a process whose socket was closed; return its status."""
        self._poll.unregister(worker.inbox.fd)
        del self._workers[worker.inbox.fd]
        worker.inbox.close()
        return os.waitpid(worker.pid, 0)[1]

    def _lose(self, known: _Worker, status: int) -> None:
        """Let a job parent do the light step of a process that has ended; a job is lost."""
        is_light, errand = known is self._light, known.errand
        self._light = None if is_light else self._light
        if errand is None:
            return
        if is_light:
            errand.is_heavy = True
            self._advance(errand, *self._steps.abandon(errand))
        else:
            cause = endings.exit_text(os.waitstatus_to_exitcode(status)) + known.guard.words()
            latest = monotonic() + endings.KILL_PATIENCE
            self._lost.append((latest, errand, f"its job parent: {cause}"))

    def _settle(self, errand: Errand, message: dict[str, Any]) -> None:
        """Take how a call of a job ended, and go on."""
        for step in errand.order["steps"]:
            if step["key"] in message["changed"]:
                self._steps.forget(step["identity"])
        if errand.step is None:
            self._end(errand, {"report": message["report"]}, message["descriptors"])
        else:
            self._advance(errand, *self._steps.settle(errand, message))

    def _report_lost_jobs(self) -> None:
        """Report jobs whose job parent was killed, when their processes have ended too."""
        left = self._kill_orphans() if self._lost else set()
        now = monotonic()
        while self._lost and (not left or now > self._lost[0][0]):
            _, errand, why = self._lost.pop(0)
            self._end(errand, {"why": why, "parent": True})
            self._abandon(errand)
        self._outbox.flush()

    def _kill_orphans(self) -> set[int]:
        """Kill and reap children that are no workers; return those that were found."""
        left = proc.children(os.getpid()) - {known.pid for known in self._workers.values()}
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
            server = ForkServer(inbox, outbox)
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
