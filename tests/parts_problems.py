"""Rows in chunks, and the same rows in memory, for tests of solvers and objectives."""

import numpy as np
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.scale import ChunkedData, Columns, InMemory, Piece


def rows_with_labels(seed, n=600, d=6, *, offset=0.0, sparse=False):
    """Rows whose columns differ in scale, with a constant one, and labels that follow them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0.8, 1, -1)
    X = X * 10.0 ** rng.integers(-1, 2, d) + offset
    X[:, d // 2] = 7.25
    if sparse:
        X[rng.random(X.shape) < 0.6] = 0.0
    return Data.of(csr_array(X) if sparse else X, y)


def in_parts(data, size=97, **named):
    """The same rows in chunks of `size` rows."""
    return ChunkedData(InMemory(data, size), **named)


def as_columns(data, dtype=np.float64):
    """All rows as one piece of columns."""
    columns = np.ascontiguousarray(data.rows.matrix.T, dtype)
    return Piece(Columns(tuple(columns)), data.y)
