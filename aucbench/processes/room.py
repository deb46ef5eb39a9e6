"""What a function in a supervised process has of its own, and what steps have left for it.

JOB/room/      working directory of the function
JOB/tmp/       its temporary files
JOB/step-N/    the same folders for a step

Nothing in them is read by another process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from aucbench.processes.answers import FILE, KEPT, LINE

Bytes = bytes | memoryview
ROOM, TEMPORARY = "room", "tmp"
TRIES = 10  # to enter a folder that another process removes


class Tell(Protocol):
    """Takes what a function says, at once: the kind of a frame, see `answers`, and its content."""

    def __call__(self, kind: bytes, chunks: Sequence[Bytes], name: str = "") -> None:
        """Take a frame."""
        ...


class Kept(Protocol):
    """What a step has kept, as a process has it that may read it."""

    def content(self) -> memoryview:
        """Map the bytes; processes that do so share their memory."""
        ...

    def files(self) -> dict[str, bytes]:
        """Read what the step has handed over, if this job gets it."""
        ...


class Room:
    """A folder of its own, and the way to hand something over to those who asked.

    `path` is a private folder, which is the working directory. What is in it goes with the process.
    """

    def __init__(self, path: Path, tell: Tell) -> None:
        self.path = path
        self._tell = tell

    def line(self, thing: Mapping[str, Any]) -> None:
        """Hand over an object of JSON at once: it counts, however this process ends."""
        self._tell(LINE, [json.dumps(thing, allow_nan=False).encode()])

    def hand(self, name: str, content: bytes) -> None:
        """Hand over a file at once: it counts, however this process ends."""
        self._tell(FILE, [content], name)

    def keep(self, chunks: Iterable[Bytes]) -> None:
        """Keep bytes for all jobs that have this step; the last call counts.

        Raises `OSError` when there is no space for them.
        """
        self._tell(KEPT, [*chunks])


def enter(folder: Path) -> Path:
    """Make the folders of a job and change into its room; return that for temporary files."""
    room, temporary = folder / ROOM, folder / TEMPORARY
    for left in reversed(range(TRIES)):
        try:
            for each in (room, temporary):
                each.mkdir(parents=True, exist_ok=True)
            os.chdir(room)
            break
        except FileNotFoundError:
            if not left:
                raise
    return temporary
