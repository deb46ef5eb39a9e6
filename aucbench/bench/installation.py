"""What an installation of aucbench is: versions, machine, supervisor, plugins of others."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator

from aucbench.errors import AucbenchError
from aucbench.host import cores, cpu, free_memory
from aucbench.registry.discovery import PluginEntry, entries, is_enabled
from aucbench.registry.fingerprints import version_of

LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn")
OPTIONAL = (
    *("dask", "distributed", "jinja2", "lightgbm", "matplotlib", "openpyxl", "polars", "psutil"),
    *("pyarrow", "submitit", "xgboost", "xgboost-cpu"),
)
VARIABLES = ("AUCBENCH_", "OMP_", "OPENBLAS_", "MKL_", "PYTHON")  # how their names begin


def installation() -> Iterator[tuple[str, str]]:
    """Yield what a report of a fault needs, by name; no plugin of others is imported."""
    yield "aucbench", str(version_of("aucbench"))
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()})"
    yield "system", f"{platform.platform()}, encoding {sys.stdout.encoding}"
    yield "processor", f"{cpu()}, {cores()} cores"
    yield "free memory", f"{free_memory() // 10**6} MB"
    yield "kernels", _kernels()
    yield "processes", _supervisor()
    yield "libraries", _versions(LIBRARIES)
    yield "optional", _versions(OPTIONAL)
    yield from (("plugin", _plugin(entry)) for entry in entries() if not entry.builtin)
    yield from (
        ("variable", f"{name}={value}")
        for name, value in sorted(os.environ.items())
        if name.startswith(VARIABLES)
    )


def _kernels() -> str:
    """Return how the kernels compute, or why they do not."""
    try:
        from aucbench.data.sorting import sort_in_use
        from aucbench.kernels import simd
    except ImportError as error:
        return f"cannot be loaded: {error}"
    return f"SIMD {simd.level()}, sort {sort_in_use()}"


def _supervisor() -> str:
    """Return which supervisor runs the processes of cells here, after one was started."""
    try:
        from aucbench.processes import open_supervisor

        with open_supervisor() as supervisor:
            return f"by {type(supervisor).__name__}"
    except (AucbenchError, ImportError, OSError) as error:
        return f"cannot be started: {error}"


def _versions(names: tuple[str, ...]) -> str:
    known = ((name, version_of(name)) for name in names)
    return ", ".join(f"{name} {version}" for name, version in known if version) or "none"


def _plugin(entry: PluginEntry) -> str:
    state = entry.fault or ("" if is_enabled(entry) else "switched off")
    return f"{entry.qualified} {entry.version}{state and f': {state}'}"
