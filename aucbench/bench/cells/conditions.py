"""The conditions under which a cell ran: two numbers of seconds compare only under equal ones."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import aucbench

CPUINFO = Path("/proc/cpuinfo")
READ = 4096  # bytes of it; the kernel makes the rest, one entry per core, only when asked
THREADS = "OMP_NUM_THREADS"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run imposes on its cells.

    Attributes
    ----------
    engine : str
        Such as "local".
    concurrency : int
        Cells at once on a host.
    timeout : float or None
        Seconds of wall time that a cell may take.
    memory : int or None
        Bytes that it may take beyond an idle one.
    timing : bool
        Whether the run was made for its times.
    """

    engine: str = "local"
    concurrency: int = 1
    timeout: float | None = None
    memory: int | None = None
    timing: bool = False


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
    # Imported here: the process of the user knows `Conditions`, and needs none of these.
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
            lines = file.read(READ).splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
