"""The memory of a job: measured, and limited.

Design
  a. RLIMIT_DATA limits the private writable memory of one process. An allocation above it
     fails at once with a MemoryError, before the machine runs out of memory. RLIMIT_AS would
     also count read-only maps of data.
  b. RLIMIT_DATA does not limit the sum over several processes, nor shared anonymous memory.
     So the memory of all processes of a job is sampled. The sum of RssAnon is cheap, but it
     counts a page once for each forked process that shares it. If that sum is below the
     budget, all is well. Otherwise the exact, slow count decides, see metering.py.
  c. Pages inherited from the warm process do not count.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Collection

from aucbench.processes.linux.proc import read
from aucbench.processes.metering import Samples

STATUS = re.compile(rb"^(RssAnon|RssShmem|VmData):\s+(\d+) kB", re.M)
PSS_ANON = re.compile(rb"^Pss_Anon:\s+(\d+) kB", re.M)
# A writable shared map of memory that is not a file on a disk: address, rights, ..., name.
SHARED = re.compile(rb"^[0-9a-f]+-[0-9a-f]+ .w.s .*(/dev/zero|/memfd:|/SYSV|/dev/shm/)")
MAPPING = re.compile(rb"^[0-9a-f]+-[0-9a-f]+ ")
KB = 1024


class Meter(Samples):
    """The memory of all processes of a job in bytes, without what this process had before."""

    def __init__(self, budget: int | None):
        super().__init__(budget)
        self._inherited = status(os.getpid())["RssAnon"]

    def over(self, pids: Collection[int]) -> bool:
        """Take a sample; whether these processes certainly hold more than the budget."""
        rows = [status(pid) for pid in pids]
        own = max(0, sum(row["RssAnon"] for row in rows) - self._inherited)
        shared = sum(row["RssShmem"] for row in rows)

        def exact() -> int:
            alone = min(own, sum(_exclusive(pid) for pid in pids))
            return alone + (sum(_written_shared(pid) for pid in pids) if shared else 0)

        return self.certainly_over(own, own + shared, exact)


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
