"""What an encoding learns about one column, and the features that it makes of the column.

| column | features |
|---|---|
| number, truth value | the number; a missing one is the median of the training rows |
| category | one-hot: a column for each level, and one for all rare levels |
| free text | TF-IDF of the hashed words and pairs of words (`texts`) that most training rows have |
| date | year, month, weekday (Monday is 0), hour, and days since the first training date |

A column with a missing cell in a training row has a feature "NAME is missing". A level is rare in
fewer than 10 training rows, or fewer than one row in a hundred if that is less, but always when
it is in one row only. A level that no training row has is 0 in all features. What is the same in
all training rows has no feature, except a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.datasets.tables.columns import Column
from aucbench.datasets.tables.texts import BUCKETS, unpacked
from aucbench.errors import DataError

RARE, RARE_SHARE, RARE_LEAST = 10, 0.01, 2
MOST_KEPT = 1000  # buckets of free text that are features: those that most training rows have
DAY = 86400.0


def rare_below(n: int) -> int:
    """Return the number of training rows below which a level is rare, of n rows."""
    return max(RARE_LEAST, min(RARE, int(n * RARE_SHARE)))


class _Numbers:
    """What makes features of the codes themselves."""

    __slots__ = ()

    def table(self, column: Column) -> None:
        """Return None: there are no levels."""


class _Levels:
    """What has the features of each level in a table."""

    __slots__ = ()

    def block(self, c: Vector, table: Any) -> Any:
        """Return the features of codes as CSR rows, (n, width)."""
        m = table.shape[0] - 2
        if np.fmax.reduce(c, initial=-1) >= m:
            raise DataError(
                "the codes are of another table than the texts of the schema; take those of "
                "Schema.bound(table)"
            )
        return table[np.where(np.isnan(c), m, np.where(c < 0, m + 1, c)).astype(np.int64)]


@dataclass(frozen=True, slots=True)
class Number(_Numbers):
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

    def block(self, c: Vector, table: None) -> NDArray[np.float64]:
        """Return the features of codes, (n, width)."""
        gap = np.isnan(c)
        filled = c if self.median is None else np.where(gap, self.median, c)
        return np.column_stack([filled, gap][: self.width])


@dataclass(frozen=True, slots=True)
class OneHot(_Levels):
    """1 in the feature of the level; levels that are `rare` share one."""

    kept: tuple[str, ...]
    rare: tuple[str, ...]
    missing: bool
    kind: ClassVar[str] = "one-hot"

    width = property(lambda self: len(self.kept) + bool(self.rare) + self.missing)

    @staticmethod
    def learn(column: Column, c: Vector) -> OneHot:
        """Count the levels."""
        gap = bool(np.isnan(c).any())
        counts = np.bincount(c[c >= 0].astype(np.int64), minlength=len(column.levels))
        return OneHot.of_counts(column.levels, counts, c.size, missing=gap)

    @staticmethod
    def of_counts(
        levels: Sequence[str], counts: NDArray[np.int64], n: int, *, missing: bool
    ) -> OneHot:
        """Return the features of levels that so many of n rows have."""
        pooled = (counts > 0) & (counts < rare_below(n))
        often = (counts > 0) & ~pooled & (counts < n)
        if counts[pooled].sum() == n:
            pooled[:] = False
        kept, rare = (
            tuple(levels[k] for k in np.flatnonzero(mask).tolist()) for mask in (often, pooled)
        )
        return OneHot(kept, rare, missing and bool(kept or rare))

    def names(self, name: str) -> list[str]:
        """Return the names of the features."""
        pooled = [f"{name}=(rare)"] if self.rare else []
        gap = [_missing(name)] if self.missing else []
        return [*(f"{name}={level}" for level in self.kept), *pooled, *gap]

    def table(self, column: Column) -> Any:
        """Return the features of each level, of a missing cell, and of an unseen level."""
        from scipy.sparse import csr_array

        at = dict.fromkeys(self.rare, len(self.kept)) | {t: k for k, t in enumerate(self.kept)}
        gap = self.width - 1 if self.missing else -1
        where = np.array([*(at.get(level, -1) for level in column.levels), gap, -1], np.int32)
        starts = np.cumsum([0, *(where >= 0)], dtype=np.int32)
        own = where[where >= 0]
        return csr_array((np.ones(own.size), own, starts), shape=(where.size, self.width))


@dataclass(frozen=True, slots=True)
class Dates(_Numbers):
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
        ones = np.ones(c.size - int(gap.sum()), np.int64)
        return Dates.of_counts(c[~gap], ones, missing=bool(gap.any()))

    @staticmethod
    def of_counts(c: Vector, counts: NDArray[np.int64], *, missing: bool) -> Dates:
        """Return the features of dates that so many rows have."""
        first = float(c.min())
        parts = {part: x for part, x in parts_of_dates(c, first).items() if x.min() < x.max()}
        medians = tuple(median_of_counts(x, counts) for x in parts.values())
        return Dates(tuple(parts), medians, first, missing)

    def names(self, name: str) -> list[str]:
        """Return the names of the features."""
        return [f"{name} {part}" for part in self.parts] + [_missing(name)] * self.missing

    def block(self, c: Vector, table: None) -> NDArray[np.float64]:
        """Return the features of codes, (n, width)."""
        gap = np.isnan(c)
        parts = parts_of_dates(np.where(gap, self.first, c), self.first)
        both = zip(self.parts, self.medians, strict=True)
        columns = [np.where(gap, median, parts[part]) for part, median in both]
        return np.column_stack([*columns, gap][: self.width])

    def codes(self, block: Vector) -> Vector:
        """Return the dates that have these features, (n,); none is missing."""
        if "days" not in self.parts:
            return np.full(len(block), self.first)
        return self.first + DAY * block[:, self.parts.index("days")]


@dataclass(frozen=True, slots=True)
class Hashed(_Levels):
    """TF-IDF of the n-grams in the most frequent buckets, with norm 1 in each text.

    A bucket b of which a text has c n-grams is (1 + log c) idf_b, divided by the Euclidean norm of
    the text over the kept buckets, where idf_b = 1 + log((1 + n)/(1 + n_b)) if n_b of n training
    rows have the bucket: `TfidfTransformer(sublinear_tf=True)` of scikit-learn.
    """

    kept: tuple[int, ...]  # ascending
    idf: tuple[float, ...]  # of each
    ngrams: tuple[str, ...]  # the most frequent one of each, or ""
    missing: bool
    kind: ClassVar[str] = "hashed"

    width = property(lambda self: len(self.kept) + self.missing)

    @staticmethod
    def learn(column: Column, c: Vector) -> Hashed:
        """Count the rows that have a bucket."""
        texts, gap = unpacked(column.texts), bool(np.isnan(c).any())
        own = np.bincount(c[c >= 0].astype(np.int64), minlength=texts.names.size)
        rows = np.bincount(texts.buckets, np.repeat(own, texts.lengths), BUCKETS)
        often = np.argsort(-rows, kind="stable")[:MOST_KEPT]
        kept = np.sort(often[(rows[often] >= rare_below(c.size)) & (rows[often] < c.size)])
        buckets = tuple(kept.tolist())
        idf = 1.0 + np.log((1.0 + c.size) / (1.0 + rows[kept]))
        known = dict(zip(column.buckets, column.ngrams, strict=True))
        ngrams = tuple(known.get(bucket, "") for bucket in buckets)
        return Hashed(buckets, tuple(idf.tolist()), ngrams, gap and kept.size > 0)

    def names(self, name: str) -> list[str]:
        """Return the names of the features."""
        both = zip(self.kept, self.ngrams, strict=True)
        own = (f"{name}: {ngram}" if ngram else f"{name} #{bucket}" for bucket, ngram in both)
        return [*own, *[_missing(name)] * self.missing]

    def table(self, column: Column) -> Any:
        """Return the features of each text, of a missing cell, and of an unseen text."""
        from scipy.sparse import csr_array, vstack

        texts = unpacked(column.texts)
        stored = (texts.counts.astype(np.float64), texts.buckets.astype(np.int32), texts.starts)
        hashed: Any = csr_array(stored, shape=(texts.names.size, BUCKETS))[:, list(self.kept)]
        owner = np.repeat(np.arange(texts.names.size), np.diff(hashed.indptr))
        values = (1.0 + np.log(hashed.data)) * np.array(self.idf)[hashed.indices]
        norms = np.sqrt(np.bincount(owner, values**2, texts.names.size))
        hashed.data = values / norms[owner]
        hashed.resize((texts.names.size, self.width))
        gap: Any = csr_array((2, self.width))
        if self.missing:
            gap = csr_array(([1.0], [self.width - 1], [0, 1, 1]), shape=(2, self.width))
        return vstack([hashed, gap], format="csr")


def median_of_counts(x: Vector, counts: NDArray[np.int64]) -> float:
    """Return the median of numbers that so many rows have."""
    order = np.argsort(x)
    upto = np.cumsum(counts[order])
    middle = np.searchsorted(upto, [(upto[-1] - 1) // 2, upto[-1] // 2], side="right")
    return float(x[order][middle].mean())


def parts_of_dates(c: Vector, first: float) -> dict[str, Vector]:
    """Return the parts of dates in seconds since 1970; days are counted from the date `first`."""
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
