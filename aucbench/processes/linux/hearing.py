"""What a job parent hears of the process of a job: its output, the stacks of Python, its answer."""

from __future__ import annotations

import os
import select
import socket
from functools import cached_property
from time import monotonic

from aucbench.processes.answers import MOST_FILES, MOST_STREAM
from aucbench.processes.endings import MOST_STACKS, TAIL, log_of
from aucbench.processes.linux.child import Voice
from aucbench.processes.linux.described import DescribedAnswer
from aucbench.processes.linux.wire import PIPE_BYTES

STACKS_PATIENCE, STACKS_PAUSE = 0.3, 0.03  # seconds for the first line, and between two of them


class Hearing:
    """The read ends of all that the process of a job writes to; `voice` has the other ends.

    It is flooded when more frames came than are allowed; no more of them are read.
    """

    def __init__(self) -> None:
        (self._output, output), (self._stacks, stacks) = os.pipe(), os.pipe()
        self._frames, frames = socket.socketpair()
        self.voice = Voice(output, stacks, frames.detach())
        self.is_flooded = False
        self._tail = self._told = b""  # of the output, and of the stacks
        self._stream = bytearray()  # of frames
        self._descriptors: list[int] = []  # that came with them
        self._alive = -1
        self._poll = select.poll()
        for fd in (self._output, self._stacks, self._frames.fileno()):
            os.set_blocking(fd, False)
        for fd in (self._output, self._frames.fileno()):
            self._poll.register(fd, select.POLLIN)

    def follow(self, pid: int) -> None:
        """Close the other ends, which the process `pid` has now, and listen to it."""
        for end in self.voice.ends:
            os.close(end)
        self._alive = os.pidfd_open(pid)
        self._poll.register(self._alive, select.POLLIN)

    def close(self) -> None:
        """Close the descriptors, but not those of the answer."""
        self._frames.close()
        for fd in (self._output, self._stacks, self._alive):
            os.close(fd)

    def until(self, moment: float) -> bool:
        """Listen until the process has ended (True) or until this moment (False)."""
        while True:
            wait = max(0.0, moment - monotonic())
            ready = {fd for fd, _ in self._poll.poll(wait * 1000)}
            if self._output in ready and self._hear_output() == b"":
                self._poll.unregister(self._output)  # it has closed stdout and stderr
            if self._frames.fileno() in ready and self._hear_frames() == b"":
                self._poll.unregister(self._frames.fileno())
            if self._alive in ready:
                return True
            if wait == 0.0 or self.is_flooded:
                return False

    def to_the_end(self) -> None:
        """Read what is left, when all processes have ended."""
        while self._hear_output() or self._hear_frames():
            continue
        self._hear_stacks(0.0, 0.0)

    def stacks(self) -> None:
        """Read the stacks that the process was asked for."""
        self._hear_stacks(STACKS_PATIENCE, STACKS_PAUSE)

    @property
    def log(self) -> str:
        """The end of the output, and then the stacks."""
        return log_of(self._tail, self._told)

    @cached_property
    def answer(self) -> DescribedAnswer:
        """What came as frames, after `to_the_end`."""
        return DescribedAnswer(bytes(self._stream), tuple(self._descriptors))

    def _hear_output(self) -> bytes | None:
        """Read a chunk of its output; empty at the end, None when there is nothing to read."""
        try:
            fresh = os.read(self._output, PIPE_BYTES)
        except BlockingIOError:
            return None
        self._tail = (self._tail + fresh)[-TAIL:]
        return fresh

    def _hear_frames(self) -> bytes | None:
        """The same for frames, and descriptors that come with them."""
        if self.is_flooded:
            return b""
        try:
            fresh, descriptors, _, _ = socket.recv_fds(
                self._frames, PIPE_BYTES, MOST_FILES, socket.MSG_CMSG_CLOEXEC
            )
        except BlockingIOError:
            return None
        except ConnectionResetError:  # it has ended, and has not read what nobody wrote
            fresh, descriptors = b"", []
        self._stream += fresh
        self._descriptors += descriptors
        too_many = len(self._descriptors) > MOST_FILES
        self.is_flooded = too_many or len(self._stream) > MOST_STREAM
        return fresh

    def _hear_stacks(self, patience: float, pause: float) -> None:
        """Read stacks, which have no end that can be seen, until none come for a moment."""
        poll = select.poll()
        poll.register(self._stacks, select.POLLIN)
        last = monotonic() + 2 * patience
        while poll.poll(patience * 1000) and (fresh := os.read(self._stacks, PIPE_BYTES)):
            self._told = (self._told + fresh)[:MOST_STACKS]
            patience = min(pause, max(0.0, last - monotonic()))
