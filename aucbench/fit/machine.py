"""The machine on which a cell runs: host, CPU, versions, load."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from pathlib import Path
from typing import Any

import aucbench

CPUINFO = Path("/proc/cpuinfo")
CPUINFO_BYTES = 4096  # the first bytes are enough; the kernel would compute an entry for each core
THREADS = "OMP_NUM_THREADS"


def here() -> dict[str, Any]:
    """Return host, CPU, cores, versions, and the threads and load of this moment."""
    pinned = os.environ.get(THREADS, "")
    return {
        **_machine(),
        "threads": int(pinned) if pinned.isdecimal() else None,
        "load": round(os.getloadavg()[0], 2),
    }


@lru_cache(maxsize=1)
def _machine() -> dict[str, Any]:
    # Imported here: the fork server imports them before it forks.
    import numpy
    import scipy
    import sklearn

    return {
        "host": platform.node(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "versions": {
            "python": platform.python_version(),
            "aucbench": aucbench.__version__,
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
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
