"""`Kept`: what a step leaves for all jobs that need it."""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from aucbench.processes.answers import Answer
from aucbench.processes.fixed import Stamp, stamp_of


@dataclass(frozen=True, slots=True)
class Kept:
    """What a step has kept, as a process has it that may read it.

    Attributes
    ----------
    descriptor : int
    stamp : tuple of int, or None
        By which a change is found out; None where there can be none.
    handed : tuple of int
        Descriptors of the answer of the step, if this process gets what it has handed over.
    """

    descriptor: int
    stamp: Stamp | None = None
    handed: tuple[int, ...] = ()

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
