"""The hooks of a plugin: one per kind, each returns {name: class or function}; and three events.

A plugin is a module named by an entry point of the group `aucbench`; a hook is a function
of that module marked with `hookimpl`. Where one module has several solvers, an entry point for
each of them names an object, as in `my_package.methods:First`, and the hook is a static method
of that object. So each solver is found under its own name.

Every listener gets the events. They happen in the process of the user, in which no
plugin is imported for the sake of its solvers: one that crashes would take the run along.
So two things must come together for a plugin to hear them: the name of its entry point
ends with `-listener`, and `AUCBENCH_PLUGINS` is set and names it, which is the consent of
the user. Python code hands its listeners to `aucbench.bench.run` itself.
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
def aucbench_pairs() -> Factories:  # type: ignore[empty-body]
    """Kinds of pairs: frozen dataclasses that follow `aucbench.pairs.Pairs`."""


@hookspec
def aucbench_datasets() -> Factories:  # type: ignore[empty-body]
    """Data sets: functions of their parameters that return `Data`."""


@hookspec
def aucbench_metrics() -> Factories:  # type: ignore[empty-body]
    """Metrics: functions `f(y, scores)` or `f(y, scores, weights=None)` that return a float.

    `y` has 1 for positive rows and 0 for the others. Further parameters, with defaults, are given
    in brackets, as in `gain[depth=0.1]`. `aucbench.about.metric` says what is better.
    """


@hookspec
def aucbench_report_sections() -> Factories:  # type: ignore[empty-body]
    """Sections of a report: functions of the rows of a results folder."""


@hookspec
def aucbench_exporters() -> Factories:  # type: ignore[empty-body]
    """Exporters: functions of the rows of a results folder that return the content of files."""


@hookspec
def aucbench_data_read(dataset: str, about: Mapping[str, Any]) -> None:
    """Say that a data set was read, before the first cell.

    `about` has `n`, `d`, `n_pos` where there are labels, and `understood`: the fields of
    `aucbench.data.understood.Understood`.
    """


@hookspec
def aucbench_cell_started(cell: Any) -> None:
    """Say that a cell, an `aucbench.bench.cell.Cell`, was handed to the engine."""


@hookspec
def aucbench_cell_finished(record: Any) -> None:
    """Say that a cell has ended and its `aucbench.bench.Record` is stored."""
