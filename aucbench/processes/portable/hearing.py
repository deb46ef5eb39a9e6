"""What the client hears of an interpreter: its output, and the frames of its answer."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic
from typing import IO

from aucbench.processes.answers import (
    FAILURE,
    FILE,
    HEAD,
    KINDS,
    MOST_FILES,
    MOST_STREAM,
    RESULT,
    Answer,
)
from aucbench.processes.endings import TAIL, log_of
from aucbench.processes.portable.wire import BEGUN, READY, REFUSED

PIPE_BYTES = 2**16
PATIENCE = 1.0  # seconds for the last output, when all processes have ended


class Hearing:
    """Reads two pipes in threads, since no system but Unix can wait for a pipe and a time.

    `is_ready` and `has_begun` are what it has said of itself, and `refusal` why it could not import
    a module. `is_flooded`: more came than is allowed; no more is read.
    """

    def __init__(self, output: IO[bytes], frames: IO[bytes]) -> None:
        self._change = Condition()
        self.is_ready = self.has_begun = False
        self.refusal: str | None = None
        self.is_flooded = self._is_over = False
        self._tail, self._stream, self._fresh = b"", bytearray(), bytearray()
        self._files = 0
        self._readers = {
            pipe: Thread(target=_read, args=(pipe.fileno(), hear), daemon=True)
            for pipe, hear in ((output, self._hear_output), (frames, self._hear_frames))
        }
        for thread in self._readers.values():
            thread.start()

    def until(self, moment: float, wanted: Callable[[], bool]) -> bool:
        """Wait until the call is over, or this is true (True), or until this moment (False)."""
        with self._change:
            return self._change.wait_for(
                lambda: self.is_over or wanted(), max(0.0, moment - monotonic())
            )

    @property
    def is_over(self) -> bool:
        """Whether it has answered, has said too much, or can say no more."""
        return self._is_over or self.is_flooded

    def again(self) -> None:
        """Forget the call that is over: another one comes."""
        with self._change:
            self.has_begun, self._is_over, self._files = False, False, 0
            self._stream.clear()
            self._tail = b""

    def to_the_end(self) -> None:
        """Read what is left, when all processes have ended, and close the pipes."""
        for pipe, thread in self._readers.items():
            thread.join(PATIENCE)
            if not thread.is_alive():  # else a process that could not be ended has the pipe
                pipe.close()

    def log(self, stacks: bytes) -> str:
        """Return the end of the output, and then the stacks."""
        return log_of(self._tail, stacks)

    @property
    def answer(self) -> Answer:
        """What came as frames."""
        return Answer(bytes(self._stream))

    def _hear_output(self, fresh: bytes) -> bool:
        self._tail = (self._tail + fresh)[-TAIL:]
        return True

    def _hear_frames(self, fresh: bytes) -> bool:
        """Take bytes of frames; whether more is to be read."""
        with self._change:
            self._fresh += fresh
            whole = fresh != b""
            while whole and (size := self._size()):
                self._take(bytes(self._fresh[:size]))
                del self._fresh[:size]
            if not whole:
                self._stream += self._fresh  # the rest of a frame that is incomplete
                self._is_over = True
            too_many = self._files > MOST_FILES
            self.is_flooded = too_many or len(self._stream) + len(self._fresh) > MOST_STREAM
            self._change.notify_all()
            return whole and not self.is_flooded

    def _size(self) -> int:
        """Bytes of the next frame; 0 when it has not come as a whole, or is damaged."""
        if len(self._fresh) < HEAD.size:
            return 0
        kind, name, content = HEAD.unpack_from(self._fresh)
        size: int = HEAD.size + name + content
        known = kind in (*KINDS, READY, BEGUN, REFUSED)
        return size if known and size <= len(self._fresh) else 0

    def _take(self, frame: bytes) -> None:
        kind = frame[:1]
        if kind == READY:
            self.is_ready = True
        elif kind == BEGUN:
            self.has_begun = True
        elif kind == REFUSED:
            self.refusal = frame[HEAD.size :].decode(errors="replace")
        elif not self._is_over:
            self._stream += frame
            self._files += kind == FILE
            self._is_over = kind in (RESULT, FAILURE)


def _read(fd: int, hear: Callable[[bytes], bool]) -> None:
    """Hand over what comes, and then nothing, until nobody wants more."""
    while hear(fresh := _chunk(fd)) and fresh:
        continue


def _chunk(fd: int) -> bytes:
    try:
        return os.read(fd, PIPE_BYTES)
    except OSError:  # the pipe was closed here, or broke
        return b""
