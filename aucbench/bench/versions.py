"""The versions that a report of a fault needs."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from aucbench.bench.fingerprints import version_of
from aucbench.errors import AucbenchError
from aucbench.processes import Job, Supervisor
from aucbench.processes.child import Room
from aucbench.processes.starting import start_method

LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "pyarrow", "dask")


def versions() -> Iterator[tuple[str, str]]:
    """Yield what a report of a fault needs, by name; no plugin is imported."""
    yield "aucbench", str(version_of("aucbench"))
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()})"
    yield "system", platform.platform()
    yield "kernels", _kernels()
    yield "processes", _processes()
    known = ((name, version_of(name)) for name in LIBRARIES)
    yield "libraries", ", ".join(f"{name} {version}" for name, version in known if version)


def _kernels() -> str:
    """Return how the kernels compute, or why they do not."""
    try:
        from aucbench.data.sorting import sort_in_use
        from aucbench.kernels import simd
    except ImportError as error:
        return f"cannot be loaded: {error}"
    return f"SIMD {simd.level()}, sort {sort_in_use()}"


def _processes() -> str:
    """Return how the processes of cells start here, after one was started."""
    try:
        with Supervisor() as supervisor:
            outcome = supervisor.call(Job(f"{__name__}:answer", {}))
            return f"{start_method()}, {outcome.ending}"
    except (AucbenchError, OSError) as error:
        return f"cannot be started: {error}"


def answer(request: Mapping[str, Any], room: Room, steps: Mapping[str, Path]) -> dict[str, Any]:
    """Return nothing: the job that shows that processes start."""
    return {}
