"""The rows of a results folder, as functions of plugins get them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from aucbench.bench.results.convergence import Optima, flat_row
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store


class Rows:
    """An iterable of dicts, one for each cell, with the fields of the page on records.

    It can be read again and again, in one order, and keeps no row in memory.

    Parameters
    ----------
    records : function ()
        Returns an iterator over the records, each time it is called.
    """

    def __init__(self, records: Callable[[], Iterator[Record]]) -> None:
        self._records = records
        self._optima: Optima | None = None
        self._count = 0

    @staticmethod
    def of(folder: Path, ids: Collection[str] | None) -> Rows:
        """Return the rows of a results folder in the order of their ids.

        Parameters
        ----------
        folder : Path
            A results folder.
        ids : collection of str or None
            Of the records that count; None: all.
        """
        store, counted = Store(folder), None if ids is None else frozenset(ids)
        return Rows(lambda: (r for r in store.records() if counted is None or r.id in counted))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the rows."""
        optima = self._known()
        return (flat_row(record, optima) for record in self._records())

    def __len__(self) -> int:
        """Return the number of rows."""
        self._known()
        return self._count

    def _known(self) -> Optima:
        if self._optima is None:
            self._optima, self._count = Optima(), 0
            for record in self._records():
                self._optima.add(record)
                self._count += 1
        return self._optima
