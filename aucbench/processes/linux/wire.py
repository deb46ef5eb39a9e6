"""JSON lines between client, fork server and job parents.

Descriptors go with a line: {"descriptors": how many} says so, and the one who reads finds their
numbers in place of that.
"""

from __future__ import annotations

import json
import os
import select
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from aucbench.processes.records import plain

PIPE_BYTES = 2**16  # bytes, what a pipe holds
DESCRIPTORS = "descriptors"
MOST_DESCRIPTORS = 64  # in one message
LOOK_SECONDS = 0.2  # seconds between two looks at a process that should read or write
_write = os.write  # a plugin may replace the name in `os`


class Inbox:
    """Reads messages from a socket."""

    def __init__(self, fd: int):
        self.fd = fd
        self._socket = socket.socket(fileno=fd)
        self._rest = b""
        self._descriptors: list[int] = []  # that came before the line to which they belong

    def read(self) -> list[dict[str, Any]] | None:
        """Wait for bytes; return the messages that are complete now, None at the end."""
        try:
            fresh, descriptors, _, _ = socket.recv_fds(
                self._socket, PIPE_BYTES, MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
            )
        except ConnectionResetError:
            fresh, descriptors = b"", []
        if not fresh:
            return None
        self._descriptors += descriptors
        *lines, self._rest = (self._rest + fresh).split(b"\n")
        return [self._message(line) for line in lines]

    def close(self) -> None:
        """Close the socket, and descriptors that no message has."""
        self._socket.close()
        close_all(self._descriptors)

    def _message(self, line: bytes) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(line)
        count = message.get(DESCRIPTORS, 0)
        message[DESCRIPTORS] = self._descriptors[:count]
        del self._descriptors[:count]
        return message


class Outbox:
    """Writes messages to a socket without waiting, also when it is full.

    It closes the descriptors that go with them.
    """

    def __init__(self, fd: int):
        os.set_blocking(fd, False)
        self.fd = fd
        self._waiting: list[tuple[bytes, list[int]]] = []

    def __bool__(self) -> bool:
        """Whether messages are left that the socket did not take yet."""
        return bool(self._waiting)

    def send(self, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Write a message, or keep it for `flush`."""
        self._waiting.append((packed(message, descriptors), [*descriptors]))
        self.flush()

    def flush(self) -> None:
        """Write as much as the socket takes; `BrokenPipeError`: the other end is closed."""
        while self._waiting:
            line, descriptors = self._waiting[0]
            try:
                sent = send_descriptors(self.fd, line, descriptors)
            except BlockingIOError:
                return
            close_all(descriptors)
            self._waiting[0] = line[sent:], []
            if sent == len(line):
                del self._waiting[0]


def send(fd: int, line: bytes, look: Callable[[], object], descriptors: Sequence[int] = ()) -> None:
    """Write a line, and descriptors with it, which stay open here, to a socket that does not block.

    While it is full, call `look` at times, which looks after the process that should read.
    `BrokenPipeError`: the other end is closed.
    """
    watched = select.poll()
    watched.register(fd, select.POLLOUT)
    while line:
        if watched.poll(LOOK_SECONDS * 1000):
            with suppress(BlockingIOError):  # less room than for a part of it
                line = line[send_descriptors(fd, line, descriptors) :]
                descriptors = ()
        else:
            look()


def send_descriptors(fd: int, data: bytes | memoryview, descriptors: Sequence[int]) -> int:
    """Write to a socket, and send descriptors with the first byte; return how much was written."""
    if not descriptors:
        return _write(fd, data)
    blocks = os.get_blocking(fd)  # which a default of `socket` would change
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fd)
    try:
        end.setblocking(blocks)
        return socket.send_fds(end, [data], [*descriptors])
    finally:
        end.detach()


def say(fd: int, data: bytes, descriptor: int | None) -> None:
    """Write to a socket that blocks, until all is written; close the descriptor that goes along."""
    descriptors = [] if descriptor is None else [descriptor]
    left = memoryview(data)[send_descriptors(fd, data, descriptors) :]
    close_all(descriptors)
    while left:
        left = left[_write(fd, left) :]


def close_all(descriptors: Iterable[int]) -> None:
    """Close descriptors."""
    for descriptor in descriptors:
        os.close(descriptor)


def packed(message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> bytes:
    """Return a message as one line; it says how many descriptors go with it.

    `TypeError` or `ValueError`: the message is not JSON.
    """
    counted = {DESCRIPTORS: len(descriptors), **message} if descriptors else message
    return plain(counted) + b"\n"
