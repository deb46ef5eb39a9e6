"""`Room`: what a function in a supervised process has of its own, and how it answers.

JOB/room/      working directory of the function
JOB/tmp/       its temporary files
JOB/step-N/    the same folders for a step

Nothing in them is read by another process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from aucbench.processes.answers import FILE, KEPT, LINE, Answer, frame
from aucbench.processes.fixed import Bytes, fixed, sealed

Tell = Callable[[bytes, int | None], None]
ROOM, TEMPORARY = "room", "tmp"
TRIES = 10  # to enter a folder that another process removes


class Room:
    """A folder of its own, and the way to hand something over to those who asked.

    Parameters
    ----------
    path : Path
        A private folder, which is the working directory. What is in it goes with the process.
    tell : function (frame, descriptor or None) -> None
        Takes a frame, see `answers`, and a descriptor that goes with it, which it closes.
    """

    def __init__(self, path: Path, tell: Tell) -> None:
        self.path = path
        self._tell = tell

    def line(self, thing: Mapping[str, Any]) -> None:
        """Hand over an object of JSON at once: it counts, however this process ends.

        Raises
        ------
        TypeError, ValueError
            When it is not JSON.
        """
        self._tell(frame(LINE, json.dumps(thing, allow_nan=False).encode()), None)

    def hand(self, name: str, content: bytes) -> None:
        """Hand over a file at once: it counts, however this process ends."""
        self._tell(frame(FILE, b"", name), sealed(content))

    def keep(self, chunks: Iterable[Bytes]) -> None:
        """Keep bytes for all jobs that have this step; the last call counts.

        Raises
        ------
        OSError
            When there is no space for them.
        """
        self._tell(frame(KEPT, b""), fixed(*chunks))


class Notes:
    """Takes what a function says that is called in this process."""

    def __init__(self) -> None:
        self._frames: list[bytes] = []
        self._descriptors: list[int] = []

    def __call__(self, said: bytes, descriptor: int | None) -> None:
        """Take a frame and its descriptor."""
        self._frames.append(said)
        self._descriptors += [] if descriptor is None else [descriptor]

    @property
    def answer(self) -> Answer:
        """What was said so far."""
        return Answer(b"".join(self._frames), tuple(self._descriptors))


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
