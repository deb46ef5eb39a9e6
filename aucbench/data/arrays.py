"""One float (float64), one index (int32), two layouts: dense C order and CSR.

Design
  a. A matrix is a `Rows`: the flat arrays that kernels read. The question "dense or
     sparse?" is asked in this module and in cython/rows.pxd, nowhere else.
  b. A block of rows is a slice (contiguous) or an int32 array (gathered).
  c. int32 indices: half the bytes of int64 on the memory-bound path. The price is a limit
     of 2**31 - 1 stored values, refused with a sentence. (Rejected: templates for both.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import DataError

Vector = NDArray[np.float64]
Index = NDArray[np.int32]
Block = slice | Index
ALL = slice(None)
MAX_STORED = 2**31 - 1
SQUARES = (1e-280, 1e305)  # sums of squares between these lost none
DENSE_FROM = 1 / 3  # share of non-zeros where dense rows overtake CSR (measured: 0.25 to 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """`n` rows of `d` features; `columns` and `starts` are None when dense.

    Attributes
    ----------
    values : (n * d,) in C order when dense, (nnz,) when CSR
    columns : (nnz,) column of each stored value, increasing within a row
    starts : (n + 1,) where each row begins
    """

    values: Vector
    columns: Index | None
    starts: Index | None
    n: int
    d: int

    @property
    def arrays(self) -> tuple[Vector, Index | None, Index | None, int]:
        """The first four arguments of every kernel that reads rows."""
        return self.values, self.columns, self.starts, self.d

    @property
    def is_sparse(self) -> bool:
        """Whether the layout is CSR."""
        return self.columns is not None

    @property
    def matrix(self) -> Any:
        """The same memory as an ndarray (n, d) or a scipy `csr_array`."""
        if self.columns is None or self.starts is None:
            return self.values.reshape(self.n, self.d)
        from scipy.sparse import csr_array

        parts = (self.values, self.columns, self.starts)
        return csr_array(parts, shape=(self.n, self.d), copy=False)

    def take(self, block: Block) -> Rows:
        """Copy of some rows, in the order given."""
        return rows(self.matrix[block])

    def densified(self, limit: int, why: str) -> Rows:
        """Return dense rows; refuse when they would take more than `limit` bytes."""
        size = 8 * self.n * self.d
        if self.is_sparse and size > limit:
            raise DataError(
                f"{why} makes {self.n} x {self.d} sparse rows dense, {size >> 20} MiB "
                f"of at most {limit >> 20}; use maxabs or unit, which keep zeros"
            )
        return rows(self.matrix.toarray()) if self.is_sparse else self

    def in_faster_layout(self) -> Rows:
        """Return dense rows when at least a third of the entries are non-zero, else CSR."""
        dense = np.count_nonzero(self.values) >= DENSE_FROM * self.n * self.d
        if dense != self.is_sparse:
            return self
        if dense:
            return rows(self.matrix.toarray())
        from scipy.sparse import csr_array

        return rows(csr_array(self.matrix))

    def with_values(self, values: Vector) -> Rows:
        """Return rows of the same shape and pattern with other stored values."""
        return Rows(values, self.columns, self.starts, self.n, self.d)

    def scaled_columns(self, factor: Vector) -> Rows:
        """Column j times factor[j]."""
        if self.columns is None:
            return self.with_values((self.matrix * factor).reshape(-1))
        return self.with_values(self.values * factor[self.columns])

    def scaled_rows(self, factor: Vector) -> Rows:
        """Row i times factor[i]."""
        if self.starts is None:
            return self.with_values((self.matrix * factor[:, None]).reshape(-1))
        return self.with_values(self.values * np.repeat(factor, np.diff(self.starts)))

    def column_max_abs(self) -> Vector:
        """max_i |x_ij|, shape (d,)."""
        if self.columns is None:
            return np.asarray(np.abs(self.matrix).max(axis=0))
        peak = np.zeros(self.d)
        np.maximum.at(peak, self.columns, np.abs(self.values))
        return peak

    @np.errstate(over="ignore")
    def row_norms(self) -> Vector:
        """Euclidean norm of each row, shape (n,), right to rounding whatever the others are."""
        norms, begin = np.zeros(self.n), self._begin
        filled = np.flatnonzero(np.diff(begin))  # reduceat misreads empty rows
        sums = np.add.reduceat(self.values**2, begin[filled])
        norms[filled] = np.sqrt(sums)
        odd = filled[~((sums > SQUARES[0]) & (sums < SQUARES[1]))].astype(np.int32)
        if odd.size:
            norms[odd] = self.take(odd)._scaled_norms()
        return norms

    def _scaled_norms(self) -> Vector:
        """As `row_norms` of rows that store something; a power of two scales without rounding."""
        begin = self._begin
        _, power = np.frexp(np.maximum.reduceat(np.abs(self.values), begin[:-1]))
        scaled = np.ldexp(self.values, np.repeat(-power, np.diff(begin)))
        return np.asarray(np.ldexp(np.sqrt(np.add.reduceat(scaled**2, begin[:-1])), power))

    @property
    def _begin(self) -> NDArray[Any]:
        return np.arange(self.n + 1) * self.d if self.starts is None else self.starts

    def gram(self, c: Vector, centre: Vector) -> Vector:
        """Sum of c_i (x_i - m)(x_i - m)^T, (d, d), m the centre: dense rows never as a copy."""
        if self.columns is not None:
            # A full column moves without becoming dense; one with zeros cannot lie far from 0.
            full = np.where(np.bincount(self.columns, minlength=self.d) == self.n, centre, 0.0)
            moved, centre = self.with_values(self.values - full[self.columns]), centre - full
            X = moved.matrix
            cross = np.outer(X.T @ c, centre)
            whole: Vector = (X.T @ moved.scaled_rows(c).matrix).toarray()
            whole -= cross + cross.T
            whole += c.sum() * np.outer(centre, centre)
            return whole
        total = np.zeros((self.d, self.d))
        step = max(1, (1 << 22) // self.d)  # 32 MiB at a time
        for lo in range(0, self.n, step):
            part = self.matrix[lo : lo + step] - centre
            total += part.T @ (part * c[lo : lo + step, None])
        return total

    def with_ones(self) -> Rows:
        """Return the rows with a last column of ones, the one that carries an intercept."""
        if self.columns is None or self.starts is None:
            return rows(np.hstack([self.matrix, np.ones((self.n, 1))]))
        _check_stored(self.values.size + self.n)
        ends = self.starts[1:]
        return Rows(
            np.insert(self.values, ends, 1.0),
            np.insert(self.columns, ends, self.d).astype(np.int32, copy=False),
            (self.starts + np.arange(self.n + 1)).astype(np.int32),
            self.n,
            self.d + 1,
        )


def rows(X: Any) -> Rows:
    """Rows of a numeric matrix, scipy sparse or anything `np.asarray` takes.

    No copy of a C-contiguous float64 array or of a canonical float64, int32 CSR matrix.

    Raises
    ------
    DataError
        When `X` is not two-dimensional or stores more than 2**31 - 1 sparse values.
    """
    if hasattr(X, "tocsr"):
        return _csr_rows(X)
    dense = np.ascontiguousarray(X, dtype=np.float64)
    if np.ndim(X) != 2:
        raise DataError(f"X must be a matrix (n rows, d columns), got {np.ndim(X)} dimension(s)")
    return Rows(dense.reshape(-1), None, None, *dense.shape)


def stack(upper: Rows, lower: Rows) -> Rows:
    """Copy of the rows of two matrices of equal d, in the layout of the first."""
    if not upper.is_sparse:
        dense = lower.matrix.toarray() if lower.is_sparse else lower.matrix
        return rows(np.vstack([upper.matrix, dense]))
    from scipy.sparse import csr_array, vstack

    return rows(vstack([upper.matrix, csr_array(lower.matrix)], format="csr"))


def _check_stored(count: int) -> None:
    if count > MAX_STORED:
        raise DataError(
            f"sparse rows with {count} stored values, rows or columns exceed the limit of "
            f"{MAX_STORED}; use fewer rows at a time"
        )


def _csr_rows(X: Any) -> Rows:
    if len(X.shape) != 2:
        raise DataError(f"X must be a matrix (n rows, d columns), got {len(X.shape)} dimension(s)")
    csr = X.tocsr()
    _check_stored(max(csr.nnz, *csr.shape))
    try:
        csr.check_format(full_check=True)  # kernels trust the column numbers
    except ValueError as error:
        raise DataError(f"X is not a valid CSR matrix: {error}; build it anew") from error
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is X else csr
        csr.sum_duplicates()
    return Rows(
        np.ascontiguousarray(csr.data[: csr.nnz], dtype=np.float64),
        np.ascontiguousarray(csr.indices[: csr.nnz], dtype=np.int32),
        np.ascontiguousarray(csr.indptr, dtype=np.int32),
        *csr.shape,
    )


def span(block: Block, n: int) -> tuple[Index | None, int, int]:
    """Kernel arguments (order, lo, hi) of a block: row order[i], or i itself if None.

    Raises
    ------
    DataError
        When a gathered row does not exist: kernels trust their row numbers.
    """
    if isinstance(block, slice):
        lo, hi, step = block.indices(n)
        if step != 1:
            return span(np.arange(lo, hi, step, dtype=np.int32), n)
        return None, lo, max(lo, hi)
    order = np.ascontiguousarray(block, dtype=np.int32)
    if order.size and order.view(np.uint32).max() >= n:  # a negative row wraps to a huge one
        raise DataError(f"rows {order.min()}..{order.max()} asked of data with {n} rows")
    return order, 0, order.size


def size(block: Block, n: int) -> int:
    """Return the number of rows in a block of data with `n` rows."""
    return len(range(*block.indices(n))) if isinstance(block, slice) else block.size
