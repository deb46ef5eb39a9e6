"""`Schema`: what each column of a table is, and the code of each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Rows
from aucbench.datasets.tables.column import Column
from aucbench.datasets.tables.found import Found
from aucbench.errors import DataError

if TYPE_CHECKING:
    from aucbench.datasets.tables.encoding import Encoding

PART = 1 << 14  # rows that are looked at at a time


@dataclass(frozen=True, slots=True)
class Schema:
    """What the columns of a table are.

    Attributes
    ----------
    columns : tuple of Column
        The columns that are kept, in the order of the table.
    dropped : tuple of (name, reason)
        The columns that are left out because they cannot rank rows.
    decimal : "." or ","
        The decimal mark of numbers that are text.
    """

    columns: tuple[Column, ...]
    dropped: tuple[tuple[str, str], ...] = ()
    decimal: str = "."

    names = property(lambda self: tuple(c.name for c in self.columns), doc="Names of the columns.")
    remarks = property(
        lambda self: tuple(c.remark for c in self.columns if c.remark),
        doc="Sentences about columns that could be understood in another way.",
    )

    @staticmethod
    def of(frame: Any, decimal: str = ".") -> Schema:
        """Return what the columns of a data frame are; no label is looked at.

        A cell is missing if pandas says so, or if it is one of the texts `cells.MISSING`.

        - Truth values are true/false, yes/no, t/f and y/n, in any case.
        - Numbers may be text with groups of three digits.
        - Dates are ISO dates or have one of the formats `cells.FORMATS`. If day and month could be
          exchanged in all cells, the month comes first, and a remark says so.
        - Other texts are categories.
        - A column without a value, a text column with one value and no missing cell, and a text
          column with more than 20 values, as many as 95 % of its cells or more, are dropped.

        Raises
        ------
        DataError
            When two columns have the same name, a number is infinite, a column holds free text,
            holds numbers or dates in all but a few cells, or has another decimal mark.
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
            found = Found.of(frame.iloc[:, j], name).column(decimal)
            if isinstance(found, Column):
                columns.append(found)
            else:
                dropped.append((name, found))
        if not columns:
            reason = f", first {dropped[0][0]!r}, which {dropped[0][1]}" if dropped else ""
            raise DataError(f"no feature is left: {len(dropped)} were dropped{reason}; give others")
        return Schema(tuple(columns), tuple(dropped), decimal)

    def codes(self, frame: Any) -> NDArray[np.float64]:
        """Return the codes of the cells, shape (n, columns); a missing cell is NaN.

        The code of a number is the number, of a truth value 0 or 1, of a date its seconds since
        1970 (UTC), of a category the position of its level. A level that is not in the schema has
        the code -1. Columns are found by name; columns that are not in the schema are not read.

        Raises
        ------
        DataError
            When a column is absent, or a cell is not of the kind of its column.
        """
        at = {str(name): j for j, name in enumerate(frame.columns)}
        if absent := [name for name in self.names if name not in at]:
            raise DataError(
                f"{len(absent)} column(s) are absent, first {absent[0]!r}; give a table with all "
                f"{len(self.columns)} columns of the first one"
            )
        out = np.empty((len(frame), len(self.columns)))
        for j, column in enumerate(self.columns):
            out[:, j] = Found.of(frame.iloc[:, at[column.name]], column.name).codes(
                column, self.decimal
            )
        return out

    def encoding(self, coded: Rows) -> Encoding:
        """Return what `Encoding.learn` learns from the codes of training rows."""
        from aucbench.datasets.tables.encoding import Encoding

        return Encoding.learn(self, coded)

    def to_json(self) -> dict[str, Any]:
        """Return its fields as JSON holds them."""
        return {
            "columns": [{**asdict(c), "levels": [*c.levels]} for c in self.columns],
            "dropped": [[*pair] for pair in self.dropped],
            "decimal": self.decimal,
        }

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Schema:
        """Inverse of `to_json`."""
        columns = (Column(**{**c, "levels": tuple(c["levels"])}) for c in plain["columns"])
        dropped = ((name, reason) for name, reason in plain["dropped"])
        return Schema(tuple(columns), tuple(dropped), plain["decimal"])


def is_numeric(frame: Any) -> bool:
    """Return whether all cells of a data frame are finite numbers, so that it needs no codes."""
    if any(getattr(dtype, "kind", "O") not in "fiub" for dtype in frame.dtypes):
        return False
    parts = (frame.iloc[lo : lo + PART] for lo in range(0, len(frame), PART))
    return all(
        np.isfinite(part.to_numpy(dtype=np.float64, na_value=np.nan)).all() for part in parts
    )


def require_numbers(frame: Any, decimal: str) -> None:
    """Raise `DataError` about the first columns of a frame that are no numbers, or a missing cell.

    The error is that of `Schema.of` if a column looks like numbers that are written otherwise.
    """
    columns = [Found.of(frame.iloc[:, j], str(name)) for j, name in enumerate(frame.columns)]
    texts = [found for found in columns if found.kind in ("text", "date")]
    if texts:
        for found in texts:
            found.column(decimal)
        listed = ", ".join(repr(found.name) for found in texts[:5]) + ", ..." * (len(texts) > 5)
        raise DataError(
            f"{len(texts)} column(s) are not numeric: {listed}; drop them, or let encode='auto' "
            "(--encode auto) make features of them"
        )
    for found in columns:
        found.refuse_missing()
