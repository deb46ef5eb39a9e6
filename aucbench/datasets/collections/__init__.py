"""Collections of data sets: `keel:glass1`, `openml:1590`, `pmlb:adult`, `pypi:PACKAGE/TABLE`.

A collection has what `Source` says. Its prefix comes before the names of files and plugins. Sets
are tables as any other: text, categories and missing cells are coded from the rows that are learnt
from (`aucbench.datasets.tables`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from aucbench.datasets.catalogue import NOT_KNOWN, Entry
from aucbench.datasets.collections import openml, pmlb
from aucbench.datasets.collections.pypi import KEEL, PYPI
from aucbench.datasets.formats import Wanted
from aucbench.datasets.svmlight import whole_labels
from aucbench.datasets.table import Table
from aucbench.datasets.tables.cells import MISSING
from aucbench.errors import DataError

__all__ = ["KEEL", "PYPI", "SOURCES", "Member", "Source", "member_of", "rarer"]

MARK = ":"  # between a collection and a name


class Source(Protocol):
    """What a collection has: a module, or an object."""

    @property
    def PREFIX(self) -> str:
        """What stands before the colon."""

    @property
    def TITLE(self) -> str:
        """What it is, in one phrase."""

    @property
    def ADDRESS(self) -> str:
        """Where people read about it."""

    @property
    def CITES(self) -> tuple[str, ...]:
        """Keys of the references of aucbench."""

    def at_hand(self, name: str) -> bool:
        """Return whether a set can be read without a network; raises as `table`."""

    def fetch(self, name: str, progress: bool) -> tuple[Path, ...]:
        """Download one set, unless it is at hand; return its files; raises as `table`."""

    def table(self, name: str, wanted: Wanted) -> Table:
        """Read one set, downloaded if necessary."""


SOURCES: tuple[Source, ...] = (KEEL, openml, pmlb, PYPI)


@dataclass(frozen=True, slots=True)
class Member:
    """One set of a collection, which may not exist; `str` is what a user types."""

    source: Source
    name: str
    entry: Entry = NOT_KNOWN

    def __str__(self) -> str:
        return f"{self.source.PREFIX}{MARK}{self.name}"

    def table(self, wanted: Wanted) -> Table:
        """Read it; raises as `Source.table`, and `DataError` when an option is for files."""
        for option, value, usual in (
            ("separator", wanted.separator, None),
            ("decimal", wanted.decimal, "."),
        ):
            if value != usual:
                raise DataError(f"{option}={value!r} is for text files; leave it out for {self}")
        table = self.source.table(self.name, replace(wanted, words=tuple(MISSING)))
        return replace(table, y=_whole(table.y))

    def fetch(self, *, progress: bool = False) -> tuple[Path, ...]:
        """Download it, unless it is at hand; return its files; raises as `Source.table`."""
        try:
            return self.source.fetch(self.name, progress)
        except DataError as error:
            raise DataError(f"{self}: {error}") from error


def member_of(text: str) -> Member | None:
    """`keel:glass1` → the set glass1 of KEEL; None for any other text."""
    prefix, mark, name = text.partition(MARK)
    collection = {source.PREFIX: source for source in SOURCES}.get(prefix)
    return Member(collection, name) if mark and collection else None


def rarer(counts: dict[Any, int]) -> Any:
    """Return the rarer one of two labels; None if there are more labels, or as many of both."""
    if len(counts) != 2 or len({*counts.values()}) == 1:
        return None
    return min(counts, key=lambda label: counts[label])


def _whole(y: Any) -> Any:
    """Return labels such as '0' and 1.0 as whole numbers, as a text file would give them."""
    import pandas as pd

    if getattr(y, "dtype", None) is not None and y.dtype.kind == "f":
        return whole_labels(y)
    texts = pd.Series(y).astype(str).str.strip()
    return texts.astype(int).to_numpy() if texts.str.fullmatch(r"[+-]?[0-9]{1,9}").all() else y
