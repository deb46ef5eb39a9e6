"""Rows in chunks, which can be read again and again by their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Block, Rows, Stored, Vector, rows
from aucbench.errors import DataError

PIECE = 1 << 18  # rows of a piece, where a part comes in several


@dataclass(frozen=True, eq=False)
class Columns:
    """Rows as columns, each of its own memory, as Arrow has them.

    Attributes
    ----------
    arrays : tuple of d arrays (n,), float32 or float64
        Contiguous. Columns may have different types.
    """

    arrays: tuple[Stored, ...]

    def __post_init__(self) -> None:
        sizes = {column.size for column in self.arrays}
        if len(sizes) != 1:
            raise DataError(f"columns have {sorted(sizes)} rows; give columns of one length")
        for column in self.arrays:
            if column.dtype not in (np.float32, np.float64) or not column.flags.c_contiguous:
                raise DataError(f"a column holds {column.dtype}; give contiguous floats")

    n = property(lambda self: int(self.arrays[0].size), doc="Number of rows.")
    d = property(lambda self: len(self.arrays), doc="Number of features.")

    @cached_property
    def addresses(self) -> tuple[NDArray[np.uintp], NDArray[np.uint8]]:
        """Where the columns begin, and which of them are float32; both (d,), for kernels."""
        begins = np.array([column.ctypes.data for column in self.arrays], np.uintp)
        return begins, np.array([column.dtype == np.float32 for column in self.arrays], np.uint8)

    def take(self, block: Block) -> Columns:
        """Return some rows, in the order given; a slice of step 1 copies nothing."""
        taken: Any = (np.ascontiguousarray(column[block]) for column in self.arrays)
        return Columns(tuple(taken))

    def dense(self) -> Rows:
        """Return dense rows: of float32 where all columns are, else of float64."""
        single = all(column.dtype == np.float32 for column in self.arrays)
        matrix = np.empty((self.n, self.d), np.float32 if single else np.float64)
        for j, column in enumerate(self.arrays):
            matrix[:, j] = column
        return rows(matrix, matrix.dtype)


@dataclass(frozen=True, eq=False)
class Piece:
    """Rows of a part that are in memory at a time; one class may be missing.

    Attributes
    ----------
    rows : Rows or Columns
        n rows of d features.
    y : array of shape (n,), int8 in {-1, +1}
        Their labels.
    weights : array of shape (n,), or None
        What each row counts for.
    part, first : int
        The number of the part, and which of its rows is the first one here.
    """

    rows: Rows | Columns
    y: NDArray[np.int8]
    weights: Vector | None = None
    part: int = 0
    first: int = 0

    n = property(lambda self: self.rows.n, doc="Number of rows.")

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The first argument of the kernels that read pieces."""
        if isinstance(self.rows, Columns):
            return (*self.rows.addresses, self.n)
        return (*self.rows.stored_arrays, self.n)

    def some(self, block: Block) -> Rows:
        """Return some rows in the order given, dense or CSR."""
        part = self.rows.take(block)
        return part.dense() if isinstance(part, Columns) else part


class Parts(Protocol):
    """k parts of the rows. It can be pickled, so that a worker elsewhere reads them too."""

    @property
    def n(self) -> int:
        """Number of rows."""
        ...

    @property
    def d(self) -> int:
        """Number of features."""
        ...

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the features."""
        ...

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of rows of each part."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hash of what identifies the content, such as names, sizes and times of files."""
        ...

    def read(self, i: int) -> Iterator[Piece]:
        """Yield the rows of part i, always the same rows in the same pieces.

        Raises
        ------
        DataError
            When they are not what they were, cannot be read, or hold what is no finite number.
        """
        ...

    def labels(self, i: int) -> NDArray[np.int8]:
        """Return the labels of the rows of part i, -1 or 1; raises as `read`."""
        ...

    def where(self, i: int, row: int) -> str:
        """Say for people where row `row` of part i is, such as a file and a row group."""
        ...


@dataclass(frozen=True, eq=False)
class InMemory:
    """Rows in memory as parts of `size` rows, the last one of fewer.

    Parameters
    ----------
    data : Data
        Rows with labels.
    size : int
        Rows of a part.
    """

    data: Data
    size: int = PIECE

    n = property(lambda self: self.data.n)
    d = property(lambda self: self.data.d)
    names = property(lambda self: self.data.names)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of rows of each part."""
        return tuple(min(self.size, self.n - lo) for lo in range(0, self.n, self.size))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the rows and labels."""
        own = self.data.rows
        arrays: list[Any] = [own.stored, own.columns, own.starts, self.data.y, self.data.weights]
        digest = sha256(f"{self.n} {self.d} {self.size}".encode())
        for array in arrays:
            digest.update(b"" if array is None else memoryview(array).cast("B"))
        return digest.hexdigest()

    def read(self, i: int) -> Iterator[Piece]:
        """Yield the rows of part i."""
        lo = i * self.size
        block = slice(lo, lo + self.size)
        weights = self.data.weights
        yield Piece(
            self.data.rows.take(block),
            self.data.y[block],
            None if weights is None else weights[block],
            part=i,
        )

    def labels(self, i: int) -> NDArray[np.int8]:
        """Return the labels of part i."""
        y: NDArray[np.int8] = self.data.y[i * self.size : (i + 1) * self.size]
        return y

    def where(self, i: int, row: int) -> str:
        """Return the number of the row."""
        return f"row {i * self.size + row}"
