"""Listeners, which are called when cells start and end: objects with `hookimpl` functions.

A listener of the caller is trusted: an exception in it ends the run, after the record was stored.
One from a plugin is dropped at its first error; `aucbench.hookspecs` says which plugins may listen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint
from typing import Any

import pluggy

from aucbench import hookspecs
from aucbench.bench.cell import Cell
from aucbench.bench.results.record import Record
from aucbench.hookspecs import PROJECT, hookimpl
from aucbench.registry.discovery import (
    ALLOWED,
    describe_error,
    enabled,
    is_named,
    load,
)
from aucbench.registry.isolated_imports import imported, within

ENDING = "-listener"  # of the name of an entry point
EVENTS = ("aucbench_data_read", "aucbench_cell_started", "aucbench_cell_finished")


def announcer(listeners: Iterable[object]) -> Any:
    """Return the hooks that call every listener: `announcer(listeners).aucbench_cell_finished`."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    for listener in listeners:
        manager.register(listener)
    manager.check_pending()
    return manager.hook


class Guest:
    """A listener of a third party, which cannot end the run; `failure` says why it was dropped."""

    def __init__(self, name: str, value: str, failure: str | None = None) -> None:
        self.name = name
        self.failure = failure
        self._hook = announcer([] if failure else [EntryPoint(name, value, PROJECT).load()])

    @hookimpl
    def aucbench_data_read(self, dataset: str, about: Mapping[str, Any]) -> None:
        """Pass it on."""
        self._tell("aucbench_data_read", dataset=dataset, about=about)

    @hookimpl
    def aucbench_cell_started(self, cell: Cell) -> None:
        """Pass it on."""
        self._tell("aucbench_cell_started", cell=cell)

    @hookimpl
    def aucbench_cell_finished(self, record: Record) -> None:
        """Pass it on."""
        self._tell("aucbench_cell_finished", record=record)

    def _tell(self, event: str, **about: Any) -> None:
        if self.failure is None:
            try:
                getattr(self._hook, event)(**about)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # sys.exit is no Exception
                self.failure = describe_error(error)


def guests(seconds: float | None = None) -> tuple[Guest, ...]:
    """Return the listeners of third parties that `AUCBENCH_PLUGINS` names, imported here.

    A process of its own imports each of them first. One that fails there, or has not ended after
    these seconds, is not imported here.
    """
    if os.environ.get(ALLOWED) is None:
        return ()
    invited = [e for e in enabled() if e.name.endswith(ENDING) and is_named(e) and not e.builtin]
    with within(seconds):
        tried = imported(invited, asked=True)
    listeners = []
    for entry in invited:
        failure = tried[entry].failure
        known = None if failure else load(entry)
        listeners.append(Guest(entry.qualified, entry.value, known.failure if known else failure))
    return tuple(listeners)
