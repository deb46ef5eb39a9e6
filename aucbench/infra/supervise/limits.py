"""How much memory a job holds, and a lid on it.

Design
  a. RLIMIT_DATA is the lid: an allocation past it fails at once (a MemoryError), before the
     machine suffers. It counts private writable memory of one process; RLIMIT_AS would count
     the read-only maps of data too.
  b. Several processes, and shared anonymous memory, escape (a): hence the sampling of the
     whole family. Summing RssAnon is cheap but counts pages that forked processes share once
     each; so it decides only that all is well, and the exact (slow) count decides the rest.
     Even that is too high while processes start or end between two readings: several samples
     in a row must agree.
  c. Pages inherited from the warm process are not the job's.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Collection

from aucbench.infra.supervise.proc import read

STATUS = re.compile(rb"^(RssAnon|RssShmem|VmData):\s+(\d+) kB", re.M)
PSS_ANON = re.compile(rb"^Pss_Anon:\s+(\d+) kB", re.M)
# A writable shared map of memory that no disk backs: address, rights, ..., name.
SHARED = re.compile(rb"^[0-9a-f]+-[0-9a-f]+ .w.s .*(/dev/zero|/memfd:|/SYSV|/dev/shm/)")
MAPPING = re.compile(rb"^[0-9a-f]+-[0-9a-f]+ ")
KB = 1024
FASTEST = 4e9  # bytes per second that a process may touch, for the time of the next sample
AGREEING = 3  # samples
SOONEST, LATEST = 0.01, 0.1  # seconds between two samples


class Meter:
    """Memory of a family of processes, against a budget.

    Attributes
    ----------
    budget : int or None
        Bytes.
    peak : int
        Bytes, of all samples so far.
    """

    def __init__(self, budget: int | None):
        self.budget = budget
        self.peak = 0
        self._over = 0  # samples in a row
        self._inherited = status(os.getpid())["RssAnon"]

    def over(self, pids: Collection[int]) -> bool:
        """Take a sample; whether these processes hold more than the budget, for certain."""
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
        """Seconds until the next sample: sooner when the job is young or near its budget."""
        room = float("inf") if self.budget is None else (self.budget - self.peak) / FASTEST
        return max(SOONEST, min(so_far, room, LATEST))


def status(pid: int) -> dict[str, int]:
    """RssAnon, RssShmem and VmData in bytes; zeros once it ended."""
    found = {"RssAnon": 0, "RssShmem": 0, "VmData": 0}
    for name, kilobytes in STATUS.findall(read(pid, "status")):
        found[name.decode()] = int(kilobytes) * KB
    return found


def set_memory_limit(memory: int) -> None:
    """Let this process allocate `memory` bytes more than it has."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    lid = status(os.getpid())["VmData"] + memory
    lid = lid if hard == resource.RLIM_INFINITY else min(lid, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (lid, hard))


def lift_memory_limit() -> None:
    """Take the lid off again, so that a failure can be told."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def _exclusive(pid: int) -> int:
    """Anonymous pages, those shared by k processes as one k-th."""
    found = PSS_ANON.search(read(pid, "smaps_rollup"))
    return int(found[1]) * KB if found else status(pid)["RssAnon"]


def _written_shared(pid: int) -> int:
    """The same of memory that is shared and writable, and in no file on a disk."""
    total, counts = 0, False
    for line in read(pid, "smaps").splitlines():
        if MAPPING.match(line):
            counts = SHARED.match(line) is not None
        elif counts and line.startswith(b"Pss:"):
            total += int(line.split()[1]) * KB
    return total
