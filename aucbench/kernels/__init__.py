"""Compiled kernels; sources in cython/, naive twins in tests/reference.py.

`aucbench.kernels.linear` is imported when it is first used: it needs scipy.linalg, whose import
takes 0.2 s, and the process that starts a run multiplies nothing.
"""

from importlib import import_module
from types import ModuleType

from aucbench.kernels import simd as simd  # refuses a wrong AUCBENCH_SIMD before a kernel reads it


def __getattr__(name: str) -> ModuleType:
    """Import a kernel on first use (PEP 562)."""
    if name != "linear":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")  # which makes it an attribute
