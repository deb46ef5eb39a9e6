"""What a function in a supervised process has of its own, and what steps have left for it.

JOB/room/      working directory of the function
JOB/tmp/       its temporary files
JOB/step-N/    the same folders for a step

Nothing in them is read by another process.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aucbench.processes.answers import FILE, KEPT, LINE, Answer, frame
from aucbench.processes.fixed import Bytes, Stamp, fixed, sealed, stamp_of

Tell = Callable[[bytes, int | None], None]
ROOM, TEMPORARY = "room", "tmp"
TRIES = 10  # to enter a folder that another process removes


class Room:
    """A folder of its own, and the way to hand something over to those who asked.

    `path` is a private folder, which is the working directory. What is in it goes with the process.
    `tell` takes a frame, see `answers`, and a descriptor that goes with it, which it closes.
    """

    def __init__(self, path: Path, tell: Tell) -> None:
        self.path = path
        self._tell = tell

    def line(self, thing: Mapping[str, Any]) -> None:
        """Hand over an object of JSON at once: it counts, however this process ends."""
        self._tell(frame(LINE, json.dumps(thing, allow_nan=False).encode()), None)

    def hand(self, name: str, content: bytes) -> None:
        """Hand over a file at once: it counts, however this process ends."""
        self._tell(frame(FILE, b"", name), sealed(content))

    def keep(self, chunks: Iterable[Bytes]) -> None:
        """Keep bytes for all jobs that have this step; the last call counts.

        Raises `OSError` when there is no space for them.
        """
        self._tell(frame(KEPT, b""), fixed(*chunks))


@dataclass(frozen=True, slots=True)
class Kept:
    """What a step has kept, as a process has it that may read it."""

    descriptor: int
    stamp: Stamp | None = None  # by which a change is found out; None where there can be none
    handed: tuple[int, ...] = ()  # descriptors of the answer of the step, for who gets it

    def content(self) -> memoryview:
        """Map the bytes; processes that do so share their memory."""
        size = os.fstat(self.descriptor).st_size
        mapped = mmap.mmap(self.descriptor, size, prot=mmap.PROT_READ) if size else b""
        return memoryview(mapped)

    def files(self) -> dict[str, bytes]:
        """Read what the step has handed over."""
        return Answer.at(*self.handed).files if self.handed else {}

    def moved(self, numbers: Mapping[int, int]) -> Kept:
        """Return this with other numbers of its descriptors."""
        handed = tuple(numbers[fd] for fd in self.handed)
        return replace(self, descriptor=numbers[self.descriptor], handed=handed)

    def is_changed(self) -> bool:
        """Whether a process has changed the bytes since they were kept."""
        return self.stamp is not None and stamp_of(self.descriptor) != self.stamp


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
