"""The answer of a job whose files are sealed files in memory, by their descriptors.

Design
  a. The process has one end of a socket. No other process of this user can open that by a path,
     also not by /proc, so that no job can answer for another one.
  b. The bytes of files may be labels. So a frame of a file has a descriptor and no bytes: the job
     parent never reads them, since the processes that it forks later have its memory.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from aucbench.processes.answers import FILE, KEPT, Answer, Frame, frame, require_few
from aucbench.processes.linux.fixed import Stamp, content_of, fixed, sealed, stamp_of
from aucbench.processes.room import Bytes

WITH_DESCRIPTOR = (FILE, KEPT)


@dataclass(frozen=True)
class DescribedAnswer(Answer):
    """The frames of a job, and the descriptors that came with them, in their order."""

    descriptors: tuple[int, ...] = ()

    @staticmethod
    def at(stream: int, *files: int) -> DescribedAnswer:
        """Return the answer with this stream, a descriptor, and these files."""
        return DescribedAnswer(content_of(stream) or b"", files)

    @property
    def files(self) -> dict[str, bytes]:
        """The files that it has handed over."""
        places = [(frame.name, at) for frame, at in self._described if frame.kind == FILE]
        require_few("what it has handed over", (os.fstat(at).st_size for _, at in places))
        contents = ((name, content_of(at)) for name, at in places)
        return {name: content for name, content in contents if content is not None}

    @property
    def kept(self) -> int | None:
        """Descriptor of what it has kept, if it has."""
        places = [at for frame, at in self._described if frame.kind == KEPT]
        return places[-1] if places else None

    @property
    def _described(self) -> Iterator[tuple[Frame, int]]:
        """Frames with their descriptors; a job may have said too many of either."""
        asking = (frame for frame in self.frames if frame.kind in WITH_DESCRIPTOR)
        return zip(asking, self.descriptors, strict=False)


@dataclass(frozen=True, slots=True)
class SealedKept:
    """What a step has kept: see `Kept`."""

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
        return DescribedAnswer.at(*self.handed).files if self.handed else {}

    def moved(self, numbers: Mapping[int, int]) -> SealedKept:
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

    def __call__(self, kind: bytes, chunks: Sequence[Bytes], name: str = "") -> None:
        """Take a frame and its descriptor."""
        said, descriptor = described(kind, chunks, name)
        self._frames.append(said)
        self._descriptors += [] if descriptor is None else [descriptor]

    @property
    def answer(self) -> DescribedAnswer:
        """What was said so far."""
        return DescribedAnswer(b"".join(self._frames), tuple(self._descriptors))


def described(kind: bytes, chunks: Sequence[Bytes], name: str) -> tuple[bytes, int | None]:
    """Return a frame, and the descriptor that goes with it, which the caller closes.

    Raises `OSError` when there is no space for what is kept.
    """
    if kind == KEPT:
        return frame(kind, b"", name), fixed(*chunks)
    if kind == FILE:
        return frame(kind, b"", name), sealed(*chunks)
    return frame(kind, b"".join(chunks), name), None
