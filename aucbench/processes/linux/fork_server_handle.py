"""The client's side of the fork server: the process and the two sockets."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aucbench.processes import endings, scratch
from aucbench.processes.environment import environment, search_path
from aucbench.processes.linux import proc
from aucbench.processes.linux.wire import LOOK_SECONDS, Inbox, packed, send

START_CODE = """\
import json, sys
sys.path[:], setup = json.loads(sys.argv[1])
from aucbench.processes.linux import fork_server
fork_server.main(setup)
"""
LOG_NAME = "fork-server.log"
SOON = 2.0  # seconds for the fork server to end all below it
SLOW = 60.0  # seconds for it to remove its folder


@dataclass(frozen=True, slots=True)
class Setup:
    """The argument of a fork server."""

    preload: tuple[str, ...]  # modules to import
    folder: str  # of its jobs and steps; the fork server removes it at its end
    lock: int  # descriptor of the lock on the folder, which the fork server shares


class ForkServerHandle:
    """A running fork server; one thread may read while others write."""

    def __init__(self, setup: Setup, *, threads: int, token: str, hidden: Mapping[str, str]):
        self._setup, self._token = setup, token
        self.ready = False
        argument = json.dumps([search_path(), {**asdict(setup), "client": os.getpid()}])
        (self._in, its_in), (out, its_out) = socket.socketpair(), socket.socketpair()
        with its_in, its_out, self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START_CODE, argument],
                stdin=its_in.fileno(),
                stdout=its_out.fileno(),
                stderr=log,
                env=environment(threads, token, hidden),
                start_new_session=True,
                pass_fds=(setup.lock,),
            )
        self._inbox = Inbox(out.detach())
        self._in.setblocking(False)
        self._guard = proc.Guard(self._process.pid)
        with suppress(BrokenPipeError):  # it has ended already, as its other pipe will tell
            self.send(packed({"variables": hidden}))

    def send(self, line: bytes, descriptors: Sequence[int] = ()) -> None:
        """Write a line, and descriptors; `BrokenPipeError`: it has ended or its input is closed."""
        if self._in.fileno() < 0:
            raise BrokenPipeError
        send(self._in.fileno(), line, self._guard.look, descriptors)

    def receive(self, timeout: float) -> list[dict[str, Any]] | None:
        """Return messages that come within `timeout` seconds; None at the end of the pipe.

        It may return before, without a message.
        """
        watched = select.poll()
        watched.register(self._inbox.fd, select.POLLIN)
        if watched.poll(min(timeout, LOOK_SECONDS) * 1000):
            return self._inbox.read()
        self._guard.look()
        return []

    def close_input(self) -> None:
        """Close the pipe to the fork server, which then ends all processes."""
        self._in.close()
        if not self.ready:  # while it imports, it does not look at the pipe
            self._process.terminate()

    def end(self) -> None:
        """Wait until the fork server has ended, kill what is left, and empty the folder.

        Its input was closed before, or it was killed.
        """
        watched = select.poll()
        watched.register(self._inbox.fd, select.POLLIN)
        while (closed := bool(watched.poll(SOON * 1000))) and self._inbox.read() is not None:
            continue
        try:
            self._process.wait(SLOW if closed else 0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.returncode != 0:
            proc.end_marked(self._token)
        self._in.close()
        self._inbox.close()
        scratch.empty(Path(self._setup.folder))

    def how_it_ended(self) -> str:
        """Return how it ended, in words, after `end`."""
        assert self._process.returncode is not None
        return endings.exit_text(self._process.returncode) + self._guard.words()

    def last_line(self) -> str:
        """Return the last line that the fork server or a job parent wrote to stderr."""
        try:
            lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            lines = []  # the fork server has removed the folder
        return lines[-1][:1000] if lines else "it wrote nothing to stderr"

    @property
    def _log(self) -> Path:
        return Path(self._setup.folder) / LOG_NAME
