"""The hooks of a plugin: one per kind, each returns {name: class or factory}.

A plugin is a module named by an entry point of the group `aucbench`; a hook is a function
of that module marked with `hookimpl`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pluggy

PROJECT = "aucbench"
Factories = Mapping[str, Callable[..., Any]]

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def aucbench_solvers() -> Factories:  # type: ignore[empty-body]
    """Solvers: frozen dataclasses that follow `aucbench.protocols.Solver`."""


@hookspec
def aucbench_objectives() -> Factories:  # type: ignore[empty-body]
    """Objectives: classes called with `Data` and their parameters."""


@hookspec
def aucbench_projectors() -> Factories:  # type: ignore[empty-body]
    """Projectors: frozen dataclasses called with their parameters."""


@hookspec
def aucbench_features() -> Factories:  # type: ignore[empty-body]
    """Feature maps: frozen dataclasses called with their parameters."""


@hookspec
def aucbench_datasets() -> Factories:  # type: ignore[empty-body]
    """Data sets: functions of their parameters that return `Data`."""
