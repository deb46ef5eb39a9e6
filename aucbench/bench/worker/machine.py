"""The machine on which a cell runs, the cores that it keeps to, and what its process imports."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import count, takewhile
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil

from aucbench.data.sorting import sort_in_use
from aucbench.kernels import simd
from aucbench.processes.host import core_numbers, cores
from aucbench.registry.fingerprints import version_of

CPUINFO, CPUINFO_BYTES = Path("/proc/cpuinfo"), 4096
THREADS = "OMP_NUM_THREADS"
OURS = frozenset({"aucbench", "aucbench_plugins"})
_numbers = count()


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


def mark_imports() -> str:
    """Put an empty module at the end of `sys.modules`, and return its name.

    The metadata of a plugin need not declare what it imports.

    What is imported from now on stands behind it. The names before it are not looked at: in a
    process that was forked, a look at each of 1500 names copies 400 pages of memory.
    """
    mark = f"aucbench mark {next(_numbers)}"
    sys.modules[mark] = ModuleType(mark)
    return mark


def imported_since(mark: str) -> dict[str, str]:
    """Return the file or folder of each top-level package or module, by its name.

    The standard library, aucbench, and what comes from no file are left out. A package some of
    whose modules were there counts when another one is new. If a plugin has removed the mark, all
    modules count as new.
    """
    new = takewhile(lambda name: name != mark, reversed(sys.modules))
    tops = {name.partition(".")[0] for name in [*new]} - sys.stdlib_module_names - OURS
    places = ((top, _place(sys.modules.get(top))) for top in sorted(tops))
    return {top: place for top, place in places if place}


def _place(module: Any) -> str | None:
    known = getattr(module, "__dict__", None)  # not getattr of the names: modules may be lazy
    if not isinstance(known, Mapping):
        return None
    file, folders = known.get("__file__"), known.get("__path__")
    if file is None and folders is not None:  # a package without __init__.py
        return next((place for place in folders if isinstance(place, str)), None)
    return file if isinstance(file, str) else None
