"""Matrices of rows: dense in C order or CSR, float64 or float32, with indices of int32.

Nothing but it, `layouts`, `columns`, `passes` and cython/rows.pxd asks for the layout. int32 halves
the memory traffic of int64, and limits a matrix to 2**31 - 1 stored values. float32 is a way to
store numbers, and no way to compute: kernels convert each number when they read it, and Python code
gets float64 copies, so that NumPy never adds in float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import DataError

Vector = NDArray[np.float64]
Index = NDArray[np.int32]
Stored = NDArray[np.float64] | NDArray[np.float32]
Block = slice | Index
ALL = slice(None)
MAX_STORED = 2**31 - 1
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A matrix of `n` rows and `d` features, dense or CSR.

    Its arrays are read-only views, so that no solver, objective or feature map can write to the
    arrays of the user that they share memory with.

    Attributes
    ----------
    stored : array of shape (n * d,) in C order when dense, (nnz,) when CSR
        The stored values, float64 or float32; Python code reads `matrix`, which is float64.
    columns : array of shape (nnz,), or None when dense
        The column of each stored value, increasing within a row.
    starts : array of shape (n + 1,), or None when dense
        The position at which each row begins, and the end of the last row.
    n, d : int
        Number of rows and of features.
    """

    stored: Stored
    columns: Index | None
    starts: Index | None
    n: int
    d: int

    def __post_init__(self) -> None:
        lock(self, "stored", "columns", "starts")

    @property
    def stored_arrays(self) -> tuple[Stored, Index | None, Index | None, int]:
        """The first four arguments of every kernel that reads rows."""
        return self.stored, self.columns, self.starts, self.d

    @property
    def is_sparse(self) -> bool:
        """Whether the layout is CSR."""
        return self.columns is not None

    @property
    def matrix(self) -> Any:
        """The same memory as an ndarray (n, d) or a scipy `csr_array`, float64.

        Of values that are stored as float32 it is a new copy.
        """
        return matrix_of(self, float_values(self))

    def take(self, block: Block) -> Rows:
        """Return a copy of some rows, in the order given."""
        return rows(matrix_of(self, self.stored)[block], self.stored.dtype)

    def dense(self) -> Rows:
        """Return dense rows; themselves if they are."""
        whole = matrix_of(self, self.stored)
        return rows(whole.toarray(), self.stored.dtype) if self.is_sparse else self


def float_values(X: Rows) -> Vector:
    """Return the stored values as float64: themselves, or a new copy of float32 values."""
    return X.stored.astype(np.float64, copy=False)


def matrix_of(X: Rows, values: Stored) -> Any:
    """Return rows with other stored values as an ndarray (n, d) or a scipy `csr_array`: a view."""
    if X.columns is None or X.starts is None:
        return values.reshape(X.n, X.d)
    from scipy.sparse import csr_array

    return csr_array((values, X.columns, X.starts), shape=(X.n, X.d), copy=False)


def rows(X: Any, dtype: Any = np.float64) -> Rows:
    """Return the rows of a numeric matrix.

    Nothing is copied from a C-contiguous array of the type `dtype`, or from a canonical CSR
    matrix of such values and int32 indices.

    Parameters
    ----------
    X : scipy sparse matrix, or anything that `np.asarray` accepts, shape (n, d)
        The numbers.
    dtype : float64 or float32
        How they are stored.

    Raises
    ------
    DataError
        When `X` is not two-dimensional, stores more than 2**31 - 1 sparse values, or has a number
        that is too large or too small for float32.
    """
    wanted = float_type(dtype)
    if hasattr(X, "tocsr"):
        return _csr_rows(X, wanted)
    if np.ndim(X) != 2:
        raise DataError(f"X has {np.ndim(X)} dimension(s); give a matrix of n rows and d columns")
    dense: Any = np.ascontiguousarray(_read(np.asarray(X), wanted))
    n, d = dense.shape
    return Rows(dense.reshape(-1), None, None, n, d)


def float_type(dtype: Any) -> np.dtype[Any]:
    """Return float64 or float32, by name or type."""
    for known in FLOATS:
        if dtype in (known, known.name, known.type):
            return known
    raise DataError(f"rows can be stored as float64 or float32, got the type {dtype!r}")


def _read(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return `rounded`; refuse numbers so small that float32 keeps few of their digits or none."""
    stored = rounded(values, dtype)
    if dtype == np.float32 != values.dtype:
        lost = (values != 0) & (np.abs(stored) < np.finfo(np.float32).tiny)
        if lost.any():
            raise DataError(
                f"{values[lost][0]:.4g} is too small for float32, whose digits end at 1.2e-38; "
                "multiply the feature by a constant, or store float64"
            )
    return stored


def rounded(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return numbers in a float type; themselves if they have it."""
    with np.errstate(over="ignore", under="ignore"):
        stored = values.astype(dtype, order="C", copy=False)
    if dtype == np.float32 != values.dtype:
        lost = np.isinf(stored) & np.isfinite(values)
        if lost.any():
            raise DataError(
                f"{values[lost][0]:.4g} is too large for float32, whose numbers end at 3.4e38; "
                "divide the feature by a constant, or store float64"
            )
    return stored


def lock(owner: Any, *names: str) -> None:
    """Replace the arrays of a frozen dataclass by read-only views of the same memory."""
    for name in names:
        array = getattr(owner, name)
        if isinstance(array, np.ndarray) and array.flags.writeable:
            view = array.view()
            view.setflags(write=False)
            object.__setattr__(owner, name, view)


def check_stored(count: int) -> None:
    """Raise `DataError` when so many values, rows or columns are more than int32 counts."""
    if count > MAX_STORED:
        raise DataError(
            f"sparse rows with {count} stored values, rows or columns exceed the limit of "
            f"{MAX_STORED}; use fewer rows at a time"
        )


def _csr_rows(X: Any, dtype: np.dtype[Any]) -> Rows:
    if len(X.shape) != 2:
        raise DataError(f"X has {len(X.shape)} dimension(s); give a matrix of n rows and d columns")
    own = X.tocsr()
    check_stored(max(own.nnz, *own.shape))
    try:
        spare = own.indices.size > own.nnz  # which the check would cut off
        csr = type(own)((own.data, own.indices, own.indptr), shape=own.shape) if spare else own
        csr.check_format(full_check=True)  # kernels do not check column numbers
    except ValueError as error:
        raise DataError(f"X is not a valid CSR matrix: {error}; build it anew") from error
    if not csr.has_canonical_format:
        csr = csr.copy() if own is X else csr
        csr.sum_duplicates()
    return Rows(
        np.ascontiguousarray(_read(csr.data[: csr.nnz], dtype)),
        np.ascontiguousarray(csr.indices[: csr.nnz], dtype=np.int32),
        np.ascontiguousarray(csr.indptr, dtype=np.int32),
        *csr.shape,
    )


def span(block: Block, n: int) -> tuple[Index | None, int, int]:
    """Return the kernel arguments (order, lo, hi) of a block.

    The block is row order[i] for lo <= i < hi, or row i itself when order is None.
    """
    if isinstance(block, slice):
        lo, hi, step = block.indices(n)
        if step != 1:
            return span(np.arange(lo, hi, step, dtype=np.int32), n)
        return None, lo, max(lo, hi)
    order = np.ascontiguousarray(block, dtype=np.int32)
    if order.size and order.view(np.uint32).max() >= n:  # a negative row wraps to a huge one
        raise DataError(
            f"the block has row numbers {order.min()} to {order.max()}, but there are {n} rows; "
            f"give numbers from 0 to {n - 1}"
        )
    return order, 0, order.size


def size(block: Block, n: int) -> int:
    """Return the number of rows in a block of data with `n` rows."""
    return len(range(*block.indices(n))) if isinstance(block, slice) else block.size
