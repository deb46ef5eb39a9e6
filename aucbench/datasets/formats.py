"""Read one file: svmlight, text, Parquet, Feather, Excel or npz, compressed or not.

A reader turns an open stream into a `Table`. Packages raise many kinds of exceptions on a file
that is damaged or of another format; each becomes a `DataError` that names the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np

from aucbench.datasets import arrow, svmlight
from aucbench.datasets.endings import (
    ARROW,
    EITHER,
    EXCEL,
    NPZ,
    SVMLIGHT,
    TEXT,
    ZIP,
    format_of,
    naming,
    only_member,
    open_plain,
    without_compression,
)
from aucbench.datasets.gaps import gaps_of, words_of
from aucbench.datasets.label import column_at, find_label, is_no_label
from aucbench.datasets.tables import LINE
from aucbench.datasets.tables.cells import emptied
from aucbench.datasets.textfile import LINES, PANDAS, AsText, read_frame, refuse_twins
from aucbench.errors import DataError, MissingExtraError

MOST_CELLS = 1 << 27  # of a sheet, from its first cell to its last one
CSR_PARTS = ("data", "indices", "indptr", "shape")  # of an npz
_SVMLIGHT = re.compile(rb"\s*[+-]?[\d.]+(\s+(qid|\d+):\S+)*\s*(#.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What a file holds, not yet checked."""

    X: Any  # (n, d): the features
    y: Any  # (n,): the labels
    names: tuple[str, ...] | None = None  # the feature names
    label: str = ""  # where the labels come from, for people
    target: str | int | None = None  # the label column, by name or by number
    warnings: tuple[str, ...] = ()  # sentences of the source about what may be wrong
    queries: Any = None  # (n,): the number behind qid: in each line of svmlight, if there are some
    first: int | None = None  # of svmlight: the index of the first column, 0 or 1

    @property
    def d(self) -> int:
        """Number of features."""
        return int(np.shape(self.X)[1])

    def without(self, columns: Iterable[str | int]) -> Table:
        """Return the table without some columns, by name or number."""
        dropped = {column_at(wanted, self.names, self.d) for wanted in columns}
        return self.keeping([j for j in range(self.d) if j not in dropped]) if dropped else self

    def keeping(self, columns: Sequence[int]) -> Table:
        """Return the table with these columns only."""
        X = self.X.iloc[:, columns] if hasattr(self.X, "iloc") else self.X[:, columns]
        names = self.names and tuple(self.names[j] for j in columns)
        return replace(self, X=X, names=names)

    def taking(self, rows: Any) -> Table:
        """Return the table with these rows only, by their numbers."""
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        queries = None if self.queries is None else self.queries[rows]
        return replace(self, X=X, y=self.y[rows], queries=queries)


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
    missing: tuple[str, ...] = ()  # cells that mean a missing one, as in a `Reading`
    role: str = "target"  # the option that names the column of the labels
    named: bool | None = None  # whether the first line of a text file has names; None: found out
    cells: AsText = PANDAS  # of a text file that are text
    words: tuple[str, ...] = ()  # labels such as NA, that mean no missing one


def stacked(tables: Sequence[Table]) -> Table:
    """Return the rows of several files of one format, one below the other."""
    tables = counted_alike(tables)
    y = np.concatenate([np.asarray(table.y) for table in tables])
    warnings = tuple(dict.fromkeys(text for table in tables for text in table.warnings))
    X, queries = _stacked([table.X for table in tables]), _joined_queries(tables)
    return replace(tables[0], X=X, y=y, queries=queries, warnings=warnings)


def counted_alike(tables: Sequence[Table]) -> Sequence[Table]:
    """Return tables of svmlight whose indices all count from 0, if an index 0 occurs in one."""
    if {table.first for table in tables} != {0, 1}:
        return tables
    if any(table.names for table in tables):
        raise DataError(
            "an index 0 occurs in one of the files, and names of features stand beside a file "
            "whose indices count from 1; write both with indices from 1"
        )
    return [
        replace(table, X=svmlight.from_zero(table.X), first=0) if table.first else table
        for table in tables
    ]


def _stacked(parts: Sequence[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if all(hasattr(part, "iloc") for part in parts):
        import pandas as pd

        same = [part.set_axis(parts[0].columns, axis=1) for part in parts]
        return pd.concat(same, ignore_index=True)
    if all(hasattr(part, "tocsr") for part in parts):
        from scipy.sparse import vstack

        return vstack(parts, format="csr")
    if any(hasattr(part, "iloc") or hasattr(part, "tocsr") for part in parts):
        raise DataError("the two files are of different kinds; give both in one format")
    return np.vstack(parts)


def _joined_queries(tables: Sequence[Table]) -> Any:
    """Return the numbers behind qid of several files, one below the other; None without any."""
    each = [table.queries for table in tables]
    if all(queries is None for queries in each):
        return None
    if any(queries is None for queries in each):
        raise DataError("only one of the files has a qid in each line; give it in both, or in none")
    return np.concatenate(each)


def read_table(path: Path, wanted: Wanted) -> Table:
    """Read `path` in the format that its ending says; an unknown ending means svmlight."""
    with naming(path):
        reader = reader_of(path)
        if wanted.separator is not None and reader not in TEXT:
            raise DataError(
                f"separator={wanted.separator!r} is for text files with cells; leave it out"
            )
        if wanted.decimal != "." and reader in (*SVMLIGHT, NPZ):
            raise DataError(f"decimal={wanted.decimal!r} is for tables; leave it out")
        if reader in FRAMES:
            frame = FRAMES[reader](path)
            return frame_table(frame, wanted, named=True)
        with open_plain(path) as stream:
            return _READERS[reader](stream, wanted)


def reader_of(path: Path) -> str:
    """Return the ending whose reader reads `path`; that of svmlight if the ending is unknown.

    The name of the file in a zip archive counts if the archive has no ending of its own. A .txt
    file is a table, unless its first lines are those of svmlight.
    """
    name = without_compression(path.name)
    if format_of(name) is None and path.suffix.lower() == ZIP:
        with ZipFile(path) as archive:
            name = only_member(archive).filename
    if Path(name).suffix.lower() != EITHER:
        return format_of(name) or ".svm"
    with open_plain(path) as stream:
        lines = [line for line in islice(stream, LINES) if line.split(b"#")[0].strip()]
    return ".svm" if all(map(_SVMLIGHT.fullmatch, lines)) else ".csv"


def _svmlight(stream: IO[bytes], wanted: Wanted) -> Table:
    if wanted.target is not None:
        raise DataError(
            f"{wanted.role}={wanted.target!r} is for tables, but in svmlight the label is first in "
            "each line; leave it out"
        )
    X, y, queries, first = svmlight.read(stream)
    if not X.shape[0]:
        raise DataError("there is no row in it; give lines such as '1 3:0.5 7:2'")
    if X.shape[1] < wanted.width:
        X.resize((X.shape[0], wanted.width))
    label = "the first number of each line" + ("" if queries is None else ", groups from its qid")
    return Table(X, y, label=label, queries=queries, first=first)


def _csv(stream: IO[bytes], wanted: Wanted, separator: str | None = None) -> Table:
    separator = wanted.separator or separator
    frame, header = read_frame(stream, separator, wanted.decimal, wanted.named, wanted.cells)
    return frame_table(frame, wanted, named=header)


def frame_table(frame: Any, wanted: Wanted, *, named: bool, first: int = 0) -> Table:
    """Divide a frame into features and labels; its first row is row `first` of the file."""
    if not len(frame) or frame.shape[1] < 2:
        raise DataError(
            f"there are {len(frame)} rows and {frame.shape[1]} columns in it; give one row per "
            "example, one column per feature, and a column of labels"
        )
    names = tuple(map(str, frame.columns))
    label = find_label(frame, wanted.target, wanted.others)
    frame, warnings = _labelled(frame, label.at, wanted, first)
    column = f"column {names[label.at]!r}" if named else f"column {label.at}"
    target = names[label.at] if named else label.at
    table = Table(
        frame,
        _labels(frame.iloc[:, label.at]),
        names if named else None,
        f"{column}, {label.why}",
        target,
        warnings,
    )
    return table.keeping([j for j in range(len(names)) if j != label.at])


def _labelled(frame: Any, at: int, wanted: Wanted, first: int) -> tuple[Any, tuple[str, ...]]:
    """Return the rows that have a label, and a sentence about the others."""
    own = gaps_of([text for text in wanted.missing if "=" in text], frame.columns)
    name = str(frame.columns[at])
    y, _ = emptied(frame.iloc[:, at], own.get(name, ()), wanted.decimal)
    words = (*wanted.words, *words_of(wanted.missing, frame.columns).get(name, ()))
    gone = is_no_label(y, words)
    if not gone.any():
        return frame, ()
    texts = getattr(y.dtype, "kind", "O") == "O"
    way = f"; if a text such as None is a label, name it, or say --missing {f'{name}!=None'!r}"
    if wanted.unlabelled == "skip":
        count = int(gone.sum())
        what = f"{count} of {gone.size} rows have no label in the column {name!r}"
        return frame[~gone], (f"{what}, and are left out" + way * texts,)
    row = int(np.flatnonzero(gone)[0])
    where = f"line {y.index[row]}" if y.index.name == LINE else f"row {first + row}"
    raise DataError(
        f"the label is missing in {where}, and in {int(gone.sum())} row(s) in total; every row "
        f"needs one{way * texts}; unlabelled='skip' (--unlabelled skip) leaves such rows out"
    )


def _labels(column: Any) -> Any:
    """Return labels as an array; whole numbers are those they were before a gap made floats."""
    y = column.infer_objects().to_numpy()
    return svmlight.whole_labels(y) if y.dtype.kind == "f" else y


def _npz(stream: IO[bytes], wanted: Wanted) -> Table:
    label = "y" if wanted.target is None else str(wanted.target)
    X, y = _arrays(stream, label)
    return Table(X, y, label=f"the array {label}")


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


def _workbook(path: Path) -> Any:
    """Return the rows of the one sheet with cells as a data frame whose index has their lines."""
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
    rows = sheet.iloc[1:].apply(_typed)
    rows.columns = pd.Index([name or f"column {j + 1}" for j, name in enumerate(names)])
    rows.index = pd.Index(rows.index + 1, name=LINE)
    return rows


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


# What reads a table of typed columns into a data frame.
FRAMES: dict[str, Callable[[Path], Any]] = {
    **{ending: partial(arrow.frame, ending=ending) for ending in ARROW},
    EXCEL: _workbook,
}
_READERS: dict[str, Callable[[IO[bytes], Wanted], Table]] = {
    **dict.fromkeys(SVMLIGHT, _svmlight),
    ".csv": _csv,
    ".tsv": lambda stream, wanted: _csv(stream, wanted, "tab"),
    NPZ: _npz,
}
