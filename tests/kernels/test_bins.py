"""What kernels read from a piece, in each layout, against the definition."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from aucbench.data.arrays import rows
from aucbench.kernels import bins
from aucbench.scale.bins import Grid, binned, pulled
from aucbench.scale.parts import Columns, Piece
from aucbench.scale.tiles import room, scores_of, tile_rows

LAYOUTS = ("columns", "mixed", "dense", "single", "sparse", "sparse single")


def piece_of(layout, X, y):
    single = X.astype(np.float32)
    if layout == "columns":
        return Piece(Columns(tuple(np.ascontiguousarray(c) for c in single.T)), y)
    if layout == "mixed":
        each = [c if j % 2 else c.astype(np.float64) for j, c in enumerate(single.T)]
        return Piece(Columns(tuple(np.ascontiguousarray(c) for c in each)), y)
    matrix = csr_array(single) if "sparse" in layout else single
    return Piece(rows(matrix, np.float32 if "single" in layout else np.float64), y)


def example(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32) * (rng.random((n, d)) < 0.7)
    y = np.where(rng.random(n) < 0.3, 1, -1).astype(np.int8)
    return X, y, rng.normal(size=d), rng


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=15)
@given(seed=st.integers(0, 99), n=st.integers(0, 300), d=st.integers(1, 40))
def test_rows_in_bins(layout, seed, n, d):
    X, y, w, rng = example(seed, n, d)
    centre = np.zeros(d) if "sparse" in layout else rng.normal(size=d)
    piece = piece_of(layout, X, y)
    low, K, count = -1.5, 3.7, int(rng.integers(1, 30))
    s = scores_of(piece, centre, w)
    assert np.allclose(s, (X.astype(float) - centre) @ w, atol=1e-12)
    counts, sums = reference.rows_in_bins(X.astype(float) - centre, y, s, low, K, count)
    found = binned(piece, centre, w, Grid(low, K, count))
    assert np.array_equal(found.counts, counts)
    assert np.allclose(found.sums, sums, atol=1e-12)
    assert binned(piece, centre, w, Grid(low, K, count), sums=False).sums is None
    for k, side in enumerate((-1, 1)):
        own = s[y == side]
        assert found.ends[k].tolist() == ([own.min(), own.max()] if own.size else [np.inf, -np.inf])
    c = rng.normal(size=(2, count))
    pull = pulled(piece, centre, w, Grid(low, K, count), c)
    assert np.allclose(pull.total, np.einsum("kb,kbj->j", c, sums), atol=1e-11)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_moments(layout):
    X, y, _, rng = example(3, 333, 7)
    shift = rng.normal(size=7)
    piece = piece_of(layout, X, y)
    sums, squares, low, high = np.zeros((2, 7)), np.zeros((2, 7)), np.full(7, 9.0), np.full(7, -9.0)
    own = (room(7), np.empty(tile_rows(7)), np.empty(28))
    bins.moments(piece.arrays, piece.y, shift, sums, squares, low, high, *own)
    seen = X.astype(float) - shift
    if "sparse" in layout:
        seen[X == 0] = np.nan
    for k, side in enumerate((-1, 1)):
        assert np.allclose(sums[k], np.nansum(seen[y == side], axis=0))
        assert np.allclose(squares[k], np.nansum(seen[y == side] ** 2, axis=0))
    assert np.array_equal(low, np.nanmin(seen, axis=0))
    assert np.array_equal(high, np.nanmax(seen, axis=0))


def test_some_rows_of_columns():
    X, y, _, _ = example(0, 20, 3)
    for layout in ("columns", "mixed"):
        piece = piece_of(layout, X, y)
        assert np.array_equal(piece.some(np.array([4, 2], np.int32)).matrix, X[[4, 2]])
        assert np.array_equal(piece.some(slice(3, 6)).matrix, X[3:6])
    assert piece_of("columns", X, y).some(slice(0, 2)).stored.dtype == np.float32
    assert piece_of("mixed", X, y).some(slice(0, 2)).stored.dtype == np.float64
