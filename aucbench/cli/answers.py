"""The answers of `predict`: lines of CSV, or a Parquet file, piece by piece."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from aucbench.bench.text import cell_text
from aucbench.errors import DataError
from aucbench.kernels.vectors import is_missing

if TYPE_CHECKING:
    from pandas import DataFrame, Series

STDOUT = Path("-")
PARQUET = ".parquet"
Write = Callable[["DataFrame", "Series"], None]


@contextmanager
def written(out: Path, name: str) -> Iterator[Write]:
    """Give what takes answers with the names of their rows, whose column is `name`.

    It writes to stdout, or to a file that is complete at the end or as it was before.
    """
    if out == STDOUT:
        yield _lines(sys.stdout, name)
        return
    from aucbench.store.files import own_file

    with own_file(out) as file:
        if out.suffix.lower() == PARQUET:
            with _parquet(file, name) as write:
                yield write
        else:
            text = TextIOWrapper(file, "utf-8", newline="", write_through=True)
            yield _lines(text, name)
            text.detach()


def _lines(text: TextIO, name: str) -> Write:
    """Return what writes CSV: a line for each row, and the header before the first one."""
    lines, begun = csv.writer(text, lineterminator="\n"), False

    def write(answer: DataFrame, keys: Series) -> None:
        nonlocal begun
        if not begun:
            _require_other_name(name, answer)
            lines.writerow([cell_text(name), *answer.columns])
            begun = True
        for key, row in zip(keys, answer.itertuples(index=False, name=None), strict=True):
            lines.writerow([*map(_cell, (key, *row))])

    return write


@contextmanager
def _parquet(file: BinaryIO, name: str) -> Iterator[Write]:
    """Give what writes a row group for each piece; types are those of the first one."""
    from aucbench.datasets.arrow import pyarrow

    arrow = pyarrow("writing Parquet")
    writers: list[Any] = []

    def write(answer: DataFrame, keys: Series) -> None:
        _require_other_name(name, answer)
        named = {name: keys, **{str(own): answer[own] for own in answer.columns}}
        columns = {own: arrow.array(column, from_pandas=True) for own, column in named.items()}
        table = arrow.table(columns)
        if not writers:
            writers.append(arrow.parquet.ParquetWriter(file, _filled(table.schema, arrow)))
        writers[0].write_table(table.cast(writers[0].schema))

    try:
        yield write
    finally:
        for writer in writers:
            writer.close()


def _require_other_name(name: str, answer: DataFrame) -> None:
    """Raise `DataError` if the column that names the rows would have the name of an answer."""
    if name in answer.columns:
        raise DataError(
            f"the answers have a column {name!r} of their own; rename the column that names the "
            "rows, or leave --id out"
        )


def _filled(schema: Any, arrow: Any) -> Any:
    """Return a schema with text in place of columns that have no value yet."""
    empty = arrow.types.is_null
    fields = [f.with_type(arrow.string()) if empty(f.type) else f for f in schema]
    return arrow.schema(fields)


def _cell(value: object) -> str:
    """Return a cell of an answer as text; nothing where it is missing."""
    if is_missing(value):
        return ""
    return repr(value) if isinstance(value, float) else cell_text(str(value))
