"""The machine on which a cell runs: host, CPU, versions, load; and the cores that it keeps to."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from typing import Any

from aucbench.data.sorting import sort_in_use
from aucbench.kernels import simd
from aucbench.processes.host import core_numbers, cores, cpu, keep_to, load, this_core
from aucbench.registry.fingerprints import version_of

THREADS = "OMP_NUM_THREADS"


def here() -> dict[str, Any]:
    """Return host, CPU, cores, versions, SIMD level, sort, and the threads and load of now."""
    busy = load()
    return {
        **_machine(),
        "threads": _threads(),
        "load": None if busy is None else round(busy, 2),
    }


def pin() -> list[int] | None:
    """Keep this process, and all that it starts from now on, to as many cores as it has threads.

    The first of them is the core on which it runs: the kernel starts a process where it finds
    least to do. None: it stays where it may be, since it has no fixed number of threads, or more
    than cores, or the system refuses.
    """
    threads, usable = _threads(), core_numbers()
    if threads is None or threads > len(usable):
        return None
    now = this_core()
    first = usable.index(now) if now in usable else 0
    chosen = sorted((usable[first:] + usable)[:threads])
    return chosen if keep_to(chosen) else None


def _threads() -> int | None:
    fixed = os.environ.get(THREADS, "")
    return int(fixed) if fixed.isdecimal() else None


@lru_cache(maxsize=1)
def _machine() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "cpu": cpu(),
        "cores": cores(),
        "simd": simd.level(),
        "sort": sort_in_use(),
        "versions": {
            "python": platform.python_version(),
            "aucbench": version_of("aucbench"),
            **{name: version_of(name) for name in ("numpy", "scipy", "scikit-learn")},
        },
    }
