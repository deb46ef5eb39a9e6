"""The one reader of files: `batches` yields the rows of a file of any format.

`load` takes all rows at once, `stream` and files that become Parquet take so many at a time, and a
model that knows what its columns are takes the cells of text files as they stand. Packages raise
many kinds of exceptions on a file that is damaged or of another format; `naming` makes one sentence
of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from aucbench.datasets import arrow, svmlight, textfile
from aucbench.datasets.endings import (
    ARROW,
    EXCEL,
    NPZ,
    SVMLIGHT,
    TEXT,
    naming,
    open_plain,
    reader_of,
    separator_of,
)
from aucbench.datasets.tables import LINE
from aucbench.datasets.textfile import PANDAS, AsText, refuse_twins
from aucbench.errors import DataError, MissingExtraError

MOST_CELLS = 1 << 27  # of a sheet, from its first cell to its last one
BY_QUERY = ", groups from its qid"
CSR_PARTS = ("data", "indices", "indptr", "shape")  # of an npz
TABLES = (*TEXT, *ARROW, EXCEL)  # formats with cells


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows of a file."""

    X: Any  # a data frame with all columns; a matrix of features where labels are apart
    named: bool = True  # whether the columns have names
    y: Any = None  # (n,): the labels where they are apart
    label: str = ""  # where these come from, for people
    queries: Any = None  # (n,): the number behind qid: in each line of svmlight, if there are some
    first_index: int | None = None  # of svmlight: the index of the first column, 0 or 1
    # of cells as they stand: the number of cells of each row that has too few or too many, by its
    # place in the batch
    uneven: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the caller knows about a file."""

    target: str | int | None = None  # the column of the labels in a table
    # the least number of features; svmlight does not store zeros at the end of a row
    width: int = 0
    separator: str | None = None  # what separates the cells of a text file
    decimal: str = "."  # the decimal mark of a text file
    # columns that hold no labels: those that are left out, groups, times and weights
    others: tuple[str, ...] = ()
    unlabelled: str = "refuse"  # or "skip": what becomes of rows without a label
    missing: tuple[str, ...] = ()  # cells that mean a missing one, as in `ReadOptions`
    role: str = "target"  # the option that names the column of the labels
    named: bool | None = None  # whether the first line of a text file has names; None: found out
    cells: AsText = PANDAS  # of a text file that are text
    # of svmlight that is read in batches: the number of features, and the index of the first one
    features: int | None = None
    first_index: int | None = None
    words: tuple[str, ...] = ()  # labels such as NA, that mean no missing one


def batches(
    path: Path, wanted: Wanted, rows: int | None = None, *, as_they_stand: bool = False
) -> Iterator[Batch]:
    """Yield the rows of a file in the format that its ending says; an unknown one means svmlight.

    Parameters
    ----------
    path : Path
    wanted : Wanted
    rows : int, optional
        Rows of a batch, of text, Parquet and svmlight. None: one batch has all rows.
    as_they_stand : bool
        Whether cells of text files are texts. Then a row with too few or too many cells is reported
        in its batch; else it is an error.
    """
    reader = reader_of(path)
    if wanted.separator is not None and reader not in TEXT:
        raise DataError(
            f"separator={wanted.separator!r} is for text files with cells; leave it out"
        )
    if wanted.decimal != "." and reader in (*SVMLIGHT, NPZ):
        raise DataError(f"decimal={wanted.decimal!r} is for tables; leave it out")
    if reader in TEXT:
        yield from _text(path, wanted, rows, as_they_stand=as_they_stand)
    elif reader in ARROW:
        yield from map(Batch, arrow.frames(path, reader, rows))
    else:
        yield from _READERS[reader](path, wanted, rows)


def batches_of_cells(
    path: Path, rows: int, separator: str | None = None, first_index: int | None = None
) -> Iterator[Batch]:
    """Yield the rows of a table for a model, which knows what the columns are.

    Svmlight is read where it is known which index is the first one, 0 or 1.
    """
    if not path.is_file():
        raise DataError(f"there is no file {path}; give the path of a table, or of a folder")
    with naming(path):
        if (reader := reader_of(path)) not in TABLES:
            if reader not in SVMLIGHT or first_index is None:
                raise DataError(
                    f"its ending is not that of a table ({', '.join(TABLES)}), nor has the model "
                    "learnt from svmlight; score arrays from Python, with "
                    "Model.load(model).scores(X)"
                )
            separator = None
        wanted = Wanted(separator=separator if reader in TEXT else None, first_index=first_index)
        yield from batches(path, wanted, rows, as_they_stand=True)


def _text(path: Path, wanted: Wanted, rows: int | None, *, as_they_stand: bool) -> Iterator[Batch]:
    separator = wanted.separator or separator_of(reader_of(path))
    with open_plain(path) as stream:
        if as_they_stand:
            for frame, named, uneven in textfile.frames_of_texts(stream, separator, rows):
                yield Batch(frame, named, uneven=uneven)
            return
        typed = textfile.frames(stream, separator, wanted.decimal, rows, wanted.named, wanted.cells)
        for frame, named in typed:
            yield Batch(frame, named)


def _svmlight(path: Path, wanted: Wanted, rows: int | None) -> Iterator[Batch]:
    if wanted.target is not None:
        raise DataError(
            f"{wanted.role}={wanted.target!r} is for tables, but in svmlight the label is first in "
            "each line; leave it out"
        )
    any_row = False
    with open_plain(path) as content:
        for X, y, queries, first in svmlight.batches(
            content, rows, wanted.features, wanted.first_index, wanted.width
        ):
            any_row = True
            label = "the first number of each line" + ("" if queries is None else BY_QUERY)
            yield Batch(X, False, y, label, queries, first)
    if not any_row:
        raise DataError("there is no row in it; give lines such as '1 3:0.5 7:2'")


def _npz(path: Path, wanted: Wanted, _: object) -> Iterator[Batch]:
    label = "y" if wanted.target is None else str(wanted.target)
    with open_plain(path) as stream:
        X, y = _arrays(stream, label)
    yield Batch(X, named=False, y=y, label=f"the array {label}")


def _arrays(stream: IO[bytes], label: str) -> tuple[Any, Any]:
    """Return the matrix of an archive, dense or CSR, and its array `label`."""
    archive = np.load(stream, allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise DataError("it is no archive of arrays; write it with numpy.savez")
    with archive:
        held = archive.files
        if label not in held or not ("X" in held or {*held} >= {*CSR_PARTS}):
            raise DataError(
                f"it holds {', '.join(sorted(held)) or 'nothing'}; give {label}, and X or the CSR "
                f"parts {', '.join(CSR_PARTS)}"
            )
        wanted = [label, *(["X"] if "X" in held else CSR_PARTS)]
        y, *parts = (np.asarray(archive[name]) for name in wanted)
    X = parts[0] if len(parts) == 1 else _csr(*parts)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        shapes = (" x ".join(map(str, array.shape)) or "one value" for array in (X, y))
        raise DataError(
            f"its arrays have the shapes {' and '.join(shapes)}; give a matrix, and in {label} one "
            "label for each of its rows"
        )
    return X, y


def _csr(data: Any, indices: Any, starts: Any, shape: Any) -> Any:
    from scipy.sparse import csr_array

    n, d = shape.tolist()
    X = csr_array((data, indices, starts), shape=(n, d))
    X.check_format(full_check=True)  # kernels do not check column numbers
    return X


def _workbook(path: Path, *_: object) -> Iterator[Batch]:
    """Yield the rows of the one sheet with cells; the index of the frame has their lines."""
    import pandas as pd

    with open_plain(path) as stream:
        try:
            with pd.ExcelFile(stream, engine="openpyxl") as book:
                for sheet in book.book.worksheets:
                    _refuse_huge(sheet)
                sheets = pd.read_excel(book, sheet_name=None, header=None)
        except ImportError as error:
            raise MissingExtraError("reading Excel", "excel") from error
    filled = {name: sheet for name, sheet in sheets.items() if not sheet.empty}
    if len(filled) != 1:
        listed = ", ".join(map(repr, filled)) or "none"
        raise DataError(
            f"{len(filled)} sheets have cells ({listed}), wanted one; save the sheet as a file"
        )
    sheet = next(iter(filled.values())).dropna(how="all").dropna(how="all", axis=1)
    names = ["" if pd.isna(name) else str(name).strip() for name in sheet.iloc[0]]
    refuse_twins(names)
    frame = sheet.iloc[1:].apply(_typed)
    frame.columns = pd.Index([name or f"column {j + 1}" for j, name in enumerate(names)])
    frame.index = pd.Index(frame.index + 1, name=LINE)
    yield Batch(frame)


def _typed(column: Any) -> Any:
    """Return the cells of a column in their type; whole numbers stay whole at gaps."""
    import pandas as pd

    whole = pd.api.types.infer_dtype(column, skipna=True) == "integer"
    return column.astype("Int64") if whole and column.isna().any() else column.infer_objects()


def _refuse_huge(sheet: Any) -> None:
    """Refuse a sheet in which one cell is far from the others: cells between them take memory."""
    rows, columns = sheet.max_row or 0, sheet.max_column or 0
    if rows * columns > MOST_CELLS:
        raise DataError(
            f"the sheet {sheet.title!r} has {rows} rows and {columns} columns up to its last cell; "
            "delete cells far from the table, or save the table as CSV or Parquet"
        )


_READERS: dict[str, Callable[[Path, Wanted, int | None], Iterator[Batch]]] = {
    **dict.fromkeys(SVMLIGHT, _svmlight),
    EXCEL: _workbook,
    NPZ: _npz,
}
