"""`Schema`: what each column of a table is, and the code of each cell. `Encoding`: its features.

The features are learnt from training rows; see `parts` for the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Categories, Data, Shapes
from aucbench.data.arrays import Rows, rows
from aucbench.data.layouts import DENSE_FROM
from aucbench.data.understood import Remark
from aucbench.datasets.tables.cells import mark_missing
from aucbench.datasets.tables.columns import LATER, Column, RawColumn
from aucbench.datasets.tables.parts import Dates, Hashed, Number, OneHot, Part
from aucbench.errors import DataError

VERSION = 1
BLOCK = 8192  # rows that are encoded at a time, so that their parts stay in the cache
_LEARNT: dict[str, type[Part]] = {
    "numeric": Number,
    "boolean": Number,
    "category": OneHot,
    "date": Dates,
    "text": Hashed,
}
PART = 1 << 17  # rows that are looked at at a time
NO_WORDS: Mapping[str, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class Schema:
    """What the columns of a table are."""

    columns: tuple[Column, ...]  # the columns that are kept, in the order of the table
    # the columns that are left out because they cannot rank rows
    dropped: tuple[tuple[str, str], ...] = ()
    decimal: str = "."  # the decimal mark of numbers that are text

    names = property(lambda self: tuple(c.name for c in self.columns), doc="Names of the columns.")

    @staticmethod
    def of(
        frame: Any,
        decimal: str = ".",
        text: str = "hash",
        words: Mapping[str, tuple[str, ...]] = NO_WORDS,
    ) -> Schema:
        """Return what the columns of a data frame are; no label is looked at.

        `text` says what becomes of free text, as in `ReadOptions`. A cell is missing if pandas says
        so, or if it is one of the texts `cells.MISSING` and none of the `words` of its column.

        - Truth values are true/false, yes/no, t/f and y/n, in any case.
        - Digits of which a cell has a leading zero are categories: 0123 is not 123.
        - Numbers may be text with groups of three digits.
        - Dates are ISO dates or have one of the formats `cells.FORMATS`. If day and month could be
          exchanged in all cells, the month comes first, and a remark says so.
        - Free text has three words or more on average, and more than 20 different texts in more
          than half of the cells.
        - Other texts are categories.
        - A column without a value, a text column with one value and no missing cell, and a text
          column with more than 20 values, as many as 95 % of its cells or more, are dropped.
        """
        if not len(frame):
            raise DataError("the table has no row; give one with rows")
        names = [str(name) for name in frame.columns]
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise DataError(
                f"{len(twice)} column name(s) occur twice, first {twice[0]!r}; give each column a "
                "name of its own"
            )
        columns, dropped = [], []
        for j, name in enumerate(names):
            raw = RawColumn.of(frame.iloc[:, j], name, words.get(name, ()))
            known = raw.column(decimal, text)
            if isinstance(known, Column):
                columns.append(known)
            else:
                dropped.append((name, known))
        if not columns:
            reason = f", first {dropped[0][0]!r}, which {dropped[0][1]}" if dropped else ""
            raise DataError(f"no feature is left: {len(dropped)} were dropped{reason}; give others")
        return Schema(tuple(columns), tuple(dropped), decimal)

    def codes(self, frame: Any) -> NDArray[np.float64]:
        """Return the codes of the cells, shape (n, columns); a missing cell is NaN.

        The code of a number is the number, of a truth value 0 or 1, of a date its seconds since
        1970 (UTC), of a category the position of its level, of free text that of the same text in
        the table of the schema, see `bound`. What is not in the schema has the code -1. Columns
        are found by name; columns that are not in the schema are not read.
        """
        out = np.empty((len(frame), len(self.columns)))
        for j, raw in enumerate(self._raw(frame)):
            out[:, j] = raw.codes(self.columns[j], self.decimal)
        return out

    @property
    def remarks(self) -> Iterator[Remark]:
        """How cells were understood that could be understood in another way."""
        for column in self.columns:
            name = column.name
            if column.remark:
                yield Remark(column.remark, "cells", name)
            if column.kind == "text":
                yield Remark(
                    f"column {name!r} holds free text, {column.distinct} different ones, and is "
                    "read as hashed words and pairs of words; --text drop leaves it out",
                    "text",
                    name,
                    f"{column.distinct} texts",
                )

    def bound(self, frame: Any) -> Schema:
        """Return the schema for the codes of another table: its free texts are those of it."""
        if all(column.kind != "text" for column in self.columns):
            return self
        both = zip(self.columns, self._raw(frame), strict=True)
        return replace(self, columns=tuple(raw.bound(column) for column, raw in both))

    def unbound(self) -> Schema:
        """Return the schema without free texts, for a file."""
        bare = (replace(column, texts="", ngrams=(), buckets=()) for column in self.columns)
        return replace(self, columns=tuple(bare))

    def _raw(self, frame: Any) -> Iterator[RawColumn]:
        """Yield the columns of the schema in a frame."""
        at = {str(name): j for j, name in enumerate(frame.columns)}
        if absent := [name for name in self.names if name not in at]:
            raise DataError(
                f"{len(absent)} column(s) are absent, first {absent[0]!r}; give a table with all "
                f"{len(self.columns)} columns of the first one"
            )
        for column in self.columns:
            cells, _ = mark_missing(frame.iloc[:, at[column.name]], column.gaps, self.decimal)
            yield RawColumn.of(cells, column.name, column.kept)

    def require_ordered(self, shapes: Shapes) -> None:
        """Raise `DataError` when the effect of a column must have a shape and has no order."""
        for j, shape in shapes.of_columns:
            column = self.columns[j]
            if _LEARNT[column.kind] is not Number:
                raise DataError(
                    f"the effect of column {column.name!r} cannot be {shape}: it is a "
                    f"{column.kind}, and only numbers have an order; leave it out"
                )

    def encoding(self, coded: Rows) -> Encoding:
        """Return what `Encoding.learn` learns from the codes of training rows."""
        return Encoding.learn(self, coded)

    def to_json(self) -> dict[str, Any]:
        """Return its fields as JSON holds them."""
        columns = (_listed(column) for column in self.columns)
        return {
            "columns": [{k: v for k, v in c.items() if v or k not in LATER} for c in columns],
            "dropped": [[*pair] for pair in self.dropped],
            "decimal": self.decimal,
        }

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Schema:
        """Inverse of `to_json`."""
        fields: list[dict[str, Any]] = [
            {k: tuple(v) if isinstance(v, list) else v for k, v in one.items()}
            for one in plain["columns"]
        ]
        dropped = ((name, reason) for name, reason in plain["dropped"])
        return Schema(tuple(Column(**one) for one in fields), tuple(dropped), plain["decimal"])


def _listed(one: Column | Part) -> dict[str, Any]:
    """Return the fields of a dataclass, with lists for tuples."""
    return {k: [*v] if isinstance(v, tuple) else v for k, v in asdict(one).items()}


def is_numeric(frame: Any) -> bool:
    """Return whether all cells of a data frame are finite numbers, so that it needs no codes."""
    if any(getattr(dtype, "kind", "O") not in "fiub" for dtype in frame.dtypes):
        return False
    return all(_is_finite(frame.iloc[:, j]) for j in range(frame.shape[1]))


def _is_finite(column: Any) -> bool:
    """Return whether all numbers of a column are finite; rows are looked at in parts."""
    parts = (column.iloc[lo : lo + PART] for lo in range(0, len(column), PART))
    return all(
        np.isfinite(part.to_numpy(dtype=np.float64, na_value=np.nan)).all() for part in parts
    )


@dataclass(frozen=True)
class Encoding:
    """phi(c): the features of coded rows."""

    schema: Schema  # the columns
    parts: tuple[Part, ...]  # what was learnt about each column
    # the layout of the features: CSR if less than a third of those of the training rows are not
    # zero
    sparse: bool

    @staticmethod
    def learn(schema: Schema, coded: Rows) -> Encoding:
        """Learn from the codes of training rows, shape (n, columns)."""
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
        stored = sum(_stored(block) for block in dense._blocks(c))
        return Encoding(schema, parts, sparse=bool(stored < DENSE_FROM * coded.n * dense.d))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the features: "age", "age is missing", "color=red", "signup year"."""
        both = zip(self.schema.columns, self.parts, strict=True)
        return tuple(name for column, part in both for name in part.names(column.name))

    @cached_property
    def _tables(self) -> list[Any]:
        both = zip(self.schema.columns, self.parts, strict=True)
        return [part.table(column) for column, part in both]

    @property
    def d(self) -> int:
        """Number of features."""
        return sum(part.width for part in self.parts)

    def of_frame(self, frame: Any) -> Rows:
        """Return the features of a table; its columns are found by name."""
        return self.bound(frame)(rows(self.schema.bound(frame).codes(frame)))

    def bound(self, frame: Any) -> Encoding:
        """Return the encoding for codes of another table, see `Schema.bound`."""
        schema = self.schema.bound(frame)
        return self if schema is self.schema else replace(self, schema=schema)

    def applied(self, data: Data) -> Data:
        """Return the data with the features of its coded rows, and the shapes of their effects.

        Raises
        ------
        DataError
            When the effect of a column that is no number must have a shape.
        """
        shapes = None if data.shapes is None else self._shapes(data.shapes)
        return replace(data.with_rows(self(data.rows)), shapes=shapes)

    def _shapes(self, shapes: Shapes) -> Shapes:
        self.schema.require_ordered(shapes)
        first = np.cumsum([0, *(part.width for part in self.parts)])
        of_features = []
        for j, shape in shapes.of_columns:
            if self.parts[j].width:  # a column without a known cell has no effect
                of_features.append((int(first[j]), shape))
        return Shapes(tuple(of_features))

    def __call__(self, coded: Rows) -> Rows:
        """Return the features of coded rows (n, columns) -> (n, d), dense or CSR."""
        c = _codes(self.schema, coded)
        return self._csr(c) if self.sparse else self._dense(c)

    def _dense(self, c: NDArray[np.float64]) -> Rows:
        out = np.empty((c.shape[0], self.d))
        for lo in range(0, c.shape[0], BLOCK):
            own, first = out[lo : lo + BLOCK], 0
            for block in self._blocks(c[lo : lo + BLOCK]):
                last = first + block.shape[1]
                own[:, first:last] = block if isinstance(block, np.ndarray) else block.toarray()
                first = last
        return rows(out)

    def _csr(self, c: NDArray[np.float64]) -> Rows:
        from scipy.sparse import csr_array, hstack

        return rows(hstack([csr_array(block) for block in self._blocks(c)], format="csr"))

    def _blocks(self, c: NDArray[np.float64]) -> Iterator[Any]:
        """Yield the features of each column that has some: dense, or CSR if it has levels."""
        for j, (part, table) in enumerate(zip(self.parts, self._tables, strict=True)):
            if part.width:
                yield part.block(c[:, j], table)

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON holds it; numbers come back to the last digit.

        Free texts of the table are left out: they belong to its codes, and `bound` has new ones.
        """
        return {
            "version": VERSION,
            "schema": self.schema.unbound().to_json(),
            "parts": [{"kind": part.kind, **_listed(part)} for part in self.parts],
            "sparse": self.sparse,
        }


def encode_table(data: Data) -> Data:
    """Return the features of a table, by an encoding that learns from all rows; else itself.

    To learn from some rows only, `Encoding.learn(data.schema, data.take(some).rows)` returns an
    encoding, which is applied to rows.

    Raises
    ------
    DataError
        When no feature is left.
    """
    if data.schema is None:
        return data
    encoding: Encoding = data.schema.encoding(data.rows)
    return replace(encoding.applied(data), names=encoding.names)


def with_shapes(data: Data, asked: Any) -> Data:
    """Return the rows with what the effects of some columns must be, see `Data.shapes`.

    Parameters
    ----------
    data : Data
        The rows.
    asked : str, mapping of str to shape, or sequence of int
        Text such as "income=+1,age=-1,dose=convex"; a mapping with such shapes; or 1, -1 or 0
        for each column, as `monotonic_cst` of scikit-learn.

    Raises
    ------
    DataError
        When there is no such column, or the rows have three or more classes.
    UnknownNameError, ParameterError
        When a shape is none, or one is missing.
    """
    if isinstance(data.target, Categories):
        raise DataError(
            "the rows have three or more classes, and an effect that increases the score of one "
            "cannot increase that of another; leave the shapes of effects out"
        )
    names = data.names if data.schema is None else data.schema.names
    signs = isinstance(asked, Sequence | np.ndarray) and not isinstance(asked, str)
    shapes = Shapes.of_signs(asked, data.d) if signs else Shapes.of(asked, names, data.d)
    if data.schema is not None:
        data.schema.require_ordered(shapes)
    return replace(data, shapes=shapes)


def _stored(block: Any) -> int:
    """Return how many features of a block are not 0."""
    return int(np.count_nonzero(block) if isinstance(block, np.ndarray) else block.nnz)


def _codes(schema: Schema, coded: Rows) -> NDArray[np.float64]:
    if coded.d != len(schema.columns):
        raise DataError(
            f"the rows have {coded.d} codes, but the table has {len(schema.columns)} columns; give "
            "the rows that Schema.codes returns"
        )
    return np.asarray(coded.dense().matrix)
