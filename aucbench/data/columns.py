"""What feature maps do with rows: entries, norms and scales of columns and of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Rows, Vector, check_stored, float_values, matrix_of, rows
from aucbench.data.layouts import PIECE, pieces, with_values

SQUARES = (1e-280, 1e305)  # a sum of squares between these had no overflow and no underflow


def column_entries(X: Rows, j: int) -> Vector:
    """Return the entries of column j, (n,), as float64; what is not stored is 0."""
    if X.columns is None or X.starts is None:
        return np.array(matrix_of(X, X.stored)[:, j], np.float64)
    own = np.flatnonzero(X.columns == j)
    entries = np.zeros(X.n)
    entries[np.searchsorted(X.starts, own, side="right") - 1] = X.stored[own]
    return entries


def column_max_abs(X: Rows) -> Vector:
    """Return max_i |x_ij| of each column j, shape (d,)."""
    peak = np.zeros(X.d)
    if X.columns is None:
        for _, piece in pieces(X, PIECE):
            np.maximum(peak, np.abs(matrix_of(piece, piece.stored)).max(axis=0), out=peak)
        return peak
    np.maximum.at(peak, X.columns, np.abs(X.stored))
    return peak


def scale_columns(X: Rows, factor: Vector) -> Rows:
    """Return the rows with column j multiplied by factor[j], as float64."""
    if X.columns is None:
        return with_values(X, (X.matrix * factor).reshape(-1))
    return with_values(X, float_values(X) * factor[X.columns])


def scale_rows(X: Rows, factor: Vector) -> Rows:
    """Return the rows with row i multiplied by factor[i], as float64."""
    if X.starts is None:
        return with_values(X, (X.matrix * factor[:, None]).reshape(-1))
    each = np.repeat(factor, np.diff(X.starts))
    return with_values(X, float_values(X) * each)


def append_ones(X: Rows) -> Rows:
    """Return the rows with a last column of ones, for an intercept."""
    if X.columns is None or X.starts is None:
        last = np.ones((X.n, 1), X.stored.dtype)
        return rows(np.hstack([matrix_of(X, X.stored), last]), X.stored.dtype)
    check_stored(X.stored.size + X.n)
    ends = X.starts[1:]
    stored: Any = np.insert(X.stored, ends, 1.0)
    columns = np.insert(X.columns, ends, X.d).astype(np.int32, copy=False)
    starts = (X.starts + np.arange(X.n + 1)).astype(np.int32)
    return Rows(stored, columns, starts, X.n, X.d + 1)


def row_norms(X: Rows) -> Vector:
    """Return the Euclidean norm of each row, shape (n,), without overflow or underflow."""
    norms = np.zeros(X.n)
    for lo, piece in pieces(X, PIECE):
        norms[lo : lo + piece.n] = _norms(piece)
    return norms


@np.errstate(over="ignore")
def _norms(X: Rows) -> Vector:
    norms, begin = np.zeros(X.n), _begin(X)
    filled = np.flatnonzero(np.diff(begin))  # reduceat is wrong for empty rows
    sums = np.add.reduceat(float_values(X) ** 2, begin[filled])
    norms[filled] = np.sqrt(sums)
    odd = filled[~((sums > SQUARES[0]) & (sums < SQUARES[1]))].astype(np.int32)
    if odd.size:
        norms[odd] = _scaled_norms(X.take(odd))
    return norms


def _scaled_norms(X: Rows) -> Vector:
    """Return the norms of rows without an empty row.

    Each row is first scaled by a power of two, which rounds nothing.
    """
    begin, values = _begin(X), float_values(X)
    _, power = np.frexp(np.maximum.reduceat(np.abs(values), begin[:-1]))
    scaled = np.ldexp(values, np.repeat(-power, np.diff(begin)))
    return np.asarray(np.ldexp(np.sqrt(np.add.reduceat(scaled**2, begin[:-1])), power))


def _begin(X: Rows) -> NDArray[Any]:
    return np.arange(X.n + 1) * X.d if X.starts is None else X.starts
