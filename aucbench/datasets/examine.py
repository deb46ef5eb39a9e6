"""Examine the features of a file: what kinds they are, what is left out, and what may be wrong.

Columns and rows of a table that often mean a mistake give a warning. Only tables are looked at so:
their columns have a meaning each, pixels and words have none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import rows
from aucbench.data.understood import Remark, Understood
from aucbench.datasets.formats import Table
from aucbench.datasets.gaps import Gaps
from aucbench.datasets.hints import hints
from aucbench.datasets.reading import Reading
from aucbench.datasets.repeated import repeated_rows
from aucbench.datasets.sentinels import sentinels
from aucbench.datasets.suspects import is_sorted, suspects
from aucbench.datasets.tables import Schema, is_numeric
from aucbench.errors import DataError

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Examined:
    """The features of a file."""

    X: Any  # the features, or the codes of a table that does not hold numbers only
    names: tuple[str, ...] | None
    schema: Schema | None  # what the columns of such a table are
    understood: Understood  # without what is known of the labels


def examine(table: Table, positive: Mask, asked: Reading, gaps: Gaps) -> Examined:
    """Look at the features of a table, and code them if they are not all numbers.

    `gaps` are the cells that mean a missing one, by column, which are missing in it already.
    """
    if not hasattr(table.X, "iloc"):
        return Examined(table.X, table.names, None, Understood(kinds={"numeric": table.d}))
    frame = table.X.set_axis(table.names or tuple(map(str, table.X.columns)), axis=1)
    schema = _schema(frame, asked, gaps)
    codes = None if schema is None else schema.codes(frame)
    dropped = dict(schema.dropped) if schema else {}
    meant = frame if schema is None or codes is None else _meant(frame, schema, codes)
    remarks = (
        *suspects(meant, positive),
        *sentinels(meant, frame),
        *(_remarks(schema) if schema else ()),
        *hints(meant, asked),
        *_about_rows(frame, positive),
    )
    kinds = ["numeric"] * table.d if schema is None else [c.kind for c in schema.columns]
    understood = Understood(
        kinds=dict(Counter(kinds).most_common()), dropped=dropped, remarks=remarks
    )
    if schema is None:
        return Examined(table.X, table.names, None, understood)
    if not schema.columns:
        raise DataError(f"no feature is left: {len(dropped)} were dropped; give others")
    return Examined(rows(codes), schema.names, schema, understood)


def _schema(frame: Any, asked: Reading, gaps: Gaps) -> Schema | None:
    """Return what the columns are; None where all of them are numbers without a gap.

    Where cells mean a missing one, there is a schema all the same: it reads new tables so too.
    """
    if not frame.shape[1] or (not gaps and is_numeric(frame)):
        return None
    schema = Schema.of(frame, asked.decimal, asked.text)
    own = (replace(column, gaps=gaps.get(column.name, ())) for column in schema.columns)
    return replace(schema, columns=tuple(own))


def _meant(frame: Any, schema: Schema, codes: Any) -> Any:
    """Return the kept columns as what they mean: numbers, dates, and texts of categories.

    Free text is not there.
    """
    import pandas as pd

    columns = {}
    for j, column in enumerate(schema.columns):
        if column.kind == "category":
            columns[column.name] = frame[column.name]
        elif column.kind == "date":
            columns[column.name] = (1e6 * codes[:, j]).astype("datetime64[us]")
        elif column.kind != "text":
            columns[column.name] = codes[:, j]
    return pd.DataFrame(columns, index=frame.index)


def _remarks(schema: Schema) -> Iterable[Remark]:
    """Yield how cells were understood that could be understood in another way."""
    for column in schema.columns:
        name = column.name
        if column.remark:
            yield Remark(column.remark, "cells", name)
        if column.kind == "text":
            yield Remark(
                f"column {name!r} holds free text, {column.distinct} different ones, and is read "
                "as hashed words and pairs of words; --text drop leaves it out",
                "text",
                name,
                f"{column.distinct} texts",
            )


def _about_rows(frame: Any, positive: Mask) -> Iterable[Remark]:
    if count := repeated_rows(frame):
        yield Remark(f"{count} row(s) occur earlier in the table; a test row may be learnt")
    if is_sorted(positive):
        yield Remark("the rows are sorted by label; splits shuffle them")
