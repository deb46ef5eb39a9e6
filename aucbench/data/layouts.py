"""Rows in another layout: dense or CSR, float64 or float32, in pieces, as libraries take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.data.arrays import Rows, Stored, float_type, float_values, matrix_of, rounded, rows
from aucbench.errors import DataError

PIECE = 1 << 18  # stored values that are made float64 at a time, 2 MiB
DENSE_FROM = 1 / 3  # share of non-zeros from which dense rows are faster (measured: 0.25 to 0.5)


def with_values(X: Rows, values: Stored) -> Rows:
    """Return rows of the same shape and pattern with other stored values."""
    return Rows(values, X.columns, X.starts, X.n, X.d)


def store_as(X: Rows, dtype: Any) -> Rows:
    """Return rows with their values stored as float64 or float32; themselves if they are.

    Raises
    ------
    DataError
        When `dtype` is another type, or a value is too large for float32.
    """
    wanted = float_type(dtype)
    return X if wanted == X.stored.dtype else with_values(X, rounded(X.stored, wanted))


def square_entries(X: Rows) -> Rows:
    """Return rows of the squares of the entries, as float64."""
    return with_values(X, float_values(X) ** 2)


def to_library_matrix(X: Rows) -> Any:
    """Return `Rows.matrix`, or of sparse rows a scipy `csr_matrix`, as libraries take it."""
    if X.columns is None or X.starts is None:
        return X.matrix
    from scipy.sparse import csr_matrix

    parts = (float_values(X), X.columns, X.starts)
    return csr_matrix(parts, shape=(X.n, X.d), copy=False)


def pieces(X: Rows, size: int) -> Iterator[tuple[int, Rows]]:
    """Yield where pieces of the rows begin, and the pieces: views of about `size` values."""
    step = max(1, size * X.n // max(1, X.stored.size))
    for lo in range(0, X.n, step):
        hi = min(lo + step, X.n)
        if X.columns is None or X.starts is None:
            yield lo, Rows(X.stored[lo * X.d : hi * X.d], None, None, hi - lo, X.d)
        else:
            b, e = X.starts[lo], X.starts[hi]
            yield lo, Rows(X.stored[b:e], X.columns[b:e], X.starts[lo : hi + 1] - b, hi - lo, X.d)


def densify(
    X: Rows, limit: int, why: str, way_out: str = "use maxabs or unit, which keep zeros"
) -> Rows:
    """Return dense rows.

    Parameters
    ----------
    X : Rows
        Dense or CSR.
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
    size = X.stored.itemsize * X.n * X.d
    if X.is_sparse and size > limit:
        raise DataError(
            f"{why} makes {X.n} x {X.d} sparse rows dense, which takes {size >> 20} MiB; at most "
            f"{limit >> 20} MiB are allowed; {way_out}"
        )
    return X.dense()


def dense_parts(X: Rows, limit: int) -> Iterator[Rows]:
    """Yield dense rows: themselves, or parts of sparse ones that take about `limit` bytes each."""
    step = max(1, limit // (8 * X.d)) if X.is_sparse else X.n
    for lo in range(0, X.n, step):
        yield X.take(slice(lo, lo + step)).dense() if step < X.n else X.dense()


def to_faster_layout(X: Rows) -> Rows:
    """Return dense rows when at least a third of the entries are non-zero, else CSR."""
    full = np.count_nonzero(X.stored) >= DENSE_FROM * X.n * X.d
    if full != X.is_sparse:
        return X
    if full:
        return X.dense()
    from scipy.sparse import csr_array

    return rows(csr_array(matrix_of(X, X.stored)), X.stored.dtype)


def stored_count(X: Rows) -> int:
    """Return how many values are stored: n d of dense rows."""
    return X.stored.size


def density(X: Rows) -> float:
    """Return the share of the entries that are stored: 1 for dense rows."""
    return stored_count(X) / max(1, X.n * X.d)


def stack_rows(upper: Rows, lower: Rows) -> Rows:
    """Return a copy of the rows of both matrices (equal d), in the layout of the first.

    They are stored as float64 if one of them is.
    """
    wider = np.result_type(upper.stored, lower.stored)
    if not upper.is_sparse:
        both = [part.dense() for part in (upper, lower)]
        return rows(np.vstack([matrix_of(part, part.stored) for part in both]), wider)
    from scipy.sparse import csr_array, vstack

    parts = [csr_array(matrix_of(part, part.stored)) for part in (upper, lower)]
    return rows(vstack(parts, format="csr"), wider)
