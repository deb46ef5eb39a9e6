"""Examine the features of a file: what kinds they are, what is left out, and what may be wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucbench.data.arrays import rows
from aucbench.data.understood import Understood
from aucbench.datasets.formats import Table
from aucbench.datasets.suspicious import Mask, is_sorted, repeated_rows, suspects
from aucbench.datasets.tables import Schema, is_numeric, require_numbers
from aucbench.errors import DataError


@dataclass(frozen=True, slots=True)
class Examined:
    """The features of a file."""

    X: Any  # the features, or the codes of a table that does not hold numbers only
    names: tuple[str, ...] | None
    schema: Schema | None  # what the columns of such a table are
    understood: Understood  # without what is known of the labels


def examine(
    table: Table, positive: Mask, *, encode: str, decimal: str, drop_suspicious: bool
) -> Examined:
    """Look at the features of a table, and code them if they are not all numbers."""
    if not hasattr(table.X, "iloc"):
        if drop_suspicious:
            raise DataError(
                "drop_suspicious is for tables whose columns have a meaning each, such as CSV; "
                "leave it out"
            )
        kinds = {"numeric": int(np.shape(table.X)[1])}
        return Examined(table.X, table.names, None, Understood(kinds=kinds))
    frame = table.X.set_axis(table.names or tuple(map(str, table.X.columns)), axis=1)
    schema = _schema(frame, encode, decimal)
    codes = None if schema is None else schema.codes(frame)
    dropped = dict(schema.dropped) if schema else {}
    meant = frame if schema is None or codes is None else _meant(frame, schema, codes)
    strange = {str(meant.columns[s.column]): s.what for s in suspects(meant, positive)}
    warnings = [f"column {name!r} is suspicious: {what}" for name, what in strange.items()]
    if drop_suspicious:
        kept = [j for j, name in enumerate(map(str, meant.columns)) if name not in strange]
        dropped, warnings = {**dropped, **strange}, []
        if schema is None or codes is None:
            table = table.keeping(kept)
        else:
            schema = replace(schema, columns=tuple(schema.columns[j] for j in kept))
            codes = codes[:, kept]
    warnings += schema.remarks if schema else ()
    if count := repeated_rows(frame):
        warnings.append(f"{count} row(s) occur earlier in the table; a test row may be learnt")
    if is_sorted(positive):
        warnings.append("the rows are sorted by label; splits shuffle them")
    understood = Understood(kinds=_kinds(table, schema), dropped=dropped, warnings=tuple(warnings))
    if schema is None:
        return Examined(table.X, table.names, None, understood)
    if not schema.columns:
        raise DataError(f"no feature is left: {len(dropped)} were dropped; give others")
    return Examined(rows(codes), schema.names, schema, understood)


def _schema(frame: Any, encode: str, decimal: str) -> Schema | None:
    """Return what the columns are; None where all of them are numbers without a gap."""
    if not frame.shape[1] or is_numeric(frame):
        return None
    if encode == "none":
        require_numbers(frame, decimal)
    return Schema.of(frame, decimal)


def _meant(frame: Any, schema: Schema, codes: Any) -> Any:
    """Return the kept columns as what they mean: numbers, dates, and texts of categories."""
    import pandas as pd

    columns = {}
    for j, column in enumerate(schema.columns):
        if column.kind == "category":
            columns[column.name] = frame[column.name]
        elif column.kind == "date":
            columns[column.name] = (1e6 * codes[:, j]).astype("datetime64[us]")
        else:
            columns[column.name] = codes[:, j]
    return pd.DataFrame(columns, index=frame.index)


def _kinds(table: Table, schema: Schema | None) -> Mapping[str, int]:
    if schema is None:
        return {"numeric": table.X.shape[1]}
    return dict(Counter(column.kind for column in schema.columns).most_common())
