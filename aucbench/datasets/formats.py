"""Read one file: svmlight, text, Parquet, Feather, Excel or npz, compressed or not.

A reader turns an open stream into a `Table`. Packages raise many kinds of exceptions on a file
that is damaged or of another format; each becomes a `DataError` that names the file.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from aucbench.datasets import svmlight
from aucbench.datasets.compressed import (
    Source,
    Xz,
    only_member,
    open_compressed,
    open_zip,
    require_small_members,
)
from aucbench.datasets.label import find_label
from aucbench.datasets.textfile import LINES, read_frame, refuse_twins
from aucbench.errors import DataError, MissingExtraError
from aucbench.tables import LINE

TEXT = (".csv", ".tsv")  # endings of text files with cells
ZIP = ".zip"
_SVMLIGHT = re.compile(rb"\s*[+-]?[\d.]+(\s+(qid|\d+):\S+)*\s*(#.*)?", re.DOTALL)
UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    OverflowError,
    NotImplementedError,  # a zip archive with a method that Python does not know
    lzma.LZMAError,
    BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What a file holds, not yet checked.

    Attributes
    ----------
    X : data frame, array or sparse matrix, shape (n, d)
        The features.
    y : array of shape (n,)
        The labels.
    names : tuple of str, optional
        The feature names.
    label : str
        Where the labels come from, for people.
    target : str or int, optional
        The label column, by name or by number.
    warnings : tuple of str
        Sentences of the source about what may be wrong.
    """

    X: Any
    y: Any
    names: tuple[str, ...] | None = None
    label: str = ""
    target: str | int | None = None
    warnings: tuple[str, ...] = ()

    def keeping(self, columns: Sequence[int]) -> Table:
        """Return the table with these columns only."""
        X = self.X.iloc[:, columns] if hasattr(self.X, "iloc") else self.X[:, columns]
        names = self.names and tuple(self.names[j] for j in columns)
        return replace(self, X=X, names=names)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the caller knows about a file.

    Attributes
    ----------
    target : str or int, optional
        The column of the labels in a table.
    width : int
        The least number of features; svmlight does not store zeros at the end of a row.
    separator : str, optional
        What separates the cells of a text file.
    decimal : str
        The decimal mark of a text file.
    others : tuple of str
        Columns that hold no labels: those that are left out, groups, times and weights.
    """

    target: str | int | None = None
    width: int = 0
    separator: str | None = None
    decimal: str = "."
    others: tuple[str, ...] = ()


def read_table(path: Path, wanted: Wanted) -> Table:
    """Read `path` in the format that its ending says; an unknown ending means svmlight.

    Raises
    ------
    DataError
        When the file is empty, damaged, or not of the format that its ending says.
    MissingExtraError
        When the file needs a package that is not installed.
    """
    with naming(path):
        reader = reader_of(path)
        if wanted.separator is not None and reader not in TEXT:
            raise DataError(
                f"separator={wanted.separator!r} is for text files with cells; leave it out"
            )
        if wanted.decimal != "." and reader in (*svmlight.ENDINGS, ".npz"):
            raise DataError(f"decimal={wanted.decimal!r} is for tables; leave it out")
        with open_plain(path) as stream:
            return _READERS[reader](stream, wanted)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn the exceptions of a reader into a `DataError` that names the file."""
    try:
        yield
    except DataError as error:
        if str(path) in str(error):
            raise
        raise DataError(f"{path}: {error}") from error
    except UNREADABLE as error:
        raise DataError(
            f"{path} cannot be read as {_called(path)} ({short_reason(error)}); it may be damaged, "
            f"or its ending may be wrong: known endings are {' '.join((*_READERS, '.txt'))}, also "
            f"followed by {' '.join(_OPENERS)}"
        ) from error


def open_plain(path: Path) -> IO[bytes]:
    """Open `path` for reading; a compressed file is decompressed, see `compressed`."""
    opener = _OPENERS.get(path.suffix.lower())
    return path.open("rb") if opener is None else open_compressed(path, opener)


def without_compression(name: str) -> str:
    """Return the file name without the ending of a compressed file."""
    return name[: -len(Path(name).suffix)] if Path(name).suffix.lower() in _OPENERS else name


def format_of(name: str) -> str | None:
    """Return the ending that says the format, without that of compression; None if unknown."""
    ending = Path(without_compression(name)).suffix.lower()
    return ending if ending in _READERS else None


def reader_of(path: Path) -> str:
    """Return the ending whose reader reads `path`; that of svmlight if the ending is unknown.

    The name of the file in a zip archive counts if the archive has no ending of its own. A .txt
    file is a table, unless its first lines are those of svmlight.
    """
    name = without_compression(path.name)
    if format_of(name) is None and path.suffix.lower() == ZIP:
        with ZipFile(path) as archive:
            name = only_member(archive).filename
    if Path(name).suffix.lower() != ".txt":
        return format_of(name) or ".svm"
    with open_plain(path) as stream:
        lines = [line for line in islice(stream, LINES) if line.split(b"#")[0].strip()]
    return ".svm" if all(map(_SVMLIGHT.fullmatch, lines)) else ".csv"


def _called(path: Path) -> str:
    """Return the format of a file for messages; the file is not opened."""
    plain = Path(path.name if path.suffix.lower() == ZIP else without_compression(path.name))
    return (format_of(path.name) or plain.suffix or ".svm")[1:]


def short_reason(error: BaseException) -> str:
    """Return the first line of an exception of another package, shortened."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:120]


def _svmlight(stream: IO[bytes], wanted: Wanted) -> Table:
    if wanted.target is not None:
        raise DataError(
            f"target={wanted.target!r} is for tables, but in svmlight the label is first in each "
            "line; leave it out"
        )
    X, y = svmlight.parsed(stream)
    if not X.shape[0]:
        raise DataError("there is no row in it; give lines such as '1 3:0.5 7:2'")
    if X.shape[1] < wanted.width:
        X.resize((X.shape[0], wanted.width))
    return Table(X, svmlight.whole_labels(y), label="the first number of each line")


def _csv(stream: IO[bytes], wanted: Wanted) -> Table:
    frame, header = read_frame(stream, wanted.separator, wanted.decimal)
    return frame_table(frame, wanted.target, named=header, others=wanted.others)


def _tsv(stream: IO[bytes], wanted: Wanted) -> Table:
    return _csv(stream, replace(wanted, separator=wanted.separator or "tab"))


def _feather(stream: IO[bytes]) -> Any:
    pyarrow_parquet()
    from pyarrow import ArrowInvalid, ipc

    try:
        table = ipc.open_file(stream).read_all()
    except ArrowInvalid:  # not a file of Arrow, so a stream of Arrow
        stream.seek(0)
        table = ipc.open_stream(stream).read_all()
    return _arrow_frame(table)


def _excel(stream: IO[bytes]) -> Any:
    import pandas as pd

    require_small_members(stream)
    try:
        sheets = pd.read_excel(stream, sheet_name=None, header=None, engine="openpyxl")
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
    frame = sheet.iloc[1:].infer_objects()
    frame.columns = pd.Index([name or f"column {j + 1}" for j, name in enumerate(names)])
    frame.index = pd.Index(frame.index + 1, name=LINE)
    return frame


def _parquet(stream: IO[bytes]) -> Any:
    return _arrow_frame(pyarrow_parquet().read_table(stream))


def _arrow_frame(table: Any) -> Any:
    from pyarrow.types import is_nested

    refuse_twins(table.column_names)
    for column in table.schema:
        if is_nested(column.type):
            raise DataError(
                f"column {column.name!r} holds {column.type} in a cell, wanted one value; write "
                "the table without it, or with a column for each value"
            )
    return table.to_pandas()


def pyarrow_parquet() -> Any:
    """Return the module pyarrow.parquet; `MissingExtraError` when it is not installed."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    return parquet


def frame_table(
    frame: Any,
    target: str | int | None,
    *,
    named: bool,
    first: int = 0,
    others: Collection[str] = (),
) -> Table:
    """Divide a frame into features and labels; its first row is row `first` of the file."""
    if not len(frame) or frame.shape[1] < 2:
        raise DataError(
            f"there are {len(frame)} rows and {frame.shape[1]} columns in it; give one row per "
            "example, one column per feature, and a column of labels"
        )
    names = tuple(map(str, frame.columns))
    found = find_label(frame, target, others)
    y = frame.iloc[:, found.at]
    if y.isna().any():
        at = int(np.flatnonzero(y.isna())[0])
        where = f"line {y.index[at]}" if y.index.name == LINE else f"row {first + at}"
        raise DataError(f"the label is missing in {where}; every row needs one")
    column = f"column {names[found.at]!r}" if named else f"column {found.at}"
    target = names[found.at] if named else found.at
    table = Table(frame, y.to_numpy(), names if named else None, f"{column}, {found.why}", target)
    return table.keeping([j for j in range(len(names)) if j != found.at])


def _npz(stream: IO[bytes], wanted: Wanted) -> Table:
    from scipy.sparse import csr_array

    require_small_members(stream)
    archive = np.load(stream, allow_pickle=False)
    held = set(getattr(archive, "files", ()))
    label = "y" if wanted.target is None else str(wanted.target)
    parts = ("data", "indices", "indptr", "shape")
    if label not in held or not ("X" in held or held.issuperset(parts)):
        raise DataError(
            f"it holds {', '.join(sorted(held)) or 'one array'}; give {label}, and X or the CSR "
            f"parts {', '.join(parts)}"
        )
    if "X" in held:
        return Table(archive["X"], archive[label], label=f"the array {label}")
    data, indices, starts, shape = (archive[part] for part in parts)
    X = csr_array((data, indices, starts), shape=(int(shape[0]), int(shape[1])))
    X.check_format(full_check=True)  # kernels do not check column numbers
    return Table(X, archive[label], label=f"the array {label}")


FRAMES: dict[str, Callable[[IO[bytes]], Any]] = {
    ".parquet": _parquet,
    ".feather": _feather,
    ".arrow": _feather,
    ".xlsx": _excel,
}


def _of_frame(read: Callable[[IO[bytes]], Any]) -> Callable[[IO[bytes], Wanted], Table]:
    return lambda stream, wanted: frame_table(
        read(stream), wanted.target, named=True, others=wanted.others
    )


_READERS: dict[str, Callable[[IO[bytes], Wanted], Table]] = {
    **dict.fromkeys(svmlight.ENDINGS, _svmlight),
    ".csv": _csv,
    ".tsv": _tsv,
    **{ending: _of_frame(read) for ending, read in FRAMES.items()},
    ".npz": _npz,
}
_OPENERS: dict[str, Callable[[Path], Source]] = {
    ".xz": Xz,
    ".bz2": bz2.open,
    ".gz": gzip.open,
    ZIP: open_zip,
}
