"""Matrices of rows: dense in C order or CSR, float64 or float32, with indices of int32.

It is one long file, because nothing but it and cython/rows.pxd asks for the layout or the float
type. int32 halves the memory traffic of int64, and limits a matrix to 2**31 - 1 stored values.
float32 is a way to store numbers, and no way to compute: kernels convert each number when they
read it, and Python code gets float64 copies, so that NumPy never adds in float32.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.tally import READ
from aucbench.errors import DataError, UnsupportedError

Vector = NDArray[np.float64]
Index = NDArray[np.int32]
Stored = NDArray[np.float64] | NDArray[np.float32]
Block = slice | Index
ALL = slice(None)
MAX_STORED = 2**31 - 1
SQUARES = (1e-280, 1e305)  # a sum of squares between these had no overflow and no underflow
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
DENSE_PRODUCTS_FROM = 1 / 8  # share from which a product of BLAS takes less time (measured: 0.1)
PIECE = 1 << 18  # stored values that are made float64 at a time, 2 MiB
PRODUCT = 0.1  # of the time in which a number of a row is read, for a product of a sum of products
DENSE_FROM = 1 / 3  # share of non-zeros from which dense rows are faster (measured: 0.25 to 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A matrix of `n` rows and `d` features, dense or CSR.

    Its arrays are read-only views, so that no solver, objective or feature map can write to the
    arrays of the user that they share memory with.

    Attributes
    ----------
    stored : array of shape (n * d,) in C order when dense, (nnz,) when CSR
        The stored values, float64 or float32. `values` has them as float64.
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
    def dtype(self) -> np.dtype[Any]:
        """The type in which the values are stored: float64 or float32."""
        return self.stored.dtype

    @property
    def values(self) -> Vector:
        """The stored values as float64: themselves, or a new copy of float32 values."""
        return self.stored.astype(np.float64, copy=False)

    @property
    def stored_arrays(self) -> tuple[Stored, Index | None, Index | None, int]:
        """The first four arguments of every kernel that reads rows."""
        return self.stored, self.columns, self.starts, self.d

    @property
    def arrays(self) -> tuple[Vector, Index | None, Index | None, int]:
        """The same for a kernel that reads float64 values only.

        Raises
        ------
        UnsupportedError
            When the values are stored as float32.
        """
        if self.stored.dtype != np.float64:
            raise UnsupportedError(
                "the rows are stored as float32, and a kernel of this method reads float64; give "
                'Data.of(X, y) without dtype="float32", or a file with columns of float64'
            )
        return self.values, self.columns, self.starts, self.d

    def astype(self, dtype: Any) -> Rows:
        """Return the rows with their values stored as float64 or float32; themselves if they are.

        Raises
        ------
        DataError
            When `dtype` is another type, or a value is too large for float32.
        """
        wanted = float_type(dtype)
        return self if wanted == self.dtype else self.with_values(rounded(self.stored, wanted))

    @property
    def is_sparse(self) -> bool:
        """Whether the layout is CSR."""
        return self.columns is not None

    @property
    def matrix(self) -> Any:
        """The same memory as an ndarray (n, d) or a scipy `csr_array`, float64.

        Of values that are stored as float32 it is a new copy.
        """
        return self._shaped(self.values)

    def _shaped(self, values: Stored) -> Any:
        if self.columns is None or self.starts is None:
            return values.reshape(self.n, self.d)
        from scipy.sparse import csr_array

        return csr_array((values, self.columns, self.starts), shape=(self.n, self.d), copy=False)

    def locked(self) -> Any:
        """`matrix`, or of sparse rows a scipy `csr_matrix`, as libraries take it."""
        if self.columns is None or self.starts is None:
            return self.matrix
        from scipy.sparse import csr_matrix

        parts = (self.values, self.columns, self.starts)
        return csr_matrix(parts, shape=(self.n, self.d), copy=False)

    def take(self, block: Block) -> Rows:
        """Return a copy of some rows, in the order given."""
        return rows(self._shaped(self.stored)[block], self.dtype)

    def pieces(self, size: int) -> Iterator[tuple[int, Rows]]:
        """Yield where pieces of the rows begin, and the pieces: views of about `size` values."""
        step = max(1, size * self.n // max(1, self.stored.size))
        for lo in range(0, self.n, step):
            hi = min(lo + step, self.n)
            if self.columns is None or self.starts is None:
                yield lo, Rows(self.stored[lo * self.d : hi * self.d], None, None, hi - lo, self.d)
            else:
                b, e = self.starts[lo], self.starts[hi]
                starts = self.starts[lo : hi + 1] - b
                yield lo, Rows(self.stored[b:e], self.columns[b:e], starts, hi - lo, self.d)

    def densified(
        self, limit: int, why: str, way_out: str = "use maxabs or unit, which keep zeros"
    ) -> Rows:
        """Return dense rows.

        Parameters
        ----------
        limit : int
            Largest size of the dense rows in bytes.
        why : str
            What needs dense rows; it begins the error message.
        way_out : str
            What to do instead; it ends the error message.

        Raises
        ------
        DataError
            When sparse rows would take more than `limit` bytes.
        """
        size = self.dtype.itemsize * self.n * self.d
        if self.is_sparse and size > limit:
            raise DataError(
                f"{why} makes {self.n} x {self.d} sparse rows dense, which takes {size >> 20} MiB; "
                f"at most {limit >> 20} MiB are allowed; {way_out}"
            )
        return self.dense()

    def dense(self) -> Rows:
        """Return dense rows."""
        return rows(self._shaped(self.stored).toarray(), self.dtype) if self.is_sparse else self

    @property
    def density(self) -> float:
        """Share of the entries that are stored: 1 for dense rows."""
        return self.stored.size / max(1, self.n * self.d)

    def in_faster_layout(self) -> Rows:
        """Return dense rows when at least a third of the entries are non-zero, else CSR."""
        dense = np.count_nonzero(self.stored) >= DENSE_FROM * self.n * self.d
        if dense != self.is_sparse:
            return self
        if dense:
            return self.dense()
        from scipy.sparse import csr_array

        return rows(csr_array(self._shaped(self.stored)), self.dtype)

    def column(self, j: int) -> Vector:
        """Return the entries of column j, (n,), as float64; what is not stored is 0."""
        if self.columns is None or self.starts is None:
            return np.array(self._shaped(self.stored)[:, j], np.float64)
        own = np.flatnonzero(self.columns == j)
        entries = np.zeros(self.n)
        entries[np.searchsorted(self.starts, own, side="right") - 1] = self.stored[own]
        return entries

    def with_values(self, values: Stored) -> Rows:
        """Return rows of the same shape and pattern with other stored values."""
        return Rows(values, self.columns, self.starts, self.n, self.d)

    def scaled_columns(self, factor: Vector) -> Rows:
        """Return the rows with column j multiplied by factor[j], as float64."""
        if self.columns is None:
            return self.with_values((self.matrix * factor).reshape(-1))
        return self.with_values(self.values * factor[self.columns])

    def scaled_rows(self, factor: Vector) -> Rows:
        """Return the rows with row i multiplied by factor[i], as float64."""
        if self.starts is None:
            return self.with_values((self.matrix * factor[:, None]).reshape(-1))
        return self.with_values(self.values * np.repeat(factor, np.diff(self.starts)))

    def column_max_abs(self) -> Vector:
        """Return max_i |x_ij| of each column j, shape (d,)."""
        peak = np.zeros(self.d)
        if self.columns is None:
            for _, piece in self.pieces(PIECE):
                np.maximum(peak, np.abs(piece._shaped(piece.stored)).max(axis=0), out=peak)
            return peak
        np.maximum.at(peak, self.columns, np.abs(self.stored))
        return peak

    def row_norms(self) -> Vector:
        """Return the Euclidean norm of each row, shape (n,), without overflow or underflow."""
        norms = np.zeros(self.n)
        for lo, piece in self.pieces(PIECE):
            norms[lo : lo + piece.n] = piece._norms()
        return norms

    @np.errstate(over="ignore")
    def _norms(self) -> Vector:
        norms, begin = np.zeros(self.n), self._begin
        filled = np.flatnonzero(np.diff(begin))  # reduceat is wrong for empty rows
        sums = np.add.reduceat(self.values**2, begin[filled])
        norms[filled] = np.sqrt(sums)
        odd = filled[~((sums > SQUARES[0]) & (sums < SQUARES[1]))].astype(np.int32)
        if odd.size:
            norms[odd] = self.take(odd)._scaled_norms()
        return norms

    def _scaled_norms(self) -> Vector:
        """Return the norms of rows without an empty row.

        Each row is first scaled by a power of two, which rounds nothing.
        """
        begin = self._begin
        _, power = np.frexp(np.maximum.reduceat(np.abs(self.values), begin[:-1]))
        scaled = np.ldexp(self.values, np.repeat(-power, np.diff(begin)))
        return np.asarray(np.ldexp(np.sqrt(np.add.reduceat(scaled**2, begin[:-1])), power))

    @property
    def _begin(self) -> NDArray[Any]:
        return np.arange(self.n + 1) * self.d if self.starts is None else self.starts

    def gram(self, c: Vector, centre: Vector) -> Vector:
        """Return Σ_i c_i (x_i - m)(x_i - m)ᵀ, shape (d, d), where m is `centre`.

        Dense rows are centred in pieces, so no copy of all of them is made. So are sparse rows that
        store many of their entries.
        """
        READ.get().add(self.n, self.stored.size * max(1.0, PRODUCT * self.density * self.d))
        if self.columns is not None and self.density < DENSE_PRODUCTS_FROM:
            # Centring a column without zeros keeps it sparse; a column with zeros is near 0 anyway.
            full = np.where(np.bincount(self.columns, minlength=self.d) == self.n, centre, 0.0)
            moved, centre = self.with_values(self.values - full[self.columns]), centre - full
            X = moved.matrix
            cross = np.outer(X.T @ c, centre)
            whole: Vector = (X.T @ moved.scaled_rows(c).matrix).toarray()
            whole -= cross + cross.T
            whole += c.sum() * np.outer(centre, centre)
            return whole
        X, total = self._shaped(self.stored), np.zeros((self.d, self.d))
        step = max(1, (1 << 22) // self.d)  # 32 MiB at a time
        for lo in range(0, self.n, step):
            part = X[lo : lo + step]
            part = (part.toarray() if self.is_sparse else part) - centre
            total += part.T @ (part * c[lo : lo + step, None])
        return total

    def centred_products(self) -> Vector:
        """Return (x_i - m)·(x_j - m), shape (n, n), where m is the mean of the rows."""
        READ.get().add(self.n, self.stored.size)
        if self.is_sparse:
            products: Vector = (self.matrix @ self.matrix.T).toarray()
            products -= products.mean(axis=0)
            products -= products.mean(axis=1)[:, None]
            return products
        X = self.matrix - self.matrix.mean(axis=0)
        return np.asarray(X @ X.T)

    def with_ones(self) -> Rows:
        """Return the rows with a last column of ones, for an intercept."""
        if self.columns is None or self.starts is None:
            last = np.ones((self.n, 1), self.dtype)
            return rows(np.hstack([self._shaped(self.stored), last]), self.dtype)
        _check_stored(self.stored.size + self.n)
        ends = self.starts[1:]
        stored: Any = np.insert(self.stored, ends, 1.0)
        return Rows(
            stored,
            np.insert(self.columns, ends, self.d).astype(np.int32, copy=False),
            (self.starts + np.arange(self.n + 1)).astype(np.int32),
            self.n,
            self.d + 1,
        )


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


def stack(upper: Rows, lower: Rows) -> Rows:
    """Return a copy of the rows of both matrices (equal d), in the layout of the first.

    They are stored as float64 if one of them is.
    """
    wider = np.result_type(upper.dtype, lower.dtype)
    if not upper.is_sparse:
        both = [part.dense() for part in (upper, lower)]
        return rows(np.vstack([part._shaped(part.stored) for part in both]), wider)
    from scipy.sparse import csr_array, vstack

    parts = [csr_array(part._shaped(part.stored)) for part in (upper, lower)]
    return rows(vstack(parts, format="csr"), wider)


def lock(owner: Any, *names: str) -> None:
    """Replace the arrays of a frozen dataclass by read-only views of the same memory."""
    for name in names:
        array = getattr(owner, name)
        if isinstance(array, np.ndarray) and array.flags.writeable:
            view = array.view()
            view.setflags(write=False)
            object.__setattr__(owner, name, view)


def _check_stored(count: int) -> None:
    if count > MAX_STORED:
        raise DataError(
            f"sparse rows with {count} stored values, rows or columns exceed the limit of "
            f"{MAX_STORED}; use fewer rows at a time"
        )


def _csr_rows(X: Any, dtype: np.dtype[Any]) -> Rows:
    if len(X.shape) != 2:
        raise DataError(f"X has {len(X.shape)} dimension(s); give a matrix of n rows and d columns")
    own = X.tocsr()
    _check_stored(max(own.nnz, *own.shape))
    try:
        csr = type(own)((own.data, own.indices, own.indptr), shape=own.shape)
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
