"""The output of `predict`: lines of CSV, or a Parquet file, batch by batch."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from aucbench.errors import DataError
from aucbench.stats.vectors import is_missing
from aucbench.store.files import format_csv_text

if TYPE_CHECKING:
    from pandas import DataFrame, Series

STDOUT = Path("-")
PARQUET = ".parquet"
Write = Callable[["DataFrame", "Series"], None]


@contextmanager
def open_output(out: Path, name: str) -> Iterator[Write]:
    """Yield a function that writes predictions and the names of their rows.

    It writes to stdout, or to a file that is complete at the end or as it was before.

    Parameters
    ----------
    name : str
        Column of the names of the rows.
    """
    if out == STDOUT:
        yield _csv_writer(sys.stdout, name)
        return
    from aucbench.store.files import own_file

    with own_file(out) as file:
        if out.suffix.lower() == PARQUET:
            with _parquet_writer(file, name) as write:
                yield write
        else:
            text = TextIOWrapper(file, "utf-8", newline="", write_through=True)
            yield _csv_writer(text, name)
            text.detach()


def _csv_writer(text: TextIO, name: str) -> Write:
    """Return a function that writes a line for each row, and the header before the first one."""
    lines, begun = csv.writer(text, lineterminator="\n"), False

    def write(predictions: DataFrame, keys: Series) -> None:
        nonlocal begun
        if not begun:
            _require_other_name(name, predictions)
            lines.writerow([format_csv_text(name), *predictions.columns])
            begun = True
        for key, row in zip(keys, predictions.itertuples(index=False, name=None), strict=True):
            lines.writerow([*map(_cell, (key, *row))])

    return write


@contextmanager
def _parquet_writer(file: BinaryIO, name: str) -> Iterator[Write]:
    """Yield a function that writes a row group for each batch, with the types of the first one."""
    from aucbench.datasets.arrow import pyarrow

    arrow = pyarrow("writing Parquet")
    writers: list[Any] = []

    def write(predictions: DataFrame, keys: Series) -> None:
        _require_other_name(name, predictions)
        series = {str(column): predictions[column] for column in predictions.columns}
        named = {name: keys, **series}
        columns = {key: arrow.array(column, from_pandas=True) for key, column in named.items()}
        table = arrow.table(columns)
        if not writers:
            writers.append(arrow.parquet.ParquetWriter(file, _with_text(table.schema, arrow)))
        writers[0].write_table(table.cast(writers[0].schema))

    try:
        yield write
    finally:
        for writer in writers:
            writer.close()


def _require_other_name(name: str, predictions: DataFrame) -> None:
    """Raise `DataError` if the column that names the rows has the name of a prediction."""
    if name in predictions.columns:
        raise DataError(
            f"the predictions have a column {name!r} too; rename the column that names the rows, "
            "or leave --id out"
        )


def _with_text(schema: Any, arrow: Any) -> Any:
    """Return a schema with text in place of columns that have no value yet."""
    empty = arrow.types.is_null
    fields = [f.with_type(arrow.string()) if empty(f.type) else f for f in schema]
    return arrow.schema(fields)


def _cell(value: object) -> str:
    """Return a cell as text; nothing if it is missing."""
    if is_missing(value):
        return ""
    return repr(value) if isinstance(value, float) else format_csv_text(str(value))
