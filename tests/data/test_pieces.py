"""Rows that become float64 in pieces give what they give as a whole."""

import numpy as np
import pytest
from layouts import LAYOUTS

from aucbench.data import Data, columns, passes
from aucbench.data.arrays import rows
from aucbench.data.columns import column_entries, column_max_abs, row_norms
from aucbench.features import MinMax, Standard, affine, chain
from aucbench.features.chain import mapped

RNG = np.random.default_rng(3)
X = RNG.normal(3.0, 2.0, size=(97, 5))
X[RNG.random(X.shape) < 0.3] = 0.0
Y = np.where(np.arange(97) % 3 == 0, 1, -1)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(columns, "PIECE", 12)
    monkeypatch.setattr(passes, "SQUARED", 12)
    monkeypatch.setattr(affine, "NEAR", 12)
    monkeypatch.setattr(chain, "AT_ONCE", 12)


@LAYOUTS
def test_a_column_is_that_of_the_matrix(layout):
    for j in range(5):
        column = column_entries(rows(layout(X), np.float32), j)
        assert column.dtype == np.float64
        np.testing.assert_array_equal(column, X.astype(np.float32)[:, j])


@LAYOUTS
def test_norms_peaks_and_squares_in_pieces(layout, small_pieces):
    part, r = rows(layout(X)), RNG.normal(size=97)
    np.testing.assert_array_equal(column_max_abs(part), np.abs(X).max(axis=0))
    np.testing.assert_allclose(row_norms(part), np.linalg.norm(X, axis=1), rtol=1e-15)
    np.testing.assert_allclose(passes.square_pullback(part, r), (X**2).T @ r, rtol=1e-13)


def test_standard_and_min_max_learn_in_pieces_what_they_learn_at_once(small_pieces):
    data = Data.of(X, Y)
    np.testing.assert_allclose(Standard().fit(data, RNG).spread, X.std(axis=0), rtol=1e-14)
    out = Standard().fit(data, RNG)(data.rows).matrix
    np.testing.assert_allclose(out, (X - X.mean(axis=0)) / X.std(axis=0), atol=1e-14)
    ends = MinMax().fit(data, RNG)
    np.testing.assert_array_equal([2 * ends.mean, 2 * ends.rest], [X.min(axis=0), X.max(axis=0)])


def test_what_a_map_returns_for_a_piece_is_checked(small_pieces):
    from aucbench.errors import PluginError

    class Halves:
        exempt = 0

        def fit(self, data, rng):
            return self

        def __call__(self, part):
            return part.take(slice(0, part.n // 2))

    with pytest.raises(PluginError, match="must return Rows"):
        mapped(Halves(), rows(X, np.float32))
