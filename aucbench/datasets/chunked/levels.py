"""What columns of text and of dates hold in all parts: one reading of them counts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.data.layouts import DENSE_FROM
from aucbench.datasets.arrow import pyarrow
from aucbench.datasets.tables import Encoding, Schema
from aucbench.datasets.tables.cells import seconds
from aucbench.datasets.tables.columns import FEW, LEVEL, WORDS, Column, RawColumn
from aucbench.datasets.tables.parts import (
    Dates,
    Number,
    OneHot,
    Part,
    median_of_counts,
    parts_of_dates,
)
from aucbench.errors import DataError

MOST_LEVELS = 100_000  # different texts of a column
HEAD = 10_000  # rows that decide which column has the labels, and about medians


def distinct(values: Any) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the different values of a column of Arrow, and the number of each cell's value.

    Text is without the spaces around it, and whole numbers are such. No cell is missing.
    """
    array = values.combine_chunks() if hasattr(values, "combine_chunks") else values
    if hasattr(array, "num_chunks"):
        array = array.chunk(0) if array.num_chunks else pyarrow().array([], values.type)
    encoded = array if hasattr(array, "dictionary") else array.dictionary_encode()
    levels = [_plain(value) for value in encoded.dictionary.to_pylist()]
    return levels, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def counts_of(values: Any) -> Counter[Any]:
    """Return how often each value of a column of Arrow occurs."""
    levels, at = distinct(values)
    counts: Counter[Any] = Counter()
    for level, count in zip(levels, np.bincount(at, minlength=len(levels)).tolist(), strict=True):
        counts[level] += count
    return counts


@dataclass
class Texts:
    """The different texts of a column."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, values: Any) -> None:
        """Count the texts of a column of Arrow."""
        self.counts.update(counts_of(values))
        if len(self.counts) > MOST_LEVELS:
            raise DataError(
                f"column {self.name!r} has more than {MOST_LEVELS} different texts; leave it out "
                f"with drop={self.name!r} (--drop)"
            )

    def meaning(self, n: int, decimal: str) -> tuple[Column, Part]:
        """Return what a column of n rows is, and its features, by the rules of a table in memory.

        Texts may be numbers, truth values or dates. Free text is refused.
        """
        name, texts = self.name, sorted(self.counts)
        raw = _raw_column(name, texts, np.arange(len(texts)))
        kind, more = raw.kind_of_cells(decimal)
        if words := more.get("gaps"):
            raise DataError(
                f"column {name!r} holds {kind} cells and {' and '.join(map(repr, words))}, which "
                "means a missing cell, and none may be missing in chunks; fill it, or leave the "
                f"column out with drop={name!r} (--drop)"
            )
        counts = np.array([self.counts[text] for text in texts])
        if kind == "category":
            if raw.words >= WORDS and len(texts) > max(FEW, n / 2):
                raise DataError(
                    f"column {name!r} holds free text, which is not read in chunks; leave it out "
                    f"with drop={name!r} (--drop), or with text='drop' (--text drop)"
                )
            single = float(np.count_nonzero(counts == 1) / n)
            column = Column(name, kind, tuple(texts), distinct=len(texts), single=single)
            return column, OneHot.of_counts(texts, counts, n, missing=False)
        meant = {what: more[what] for what in ("unit", "format") if what in more}
        column = Column(name, kind, distinct=len(texts), **meant)
        codes = raw.codes(column, decimal)
        if kind == "date":
            return column, Dates.of_counts(codes, counts, missing=False)
        return column, Number(median_of_counts(codes, counts), missing=False)


@dataclass
class DateRange:
    """The first and the last date of a column, and which parts of dates vary."""

    name: str
    first: float = np.inf
    some: Vector = field(default_factory=lambda: np.empty(0))  # dates of the first rows
    ends: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, values: Any) -> None:
        """Look at the dates of a column of Arrow."""
        dates = dates_of(values)
        if not np.isfinite(dates).all():
            raise DataError(
                f"column {self.name!r} has a date outside of the years 1 to 9999; mend it, or "
                f"leave the column out with drop={self.name!r} (--drop)"
            )
        self.first = min(self.first, float(dates.min()))
        self.some = self.some if self.some.size else dates[:HEAD].copy()
        for part, x in parts_of_dates(dates, 0.0).items():
            low, high = self.ends.get(part, (np.inf, -np.inf))
            self.ends[part] = min(low, float(x.min())), max(high, float(x.max()))

    def meaning(self, *_: object) -> tuple[Column, Part]:
        """Return what the column is, and its features; medians are those of the first rows."""
        varying = tuple(part for part, (low, high) in self.ends.items() if low < high)
        known = parts_of_dates(self.some, self.first)
        medians = tuple(float(np.median(known[part])) for part in varying)
        return Column(self.name, "date"), Dates(varying, medians, self.first, missing=False)


def dates_of(values: Any) -> Vector:
    """Return the dates of a column of Arrow as seconds since 1970, as of a table in memory."""
    return seconds(values.to_pandas(date_as_object=False))


def encoding_of(
    names: Sequence[str],
    coded: Mapping[str, Texts | DateRange],
    head: Any,
    n: int,
    decimal: str = ".",
) -> Encoding:
    """Return the features of a table: numbers as they are, and those of `coded` columns.

    Numbers and dates that are missing in a new table take the medians of the first rows, `head`.
    """

    def known() -> Iterator[tuple[Column, Part]]:
        for name in names:
            if name in coded:
                yield coded[name].meaning(n, decimal)
            else:
                median = float(np.median(head[name].to_numpy(np.float64, na_value=np.nan)))
                yield Column(name, "numeric"), Number(median, missing=False)

    columns, parts = zip(*known(), strict=True)
    width = sum(part.width for part in parts)
    schema = Schema(columns, decimal=decimal)
    return Encoding(schema, parts, sparse=len(parts) < DENSE_FROM * width)


def codes_of(values: Any, name: str, schema: Schema) -> Vector:
    """Return the codes of a column of text, (n,)."""
    column = next(column for column in schema.columns if column.name == name)
    return _raw_column(name, *distinct(values)).codes(column, schema.decimal)


def _raw_column(name: str, texts: Sequence[str], at: NDArray[np.int64]) -> RawColumn:
    import pandas as pd

    # Only its index is read, by errors.
    cells = pd.Series(np.empty(at.size, object), pd.RangeIndex(at.size, name=LEVEL))
    return RawColumn(name, cells, None, texts, at)
