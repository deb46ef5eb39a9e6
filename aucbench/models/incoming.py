"""New tables for a model: columns found by name, and cells that cannot be read marked.

Design
  a. A row is never dropped. A row with a cell that the model cannot use has no score, but a
     sentence that says why.
  b. A missing cell is filled by the encoding, as in training. Without an encoding the training
     table had no missing cell, and there is no rule for one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Rows, Vector, rows
from aucbench.datasets.memory import frame_of, is_table, numbered_frame, plain_rows
from aucbench.datasets.tables import Column, Schema
from aucbench.datasets.tables.cells import numbers as numbers_of
from aucbench.datasets.tables.cells import other_mark
from aucbench.datasets.tables.changes import UnusualCells
from aucbench.errors import DataError
from aucbench.models.model import Model

MOST_LISTED = 10  # columns in a message
NOTHING: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """New rows, scored.

    Attributes
    ----------
    scores : array of shape (n, K)
        As of `Model.scores`; NaN if a row has a fault.
    faults : sequence of str
        Why a row has no score, or an empty text.
    cells : UnusualCells
        Cells that are unlike those of the training rows, of the rows that could be read.
    ignored : tuple of str
        Columns of the table that the model does not read.
    """

    scores: Vector
    faults: Sequence[str]
    cells: UnusualCells
    ignored: tuple[str, ...] = ()


def score_frame(
    model: Model, frame: Any, *, named: bool = True, uneven: Mapping[int, int] = NOTHING
) -> Scored:
    """Score the rows of a data frame, or CSR rows of svmlight; columns are found by name.

    Parameters
    ----------
    frame : DataFrame, or CSR matrix whose first column has the first index of the training rows
    named : bool
        Whether the columns have names; without them, they are found by their order.
    uneven : mapping of int to int
        The number of cells of each row that has too few or too many.

    Raises
    ------
    DataError
        As `wanted_columns`.
    """
    faults: list[str | None] = [None] * frame.shape[0]
    for i, count in uneven.items():
        faults[i] = f"the row has {count} cells, and the table has {frame.shape[1]} columns"
    if hasattr(frame, "tocsr"):
        own, ignored = _indexed(model, frame)
        same = np.zeros(model.width, np.intp)
        cells = UnusualCells(own.n, same, same, same)
        scores = model.scores(own)
    else:
        own, ignored = wanted_columns(model, frame, named=named), _ignored(model, frame)
        if model.encoding is not None:  # free texts are those of this table
            model = replace(model, encoding=model.encoding.bound(own))
        codes = _numbers(model, own, faults)
        read = np.array([fault is None for fault in faults], np.bool_)
        cells = UnusualCells.of(model.schema.columns, model.ranges, codes[read], own[read])
        scores = model.scores(rows(codes))
    for at in np.flatnonzero(~np.isfinite(scores).all(axis=1)).tolist():
        faults[at] = faults[at] or "the score is not finite"
    scores[[fault is not None for fault in faults]] = np.nan
    return Scored(scores, [fault or "" for fault in faults], cells, ignored)


def score_rows(model: Model, X: Any) -> Vector:
    """Return the scores (n, K) of a table, an array or a sparse matrix with the model's columns.

    Raises
    ------
    DataError
        When a column is absent, or the model cannot read a cell.

    Warns
    -----
    UserWarning
        For each column that lacks more values than in training, or has other ones.
    """
    if model.encoding is None or isinstance(X, Rows):
        return model.scores(plain_rows(X))
    result = score_frame(model, numbered_frame(X))
    if fault := next(filter(None, result.faults), None):
        raise DataError(fault)
    # Ranges are not held against the folds of rows that are in the order of time.
    cells = replace(result.cells, outside=np.zeros_like(result.cells.outside))
    for change in describe_changes(model, cells):
        warnings.warn(change, stacklevel=4)
    return result.scores


def describe_changes(model: Model, cells: UnusualCells) -> Iterator[str]:
    """Yield a sentence on each column that has changed since training; of many, on the first."""
    trained = model.provenance.get("n")
    sentences = [*cells.describe_changes(model.schema.columns, model.ranges, trained)]
    yield from sentences[:MOST_LISTED]
    if len(sentences) > MOST_LISTED:
        yield f"there are {len(sentences) - MOST_LISTED} more such changes of columns"


def _indexed(model: Model, X: Any) -> tuple[Rows, tuple[str, ...]]:
    """Return the features of svmlight that the model reads, and what it does not read.

    As in training, an index that a row does not have is 0; new ones, such as new words, are not
    read.
    """
    left = {str(column) for column in model.provenance.get("left_out", ())}
    if strange := [column for column in left if not column.isdecimal()]:
        raise DataError(
            f"the model was made without the column {strange[0]!r}, and svmlight names no columns; "
            "give a table with names"
        )
    width = model.width + len(left)
    more = ("larger indices than in training",) if X.shape[1] > width else ()
    X = X.copy()
    X.resize((X.shape[0], width))
    return rows(X[:, [j for j in range(width) if str(j) not in left]] if left else X), more


def in_memory(table: Any) -> tuple[Any, bool]:
    """Return a table or an array in memory as a data frame, and whether its columns have names."""
    import pandas as pd

    if is_table(table):
        return frame_of(table), True
    if np.ndim(table) != 2:
        raise DataError(
            f"got {type(table).__name__}, wanted a table with columns, such as a data frame, or an "
            "array of numbers; Model.scores takes sparse matrices"
        )
    return pd.DataFrame(np.asarray(table)), False


def wanted_columns(model: Model, frame: Any, *, named: bool = True) -> Any:
    """Return the columns of a frame that the model reads, in its order.

    Raises
    ------
    DataError
        When one of them is not there, or a table without names has another number of columns.
    """
    if model.columns is None or not named:
        if frame.shape[1] != model.width:
            raise DataError(
                f"the table has {frame.shape[1]} columns without names, and the model reads "
                f"{model.width}; give these, in the order of training and without the label"
            )
        return frame.set_axis([*model.raw_names], axis=1)
    at = {str(name).strip(): j for j, name in enumerate(frame.columns)}
    absent = [name for name in model.columns if name.strip() not in at]
    if absent:
        listed = ", ".join(map(repr, absent[:MOST_LISTED]))
        more = f" and {len(absent) - MOST_LISTED} more" if len(absent) > MOST_LISTED else ""
        raise DataError(
            f"{len(absent)} of the {model.width} columns of the model are not in the table: "
            f"{listed}{more}; add them, empty where nothing is known"
        )
    order = [at[name.strip()] for name in model.columns]
    return frame.iloc[:, order].set_axis([*model.columns], axis=1)


def _ignored(model: Model, frame: Any) -> tuple[str, ...]:
    read = {name.strip() for name in model.columns or ()}
    return tuple(name for name in map(str, frame.columns) if read and name.strip() not in read)


def _numbers(model: Model, frame: Any, faults: list[str | None]) -> NDArray[np.float64]:
    """Return numbers or codes (n, width), 0 or NaN where a row gets a fault."""
    schema = model.schema
    frame = _parsed(schema, frame)
    try:
        codes = schema.codes(frame)
    except DataError:  # of one cell or of many: look at each column, and then at each value
        codes = np.empty((len(frame), len(schema.columns)))
        for j, column in enumerate(schema.columns):
            codes[:, j] = _codes_of(replace(schema, columns=(column,)), frame, faults)
    if model.encoding is None:
        gaps = np.argwhere(np.isnan(codes))
        for i, j in gaps:
            faults[i] = faults[i] or (
                f"column {schema.columns[j].name!r} is missing, and no training row lacked a cell"
            )
        codes[np.isnan(codes)] = 0.0
    return codes


def _parsed(schema: Schema, frame: Any) -> Any:
    """Return the frame with texts as numbers in the columns that hold plain numbers only.

    A schema reads each different text by itself, with which scoring takes four times as long.
    """
    import pandas as pd

    frame = frame.copy(deep=False)
    for column in schema.columns:
        cells = frame[column.name]
        if column.kind != "numeric" or cells.dtype != object or schema.decimal != ".":
            continue
        # Before version 3.1, pandas knows which cells are numbers, but rounds some of them.
        known = np.isfinite(pd.to_numeric(cells, errors="coerce").to_numpy(np.float64))
        if (known | cells.isin(["", None]).to_numpy()).all():
            frame[column.name] = np.where(known, cells, np.nan).astype(np.float64)
    return frame


def _codes_of(schema: Schema, frame: Any, faults: list[str | None]) -> Vector:
    """Return the codes of one column; a cell that is not of its kind is NaN and a fault."""
    import pandas as pd

    [column] = schema.columns
    only = frame[[column.name]]
    try:
        return np.asarray(schema.codes(only)[:, 0])
    except DataError:
        numbers, values = pd.factorize(only[column.name])
    table, wrong = [np.nan] * (len(values) + 1), {}
    for k, value in enumerate(values):
        try:
            table[k] = float(schema.codes(pd.DataFrame({column.name: [value]}))[0, 0])
        except DataError:
            wrong[k] = f"column {column.name!r} has {str(value)!r}, which is no {column.word}"
            wrong[k] += _other_decimal(column, str(value).strip(), schema.decimal)
    for i in np.flatnonzero(np.isin(numbers, [*wrong])):
        faults[i] = faults[i] or wrong[int(numbers[i])]
    return np.array(table)[numbers]


def _other_decimal(column: Column, text: str, decimal: str) -> str:
    """Return what is likely where a text is a number with the other decimal mark."""
    other = other_mark(decimal)
    if column.kind != "numeric" or np.isnan(numbers_of([text], other)[0]):
        return ""
    return f" with the decimal mark {decimal!r} of the training table, but one with {other!r}"
