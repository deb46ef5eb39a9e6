"""Read tables of results: text, Parquet, Feather, Excel and JSON. No pickle is opened.

Cells of text stay text here: a data set may be called NA or 1e5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aucbench.datasets.endings import ARROW, EXCEL, TEXT, naming, open_plain, without_compression
from aucbench.datasets.formats import Batch, batches_of_cells
from aucbench.datasets.memory import frame_of, is_table
from aucbench.errors import DataError, ParameterError

JSON = ".json"
PICKLES = (".pkl", ".pickle", ".joblib")
PICKLE = b"\x80"  # begins a pickle
MOST_ROWS = 10**7
KNOWN = (*TEXT, ".txt", *ARROW, EXCEL, JSON)


def read_sheet(source: Any, name: str = "this table") -> tuple[str, Any]:
    """Read a table in memory, or that of a file, as a frame whose columns have texts as names.

    Returns
    -------
    name : str
        That of the file without its ending, or the given one.
    frame : pandas.DataFrame

    Raises
    ------
    DataError
        When it holds no row, or cannot be read.
    ParameterError
        When it is no table.
    """
    if isinstance(source, str | Path):
        frame = _file(Path(source))
    elif isinstance(source, Mapping):
        frame = _of_columns(source)
    elif is_table(source):
        frame = _with_index(frame_of(source))
    else:
        raise ParameterError(
            f"got {type(source).__name__} as a table of results, wanted a file, a data frame, or a "
            "dictionary of columns"
        )
    is_file = isinstance(source, str | Path)
    if not len(frame) or not len(frame.columns):
        raise DataError(f"{source if is_file else name} holds no row of results")
    return without_compression(Path(source).name).rsplit(".", 1)[0] if is_file else name, frame


def _file(path: Path) -> Any:
    if not path.is_file():
        raise DataError(f"there is no file {path}; give the path of a table of results")
    ending = Path(without_compression(path.name)).suffix.lower()
    with naming(path):
        with open_plain(path) as stream:
            start = stream.read(1)
        if ending in PICKLES or (start == PICKLE and ending not in KNOWN):
            raise DataError(
                "it is a pickle, which can run any code when it is opened; save the table as CSV, "
                "JSON or Parquet"
            )
        if not start:
            raise DataError("it is empty; give a table of results")
        if ending == JSON:
            with open_plain(path) as stream:
                return _json(stream.read())
        if ending not in KNOWN:
            raise DataError(f"its ending is not that of a table: {', '.join(KNOWN)}")
        [batch, *more] = batches_of_cells(path, MOST_ROWS)
        if more:
            raise DataError(f"it has more than {MOST_ROWS} rows; give the values of one metric")
        return _whole(batch)


def _whole(batch: Batch) -> Any:
    """Return the rows of a batch whose columns have names, each row with as many cells."""
    if not batch.named:
        raise DataError("its first line names no columns; add a line with their names")
    for row, cells in batch.uneven.items():
        raise DataError(
            f"row {row + 1} below the header has {cells} cells, and the header "
            f"{batch.X.shape[1]}; give each row the same number"
        )
    return batch.X.set_axis([*map(str, batch.X.columns)], axis=1)


def _json(content: bytes) -> Any:
    """Return a list of objects, or an object of columns, as a frame."""
    import pandas as pd

    found = json.loads(content)
    if isinstance(found, Mapping):
        return _of_columns(found)
    if not isinstance(found, list) or not all(isinstance(row, Mapping) for row in found):
        raise DataError("it holds no table; give a list of objects, or an object with columns")
    return pd.DataFrame([dict(row) for row in found])


def _of_columns(columns: Mapping[Any, Any]) -> Any:
    """Return columns of one length as a frame: lists, arrays, or what pandas writes as JSON."""
    import pandas as pd

    plain = {
        str(name): [*column.values()] if isinstance(column, Mapping) else column
        for name, column in columns.items()
    }
    lengths = {name: len(column) for name, column in plain.items() if _is_vector(column)}
    if len(lengths) < len(plain) or len({*lengths.values()}) > 1:
        raise DataError("its columns must be lists or vectors of the same length")
    return pd.DataFrame({name: pd.Series([*column]) for name, column in plain.items()})


def _is_vector(column: Any) -> bool:
    return isinstance(column, list | tuple) or getattr(column, "ndim", 0) == 1


def _with_index(frame: Any) -> Any:
    """Return a frame with its index as a column, where the index has names of rows."""
    if frame.index.name is None and frame.index.inferred_type in ("integer", "empty"):
        return frame.reset_index(drop=True)
    named = frame.reset_index()
    return named.set_axis([*map(str, named.columns)], axis=1)
