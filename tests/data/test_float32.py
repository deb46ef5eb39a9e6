"""Rows of float32: what keeps the type, what becomes float64, and pieces of what does."""

import pickle

import numpy as np
import pytest
from layouts import LAYOUTS

from aucbench.bench.worker.rows import data_hash, load_data, save_data
from aucbench.data import Chunk, Data, columns, passes
from aucbench.data.arrays import float_values, rows
from aucbench.data.columns import append_ones, column_entries, column_max_abs, row_norms
from aucbench.data.layouts import stack_rows, to_faster_layout
from aucbench.errors import PluginError
from aucbench.features import MinMax, Standard, affine, chain
from aucbench.features.chain import mapped

RNG = np.random.default_rng(5)
X = RNG.normal(1.0, size=(40, 6))
X[RNG.random(X.shape) < 0.4] = 0.0
Y = np.where(np.arange(40) % 3 == 0, 1, -1)
ROUNDED = X.astype(np.float32).astype(np.float64)


def single(layout=np.asarray):
    return Data.of(layout(X), Y, dtype="float32", groups=np.arange(40) // 2)


@LAYOUTS
def test_numbers_are_rounded_once_and_parts_keep_the_type(layout, tmp_path):
    data, some = single(layout), np.array([5, 3, 9, 0], np.int32)
    assert float_values(data.rows).dtype == data.rows.matrix.dtype == np.float64
    assert data.rows.stored.nbytes * 2 == rows(layout(X)).stored.nbytes
    save_data(data, tmp_path / "saved")
    for part, exact in (
        (data.rows, ROUNDED),
        (data.take(some).rows, ROUNDED[some]),
        (data.rows.dense(), ROUNDED),
        (to_faster_layout(data.rows), ROUNDED),
        (append_ones(data.rows), np.hstack([ROUNDED, np.ones((40, 1))])),
        (stack_rows(data.rows, data.rows), np.vstack([ROUNDED, ROUNDED])),
        (load_data(tmp_path / "saved").rows, ROUNDED),
        (pickle.loads(pickle.dumps(data)).rows, ROUNDED),
        (Chunk.of(layout(X), Y, dtype="float32").rows, ROUNDED),
        (Data.of(data.rows, Y).rows, ROUNDED),
    ):
        assert part.stored.dtype == np.float32
        np.testing.assert_array_equal(part.dense().matrix, exact)
    given = X.astype(np.float32)  # which is copied only where it becomes float64
    assert np.shares_memory(Data.of(given, Y, dtype=np.float32).rows.stored, given)
    assert Data.of(given, Y).rows.stored.dtype == np.float64
    assert {part.rows.stored.dtype for part in data.split(0.5, RNG)} == {np.dtype(np.float32)}
    assert data_hash(data) != data_hash(Data.of(layout(ROUNDED), Y, groups=np.arange(40) // 2))


@pytest.fixture
def small_pieces(monkeypatch):
    for module, name in (
        (columns, "PIECE"),
        (passes, "SQUARED"),
        (affine, "NEAR"),
        (chain, "AT_ONCE"),
    ):
        monkeypatch.setattr(module, name, 12)


@LAYOUTS
def test_columns_norms_peaks_and_squares_in_pieces(layout, small_pieces):
    part, r = rows(layout(X)), RNG.normal(size=40)
    for j in range(6):
        column = column_entries(rows(layout(X), np.float32), j)
        assert column.dtype == np.float64
        np.testing.assert_array_equal(column, ROUNDED[:, j])
    np.testing.assert_array_equal(column_max_abs(part), np.abs(X).max(axis=0))
    np.testing.assert_allclose(row_norms(part), np.linalg.norm(X, axis=1), rtol=1e-15)
    np.testing.assert_allclose(passes.square_pullback(part, r), (X**2).T @ r, rtol=1e-13)


def test_maps_learn_in_pieces_what_they_learn_at_once(small_pieces):
    data = Data.of(X, Y)
    standard, ends = Standard().fit(data, RNG), MinMax().fit(data, RNG)
    np.testing.assert_allclose(standard.spread, X.std(axis=0), rtol=1e-14)
    wanted = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(standard(data.rows).matrix, wanted, atol=1e-14)
    np.testing.assert_array_equal([2 * ends.mean, 2 * ends.rest], [X.min(axis=0), X.max(axis=0)])


def test_what_a_map_returns_for_a_piece_is_checked(small_pieces):
    class Halves:
        exempt = 0

        def fit(self, data, rng):
            return self

        def __call__(self, part):
            return part.take(slice(0, part.n // 2))

    with pytest.raises(PluginError, match="Rows"):
        mapped(Halves(), rows(X, np.float32))
