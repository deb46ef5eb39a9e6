"""What an encoding learns about one column, and the features that it makes of the column.

| column | features |
|---|---|
| number, truth value | the number; a missing one is the median of the training rows |
| category | one-hot: a column for each level, and one for all rare levels |
| free text | the hashed words and pairs of words (`texts`) that most training rows have |
| date | year, month, weekday (Monday is 0), hour, and days since the first training date |

A column with a missing cell in a training row has a feature "NAME is missing". A level is rare in
fewer than 10 training rows, or fewer than one row in a hundred if that is less, but always when
it is in one row only. A level that no training row has is 0 in all features. What is the same in
all training rows has no feature, except a number.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.datasets.tables.columns import Column
from aucbench.datasets.tables.texts import BUCKETS, unpacked
from aucbench.errors import DataError

RARE, RARE_SHARE, RARE_LEAST = 10, 0.01, 2
MOST_KEPT = 1000  # buckets of free text that are features: those that most training rows have
DAY = 86400.0


def rare_below(n: int) -> int:
    """Return the number of training rows below which a level is rare, of n rows."""
    return max(RARE_LEAST, min(RARE, int(n * RARE_SHARE)))


class _Slots:
    """What has a slot for each feature, and no levels."""

    __slots__ = ()
    width: Any  # number of features

    def slots(self, table: Any) -> int:
        """Return how many features a row has at most that are not 0."""
        return int(self.width)

    def table(self, column: Column) -> Index:
        """Return nothing."""
        return np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class Number(_Slots):
    """x, with the training median for a missing cell; no feature if all are missing."""

    median: float | None
    missing: bool
    kind: ClassVar[str] = "number"

    width = property(lambda self: 0 if self.median is None else 1 + self.missing)

    @staticmethod
    def learn(_: Column, c: Vector) -> Number:
        """Learn the median."""
        gap = np.isnan(c)
        return Number(None if gap.all() else float(np.median(c[~gap])), bool(gap.any()))

    def names(self, name: str) -> list[str]:
        """Return the names of the features."""
        return [name, _missing(name)][: self.width]

    def put(self, table: Index, c: Vector, where: NDArray[np.int32], value: Vector) -> None:
        """Write the feature and the value of each slot, both of shape (n, slots)."""
        if self.median is not None:
            gap = np.isnan(c)
            where[:] = np.arange(self.width)
            value[:, 0] = np.where(gap, self.median, c)
            value[:, 1:] = gap[:, None]


@dataclass(frozen=True, slots=True)
class OneHot:
    """1 in the feature of the level; levels that are `rare` share one."""

    kept: tuple[str, ...]
    rare: tuple[str, ...]
    missing: bool
    kind: ClassVar[str] = "one-hot"

    width = property(lambda self: len(self.kept) + bool(self.rare) + self.missing)

    def slots(self, table: Any) -> int:
        """Return how many features a row has at most that are not 0."""
        return int(self.width > 0)

    @staticmethod
    def learn(column: Column, c: Vector) -> OneHot:
        """Count the levels."""
        gap = bool(np.isnan(c).any())
        counts = np.bincount(c[c >= 0].astype(np.int64), minlength=len(column.levels))
        pooled = (counts > 0) & (counts < rare_below(c.size))
        often = (counts > 0) & ~pooled & (counts < c.size)
        if counts[pooled].sum() == c.size:
            pooled[:] = False
        kept, rare = (
            tuple(column.levels[k] for k in np.flatnonzero(mask)) for mask in (often, pooled)
        )
        return OneHot(kept, rare, gap and bool(kept or rare))

    def names(self, name: str) -> list[str]:
        """Return the names of the features."""
        pooled = [f"{name}=(rare)"] if self.rare else []
        gap = [_missing(name)] if self.missing else []
        return [*(f"{name}={level}" for level in self.kept), *pooled, *gap]

    def put(self, table: Index, c: Vector, where: NDArray[np.int32], value: Vector) -> None:
        """Write the feature and the value of each slot, both of shape (n, slots)."""
        if self.width:
            where[:, 0] = table[np.where(np.isnan(c), table.size - 2, c).astype(np.int64)]
            value[:] = 1.0

    def table(self, column: Column) -> Index:
        """Return the feature of each level, of a missing cell, and of an unseen level, or -1."""
        at = dict.fromkeys(self.rare, len(self.kept)) | {t: k for k, t in enumerate(self.kept)}
        gap = self.width - 1 if self.missing else -1
        return np.array([*(at.get(level, -1) for level in column.levels), gap, -1], np.int32)


@dataclass(frozen=True, slots=True)
class Dates(_Slots):
    """The parts of a date that vary, with their training medians for a missing cell."""

    parts: tuple[str, ...]
    medians: tuple[float, ...]
    first: float  # the first training date, in seconds since 1970
    missing: bool
    kind: ClassVar[str] = "date"

    width = property(lambda self: len(self.parts) + self.missing)

    @staticmethod
    def learn(_: Column, c: Vector) -> Dates:
        """Learn the first date, which parts vary, and their medians."""
        gap = np.isnan(c)
        if gap.all():
            return Dates((), (), 0.0, False)
        first = float(c[~gap].min())
        parts = {part: x for part, x in _parts(c[~gap], first).items() if x.min() < x.max()}
        medians = tuple(float(np.median(x)) for x in parts.values())
        return Dates(tuple(parts), medians, first, bool(gap.any()))

    def names(self, name: str) -> list[str]:
        """Return the names of the features."""
        return [f"{name} {part}" for part in self.parts] + [_missing(name)] * self.missing

    def put(self, table: Index, c: Vector, where: NDArray[np.int32], value: Vector) -> None:
        """Write the feature and the value of each slot, both of shape (n, slots)."""
        where[:] = np.arange(self.width)
        gap = np.isnan(c)
        parts = _parts(np.where(gap, self.first, c), self.first)
        for k, (part, median) in enumerate(zip(self.parts, self.medians, strict=True)):
            value[:, k] = np.where(gap, median, parts[part])
        value[:, len(self.parts) :] = gap[:, None]


@dataclass(frozen=True, slots=True)
class Hashed:
    """Counts of the n-grams in the most frequent buckets, divided by the norm of all of them."""

    kept: tuple[int, ...]  # ascending
    ngrams: tuple[str, ...]  # the most frequent one of each, or ""
    missing: bool
    kind: ClassVar[str] = "hashed"

    width = property(lambda self: len(self.kept) + self.missing)

    def slots(self, table: KeptTexts) -> int:
        """Return how many features a row has at most that are not 0."""
        return int(max(np.diff(table.starts).max(initial=0), self.missing))

    @staticmethod
    def learn(column: Column, c: Vector) -> Hashed:
        """Count the rows that have a bucket."""
        texts, gap = unpacked(column.texts), bool(np.isnan(c).any())
        own = np.bincount(c[c >= 0].astype(np.int64), minlength=texts.names.size)
        rows = np.bincount(texts.buckets, np.repeat(own, texts.lengths), BUCKETS)
        often = np.argsort(-rows, kind="stable")[:MOST_KEPT]
        kept = np.sort(often[(rows[often] >= rare_below(c.size)) & (rows[often] < c.size)])
        buckets = tuple(kept.tolist())
        known = dict(zip(column.buckets, column.ngrams, strict=True))
        ngrams = tuple(known.get(bucket, "") for bucket in buckets)
        return Hashed(buckets, ngrams, gap and kept.size > 0)

    def names(self, name: str) -> list[str]:
        """Return the names of the features."""
        both = zip(self.kept, self.ngrams, strict=True)
        own = (f"{name}: {ngram}" if ngram else f"{name} #{bucket}" for bucket, ngram in both)
        return [*own, *[_missing(name)] * self.missing]

    def table(self, column: Column) -> KeptTexts:
        """Return the features of each text, without buckets that have none."""
        texts, place = unpacked(column.texts), np.full(BUCKETS, -1, np.int32)
        place[list(self.kept)] = np.arange(len(self.kept))
        where = place[texts.buckets]
        owner = np.repeat(np.arange(texts.names.size), texts.lengths)[where >= 0]
        starts = np.searchsorted(owner, np.arange(texts.names.size + 1))
        return KeptTexts(starts, where[where >= 0], texts.values[where >= 0])

    def put(self, table: KeptTexts, c: Vector, where: NDArray[np.int32], value: Vector) -> None:
        """Write the feature and the value of each slot, both of shape (n, slots)."""
        where[:] = -1
        value[:] = 0.0
        gap, at = np.isnan(c), np.where(c >= 0, c, -1).astype(np.int64)
        if at.max(initial=-1) >= table.starts.size - 1:
            raise DataError(
                "the codes are of another table than the texts of the schema; take those of "
                "Schema.bound(table)"
            )
        lengths = np.where(at >= 0, np.diff(table.starts, append=0)[at], 0)
        i = np.repeat(np.arange(c.size), lengths)
        slot = np.arange(i.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        stored = table.starts[at[i]] + slot
        where[i, slot], value[i, slot] = table.where[stored], table.values[stored]
        if self.missing:
            where[gap, 0], value[gap, 0] = self.width - 1, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class KeptTexts:
    """The features of each text, as rows of a CSR matrix."""

    starts: NDArray[np.intp]
    where: NDArray[np.int32]
    values: Vector


def _parts(c: Vector, first: float) -> dict[str, Vector]:
    day = np.floor(c / DAY)
    months = day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return {
        "year": 1970.0 + months // 12,
        "month": 1.0 + months % 12,
        "weekday": (day + 3) % 7,  # 1970 began on a Thursday
        "hour": np.floor((c - DAY * day) / 3600),
        "days": (c - first) / DAY,
    }


def _missing(name: str) -> str:
    return f"{name} is missing"


Part = Number | OneHot | Dates | Hashed


def plain_part(part: Part) -> dict[str, Any]:
    """Return what was learnt about a column as JSON holds it."""
    fields = asdict(part).items()
    return {"kind": part.kind, **{k: [*v] if isinstance(v, tuple) else v for k, v in fields}}


def part_of(kind: str, **given: Any) -> Part:
    """Inverse of `plain_part`."""
    fields = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    made: Any = {part.kind: part for part in (Number, OneHot, Dates, Hashed)}[kind]
    part: Part = made(**fields)
    return part
