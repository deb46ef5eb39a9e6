"""The rows that functions of plugins get, and the form of what they must return."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from aucbench.bench.results.convergence import Optima, flat_row
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.errors import PluginError, short
from aucbench.sections import Section


class Rows:
    """An iterable of dicts, one for each cell, with the fields of the page on records.

    It can be read again and again, in one order, and keeps no row in memory.
    """

    def __init__(self, records: Callable[[], Iterator[Record]]) -> None:
        self._records = records

    @staticmethod
    def of(folder: Path, ids: Collection[str] | None) -> Rows:
        """Return the rows of a results folder in the order of their ids; None means all ids."""
        store, counted = Store(folder), None if ids is None else frozenset(ids)
        return Rows(lambda: (r for r in store.records() if counted is None or r.id in counted))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        optima, _ = self._all
        return (flat_row(record, optima) for record in self._records())

    def __len__(self) -> int:
        return self._all[1]

    @cached_property
    def _all(self) -> tuple[Optima, int]:
        optima, count = Optima(), 0
        for count, record in enumerate(self._records(), 1):  # noqa: B007 - the last one counts
            optima.add(record)
        return optima, count


def plain_section(returned: Any) -> dict[str, Any]:
    """Return the plain values of what a report section has returned."""
    if not isinstance(returned, Section):
        raise PluginError(f"it returned {short(returned)}, wanted an aucbench.sections.Section")
    return returned.to_json()


def contents_of(returned: Any) -> dict[str, bytes]:
    """Return the contents of files by name of what an exporter has returned; one alone has ""."""
    contents = returned if isinstance(returned, Mapping) else {"": returned}
    for name, content in contents.items():
        if not isinstance(name, str) or not isinstance(content, bytes | str):
            what = f"{short(name)}: {short(content)}" if contents is returned else short(returned)
            raise PluginError(f"it returned {what}, wanted bytes or a text for each file")
    return {n: c.encode("utf-8") if isinstance(c, str) else c for n, c in contents.items()}
