"""The interpreter of a call: it imports, gets a call, does it, and answers.

Design
  a. What it has in common with others of its client, and then calls, come through stdin, and
     answers leave by stdout; both are replaced, for the function.
  b. After an answer it waits: the client ends it, and with it what the function has left. It ends
     by itself where the client does not understand its answer.
  c. The stacks of Python go to a file when the time is up or when it crashes. `faulthandler` writes
     them without the interpreter, also inside compiled code that holds the GIL.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from time import sleep
from typing import Any, BinaryIO, NoReturn

from aucbench.processes.answers import FAILURE, KEPT, RESULT, frame
from aucbench.processes.calling import called, failure, flush_streams, imported_after, open_streams
from aucbench.processes.host import raised
from aucbench.processes.portable.kept import FileKept, write
from aucbench.processes.portable.wire import BEGUN, READY, REFUSED, Message, read
from aucbench.processes.room import ROOM, Bytes, Room, Tell, enter

STACKS = "stacks"  # a file in the folder of a call
HIGH = 1000  # descriptors from here on belong to us, where a system can choose them
LINGER = 2.0  # seconds that the client has to end this process
TEMPORARY = ("TMPDIR", "TEMP", "TMP")


def main(setup: Mapping[str, Any], leave: Callable[[int], object] = os._exit) -> NoReturn:
    """Do the calls that come through stdin, and end this process."""
    code = 1
    try:
        inbox, say = _own_pipes()
        if _imported(setup["preload"], say):
            say(frame(READY, b""))
            while (message := read(inbox)) is not None and _did(message, inbox, say):
                continue
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        while True:
            leave(code)


def _own_pipes() -> tuple[BinaryIO, Callable[[bytes], None]]:
    """Take stdin and stdout away; what is printed from now on goes to stderr."""
    inbox, outbox = raised(os.dup(0), HIGH), raised(os.dup(1), HIGH)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    open_streams()
    return os.fdopen(inbox, "rb"), partial(_write, outbox, os.write, threading.Lock())


def _write(fd: int, write: Callable[[int, Bytes], int], lock: threading.Lock, data: bytes) -> None:
    """Write all bytes; those of two threads do not mix."""
    with lock:
        left = memoryview(data)
        while left:
            left = left[write(fd, left) :]


def _imported(modules: Sequence[str], say: Callable[[bytes], None]) -> bool:
    for module in modules:
        try:
            import_module(module)
        except Exception as error:
            traceback.print_exc()
            reason = f"cannot preload {module}: {type(error).__name__}: {error}"
            say(frame(REFUSED, reason.encode()))
            return False
    return True


def _did(message: Message, inbox: BinaryIO, say: Callable[[bytes], None]) -> bool:
    """Do a call; whether this process may do another one."""
    told = message.told
    if not _imported(told["preload"], say):
        return False
    last = next(reversed(sys.modules))
    folder = Path(told["folder"])
    temporary = str(enter(folder))
    tempfile.tempdir = temporary
    os.environ |= {**told["variables"], **dict.fromkeys(TEMPORARY, temporary)}
    tell = _tell(folder, say)
    say(frame(BEGUN, b""))
    if not inbox.read(1):  # the client measures this process, and lets it begin
        return False
    with _stacks(folder / STACKS, told["timeout"]):
        kind, text = _answer(message, Room(folder / ROOM, tell))
        flush_streams()
        tell(kind, [text.encode()])
    if told["again"]:
        return not imported_after(last)
    sleep(LINGER)
    return False


@contextmanager
def _stacks(path: Path, timeout: float | None) -> Iterator[None]:
    """Let the stacks of Python go to a file, when the time is up and when this process crashes."""
    with os.fdopen(raised(os.open(path, os.O_WRONLY | os.O_CREAT), HIGH), "wb") as file:
        faulthandler.enable(file)
        if timeout is not None:
            faulthandler.dump_traceback_later(timeout, file=file)
        yield
        faulthandler.cancel_dump_traceback_later()
        faulthandler.disable()


def _tell(folder: Path, say: Callable[[bytes], None]) -> Tell:
    """Return the way to answer; what a step keeps goes to a file, and its number to the client."""
    numbers = count()

    def tell(kind: bytes, chunks: Sequence[Bytes], name: str = "") -> None:
        if kind == KEPT:
            number = str(next(numbers))
            write(folder / number, chunks)
            chunks = [number.encode()]
        say(frame(kind, b"".join(chunks), name))

    return tell


def _answer(
    message: Message,
    room: Room,
    number: Callable[[], int] = os.getpid,
    leave: Callable[[int], object] = os._exit,
) -> tuple[bytes, str]:
    """Call the function; return the kind and the text of its answer."""
    told, me = message.told, number()
    request, *blobs = message.blobs
    try:
        steps = _steps(told["steps"], iter(blobs))
        kind, text = RESULT, called(told["call"], json.loads(request), room, steps)
    except BaseException as error:
        with suppress(OSError, ValueError):  # the function may have closed stderr
            traceback.print_exc()
        kind, text = FAILURE, json.dumps(failure(error, ""))
    while number() != me:  # a process that the function forked must not answer
        leave(0)
    return kind, text


def _steps(told: Mapping[str, Any], blobs: Iterator[bytes]) -> dict[str, FileKept]:
    return {
        key: FileKept(path and Path(path), tuple(stamp), {name: next(blobs) for name in names})
        for key, (path, stamp, names) in told.items()
    }
