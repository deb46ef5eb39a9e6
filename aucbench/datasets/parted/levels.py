"""Columns of text and of dates in parts: one reading counts what they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import DENSE_FROM, Vector
from aucbench.datasets.parted.sides import distinct
from aucbench.datasets.tables import Encoding, Schema
from aucbench.datasets.tables.cells import seconds
from aucbench.datasets.tables.columns import FEW, LEVEL, WORDS, Column, RawColumn
from aucbench.datasets.tables.parts import Dates, Number, OneHot, Part, median_of_counts
from aucbench.errors import DataError

MOST_LEVELS = 100_000  # different texts of a column
MOST_HOURS = 1_000_000  # different hours of a column of dates: those of 114 years
HOUR = 3600.0
Levels = Counter[str]


@dataclass
class Hours:
    """The dates of a column, rounded down to hours, which is what medians of their parts need.

    The first and the last date are exact, so that the features are those of all rows.
    """

    first: float = np.inf
    last: float = -np.inf
    counts: Counter[float] = field(default_factory=Counter)

    def add(self, name: str, dates: Vector) -> None:
        """Count dates, in seconds since 1970."""
        if not np.isfinite(dates).all():
            raise DataError(
                f"column {name!r} has a date outside of the years 1 to 9999; mend it, or leave the "
                f"column out with drop={name!r} (--drop)"
            )
        hours, counts = np.unique(np.floor(dates / HOUR), return_counts=True)
        self.counts.update(dict(zip(hours.tolist(), counts.tolist(), strict=True)))
        if hours.size:
            self.first = min(self.first, float(dates.min()))
            self.last = max(self.last, float(dates.max()))
        if len(self.counts) > MOST_HOURS:
            raise DataError(
                f"column {name!r} has dates of more than {MOST_HOURS} different hours; leave it "
                f"out with drop={name!r} (--drop)"
            )

    def part(self) -> Dates:
        """Return the features of the dates."""
        hours = np.array([*self.counts]) * HOUR
        c = np.array([self.first, self.last, *np.clip(hours, self.first, self.last)])
        counts = np.array([0, 0, *self.counts.values()])
        return Dates.of_counts(c, counts, missing=False)


def dates_of(values: Any) -> Vector:
    """Return the dates of a column of Arrow as seconds since 1970, as of a table in memory."""
    return seconds(values.to_pandas(date_as_object=False))


def counted_levels(levels: Levels, name: str, values: Any) -> None:
    """Add the texts of a column of Arrow to its levels."""
    texts, at = distinct(values)
    for text, count in zip(texts, np.bincount(at, minlength=len(texts)).tolist(), strict=True):
        levels[text] += count
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"column {name!r} has more than {MOST_LEVELS} different texts; leave it out with "
            f"drop={name!r} (--drop)"
        )


def encoding_of(
    names: Sequence[str],
    levels: Mapping[str, Levels],
    hours: Mapping[str, Hours],
    medians: Mapping[str, float],
    n: int,
    decimal: str = ".",
) -> Encoding:
    """Return the features of a table: numbers as they are, and one for each level of a text.

    What texts mean, and which levels are rare, is decided by the rules of `Schema` and `OneHot`:
    texts may be numbers, truth values or dates. Free text is refused. Numbers and dates that are
    missing in a new table take the medians.
    """
    known: list[tuple[Column, Part]] = []
    for name in names:
        if name in levels:
            known.append(_of_text(name, levels[name], n, decimal))
        elif name in hours:
            known.append((Column(name, "date"), hours[name].part()))
        else:
            known.append((Column(name, "numeric"), Number(medians[name], missing=False)))
    parts = tuple(part for _, part in known)
    width = sum(part.width for part in parts)
    schema = Schema(tuple(column for column, _ in known), decimal=decimal)
    return Encoding(schema, parts, sparse=len(parts) < DENSE_FROM * width)


def _of_text(name: str, levels: Levels, n: int, decimal: str) -> tuple[Column, Part]:
    """Return what a column of text is, and its features."""
    texts = sorted(levels)
    kind, more = _raw(name, texts, np.arange(len(texts)))._kind(decimal)
    if words := more.get("gaps"):
        raise DataError(
            f"column {name!r} holds {kind} cells and {' and '.join(map(repr, words))}, which means "
            "a missing cell, and none may be missing in parts; fill it, or leave the column out "
            f"with drop={name!r} (--drop)"
        )
    counts = np.array([levels[text] for text in texts])
    if kind == "category":
        _refuse_prose(name, levels, n)
        single = float(np.count_nonzero(counts == 1) / n)
        column = Column(name, kind, tuple(texts), distinct=len(texts), single=single)
        return column, OneHot.of_counts(texts, counts, n, missing=False)
    meant = {what: more[what] for what in ("unit", "format") if what in more}
    column = Column(name, kind, distinct=len(texts), **meant)
    codes = _raw(name, texts, np.arange(len(texts))).codes(column, decimal)
    if kind == "date":
        return column, Dates.of_counts(codes, counts, missing=False)
    return column, Number(median_of_counts(codes, counts), missing=False)


def codes_of(values: Any, name: str, schema: Schema) -> Vector:
    """Return the codes of a column of text, (n,)."""
    column = next(column for column in schema.columns if column.name == name)
    return _raw(name, *distinct(values)).codes(column, schema.decimal)


def _raw(name: str, texts: Sequence[str], at: NDArray[np.int64]) -> RawColumn:
    import pandas as pd

    # Only its index is read, by errors.
    cells = pd.Series(np.empty(at.size, object), pd.RangeIndex(at.size, name=LEVEL))
    return RawColumn(name, cells, None, texts, at)


def _refuse_prose(name: str, levels: Levels, n: int) -> None:
    words = sum(len(text.split()) for text in levels) / max(1, len(levels))
    if words >= WORDS and len(levels) > max(FEW, n / 2):
        raise DataError(
            f"column {name!r} holds free text, which is not read in parts; leave it out with "
            f"drop={name!r} (--drop), or with text='drop' (--text drop)"
        )
