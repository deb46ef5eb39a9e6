"""Arrays in files as parts: an npz file that is not compressed, or X.npy with y.npy.

Rows are read from their place in the file. (Rejected: mapping the file. Pages that were read would
count as memory of the process.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from aucbench.data.arrays import Rows, rows
from aucbench.data.targets import counted, label_vector
from aucbench.data.understood import Understood
from aucbench.datasets.formats import CSR_PARTS
from aucbench.datasets.parted.sides import Sides, plain_label, sides_of
from aucbench.datasets.reading import Reading
from aucbench.errors import DataError, UnsupportedError
from aucbench.scale.parts import Columns, Piece

NPY = ".npy"
BYTES = 64 << 20  # of the values of a part
MOST_ROWS = 1 << 20  # of a part
LOCAL = 30  # bytes of the header of a member of a zip archive, without its name
OPTIONS = ("drop", "weights", "separator")  # of tables


@dataclass(frozen=True, slots=True)
class Stored:
    """An array in a file."""

    path: str
    offset: int
    kind: str
    shape: tuple[int, ...]
    size: int  # of the file
    changed: int
    by_columns: bool = False  # whether a matrix has its columns one after the other

    def read(self, lo: int, hi: int) -> NDArray[Any]:
        """Return the rows lo … hi − 1."""
        width = prod(self.shape[1:])
        return self._at(lo * width, (hi - lo) * width).reshape(hi - lo, *self.shape[1:])

    def columns(self, lo: int, hi: int) -> tuple[NDArray[Any], ...]:
        """Return the same rows of a matrix whose columns are one after the other, by columns."""
        n, d = self.shape
        return tuple(self._at(j * n + lo, hi - lo) for j in range(d))

    def _at(self, begin: int, count: int) -> NDArray[Any]:
        """Return values from place `begin` on."""
        stat = Path(self.path).stat()
        if (stat.st_size, stat.st_mtime_ns) != (self.size, self.changed):
            raise DataError(
                f"{self.path} has changed since it was opened (its size or its time); start again, "
                "and do not write to the file meanwhile"
            )
        dtype = np.dtype(self.kind)
        start = self.offset + begin * dtype.itemsize
        values = np.fromfile(self.path, dtype, count, offset=start)
        if values.size != count:
            raise DataError(f"{self.path} ends before the end of an array; write it anew")
        return values


@dataclass(frozen=True, eq=False)
class StoredParts:
    """Rows of arrays in files, dense or CSR.

    Attributes
    ----------
    arrays : dict of Stored
        X, or data, indices, indptr; and y.
    n, d : int
        Number of rows and of features.
    step : int
        Rows of a part.
    sides : Sides
        The labels.
    """

    arrays: dict[str, Stored]
    n: int
    d: int
    step: int
    sides: Sides
    names: None = None
    encoding: None = None

    @staticmethod
    def of(files: Sequence[Path], asked: Reading) -> StoredParts:
        """Open arrays; raises as `open_parts`."""
        if given := [name for name in OPTIONS if getattr(asked, name)]:
            raise UnsupportedError(f"{' and '.join(given)} are for tables, not for arrays")
        label = "y" if asked.target is None else str(asked.target)
        arrays = _in_archive(files[0]) if files[0].suffix.lower() != NPY else _beside(files)
        if label not in arrays or not ("X" in arrays or {*CSR_PARTS} <= {*arrays}):
            raise DataError(
                f"it holds {', '.join(sorted(arrays)) or 'nothing'}; give {label}, and X or the "
                f"CSR parts {', '.join(CSR_PARTS)}"
            )
        wanted = ["X"] if "X" in arrays else [*CSR_PARTS[:3]]
        own = {**{name: arrays[name] for name in wanted}, "y": arrays[label]}
        n, d, row = _shape(arrays)
        if own["y"].shape != (n,):
            raise DataError(
                f"{label} has the shape {own['y'].shape} for {n} rows; give one label each"
            )
        step = max(1, min(MOST_ROWS, BYTES // max(1, row)))
        counts: dict[Any, int] = {}
        for lo in range(0, n, MOST_ROWS):
            y = label_vector(own["y"].read(lo, min(lo + MOST_ROWS, n)))
            for value, count in counted(y).items():
                plain = plain_label(value)
                counts[plain] = counts.get(plain, 0) + count
        sides = sides_of(counts, (label, "the array of labels"), asked)
        return StoredParts(own, n, d, step, sides)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of rows of each part."""
        return tuple(min(self.step, self.n - lo) for lo in range(0, self.n, self.step))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of names, sizes and times of the files, and of what is read of them."""
        return sha256(
            repr((sorted(self.arrays.items()), self.step, self.sides)).encode()
        ).hexdigest()

    @property
    def understood(self) -> Understood:
        """What was taken from the files, for people."""
        return Understood(
            label=f"the array {self.sides.column}",
            positive=self.sides.positive,
            negative=self.sides.negative,
            kinds={"numeric": self.d},
        )

    def where(self, i: int, row: int) -> str:
        """Return the file and the number of the row."""
        return f"{self.arrays['y'].path}, row {i * self.step + row}"

    def read(self, i: int) -> Iterator[Piece]:
        """Yield the rows of part i.

        Raises
        ------
        DataError
            When a file has changed or is cut off, or a label is of neither class.
        """
        lo = i * self.step
        hi = min(lo + self.step, self.n)
        labels, y = label_vector(self.arrays["y"].read(lo, hi)), np.zeros(hi - lo, np.int8)
        for label, sign in self.sides.signs.items():
            y[labels == label] = sign
        if not y.all():
            row = int(np.flatnonzero(y == 0)[0])
            raise DataError(f"{self.where(i, row)} has the label {labels[row]!r}, which is new")
        yield Piece(self._rows(lo, hi), y, part=i)

    def _rows(self, lo: int, hi: int) -> Rows | Columns:
        if "X" in self.arrays and self.arrays["X"].by_columns:
            own = self.arrays["X"].columns(lo, hi)
            kind = np.float32 if own[0].dtype == np.float32 else np.float64
            columns: Any = (column.astype(kind, copy=False) for column in own)
            return Columns(tuple(columns))
        if "X" in self.arrays:
            X = self.arrays["X"].read(lo, hi)
            return rows(X, np.float32 if X.dtype == np.float32 else np.float64)
        from scipy.sparse import csr_array

        starts = self.arrays["indptr"].read(lo, hi + 1)
        begin, end = int(starts[0]), int(starts[-1])
        values, at = (self.arrays[name].read(begin, end) for name in CSR_PARTS[:2])
        part = csr_array((values, at, starts - begin), shape=(hi - lo, self.d))
        return rows(part, np.float32 if values.dtype == np.float32 else np.float64)


def _shape(arrays: dict[str, Stored]) -> tuple[int, int, int]:
    """Return the numbers of rows and of features, and the mean bytes of a row."""
    if "X" in arrays:
        X = arrays["X"]
        if len(X.shape) != 2 or np.dtype(X.kind).kind not in "fiub":
            raise DataError(f"X has the shape {X.shape} and the type {X.kind}; give a matrix")
        return X.shape[0], X.shape[1], X.shape[1] * np.dtype(X.kind).itemsize
    n, d = (int(size) for size in arrays["shape"].read(0, 2))
    stored = arrays["data"].shape[0]
    return n, d, 12 * stored // max(1, n)


def _in_archive(path: Path) -> dict[str, Stored]:
    """Return the arrays of an npz file."""
    arrays = {}
    with ZipFile(path) as archive, path.open("rb") as content:
        for member in archive.infolist():
            if member.compress_type != ZIP_STORED:
                raise DataError(
                    "it is compressed, so that it is read as a whole; write it with numpy.savez, "
                    "or as Parquet"
                )
            content.seek(member.header_offset + LOCAL - 4)
            sizes = np.frombuffer(content.read(4), "<u2")
            begin = member.header_offset + LOCAL + int(sizes.sum())
            arrays[member.filename.removesuffix(NPY)] = _header(path, begin)
    return arrays


def _beside(files: Sequence[Path]) -> dict[str, Stored]:
    """Return the arrays of npy files."""
    known = files if len(files) > 1 else sorted(files[0].parent.glob(f"*{NPY}"))
    return {file.stem: _header(file, 0) for file in known}


def _header(path: Path, begin: int) -> Stored:
    stat = path.stat()
    with path.open("rb") as content:
        content.seek(begin)
        version = npy.read_magic(content)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran, dtype = read(content)
        offset = content.tell()
    if dtype.hasobject:
        raise DataError(f"an array of {path} holds Python objects; save arrays of numbers")
    return Stored(
        str(path.absolute()),
        offset,
        dtype.str,
        shape,
        stat.st_size,
        stat.st_mtime_ns,
        by_columns=fortran and len(shape) > 1,
    )
