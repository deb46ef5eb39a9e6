"""A table with a row for each single value: what every format becomes before it is judged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucbench.errors import DataError, ParameterError, UnknownNameError, is_number, short
from aucbench.judging.metrics import plain
from aucbench.judging.options import Columns

USUAL: dict[str, tuple[str, ...]] = {  # names of the columns that are known to have a role
    "method": ("method", "solver", "framework", "solver_name", "learner", "algorithm", "model"),
    "dataset": ("dataset", "data_set", "task", "data_name", "problem"),
    "item": ("item", "item_id", "instance", "instance_id", "question_id", "example_id"),
    "fold": ("fold", "split"),
    "repeat": ("repeat", "idx_rep"),
    "metric": ("metric",),
    "value": ("value", "result", "score", "metric_error"),
}
ROLES = (*USUAL, "family")
GAPS = frozenset(  # cells without a value, in lower case
    ("", ".", "-", "–", "—", "?", "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "none")
)
TRUTH = {"true": 1.0, "false": 0.0}
SPREAD = re.compile(r"\s*(±|\+/-|\+-|\\pm).*")  # behind a mean, as papers print it
TEXTS = ("method", "dataset", "metric", "repeat", "fold", "family", "why")


def roles_of(
    names: Sequence[str], asked: Columns, usual: Mapping[str, Sequence[str]] = USUAL
) -> dict[str, str]:
    """Return the column of each role that has one.

    Raises
    ------
    UnknownNameError
        When there is no column with a name that was asked for.
    ParameterError
        When a column has two roles, or a role has two columns.
    """
    roles: dict[str, str] = {}
    for role in ROLES:
        if (column := getattr(asked, role)) is not None:
            if column not in names:
                raise UnknownNameError("column", column, names)
            for other, same in roles.items():
                if same == column:
                    raise ParameterError(
                        f"--{other} and --{role} name the same column {column!r}; give each its own"
                    )
            roles[role] = column
    for role, known in usual.items():
        if role not in roles:
            hits = [name for name in names if plain(name) in known and name not in roles.values()]
            if len(hits) > 1:
                raise ParameterError(
                    f"the columns {' and '.join(hits)} can both be the {role}; choose one with "
                    f"--{role}"
                )
            roles.update(dict.fromkeys([role], *hits) if hits else {})
    return roles


def column_of(role: str, what: str, roles: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the column of a role; raise `ParameterError` where none is known to have it."""
    if role not in roles:
        free = [name for name in names if name not in roles.values()]
        raise ParameterError(
            f"no column is known to hold the {what}; choose one of {', '.join(free) or 'none'} "
            f"with --{role}"
        )
    return roles[role]


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A table of results as it was read."""

    name: str  # of the file, without its ending; it names the data set if no column does
    frame: Any  # of pandas; the names of its columns are texts

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [*self.frame.columns]


@dataclass(frozen=True, slots=True, eq=False)
class Long:
    """Single values: the columns of the frame are `TEXTS`, and value, NaN where there is none.

    An empty text is what the table does not say; `why` is the reason for a missing value.
    """

    frame: Any
    smaller: bool | None = None  # what the format itself says of the direction
    remarks: tuple[str, ...] = ()  # sentences for the reader of the verdict
    of_items: bool = False  # whether the data sets are single items


def select_rows(sheet: Sheet, conditions: Mapping[str, Sequence[str]]) -> Sheet:
    """Return the rows of a table that hold one of the asked values in each column.

    Raises
    ------
    UnknownNameError
        When there is no such column, or no row has the value.
    """
    frame = sheet.frame
    for column, wanted in conditions.items():
        if column not in sheet.columns:
            raise UnknownNameError("column", column, sheet.columns)
        known = texts(frame[column])
        for value in wanted:
            if not (known == value).any():
                raise UnknownNameError(f"value in the column {column}", value, {*known})
        frame = frame[known.isin(wanted)]
    return replace(sheet, frame=frame.reset_index(drop=True))


def require_columns(frame: Any, needed: Sequence[str], what: str) -> None:
    """Raise `DataError` where a table has not the columns of its format."""
    if missing := [name for name in needed if name not in frame.columns]:
        raise DataError(
            f"a table of {what} has the columns {', '.join(needed)}, and this one has not "
            f"{', '.join(missing)}; --from says its format"
        )


def long_of(value: Any, **columns: Any) -> Any:
    """Return a frame with all columns of a `Long`; a text is the same for all rows."""
    import pandas as pd

    every = {name: columns.get(name, "") for name in TEXTS}
    frame = {name: x if isinstance(x, str) else texts(x).to_numpy() for name, x in every.items()}
    return pd.DataFrame({**frame, "value": numbers(value)}, index=value.index)


def texts(column: Any) -> Any:
    """Return a column as texts: whole numbers without a point, and "" for what is missing."""
    return column.map(_text, na_action=None)


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or (isinstance(cell, float) and cell != cell):
        return ""
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    text = str(cell)
    return "" if text in ("<NA>", "NaT", "nan") else text


def numbers(column: Any) -> Any:
    """Return a column as floats, NaN where it has no value.

    Raises
    ------
    DataError
        When a cell is neither a number, also a mean ± something, nor empty, NA, NaN or "-".
    """
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(np.float64, na_value=np.nan)
    else:
        values = np.array([_number(cell, str(column.name)) for cell in column], np.float64)
    if np.isinf(values).any():
        raise DataError(f"the column {column.name!r} has an infinite value; leave such cells empty")
    return values


def _number(cell: Any, name: str) -> float:
    text = SPREAD.sub("", _text(cell))
    if text.lower() in GAPS:
        return np.nan
    if text.lower() in TRUTH:
        return TRUTH[text.lower()]
    if is_number(text):
        return float(text)
    raise DataError(
        f"{short(text)} in the column {name!r} is no number; leave cells without a value empty"
    )
