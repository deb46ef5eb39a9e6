"""The hooks of a plugin: one per kind, each returns {name: class or function}.

An entry point of the group `aucbench` names a class or a function, and its name is what that is
called: `my-solver = "my_package.my_solver:MySolver"`. Or it names a module with hooks, functions
that are marked with `hookimpl`: then there is an entry point for each name that they return.
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
    """Solvers: frozen dataclasses that follow `aucbench.contract.Solver`."""


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
def aucbench_pairs() -> Factories:  # type: ignore[empty-body]
    """Kinds of pairs: frozen dataclasses that follow `aucbench.pairs.Pairs`."""


@hookspec
def aucbench_datasets() -> Factories:  # type: ignore[empty-body]
    """Data sets: functions of their parameters that return `Data`."""


@hookspec
def aucbench_metrics() -> Factories:  # type: ignore[empty-body]
    """Metrics: functions `f(y, scores)` or `f(y, scores, sample_weight=None)` that return a float.

    `y` has 1 for positive rows and 0 for the others. Further parameters, with defaults, are given
    in brackets, as in `gain[depth=0.1]`. `aucbench.about.metric` says what is better.
    """
