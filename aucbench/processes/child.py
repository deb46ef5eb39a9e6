"""The process of a job: it gets an order, prepares itself, calls the function, and answers.

Design
  a. The function may replace any name of any module, `os._exit` too. So what ends this process is
     bound before.
  b. Descriptors that it needs have high numbers: a function that closes what it did not open, as
     programs do before they go to the background, does not take them.
  c. `faulthandler` writes the stacks of Python without the interpreter, also inside compiled code
     that holds the GIL: when the process crashes, and when the supervisor asks by a signal.
  d. It ends when the supervisor does: the fork server sees to that, or a thread where there is
     none.
"""

from __future__ import annotations

import errno
import faulthandler
import json
import os
import random
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import pairwise
from multiprocessing import forkserver, resource_tracker
from operator import attrgetter
from pathlib import Path
from queue import SimpleQueue
from threading import RLock, Thread
from time import sleep
from typing import Any, NoReturn

import psutil
from filelock import FileLock

from aucbench.errors import AucbenchError
from aucbench.processes import family, host, landlock
from aucbench.processes.records import MOST_BYTES, json_hash, plain

# A signal that no runtime or library that we know of uses: SIGINFO on macOS; Windows has none.
STACKS: int = getattr(signal, "SIGRTMAX", 31) - 2
HIGH = 1000  # descriptors from here on belong to us, where a system can choose them
LINGER = 60.0  # seconds that the supervisor has to end this process, and what it has started
# In the folder of a job: its output, the stacks of Python, its folders.
LOG, STACKS_FILE, ROOM, TEMPORARY, FILES = "log", "stacks", "room", "tmp", "files"
TEMPORARY_VARIABLES = ("TMPDIR", "TEMP", "TMP")
LOCK, DONE = "lock", "done"  # in the folder of a step
LOCK_SECONDS = 0.005  # between two looks whether another process has done it
Say = Callable[[Mapping[str, Any]], object]


@dataclass(frozen=True, slots=True)
class Room:
    """What a function has of its own, and the way to hand something over to those who asked.

    `path` is a private folder, which is the working directory. It goes with the process. A step
    leaves files for jobs in `kept`.
    """

    path: Path
    kept: Path
    say: Say

    def line(self, thing: Mapping[str, Any]) -> None:
        """Hand over an object of JSON at once: it counts, however this process ends."""
        self.say({"line": thing})

    def hand(self, name: str, content: bytes) -> None:
        """Hand over a file at once: it counts, however this process ends."""
        folder = self.path.parent / FILES
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, path = tempfile.mkstemp(dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        self.say({"file": name, "path": path})


class Forked:
    """What the fork server gets for a new process; `multiprocessing` calls the method."""

    def _bootstrap(self, parent: int) -> NoReturn:
        server: Any = forkserver._forkserver
        channel, *rules = [host.raised(fd, HIGH) for fd in server.get_inherited_fds()]
        for before, after in pairwise([2, *sorted([channel, *rules]), HIGH]):
            os.closerange(before + 1, after)  # what the server has open, and what holds it
        tracker: Any = resource_tracker._resource_tracker
        tracker._fd = None  # it was just closed
        if sys.platform != "win32":
            os.setsid()
        host.adopt_orphans()
        ours = socket.socket(fileno=channel)
        serve(ours, iter(ours.makefile("rb")), *rules)


def main(number: int | None, rules: int | None, preload: list[str]) -> NoReturn:
    """Be the process that a new interpreter is; `number` is the descriptor of the channel."""
    if sys.platform == "win32":
        channel = socket.fromshare(sys.stdin.buffer.read())
    else:
        assert number is not None
        channel = socket.socket(fileno=host.raised(number, HIGH))
    host.adopt_orphans()
    for module in preload:
        import_module(module)
    channel.sendall(b"\n")
    serve(channel, _orders(channel), rules)


def serve(
    channel: socket.socket,
    orders: Iterator[bytes],
    rules: int | None = None,
    leave: Any = os._exit,
) -> NoReturn:
    """Do the jobs that are ordered, and end this process; `rules` are those of their fence."""
    try:
        for order in orders:
            _do(json.loads(order), channel, rules)
    except BaseException:
        traceback.print_exc()
    finally:
        while True:
            leave(1)


def _orders(channel: socket.socket) -> Iterator[bytes]:
    """Yield orders; when the channel ends, this process ends, and what it has started too."""
    lines: SimpleQueue[bytes] = SimpleQueue()

    def read(leave: Any = os._exit) -> None:
        with suppress(OSError):  # it has ended before it had read all that we said
            for line in channel.makefile("rb"):
                lines.put(line)
        with suppress(*family.GONE):
            family.end_below()
        while True:
            host.kill_group(os.getpid())
            leave(0)

    Thread(target=read, name="end of the supervisor", daemon=True).start()
    while True:
        yield lines.get()


def _do(
    order: Mapping[str, Any], channel: socket.socket, rules: int | None, leave: Any = os._exit
) -> None:
    """Do a job; return when this process may do another one."""
    folder = Path(order["folder"])
    _redirect(folder / LOG)
    stacks = _let_write_stacks(folder / STACKS_FILE)
    sys.path[:] = order["path"]
    say = _say(channel)
    room = Room(_entered(folder), Path(order["kept"] or folder), say)
    steps = {key: Path(path) for key, path in order["steps"].items()}
    for module in ("numpy", *order["preload"]):
        import_module(module)
    held = _fenced(rules, several=order["again"]) if order["fenced"] else None
    answer = _answer(order, room, steps, lambda begun: say({"begun": begun, "fence": held}))
    _flush()
    answer["left"] = _has_children()
    say(answer)
    if answer["left"]:
        sleep(LINGER)
    if answer["left"] or not order["again"]:
        leave(0)
    faulthandler.disable()
    os.close(stacks)


def _fenced(rules: int | None, *, several: bool) -> str:
    """Read no closed file from now on; return in words what holds, as records have it."""
    if rules is None:
        return f"none: {'its process does several jobs' if several else 'no Landlock here'}"
    landlock.enter(rules)
    return f"landlock {landlock.version()}"


def _say(channel: socket.socket, me: Callable[[], int] = os.getpid) -> Say:
    """Return the way to answer; what a process says that the function has forked counts too."""
    send, number, lock = channel.sendall, me(), RLock()

    def say(thing: Mapping[str, Any]) -> None:
        line = plain(thing)
        if me() == number:
            with lock:  # threads would mix long lines up
                send(line)
        elif "line" in thing or "file" in thing:
            send(line)

    return say


def _redirect(path: Path) -> None:
    """Let all output of this process go to a file; its input is empty."""
    null = os.open(os.devnull, os.O_RDONLY)
    log = os.open(path, os.O_WRONLY | os.O_APPEND)
    for number, target in enumerate((null, log, log)):
        os.dup2(target, number)
    os.close(null)
    os.close(log)
    sys.stdin = open(0, closefd=False, encoding="utf-8")  # noqa: SIM115 - it stays open
    # Line buffers: when a process is killed, the content of its buffers is lost.
    sys.stdout, sys.stderr = (
        open(fd, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
        for fd in (1, 2)
    )


def _let_write_stacks(path: Path) -> int:
    """Let the stacks of Python go to a file; return its descriptor."""
    file = host.raised(os.open(path, os.O_WRONLY | os.O_APPEND), HIGH)
    faulthandler.enable(file)
    if sys.platform != "win32":
        faulthandler.register(STACKS, file)
    return file


def _entered(folder: Path) -> Path:
    """Make the folders of a job and change into its room."""
    room, temporary = folder / ROOM, folder / TEMPORARY
    for each in (room, temporary):
        each.mkdir()
    os.chdir(room)
    tempfile.tempdir = str(temporary)
    os.environ.update(dict.fromkeys(TEMPORARY_VARIABLES, str(temporary)))
    return room


def _answer(
    order: Mapping[str, Any],
    room: Room,
    steps: Mapping[str, Path],
    begin: Callable[[int], object],
    number: Callable[[], int] = os.getpid,
    leave: Callable[[int], object] = os._exit,
) -> dict[str, Any]:
    """Do the steps of a job and call its function; return the answer."""
    me, lift = number(), host.limit_memory(None)
    try:
        for key, call, request in order["first"]:
            room.say({"step": key})
            _prepare(call, request, replace(room, kept=steps[key]), steps)
        begin(family.private_bytes(psutil.Process()))
        lift = host.limit_memory(order["memory"])
        result = _called(order["call"], order["request"], room, steps)
        lift()
        answer = {"result": result}
    except BaseException as error:
        lift()  # so that there is memory to say so
        with suppress(OSError, ValueError):  # the function may have closed stderr
            traceback.print_exc()
        answer = {"failure": _failure(error)}
    while number() != me:  # a process that the function forked must not answer
        leave(0)
    return answer


def _prepare(call: str, request: Any, room: Room, steps: Mapping[str, Path]) -> None:
    """Do a step, unless a process has done it; others wait meanwhile."""
    with FileLock(room.kept / LOCK, poll_interval=LOCK_SECONDS):
        if not (room.kept / DONE).exists():
            _called(call, request, room, steps)
            (room.kept / DONE).touch()


def _called(call: str, request: Any, room: Room, steps: Mapping[str, Path]) -> dict[str, Any]:
    import numpy as np  # not above, where the client would import it

    module, _, path = call.partition(":")
    function: Callable[..., Any] = attrgetter(path)(import_module(module))
    seed = int(json_hash([call, request])[:8], 16)  # every run of a job draws the same numbers
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - what a plugin may use
    result = function(request, room, dict(steps))
    if not isinstance(result, dict):
        raise TypeError(f"the result is {type(result).__name__}, not dict")
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the result is not JSON: {error}") from error
    if len(text) > MOST_BYTES:
        raise ValueError(f"the result has {len(text) >> 20} MiB, {MOST_BYTES >> 20} are allowed")
    return result


def _failure(error: BaseException) -> dict[str, Any]:
    """Return the description of an exception, with the first line of its message and its notes.

    In a plugin, str(error) may raise.
    """
    try:
        lines = str(error).strip().splitlines()
    except Exception as worse:
        lines = [f"its message raised {type(worse).__name__}"]
    first = lines[0][:1000] if lines else "raised without a message"
    notes = [str(note) for note in getattr(error, "__notes__", ())]
    refused = isinstance(error, OSError) and error.errno == errno.ENOMEM
    memory = refused or isinstance(error, MemoryError)
    return {
        "reason": ", ".join([first, *notes]),
        "error_type": type(error).__name__,
        "refusal": isinstance(error, AucbenchError) and not memory,
        "memory": memory,
    }


def _flush() -> None:
    """Write what stdout and stderr hold back, whatever a function has made of them."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or replaced by anything
            stream.flush()


def _has_children() -> bool:
    """Whether this process has started others that run."""
    if sys.platform == "win32" or not hasattr(os, "waitid"):  # macOS before 3.13
        return bool(psutil.Process().children())
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
