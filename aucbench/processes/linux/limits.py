"""The memory of a job: measured, and limited.

Design
  a. RLIMIT_DATA limits the private writable memory of one process. An allocation above it
     fails at once with a MemoryError, before the machine runs out of memory. RLIMIT_AS would
     also count read-only maps of data.
  b. RLIMIT_DATA does not limit the sum over several processes, nor shared anonymous memory.
     So the memory of all processes of a job is sampled. The sum of RssAnon is cheap, but it
     counts a page once for each forked process that shares it. If that sum is below the
     budget, all is well. Otherwise the exact, slow count decides. Even the exact count is too
     high when processes start or end while it is taken, so several samples in a row must
     agree.
  c. Pages inherited from the warm process do not count.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Collection

from aucbench.processes.linux.proc import read

STATUS = re.compile(rb"^(RssAnon|RssShmem|VmData):\s+(\d+) kB", re.M)
PSS_ANON = re.compile(rb"^Pss_Anon:\s+(\d+) kB", re.M)
# A writable shared map of memory that is not a file on a disk: address, rights, ..., name.
SHARED = re.compile(rb"^[0-9a-f]+-[0-9a-f]+ .w.s .*(/dev/zero|/memfd:|/SYSV|/dev/shm/)")
MAPPING = re.compile(rb"^[0-9a-f]+-[0-9a-f]+ ")
KB = 1024
FASTEST = 4e9  # bytes per second that a job can allocate, to choose the time of the next sample
AGREEING = 3  # samples in a row that must be over the budget
SOONEST, LATEST = 0.01, 0.1  # seconds between two samples


class Meter:
    """The memory of all processes of a job in bytes, its largest sample, compared with a budget."""

    def __init__(self, budget: int | None):
        self.budget = budget
        self.peak = 0
        self._over = 0  # samples in a row over the budget
        self._inherited = status(os.getpid())["RssAnon"]

    def over(self, pids: Collection[int]) -> bool:
        """Take a sample; whether these processes certainly hold more than the budget."""
        rows = [status(pid) for pid in pids]
        own = max(0, sum(row["RssAnon"] for row in rows) - self._inherited)
        shared = sum(row["RssShmem"] for row in rows)
        if self.budget is None or own + shared <= self.budget:
            self._over = 0
            self.peak = max(self.peak, own)
            return False
        own = min(own, sum(_exclusive(pid) for pid in pids))
        own += sum(_written_shared(pid) for pid in pids) if shared else 0
        self._over = self._over + 1 if own > self.budget else 0
        certain = self._over == AGREEING
        self.peak = max(self.peak, own if certain else min(own, self.budget))
        return certain

    def pause(self, so_far: float) -> float:
        """Seconds until the next sample: fewer when the job is new or near its budget."""
        room = float("inf") if self.budget is None else (self.budget - self.peak) / FASTEST
        return max(SOONEST, min(so_far, room, LATEST))


def status(pid: int) -> dict[str, int]:
    """Return RssAnon, RssShmem and VmData in bytes; zeros when the process has ended."""
    sizes = {"RssAnon": 0, "RssShmem": 0, "VmData": 0}
    for name, kilobytes in STATUS.findall(read(pid, "status")):
        sizes[name.decode()] = int(kilobytes) * KB
    return sizes


def set_memory_limit(memory: int) -> None:
    """Let this process allocate `memory` bytes more than it has."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = status(os.getpid())["VmData"] + memory
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def lift_memory_limit() -> None:
    """Lift that limit, so that there is memory to write a failure down."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def _exclusive(pid: int) -> int:
    """Bytes of anonymous memory; a page shared by k processes counts as 1/k of a page."""
    line = PSS_ANON.search(read(pid, "smaps_rollup"))
    return int(line[1]) * KB if line else status(pid)["RssAnon"]


def _written_shared(pid: int) -> int:
    """The same for shared writable memory that is not a file on a disk."""
    total, counts = 0, False
    for line in read(pid, "smaps").splitlines():
        if MAPPING.match(line):
            counts = SHARED.match(line) is not None
        elif counts and line.startswith(b"Pss:"):
            total += int(line.split()[1]) * KB
    return total
