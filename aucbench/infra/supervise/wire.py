"""JSON lines between client, fork server and job parents."""

from __future__ import annotations

import json
import os
import select
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

PIPE_BYTES = 2**16  # bytes, what a pipe holds
LOOK_SECONDS = 0.2  # seconds between two looks at a process that should read or write


class Inbox:
    """Reads messages from a pipe."""

    def __init__(self, fd: int):
        self.fd = fd
        self._rest = b""

    def read(self) -> list[dict[str, Any]] | None:
        """Wait for bytes; return the messages that are complete now, None at the end of file."""
        try:
            fresh = os.read(self.fd, PIPE_BYTES)
        except ConnectionResetError:
            fresh = b""
        if not fresh:
            return None
        *lines, self._rest = (self._rest + fresh).split(b"\n")
        return [json.loads(line) for line in lines]


class Outbox:
    """Writes messages to a pipe without waiting, also when the pipe is full."""

    def __init__(self, fd: int):
        os.set_blocking(fd, False)
        self.fd = fd
        self._waiting = b""

    def __bool__(self) -> bool:
        """Whether messages are left that the pipe did not take yet."""
        return bool(self._waiting)

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a message, or keep it for `flush`."""
        self._waiting += packed(message)
        self.flush()

    def flush(self) -> None:
        """Write as much as the pipe takes.

        Raises
        ------
        BrokenPipeError
            When the other end is closed.
        """
        while self._waiting:
            try:
                self._waiting = self._waiting[os.write(self.fd, self._waiting) :]
            except BlockingIOError:
                return


def send(fd: int, line: bytes, look: Callable[[], object]) -> None:
    """Write a line; while the pipe is full, call `look` from time to time.

    Parameters
    ----------
    fd : int
        A descriptor that does not block.
    line : bytes
    look : function () -> object
        Looks after the process that should read.

    Raises
    ------
    BrokenPipeError
        When the other end is closed.
    """
    watched = select.poll()
    watched.register(fd, select.POLLOUT)
    while line:
        if watched.poll(LOOK_SECONDS * 1000):
            with suppress(BlockingIOError):  # less room than for a part of it
                line = line[os.write(fd, line) :]
        else:
            look()


def packed(message: Mapping[str, Any]) -> bytes:
    """Return a message as one line.

    Raises
    ------
    TypeError, ValueError
        When the message is not JSON.
    """
    return json.dumps(message, allow_nan=False, default=_plain).encode() + b"\n"


def _plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
