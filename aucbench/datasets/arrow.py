"""Parquet, Feather and Arrow as data frames: pages and values are checked before they are used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from aucbench.datasets.endings import PARQUET, open_plain
from aucbench.datasets.textfile import refuse_twins
from aucbench.errors import DataError, MissingExtraError

BUFFER = 1 << 16  # bytes that are read ahead in each column of a Parquet file


def frames(path: Path, ending: str, rows: int | None = None) -> Iterator[Any]:
    """Yield the rows of a file as data frames; `ending` says its format.

    Parameters
    ----------
    path : Path
    ending : str
    rows : int, optional
        Rows of a frame, for Parquet. None: one frame has all rows.
    """
    with open_plain(path) as stream:
        if rows is not None and ending == PARQUET:
            yield from _in_batches(stream, rows)
            return
        table = _parquet(stream) if ending == PARQUET else _arrow(stream)
        table.validate(full=True)
        yield frame_of_table(table)


def _in_batches(stream: IO[bytes], rows: int) -> Iterator[Any]:
    arrow = pyarrow()
    with arrow.parquet.ParquetFile(
        stream, buffer_size=BUFFER, pre_buffer=False, page_checksum_verification=True
    ) as file:
        for batch in file.iter_batches(batch_size=rows):
            batch.validate(full=True)
            if len(batch):
                yield frame_of_table(arrow.Table.from_batches([batch]))


def _parquet(stream: IO[bytes]) -> Any:
    parquet = pyarrow().parquet  # whose read_table imports pyarrow.dataset
    with parquet.ParquetFile(stream, page_checksum_verification=True) as file:
        return file.read()


def _arrow(stream: IO[bytes]) -> Any:
    arrow = pyarrow()
    try:
        return arrow.ipc.open_file(stream).read_all()
    except arrow.ArrowInvalid:  # not a file of Arrow, so a stream of Arrow
        stream.seek(0)
        return arrow.ipc.open_stream(stream).read_all()


def frame_of_table(table: Any) -> Any:
    """Return a table of pyarrow as a data frame of pandas; whole numbers stay whole at gaps."""
    from pyarrow.types import is_integer, is_nested

    refuse_twins(table.column_names)
    for column in table.schema:
        if is_nested(column.type):
            raise DataError(
                f"column {column.name!r} holds {column.type} in a cell, wanted one value; write "
                "the table without it, or with a column for each value"
            )
    frame = table.to_pandas(split_blocks=True)  # blocks of several columns would be copies
    for field in table.schema:
        column = table.column(field.name)
        if is_integer(field.type) and column.null_count:
            frame[field.name] = column.to_pandas(types_mapper=_with_gaps).array
    return frame


def _with_gaps(form: Any) -> Any:
    """Return the type of pandas for whole numbers with gaps, where float64 would round them."""
    import pandas as pd

    return pd.api.types.pandas_dtype(str(form).upper().replace("INT", "Int"))  # Int64, UInt8


def pyarrow(what: str = "reading Parquet") -> Any:
    """Return the package pyarrow with its modules; the error says what needs it."""
    try:
        import pyarrow as arrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError(what, "parquet") from error
    return arrow
