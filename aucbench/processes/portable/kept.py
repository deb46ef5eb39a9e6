"""What steps keep, as files that jobs map."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aucbench.processes.room import Bytes

Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FileKept:
    """What a step has kept: see `Kept`."""

    path: Path | None = None  # None: it has kept nothing
    stamp: Stamp = ()  # by which most changes are found out
    handed: Mapping[str, bytes] = field(default_factory=dict)  # for who gets it

    @staticmethod
    def at(path: Path | None) -> FileKept:
        """Return what is in a file from now on."""
        if path is None:
            return FileKept()
        path.chmod(0o400)
        return FileKept(path, stamp_of(path))

    def content(self) -> memoryview:
        """Map the bytes; processes that do so share their memory."""
        if self.path is None or self.path.stat().st_size == 0:
            return memoryview(b"")
        with self.path.open("rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def files(self) -> dict[str, bytes]:
        """Return what the step has handed over."""
        return dict(self.handed)

    def is_changed(self) -> bool:
        """Whether the file looks changed since it was kept."""
        return self.path is not None and stamp_of(self.path) != self.stamp


def stamp_of(path: Path) -> Stamp:
    """Return size, times and number of a file; nothing where it is gone."""
    try:
        about = path.stat()
    except OSError:
        return ()
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino


def write(path: Path, chunks: Iterable[Bytes]) -> None:
    """Write bytes into a new file; `OSError`: there is no space for them."""
    with path.open("xb") as file:
        file.writelines(chunks)
