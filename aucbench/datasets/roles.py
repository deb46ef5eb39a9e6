"""Columns of a table that are no features (groups, times, weights), and files of test rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.datasets.label import column_at
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.table import Table, counted_alike, stacked
from aucbench.datasets.tables.cells import are_codes
from aucbench.datasets.tables.columns import Column, RawColumn
from aucbench.errors import DataError

EVENT = "event"  # the role of the column that says whether an event happened
MOST_NAMED = 5  # columns that a message lists


def roles_of(table: Table, asked: ReadOptions) -> tuple[dict[str, Any], dict[str | int, str]]:
    """Return groups, times, weights and events by name, and what their columns are.

    Numbers count the columns as those of `drop` do.
    """
    values: dict[str, Any] = {} if table.queries is None else {"groups": table.queries}
    if table.queries is not None and asked.groups is not None:
        raise DataError(
            f"the qid of each line says its group, and groups={asked.groups!r} names another; "
            "leave groups out"
        )
    columns: dict[str | int, str] = {}
    named = {
        "groups": asked.groups,
        "times": asked.time,
        "weights": asked.weights,
        EVENT: asked.event,
    }
    for role, wanted in named.items():
        if wanted is None:
            continue
        at = column_at(wanted, table.names, table.d)
        name = table.names[at] if table.names else at
        columns[name] = f"{columns[name]} and {role}" if name in columns else role
        values[role] = _cells(table, at, str(name), role, asked.decimal)
    return values, columns


def read_as_text_in_one(table: Table, test: Table) -> list[str]:
    """Return the columns that hold text in one of two tables, and something else in the other.

    As a number, 1.50 would no longer be the text that it is in the other one.
    """
    if not (hasattr(table.X, "iloc") and hasattr(test.X, "iloc")):
        return []
    kinds = [
        {str(name): _is_text(dtype) for name, dtype in one.X.dtypes.items()}
        for one in (table, test)
    ]
    return [name for name, text in kinds[0].items() if kinds[1].get(name, text) != text]


def _is_text(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") == "O"


def with_test_rows(table: Table, test: Table, name: str) -> tuple[Table, NDArray[np.int32]]:
    """Return the rows of both tables, and their folds: -1 to learn from, 0 to test on.

    Columns are matched by their names where both tables have names, else by their places.
    """
    table, test = counted_alike([table, test])
    X, other = table.X, test.X
    widths = table.d, test.d
    if table.names and test.names:
        _require_same(table.names, test.names, name)
        other = test.keeping([test.names.index(column) for column in table.names]).X
    elif hasattr(X, "tocsr") and hasattr(other, "tocsr"):  # svmlight stores no zeros at the end
        X, other = X.copy(), other.copy()
        for part in (X, other):
            part.resize((part.shape[0], max(widths)))
    elif widths[0] != widths[1]:
        raise DataError(f"{name} has {widths[1]} features and the other file {widths[0]}")
    sizes = [np.shape(part)[0] for part in (X, other)]
    folds = np.repeat(np.array([-1, 0], np.int32), sizes)
    return stacked([replace(table, X=X), replace(test, X=other)]), folds


def _require_same(names: tuple[str, ...], others: tuple[str, ...], file: str) -> None:
    missing = [name for name in names if name not in others]
    more = [name for name in others if name not in names]
    if missing or more:
        parts = [(missing, "lacks"), (more, "has besides")]
        differences = "; ".join(
            f"{verb} {', '.join(map(repr, some[:MOST_NAMED]))}" for some, verb in parts if some
        )
        raise DataError(
            f"{file} must have the columns of the rows that are learnt from, but it {differences}"
        )


def _cells(table: Table, at: int, name: str, role: str, decimal: str) -> Any:
    """Return the values of a column: numbers of groups, times that can be sorted, or numbers."""
    if not hasattr(table.X, "iloc"):
        column = table.X[:, [at]]
        return np.ravel(column.toarray() if hasattr(column, "toarray") else column)
    raw = RawColumn.of(table.X.iloc[:, at], name)
    if raw.values is not None:
        # As they are: large whole numbers would be rounded to float64, and made equal.
        return raw.values if role == "weights" else raw.series.to_numpy()
    if role == EVENT:
        return raw.series.to_numpy()
    if role == "groups":
        return np.where(raw.at < 0, np.nan, raw.at)
    digits = Column(name, "numeric")  # 0930 is a time, though it would be a code as a feature
    column = digits if are_codes(raw.texts) else raw.column(decimal)
    wanted = ("numeric", "date") if role == "times" else ("numeric",)
    if isinstance(column, str) or column.kind not in wanted:
        raise DataError(
            f"the {role} in the column {name!r} are text such as {raw.texts[0]!r}; "
            f"wanted {'numbers or dates' if role == 'times' else 'numbers above 0'}"
        )
    return raw.codes(column, decimal)
