"""`Encoding`: features of a table, learnt from training rows; see `parts` for the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import DENSE_FROM, Index, Rows, rows
from aucbench.datasets.tables.parts import Dates, Number, OneHot, Part, part_of, plain_part
from aucbench.datasets.tables.schema import Schema
from aucbench.errors import DataError

VERSION = 1
BLOCK = 8192  # rows that are encoded at a time, so that their parts stay in the cache
_LEARNT: dict[str, type[Part]] = {
    "numeric": Number,
    "boolean": Number,
    "category": OneHot,
    "date": Dates,
}
_Slots = tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.bool_]]


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

    @cached_property
    def _tables(self) -> list[Index]:
        both = zip(self.schema.columns, self.parts, strict=True)
        return [part.table(column) for column, part in both]

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

    def _slots(self, c: NDArray[np.float64]) -> Iterator[_Slots]:
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
            for j, (part, table) in enumerate(zip(self.parts, self._tables, strict=True)):
                own = slice(slot, slot + part.slots)
                part.put(table, block[:, j], where[:, own], value[:, own])
                where[:, own] += np.where(where[:, own] >= 0, np.int32(base), np.int32(0))
                slot, base = slot + part.slots, base + part.width
            yield where, value, where >= 0

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON holds it; numbers come back to the last digit."""
        return {
            "version": VERSION,
            "schema": self.schema.to_json(),
            "parts": [plain_part(part) for part in self.parts],
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
        parts = tuple(part_of(**given) for given in plain["parts"])
        return Encoding(Schema.from_json(plain["schema"]), parts, plain["sparse"])


def _codes(schema: Schema, coded: Rows) -> NDArray[np.float64]:
    if coded.d != len(schema.columns):
        raise DataError(
            f"the rows have {coded.d} codes, but the table has {len(schema.columns)} columns; give "
            "the rows that Schema.codes returns"
        )
    return np.asarray(coded.dense().matrix)
