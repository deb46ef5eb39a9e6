"""The machine on which a cell runs: host, CPU, versions, load; and the cores that it keeps to."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from pathlib import Path
from typing import Any

from aucbench.data.sorting import sort_in_use
from aucbench.kernels import simd
from aucbench.registry.fingerprints import version_of

CPUINFO = Path("/proc/cpuinfo")
CPUINFO_BYTES = 4096  # the first bytes are enough; the kernel would compute an entry for each core
STAT = Path("/proc/self/stat")
THREADS = "OMP_NUM_THREADS"


def here() -> dict[str, Any]:
    """Return host, CPU, cores, versions, SIMD level, sort, and the threads and load of now."""
    return {**_machine(), "threads": _threads(), "load": round(os.getloadavg()[0], 2)}


def pin() -> list[int] | None:
    """Keep this process, and all that it starts from now on, to as many cores as it has threads.

    The first of them is the core on which it runs: the kernel starts a process where it finds
    least to do. None: it stays where it may be, since it has no fixed number of threads, or more
    than cores, or the system refuses.
    """
    threads, cores = _threads(), sorted(os.sched_getaffinity(0))
    if threads is None or threads > len(cores):
        return None
    # Field 39 of its state; the name of the program, field 2, is in brackets and may hold anything.
    now = int(STAT.read_bytes().rpartition(b")")[2].split()[36])
    first = cores.index(now) if now in cores else 0
    chosen = sorted((cores[first:] + cores)[:threads])
    try:
        os.sched_setaffinity(0, chosen)
    except OSError:
        return None
    return chosen


def _threads() -> int | None:
    fixed = os.environ.get(THREADS, "")
    return int(fixed) if fixed.isdecimal() else None


@lru_cache(maxsize=1)
def _machine() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "simd": simd.level(),
        "sort": sort_in_use(),
        "versions": {
            "python": platform.python_version(),
            "aucbench": version_of("aucbench"),
            **{name: version_of(name) for name in ("numpy", "scipy", "scikit-learn")},
        },
    }


def _cpu() -> str:
    try:
        with CPUINFO.open(encoding="utf-8", errors="replace") as file:
            lines = file.read(CPUINFO_BYTES).splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
