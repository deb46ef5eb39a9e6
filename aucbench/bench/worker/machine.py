"""The machine on which a cell runs and the cores that it keeps to."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import psutil

from aucbench.bench.fingerprints import version_of
from aucbench.data.sorting import sort_in_use
from aucbench.kernels import simd
from aucbench.processes.host import core_numbers, cores

CPUINFO, CPUINFO_BYTES = Path("/proc/cpuinfo"), 4096
THREADS = "OMP_NUM_THREADS"


def here() -> dict[str, Any]:
    """Return host, CPU, cores, versions, SIMD level, sort, and the threads and load of now."""
    busy = None
    if sys.platform != "win32":
        busy = round(os.getloadavg()[0], 2)
    return {**_machine(), "threads": _threads(), "load": busy}


def pin() -> list[int] | None:
    """Keep this process, and all that it starts from now on, to as many cores as it has threads.

    The first of them is the core on which it runs: the kernel starts a process where it finds
    least to do. None: it stays where it may be, since it has no fixed number of threads, or more
    than cores, or the system refuses.
    """
    threads, usable = _threads(), core_numbers()
    if threads is None or threads > len(usable):
        return None
    me = psutil.Process()
    now = me.cpu_num() if sys.platform == "linux" else None
    first = usable.index(now) if now in usable else 0
    chosen = sorted((usable[first:] + usable)[:threads])
    try:
        me.cpu_affinity(chosen)
    except (psutil.Error, OSError):
        return None
    return chosen


def _threads() -> int | None:
    fixed = os.environ.get(THREADS, "")
    return int(fixed) if fixed.isdecimal() else None


def _processor() -> str:
    """Return what the processor is called; on macOS its kind."""
    with suppress(OSError), CPUINFO.open(encoding="utf-8", errors="replace") as file:
        # The first bytes are enough; the kernel would compute an entry for each core.
        lines = file.read(CPUINFO_BYTES).splitlines()
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@lru_cache(maxsize=1)
def _machine() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "cpu": _processor(),
        "cores": cores(),
        "simd": simd.level(),
        "sort": sort_in_use(),
        "versions": {
            "python": platform.python_version(),
            "aucbench": version_of("aucbench"),
            **{name: version_of(name) for name in ("numpy", "scipy", "scikit-learn")},
        },
    }
