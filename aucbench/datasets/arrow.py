"""Parquet, Feather and Arrow: decoded in a supervised process of its own.

The decoders of Arrow believe the offsets that a file says: a damaged file ends the process by a
segmentation fault. A process that is supervised already decodes a file itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from aucbench.datasets.endings import open_plain, unreadable
from aucbench.datasets.textfile import refuse_twins
from aucbench.errors import DataError, MissingExtraError
from aucbench.processes.host import variables_set
from aucbench.processes.isolated import supervised
from aucbench.processes.records import Ending, Job, is_supervised
from aucbench.processes.scratch import Scratch

CALL = "aucbench.datasets.arrow:decode"
PRELOAD = ("aucbench.datasets.arrow", "pyarrow.parquet")  # pyarrow.dataset imports pandas
PARQUET = ".parquet"
FRUGAL = {  # variables of Arrow, and of the allocator of glibc: bytes from which it asks the system
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 20),
}
BUFFER = 1 << 16  # bytes that are read ahead in each column of a Parquet file


Batches = tuple[Any, Iterator[Any]]  # a schema of Arrow, and record batches


def frame(path: Path, ending: str) -> Any:
    """Return the rows of a file as a data frame; `ending` says its format."""
    arrow = pyarrow()
    with _decoded(path, ending, None) as (schema, batches):
        return frame_of_table(arrow.Table.from_batches([*batches], schema))


def frames(path: Path, rows: int, *, here: bool = False) -> Iterator[Any]:
    """Yield the rows of a Parquet file in data frames of at most `rows` rows; raises as `frame`.

    With `here`, this process decodes without a copy of the file; a damaged one may end it.
    """
    arrow = pyarrow()
    with (_decoded_here if here else _decoded)(path, PARQUET, rows) as (_, batches):
        for batch in batches:
            if len(batch):
                yield frame_of_table(arrow.Table.from_batches([batch]))


def decode(request: Mapping[str, Any], room: Path, steps: Mapping[str, Path]) -> dict[str, Any]:
    """Decode a file in this process, into the file request["into"]."""
    arrow, asked = pyarrow(), (Path(request["path"]), request["ending"], request["rows"])
    with (
        _decoded_here(*asked) as (schema, batches),
        arrow.OSFile(request["into"], "wb") as file,
        arrow.ipc.new_stream(file, schema) as out,
    ):
        for batch in batches:
            out.write_batch(batch)
    return {}


@contextmanager
def _decoded(path: Path, ending: str, rows: int | None) -> Iterator[Batches]:
    """Give the rows of a file that another process has decoded and checked."""
    if is_supervised():
        with _decoded_here(path, ending, rows) as batches:
            yield batches
        return
    arrow = pyarrow()
    with Scratch() as scratch, supervised() as process:
        into = scratch.path / "decoded"
        asked = {"path": str(path.absolute()), "ending": ending, "rows": rows}
        request = {**asked, "into": str(into)}
        outcome = process.run(Job(CALL, request, preload=PRELOAD), _import_pandas)
        if outcome.refusal:
            raise DataError(outcome.reason)
        if outcome.ending is not Ending.OK:
            raise unreadable(path, outcome.words)
        with arrow.memory_map(str(into)) as file:
            stream = arrow.ipc.open_stream(file)
            yield stream.schema, iter(stream)


@contextmanager
def _decoded_here(path: Path, ending: str, rows: int | None) -> Iterator[Batches]:
    with open_plain(path) as stream:
        if rows is None:
            table = _parquet(stream) if ending == PARQUET else _arrow(stream)
            table.validate(full=True)
            yield table.schema, iter(table.to_batches())
            return
        parquet = pyarrow().parquet
        with parquet.ParquetFile(stream, buffer_size=BUFFER, pre_buffer=False) as file:
            yield file.schema_arrow, map(_checked, file.iter_batches(batch_size=rows))


def _checked(batch: Any) -> Any:
    batch.validate(full=True)
    return batch


def _parquet(stream: IO[bytes]) -> Any:
    with pyarrow().parquet.ParquetFile(stream) as file:  # read_table imports pyarrow.dataset
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


def _import_pandas() -> None:
    """Import what makes a data frame, which takes as long as another process needs to start."""
    import pandas  # noqa: F401


@contextmanager
def system_pool() -> Iterator[None]:
    """Let Arrow take memory from the system in processes that begin in the block.

    Its own pools reserve a gigabyte more than they use, which a limit of memory counts; but they
    read Parquet in up to half of the time. The system gets what is freed at once: else a process
    keeps about twice the row groups that are alive.
    """
    with variables_set(FRUGAL):
        yield


def pyarrow(what: str = "reading Parquet") -> Any:
    """Return the package pyarrow with its modules; the error says what needs it."""
    try:
        import pyarrow as arrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError(what, "parquet") from error
    return arrow
