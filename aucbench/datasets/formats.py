"""Read one file: svmlight, CSV, Parquet or npz, compressed or not.

A reader turns an open stream into a `Table`. Packages raise many kinds of exceptions on a file
that is damaged or of another format; each becomes a `DataError` that names the file.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from aucbench.datasets.label import find_label
from aucbench.errors import DataError, MissingExtraError

_OPENERS: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".bz2": bz2.open, ".gz": gzip.open}
UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    OverflowError,
    NotImplementedError,  # a zip archive with a method that Python does not know
    lzma.LZMAError,
    zipfile.BadZipFile,
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
    """

    X: Any
    y: Any
    names: tuple[str, ...] | None = None
    label: str = ""

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
    """

    target: str | int | None = None
    width: int = 0


def read_table(path: Path, wanted: Wanted) -> Table:
    """Read `path` in the format that its ending says; an unknown ending means svmlight.

    Raises
    ------
    DataError
        When the file is empty, damaged, or not of the format that its ending says.
    MissingExtraError
        When the file is Parquet and pyarrow is not installed.
    """
    with naming(path), open_plain(path) as stream:
        return _READERS[reader_of(path)](stream, wanted)


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
            f"{path} cannot be read as {reader_of(path)[1:]} ({short_reason(error)}); it may be "
            f"damaged, or its ending may be wrong: known endings are {' '.join(_READERS)}, also "
            f"followed by {' '.join(_OPENERS)}"
        ) from error


def open_plain(path: Path) -> IO[bytes]:
    """Open `path` for reading; a compressed file is decompressed."""
    stream: IO[bytes] = _OPENERS.get(path.suffix.lower(), open)(path, "rb")
    return stream


def without_compression(name: str) -> str:
    """Return the file name without the ending of a compressed file."""
    return name[: -len(Path(name).suffix)] if Path(name).suffix.lower() in _OPENERS else name


def format_of(name: str) -> str | None:
    """Return the ending that says the format, without that of compression; None if unknown."""
    ending = Path(without_compression(name)).suffix.lower()
    return ending if ending in _READERS else None


def reader_of(path: Path) -> str:
    """Return the ending whose reader reads `path`; that of svmlight if the ending is unknown."""
    return format_of(path.name) or ".svm"


def short_reason(error: BaseException) -> str:
    """Return the first line of an exception of another package, shortened."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:120]


def _svmlight(stream: IO[bytes], wanted: Wanted) -> Table:
    from sklearn.datasets import load_svmlight_file

    if wanted.target is not None:
        raise DataError(
            f"target={wanted.target!r} is for tables, but in svmlight the label is first in each "
            "line; leave it out"
        )
    X, y = load_svmlight_file(stream)
    if not X.shape[0]:
        raise DataError("there is no row in it; give lines such as '1 3:0.5 7:2'")
    if X.shape[1] < wanted.width:
        X.resize((X.shape[0], wanted.width))
    return Table(X, whole_labels(y), label="the first number of each line")


def whole_labels(y: Any) -> Any:
    """Return labels as integers if they are whole numbers, so that messages say 3, not 3.0."""
    return y.astype(np.int64) if (np.abs(y) < 2**53).all() and (y == np.rint(y)).all() else y


def _csv(stream: IO[bytes], wanted: Wanted) -> Table:
    frame, header = open_csv(stream)
    return frame_table(frame, wanted.target, named=header)


def open_csv(stream: IO[bytes], rows: int | None = None) -> tuple[Any, bool]:
    """Return the data frame of a CSV file, and whether its columns have names.

    With `rows`, an iterator of frames of that many rows takes the place of the frame.
    """
    import pandas as pd

    first = stream.readline().decode("utf-8-sig").rstrip("\r\n")
    separator = max(",;\t", key=first.count)
    cells = [cell.strip().strip('"') for cell in first.split(separator)]
    header = _is_header(cells)
    stream.seek(0)
    frame = pd.read_csv(
        stream,
        chunksize=rows,
        sep=separator,
        header=0 if header else None,
        index_col=0
        if header and not cells[0]
        else None,  # a column of row numbers, which pandas writes
        skipinitialspace=True,
        low_memory=False,  # else pandas may read parts of a column as numbers and parts as text
    )
    return frame, header


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether no cell is a number, or the numbers are those of the columns: 0, 1, 2."""
    numbers = [cell for cell in cells if is_number(cell)]
    return not numbers or (len(cells) > 2 and numbers == [*map(str, range(len(numbers)))])


def is_number(text: str) -> bool:
    """Return whether `text` is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parquet(stream: IO[bytes], wanted: Wanted) -> Table:
    frame = pyarrow_parquet().read_table(stream).to_pandas()
    return frame_table(frame, wanted.target, named=True)


def pyarrow_parquet() -> Any:
    """Return the module pyarrow.parquet; `MissingExtraError` when it is not installed."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    return parquet


def frame_table(frame: Any, target: str | int | None, *, named: bool, first: int = 0) -> Table:
    """Divide a frame into features and labels; its first row is row `first` of the file."""
    if not len(frame) or frame.shape[1] < 2:
        raise DataError(
            f"there are {len(frame)} rows and {frame.shape[1]} columns in it; give one row per "
            "example, one column per feature, and a column of labels"
        )
    names = tuple(map(str, frame.columns))
    found = find_label(frame, target)
    y = frame.iloc[:, found.at]
    if y.isna().any():
        where = first + int(np.flatnonzero(y.isna())[0])
        raise DataError(f"the label is missing in row {where}; every row needs one")
    column = f"column {names[found.at]!r}" if named else f"column {found.at}"
    table = Table(frame, y.to_numpy(), names if named else None, f"{column}, {found.why}")
    return table.keeping([j for j in range(len(names)) if j != found.at])


def _npz(stream: IO[bytes], wanted: Wanted) -> Table:
    from scipy.sparse import csr_array

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


_READERS: dict[str, Callable[[IO[bytes], Wanted], Table]] = {
    ".svm": _svmlight,
    ".svmlight": _svmlight,
    ".libsvm": _svmlight,
    ".csv": _csv,
    ".parquet": _parquet,
    ".npz": _npz,
}
