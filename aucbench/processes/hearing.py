"""What the process of a job says, line by line, and what the supervisor makes of it.

    {"step": key}                      it does a step
    {"begun": bytes, "fence": ...}     it calls the function, and has so much memory for itself
    {"line": {...}}                    an object of JSON
    {"file": name, "path": ...}        a file that it hands over
    {"result": {...}, "left": ...}     what the function has returned, and whether processes run
    {"failure": {...}, "left": ...}    its exception

A line that is damaged, or incomplete because the process was killed, is left out with all that
comes after it.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aucbench.processes.records import MOST_BYTES, Ending, Outcome, json_object

CHUNK = 2**20  # bytes that are read at once
MOST_STREAM = 4 * MOST_BYTES  # of all lines
MOST_FILES = 200
Hear = Callable[[Mapping[str, Any]], object]
DAMAGED = Outcome(Ending.ERROR, "said what is not JSON, or has a number beyond floats")
FAILURE = {"reason": str, "error_type": str, "refusal": bool, "memory": bool}


class Hearing:
    """The lines of a process; `hear` is called with those of its function at once."""

    def __init__(self, channel: socket.socket, hear: Hear | None = None) -> None:
        self._channel, self._hear = channel, hear
        self._rest: list[bytes] = []  # pieces of a line that is not complete
        self._size = 0
        self.begun: int | None = None  # bytes
        self.fence: str | None = None
        self.step: str | None = None  # key of the step in which it is
        self.lines: list[dict[str, Any]] = []
        self.files: dict[str, Path] = {}
        self._handed = 0  # files, those of one name too
        self.answer: dict[str, Any] | None = None  # the line with the result or the failure
        self.is_over = False  # whether nothing more is read
        self._is_damaged = False  # whether a line was no such line

    @property
    def is_flooded(self) -> bool:
        """Whether more came than is allowed."""
        return self._size > MOST_STREAM or self._handed > MOST_FILES

    def read(self) -> None:
        """Take what has come."""
        while not self.is_over:
            try:
                fresh = self._channel.recv(CHUNK)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:  # it has ended, with what we have sent unread
                fresh = b""
            self._size += len(fresh)
            end, *lines = fresh.split(b"\n")
            self._rest.append(end)
            if lines:
                lines = [b"".join(self._rest), *lines]
                self._rest = [lines.pop()]
            for line in lines:
                if not self.is_over:
                    self._take(json_object(line))
            self.is_over |= not fresh or self.is_flooded

    def outcome(self) -> Outcome | None:
        """Return the outcome that the process has told; None where it has told none."""
        if self.answer is None:
            return DAMAGED if self._is_damaged else None
        if (failure := self.answer.get("failure")) is not None:
            ending = Ending.MEMOUT if failure["memory"] else Ending.ERROR
            return Outcome(ending, failure["reason"], failure["error_type"], failure["refusal"])
        return Outcome(Ending.OK, result=self.answer["result"])

    def with_all(self, outcome: Outcome) -> Outcome:
        """Return an outcome with lines and files; too many make an error of a success."""
        size = sum(len(str(line)) for line in self.lines)
        reason = f"what it has told in lines has more than {MOST_BYTES >> 20} MiB; write less"
        if size <= MOST_BYTES:
            outcome = replace(outcome, lines=tuple(self.lines))
            try:
                return replace(outcome, files=self._read_files())
            except (OSError, ValueError) as error:
                reason = f"what it has handed over {error}"
        if outcome.ending is not Ending.OK:
            return outcome
        return replace(outcome, ending=Ending.ERROR, reason=reason, result=None)

    def _read_files(self) -> dict[str, bytes]:
        """Read the files that it handed over; `OSError`, `ValueError`: in words, why not."""
        files, size = dict[str, bytes](), 0
        for name, path in self.files.items():
            if not path.is_file():
                raise FileNotFoundError(f"is gone: {name}")
            size += path.stat().st_size
            if size > MOST_BYTES:
                raise ValueError(f"has more than {MOST_BYTES >> 20} MiB; write less")
            files[name] = path.read_bytes()
        return files

    def _take(self, message: dict[str, Any] | None) -> None:
        match message:
            case {"line": dict() as line}:
                self.lines.append(line)
                if self._hear is not None:
                    self._hear(line)
            case {"file": str() as name, "path": str() as path}:
                self.files[name] = Path(path)
                self._handed += 1
            case {"begun": int() as begun, "fence": fence}:
                self.begun, self.fence, self.step = begun, fence, None
            case {"step": str() as key}:
                self.step = key
            case {"result": dict(), "left": bool()} | {"failure": dict(), "left": bool()}:
                self.answer = message if message is not None and _is_answer(message) else None
                self.is_over = True
            case _:
                self.is_over = self._is_damaged = True


def _is_answer(message: Mapping[str, Any]) -> bool:
    """Whether a failure has all its fields."""
    failure = message.get("failure")
    return failure is None or {n: type(value) for n, value in failure.items()} == FAILURE
