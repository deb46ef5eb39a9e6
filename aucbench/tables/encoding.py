"""`Encoding`: features of a table, learnt from training rows.

| column | features |
|---|---|
| number, truth value | the number; a missing one is the median of the training rows |
| category | one-hot: a column for each level, and one for all rare levels |
| date | year, month, weekday (Monday is 0), hour, and days since the first training date |

A column with a missing cell in a training row has a feature "NAME is missing". A level is rare in
fewer than 10 training rows, or fewer than one row in a hundred if that is less, but always when
it is in one row only. A level that no training row has is 0 in all features. What is the same in
all training rows has no feature, except a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import DENSE_FROM, Index, Rows, Vector, rows
from aucbench.errors import DataError
from aucbench.tables.found import Column
from aucbench.tables.schema import Schema

VERSION = 1
RARE, RARE_SHARE, RARE_LEAST = 10, 0.01, 2
BLOCK = 8192  # rows that are encoded at a time, so that their parts stay in the cache
DAY = 86400.0


def rare_below(n: int) -> int:
    """Return the number of training rows below which a level is rare, of n rows."""
    return max(RARE_LEAST, min(RARE, int(n * RARE_SHARE)))


@dataclass(frozen=True, slots=True)
class Number:
    """x, with the training median for a missing cell; no feature if all are missing."""

    median: float | None
    missing: bool
    kind: ClassVar[str] = "number"

    slots = property(lambda self: self.width)
    width = property(lambda self: 0 if self.median is None else 1 + self.missing)

    @staticmethod
    def learn(_: Column, c: Vector) -> Number:
        """Learn the median."""
        gap = np.isnan(c)
        return Number(None if gap.all() else float(np.median(c[~gap])), bool(gap.any()))

    def names(self, name: str) -> list[str]:
        """Return the names of the features."""
        return [name, _missing(name)][: self.width]

    def put(self, column: Column, c: Vector, where: NDArray[np.int32], value: Vector) -> None:
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

    slots = property(lambda self: int(self.width > 0))
    width = property(lambda self: len(self.kept) + bool(self.rare) + self.missing)

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

    def put(self, column: Column, c: Vector, where: NDArray[np.int32], value: Vector) -> None:
        """Write the feature and the value of each slot, both of shape (n, slots)."""
        if self.width:
            gap = len(column.levels)
            table = self._table(column)
            where[:, 0] = table[np.where(np.isnan(c), gap, c).astype(np.int64)]
            value[:] = 1.0

    def _table(self, column: Column) -> Index:
        """Return the feature of each level, of a missing cell, and of an unseen level, or -1."""
        at = dict.fromkeys(self.rare, len(self.kept)) | {t: k for k, t in enumerate(self.kept)}
        gap = self.width - 1 if self.missing else -1
        return np.array([*(at.get(level, -1) for level in column.levels), gap, -1], np.int32)


@dataclass(frozen=True, slots=True)
class Dates:
    """The parts of a date that vary, with their training medians for a missing cell."""

    parts: tuple[str, ...]
    medians: tuple[float, ...]
    first: float  # the first training date, in seconds since 1970
    missing: bool
    kind: ClassVar[str] = "date"

    slots = property(lambda self: self.width)
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

    def put(self, column: Column, c: Vector, where: NDArray[np.int32], value: Vector) -> None:
        """Write the feature and the value of each slot, both of shape (n, slots)."""
        where[:] = np.arange(self.width)
        gap = np.isnan(c)
        found = _parts(np.where(gap, self.first, c), self.first)
        for k, (part, median) in enumerate(zip(self.parts, self.medians, strict=True)):
            value[:, k] = np.where(gap, median, found[part])
        value[:, len(self.parts) :] = gap[:, None]


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


Part = Number | OneHot | Dates
_LEARNT: dict[str, type[Part]] = {
    "numeric": Number,
    "boolean": Number,
    "category": OneHot,
    "date": Dates,
}


@dataclass(frozen=True)
class Encoding:
    """phi(c): the features of coded rows.

    Attributes
    ----------
    schema : Schema
        The columns.
    parts : tuple of Number, OneHot or Dates
        What was learnt about each column.
    sparse : bool
        The layout of the features: CSR if less than a third of those of the training rows are
        not zero.
    """

    schema: Schema
    parts: tuple[Part, ...]
    sparse: bool

    @staticmethod
    def learn(schema: Schema, coded: Rows) -> Encoding:
        """Learn from the codes of training rows, shape (n, columns).

        Raises
        ------
        DataError
            When there is not one code per column, or no feature is left.
        """
        c = _codes(schema, coded)
        parts = tuple(
            _LEARNT[column.kind].learn(column, c[:, j]) for j, column in enumerate(schema.columns)
        )
        dense = Encoding(schema, parts, sparse=False)
        if not dense.d:
            raise DataError(
                f"no feature is left: each of the {len(parts)} column(s) is the same in all "
                f"{coded.n} training rows; give others"
            )
        stored = sum(np.count_nonzero(value[keep]) for _, value, keep in dense._slots(c))
        return Encoding(schema, parts, sparse=bool(stored < DENSE_FROM * coded.n * dense.d))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the features: "age", "age is missing", "color=red", "signup year"."""
        both = zip(self.schema.columns, self.parts, strict=True)
        return tuple(name for column, part in both for name in part.names(column.name))

    @property
    def d(self) -> int:
        """Number of features."""
        return sum(part.width for part in self.parts)

    def of_frame(self, frame: Any) -> Rows:
        """Return the features of a table; its columns are found by name.

        Raises
        ------
        DataError
            As `Schema.codes`.
        """
        return self(rows(self.schema.codes(frame)))

    def __call__(self, coded: Rows) -> Rows:
        """Return the features of coded rows (n, columns) -> (n, d), dense or CSR.

        Raises
        ------
        DataError
            When there is not one code per column.
        """
        c = _codes(self.schema, coded)
        return self._csr(c) if self.sparse else self._dense(c)

    def _dense(self, c: NDArray[np.float64]) -> Rows:
        out, lo = np.zeros((c.shape[0], self.d)), 0
        for where, value, keep in self._slots(c):
            i, s = np.nonzero(keep)
            out[lo + i, where[i, s]] = value[i, s]
            lo += len(where)
        return rows(out)

    def _csr(self, c: NDArray[np.float64]) -> Rows:
        from scipy.sparse import csr_array

        values, columns, counts = [], [], [np.zeros(1, np.int64)]
        for where, value, keep in self._slots(c):
            stored = keep & (value != 0)
            values.append(value[stored])
            columns.append(where[stored])
            counts.append(np.count_nonzero(stored, axis=1))
        parts = (np.concatenate(values), np.concatenate(columns))
        starts = np.cumsum(np.concatenate(counts))
        return rows(csr_array((*parts, starts), shape=(c.shape[0], self.d)))

    def _slots(self, c: NDArray[np.float64]) -> Any:
        """Yield blocks of (feature, value, whether there is one), each of shape (rows, slots).

        Each column has as many slots as a row can have values of it, so that one-hot features
        need one slot, however many they are. Features ascend within a row.
        """
        total = sum(part.slots for part in self.parts)
        for lo in range(0, c.shape[0], BLOCK):
            block = c[lo : lo + BLOCK]
            where = np.empty((len(block), total), np.int32)
            value = np.empty((len(block), total))
            slot = base = 0
            for j, (column, part) in enumerate(zip(self.schema.columns, self.parts, strict=True)):
                own = slice(slot, slot + part.slots)
                part.put(column, block[:, j], where[:, own], value[:, own])
                where[:, own] += np.where(where[:, own] >= 0, np.int32(base), np.int32(0))
                slot, base = slot + part.slots, base + part.width
            yield where, value, where >= 0

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON holds it; numbers come back to the last digit."""
        return {
            "version": VERSION,
            "schema": self.schema.to_json(),
            "parts": [{"kind": part.kind, **_listed(asdict(part))} for part in self.parts],
            "sparse": self.sparse,
        }

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Encoding:
        """Inverse of `to_json`.

        Raises
        ------
        DataError
            When another version of aucbench wrote it in another form.
        """
        if plain.get("version") != VERSION:
            raise DataError(
                f"the encoding has the version {plain.get('version')!r}, this aucbench reads "
                f"version {VERSION}; take the aucbench that wrote it"
            )
        parts = tuple(_part(**given) for given in plain["parts"])
        return Encoding(Schema.from_json(plain["schema"]), parts, plain["sparse"])


def _part(kind: str, **given: Any) -> Part:
    fields = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    made: Any = {part.kind: part for part in (Number, OneHot, Dates)}[kind]
    part: Part = made(**fields)
    return part


def _listed(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: [*v] if isinstance(v, tuple) else v for name, v in fields.items()}


def _codes(schema: Schema, coded: Rows) -> NDArray[np.float64]:
    if coded.d != len(schema.columns):
        raise DataError(
            f"the rows have {coded.d} codes, but the table has {len(schema.columns)} columns; give "
            "the rows that Schema.codes returns"
        )
    return np.asarray(coded.dense().matrix)
