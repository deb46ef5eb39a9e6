"""Collections of data sets: `keel:glass1`, `openml:1590`, `pmlb:adult`, `pypi:PACKAGE/TABLE`.

A collection is a module of this package that has what `Source` says. Its prefix comes before the
names of files and plugins. Sets are tables as any other: text, categories and missing cells are
coded from the rows that are learnt from (`aucbench.datasets.tables`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from aucbench.datasets.catalogue import Entry, Facts
from aucbench.datasets.collections import keel, openml, pmlb, pypi
from aucbench.datasets.formats import Table, Wanted
from aucbench.datasets.svmlight import whole_labels
from aucbench.errors import DataError, MissingExtraError

__all__ = ["Collection", "Facts", "Member", "Source", "collections", "member_of", "rarer"]

MARK = ":"  # between a collection and a name


class Source(Protocol):
    """What the module of a collection has."""

    PREFIX: str  # what stands before the colon
    TITLE: str  # what it is, in one phrase
    ADDRESS: str  # where people read about it
    LICENCE: str  # the terms of use, or why they are unclear
    CITES: tuple[str, ...]  # keys of the references of aucbench

    def version(self) -> str:
        """Return which state of the collection this is."""

    def names(self) -> tuple[str, ...] | None:
        """Return the names of its sets, sorted; None if there is no list."""

    def at_hand(self) -> tuple[str, ...]:
        """Return the names of the sets that can be read without a network; raises as `names`."""

    def fetch(self, name: str, progress: bool) -> tuple[Path, ...]:
        """Download one set, unless it is at hand; return its files; raises as `table`."""

    def table(self, name: str, wanted: Wanted) -> Table:
        """Read one set, downloaded if necessary."""

    def facts(self, name: str) -> Facts:
        """Return what is known of a set without a download; raises as `table`."""

    def whence(self, name: str) -> Facts:
        """Return address, licence, papers and hash of a set without reading it; else as `facts`."""


SOURCES: tuple[Source, ...] = (keel, openml, pmlb, pypi)


@dataclass(frozen=True, slots=True)
class Member:
    """One set of a collection, which may not exist; `str` is what a user types."""

    source: Source
    name: str

    def __str__(self) -> str:
        return f"{self.source.PREFIX}{MARK}{self.name}"

    @property
    def entry(self) -> Entry:
        """What the catalogue knows of it: nothing."""
        return Entry(name="")

    def table(self, wanted: Wanted) -> Table:
        """Read it; raises as `Source.table`, and `DataError` when an option is for files."""
        for option, value, usual in (
            ("separator", wanted.separator, None),
            ("decimal", wanted.decimal, "."),
        ):
            if value != usual:
                raise DataError(f"{option}={value!r} is for text files; leave it out for {self}")
        table = self.source.table(self.name, wanted)
        return replace(table, y=_whole(table.y))

    def fetch(self, *, progress: bool = False) -> tuple[Path, ...]:
        """Download it, unless it is at hand; return its files; raises as `Source.table`."""
        try:
            return self.source.fetch(self.name, progress)
        except DataError as error:
            raise DataError(f"{self}: {error}") from error

    def facts(self) -> Facts:
        """Return what is known of it without a download; raises as `Source.facts`."""
        return self.source.facts(self.name)

    def whence(self) -> Facts:
        """Return where it comes from, without reading it; raises as `Source.whence`."""
        return self.source.whence(self.name)


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection, for lists."""

    prefix: str  # as in `Source`
    title: str
    address: str
    licence: str
    version: str
    cites: tuple[str, ...]  # keys of the references of aucbench
    # the names of its sets without the prefix; None if there is no list
    names: tuple[str, ...] | None
    at_hand: tuple[str, ...]  # the names of those that can be read without a network
    problem: str  # why none can be read: what to install; else empty


def collections() -> tuple[Collection, ...]:
    """Return all collections; nothing is downloaded."""
    listed = []
    for source in SOURCES:
        told = (source.PREFIX, source.TITLE, source.ADDRESS, source.LICENCE)
        try:
            names, at_hand = source.names(), source.at_hand()
        except MissingExtraError as error:
            listed.append(Collection(*told, "", source.CITES, (), (), str(error)))
        else:
            listed.append(Collection(*told, source.version(), source.CITES, names, at_hand, ""))
    return tuple(listed)


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
