"""How the process of a job starts.

Design
  a. On Linux it is forked from a warm process, which has the stack imported: that takes
     milliseconds. Elsewhere, or where `AUCBENCH_START` is "spawn", it is a new interpreter, which
     takes half a second; so one of these does many jobs whose code is that of aucbench.
  b. The warm process is a fork server of `multiprocessing`. Its class is used, and not the one
     server that every process has: that may be in use, with other modules and variables. No
     process of `multiprocessing` is started by it, since that would import the script of the user.
  c. Orders and answers are lines of JSON in a pair of sockets, since all systems can wait for one.
"""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing import current_process, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.forkserver import ForkServer, read_signed
from pathlib import Path
from threading import Lock
from time import monotonic, sleep, time
from typing import Any
from weakref import WeakSet

import psutil

from aucbench.errors import AucbenchError, ParameterError
from aucbench.kernels.parallel import VARIABLE
from aucbench.processes import family, host
from aucbench.processes.child import Forked
from aucbench.processes.records import MARK
from aucbench.processes.scratch import Scratch

CHOICE = "AUCBENCH_START"  # variable that names one of STARTS
STARTS = FORK, SPAWN = "forkserver", "spawn"
# Variable of a fork server, with JSON: its search path, modules to import, and variables as the
# client has them.
SETUP = "AUCBENCH_FORK_SERVER"
PROCESS = "AUCBENCH_PROCESS"  # variable of a new interpreter and of all that it starts: which one
POOLS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB_MAXIMUM")
PATH, SAFE = "PYTHONPATH", "PYTHONSAFEPATH"
START_SECONDS = 120.0  # for a process to start
END_SECONDS = 2.0  # for a process to end whose channel is closed
# The folder of the user may have modules with names of the standard library.
NEW = ("-P", "-c", "import sys; sys.path[:] = {path!r}\nfrom aucbench.processes.child import main\n"
       "main({channel!r}, {rules!r}, {preload!r})")  # fmt: skip
# On Windows a group gets Ctrl-C, which is for the client alone, and a program without a console
# would get a window; elsewhere a session gets it.
FLAGS: int = sum(
    getattr(subprocess, name, 0) for name in ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")
)


# What must be closed in a fork of this process, which would otherwise seem to live as it does.
held: WeakSet[Any] = WeakSet()


def let_go() -> None:
    """Close it."""
    for each in held:
        each.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=let_go)


class Started(ABC):
    """A process that waits for an order; `serves` says whether it can do further jobs."""

    def __init__(self, pid: int, channel: socket.socket, *, serves: bool) -> None:
        self.pid, self.channel, self.serves = pid, channel, serves
        held.add(self)

    def let_go(self) -> None:
        """Close what tells the process that its client lives."""
        self.channel.close()

    def order(self, line: bytes) -> None:
        """Say what it shall do; if it has ended, its channel says so."""
        self.channel.settimeout(START_SECONDS)
        with suppress(OSError):
            self.channel.sendall(line)
        self.channel.setblocking(False)

    @abstractmethod
    def code(self, seconds: float) -> int | None:
        """Return its exit code, -n for signal n; None where it does not end in this time."""

    @abstractmethod
    def lost(self) -> Iterator[psutil.Process]:
        """Yield processes that it has started, and that have lost their parents."""

    def close(self) -> None:
        """Let it end, or let it go after its end."""
        self.channel.close()
        self.code(END_SECONDS)


def start_method() -> str:
    """Return how processes start here; `ParameterError`: the variable asks for what is not."""
    here = STARTS if sys.platform == "linux" else (SPAWN,)
    asked = os.environ.get(CHOICE) or here[0]
    if asked not in here:
        raise ParameterError(f"{CHOICE} is {asked!r}; set it to {' or '.join(here)}, or unset it")
    return asked


def starter(folder: Path, threads: int, preload: Sequence[str]) -> ForkStarter | SpawnStarter:
    """Return what starts processes on this system; see `Supervisor`."""
    names = [*(f"{name}_NUM_THREADS" for name in POOLS), VARIABLE]
    # A fixed hash seed: sets of str have the same order in every run.
    seed = os.environ.get("PYTHONHASHSEED", "0")
    variables = {**dict.fromkeys(names, str(threads)), "PYTHONHASHSEED": seed, MARK: str(folder)}
    _open_streams()
    kind = ForkStarter if start_method() == FORK else SpawnStarter
    return kind(folder, variables, preload)


def _open_streams() -> None:
    """Open streams that are closed: new processes would take what got their numbers for them."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)


def search_path() -> list[str]:
    """Return where this process finds modules, as another one with another folder needs it."""
    return [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100 - '' is the cwd


class ForkStarter:
    """Forks processes from a warm one."""

    def __init__(self, folder: Path, variables: Mapping[str, str], preload: Sequence[str]) -> None:
        self._server: Any = ForkServer()  # what it has is private in part
        self._server.set_forkserver_preload(["aucbench.processes.fork_server"])
        self._sockets = Scratch()  # of the server; a job may remove the folder of the supervisor
        self._place = os.open(self._sockets.path, os.O_RDONLY)
        path, own = search_path(), {name: os.environ.get(name) for name in (PATH, SAFE)}
        told = {"path": path, "preload": [*preload], "variables": own}
        setup = json.dumps({**told, "sockets": str(self._sockets.path)})
        self._variables = {**variables, SETUP: setup, PATH: os.pathsep.join(path), SAFE: "1"}
        self._lock = Lock()  # held until the number of a new process is known
        self._roots: set[int] = set()  # processes that were forked for jobs
        self._is_ready = False  # whether the server has forked one
        held.add(self)
        self._run()

    def start(self, rules: int | None, *, serves: bool) -> ForkedProcess:
        """Fork a process for one job; see `SpawnStarter.start`."""
        channel, theirs = socket.socketpair()
        given = [theirs.fileno(), *([] if rules is None else [rules])]
        try:
            with theirs, self._lock:
                try:
                    pid, status = self._forked(given)
                except (OSError, EOFError):  # the server has ended; another one may do it
                    pid, status = self._forked(given)
                self._roots.add(pid)
        except (OSError, EOFError) as error:
            channel.close()
            raise AucbenchError(
                "no process can be started: the fork server has ended, as its output says"
            ) from error
        except AucbenchError:
            channel.close()
            raise
        return ForkedProcess(pid, channel, status, self)

    def _forked(self, given: Sequence[int]) -> tuple[int, int]:
        """Return the number of a new process, and a descriptor that tells its exit code."""
        self._run()
        status, pipe = self._server.connect_to_new_process(given)
        with open(pipe, "wb") as orders:  # noqa: PTH123 - a descriptor
            # What the server prepares, which is nothing, and what it calls.
            orders.write(pickle.dumps({}) + pickle.dumps(Forked()))
        try:
            if not _is_readable(status, START_SECONDS):
                raise AucbenchError(f"no process has started within {START_SECONDS:g} s")
            pid = read_signed(status)
        except BaseException:
            os.close(status)
            raise
        self._is_ready = True
        return pid, status

    def strays(self) -> Iterator[psutil.Process]:
        """Yield what processes have left behind that have ended, which the server has adopted."""
        with self._lock, suppress(*family.GONE):
            below = psutil.Process(self._server._forkserver_pid).children()
            yield from (p for p in below if p.pid not in self._roots and family.is_alive(p))

    def ended(self, pid: int) -> None:
        """Know that a process has ended."""
        with self._lock:
            self._roots.discard(pid)

    def let_go(self) -> None:
        """Close what tells the server that its client lives."""
        if self._server._forkserver_alive_fd is not None:
            os.close(self._server._forkserver_alive_fd)

    def close(self) -> None:
        """End the fork server, and all that is below it."""
        if not self._is_ready and self._server._forkserver_pid is not None:
            family.kill([psutil.Process(self._server._forkserver_pid)])  # it may import for long
        with suppress(FileNotFoundError):  # at its end the server removes what is its own
            self._server._stop()
        os.close(self._place)
        self._sockets.remove()

    def _run(self) -> None:
        resource_tracker.ensure_running()  # without these variables: it serves all this process
        with host.variables_set(self._variables), _sockets_in(self._place):
            self._server.ensure_running()


class ForkedProcess(Started):
    """A process that was forked."""

    def __init__(self, pid: int, channel: socket.socket, status: int, starter: ForkStarter) -> None:
        super().__init__(pid, channel, serves=False)
        self._starter = starter
        self._code: int | None = None
        self._status: int | None = status  # the server writes the code to it; None: it has ended

    def code(self, seconds: float) -> int | None:
        """Return its exit code; 0 where the server has ended, which would know it."""
        if self._status is not None and _is_readable(self._status, seconds):
            with suppress(EOFError):
                self._code = read_signed(self._status)
            os.close(self._status)
            self._status = None
            self._starter.ended(self.pid)
        last = monotonic() + seconds
        while self._status is None and self._code is None:
            if not psutil.pid_exists(self.pid) or not family.is_alive(psutil.Process(self.pid)):
                self._code = 0
            elif monotonic() > last:
                break
            else:
                sleep(family.PAUSE)
        return self._code

    def lost(self) -> Iterator[psutil.Process]:
        """Yield what processes have left behind that have ended."""
        return self._starter.strays()


class SpawnStarter:
    """Starts new interpreters."""

    def __init__(self, folder: Path, variables: Mapping[str, str], preload: Sequence[str]) -> None:
        self._folder, self._variables, self._preload = folder, variables, [*preload]
        self._numbers = count()

    def start(self, rules: int | None, *, serves: bool) -> SpawnedProcess:
        """Start a process; `AucbenchError`: none can be started.

        Parameters
        ----------
        rules : int or None
            Descriptor of the rules of its fence, see `landlock`.
        serves : bool
            Whether it shall do several jobs, where that makes it faster.
        """
        channel, theirs = socket.socketpair()
        name = f"{self._folder.name}-{next(self._numbers)}"
        log = self._folder / f"{name}.log"
        number = None if sys.platform == "win32" else theirs.fileno()
        if serves:  # nothing opens again what a process has closed for itself
            rules = None
        *flags, code = NEW
        code = code.format(path=search_path(), channel=number, rules=rules, preload=self._preload)
        with theirs, log.open("wb") as output:
            program = subprocess.Popen(
                [sys.executable, *flags, code],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env={**os.environ, **self._variables, PROCESS: name},
                pass_fds=[fd for fd in (number, rules) if fd is not None],
                start_new_session=number is not None,
                creationflags=FLAGS,
            )
            assert program.stdin is not None
            with program.stdin as pipe, suppress(OSError):  # it has ended, as it will be found
                if sys.platform == "win32":
                    pipe.write(theirs.share(program.pid))
        process = SpawnedProcess(program, channel, name, serves=serves)
        if not process.is_ready():
            lines = log.read_text("utf-8", "backslashreplace").splitlines()
            raise AucbenchError(f"no process can be started: {lines[-1] if lines else 'no output'}")
        return process

    def close(self) -> None:
        """Do nothing: no other process serves to start them."""


class SpawnedProcess(Started):
    """A new interpreter."""

    def __init__(
        self, program: subprocess.Popen[bytes], channel: socket.socket, name: str, *, serves: bool
    ) -> None:
        super().__init__(program.pid, channel, serves=serves)
        self._program, self._name, self._since = program, name, time()

    def is_ready(self) -> bool:
        """Wait until it has imported its modules; False when it does not."""
        self.channel.settimeout(START_SECONDS)
        with suppress(OSError):  # the time is up, or the pair is broken
            if self.channel.recv(1):
                return True
        self._program.kill()
        self.close()
        return False

    def code(self, seconds: float) -> int | None:
        """Return its exit code."""
        try:
            return self._program.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def lost(self) -> Iterator[psutil.Process]:
        """Yield what has its name in a variable."""
        return (p for p in family.marked(PROCESS, self._name, self._since) if p.pid != self.pid)


def _is_readable(descriptor: int, seconds: float) -> bool:
    return bool(wait([descriptor], seconds))


@contextmanager
def _sockets_in(folder: int) -> Iterator[None]:
    """Let sockets of `multiprocessing` lie in an open folder.

    Their names may have a hundred bytes, and that of the folder may be longer.
    """
    config: Any = current_process()._config  # type: ignore[attr-defined]
    before = config.get("tempdir")
    config["tempdir"] = f"/proc/self/fd/{folder}"
    try:
        yield
    finally:
        config["tempdir"] = before
