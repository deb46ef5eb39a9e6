"""Columns with one value: no gradient, no step, whatever the layout."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYOUTS
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.objectives import IncompleteHinge, PairwiseHinge, PairwiseSquaredHinge
from aucbench.objectives.differences import constant_columns
from aucbench.registry import get_solver
from aucbench.solving.loop import begin


def drawn(data):
    return IncompleteHinge.draw(data, data.n, np.random.default_rng(3))


OBJECTIVES = pytest.mark.parametrize("objective", [PairwiseHinge, PairwiseSquaredHinge, drawn])


def sample(n=203, d=5, seed=0):
    """Ordinary columns 0 ... d-1, then those of 0.1, 1e8, 1 and 0."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    X = rng.normal(size=(n, d)) + 0.5 * y[:, None]
    X[rng.random(X.shape) < 0.3] = 0.0
    return np.column_stack([X, *(np.full(n, v) for v in (0.1, 1e8, 1.0, 0.0))]), y


@LAYOUTS
@given(st.integers(0, 2**32), st.integers(1, 200), st.booleans())
def test_they_are_found(layout, seed, n, all_rows):
    rng = np.random.default_rng(seed)
    X = rng.choice([0.0, 1.0, 3.0], p=[0.3, 0.6, 0.1], size=(n, 12))
    X[:, rng.random(12) < 0.3] = rng.choice([0.0, 0.1, -1e8])
    some = np.arange(n) if all_rows else np.flatnonzero(rng.random(n) < 0.2)
    some = some.astype(np.int32) if some.size else np.zeros(1, np.int32)

    found = constant_columns(rows(layout(X)), some)

    part = X[some]
    np.testing.assert_array_equal(
        found, np.flatnonzero((part == part[0]).all(axis=0) & (part[0] != 0))
    )


@LAYOUTS
def test_they_are_found_beyond_the_first_slices(layout):
    X = np.ones((10_000, 4))
    X[63, 0] = X[64, 1] = X[9_999, 2] = 2.0

    found = constant_columns(rows(layout(X)), np.arange(10_000, dtype=np.int32))

    np.testing.assert_array_equal(found, [3])


@LAYOUTS
@OBJECTIVES
def test_their_gradient_is_zero_and_the_others_are_as_they_were(layout, objective):
    X, y = sample()
    f = objective(Data.of(layout(X), y))
    w = np.r_[np.random.default_rng(1).normal(size=5), np.zeros(4)]

    g = f.grad(w)

    _, c = f.of_scores(X @ w)
    np.testing.assert_array_equal(g[5:], 0.0)
    np.testing.assert_allclose(g[:5], X[:, :5].T @ c, rtol=1e-12)


@LAYOUTS
@pytest.mark.parametrize("objective", [PairwiseHinge, PairwiseSquaredHinge])
def test_so_it_is_in_a_block(layout, objective):
    X, y = sample()
    f = objective(Data.of(layout(X), y))
    for block in f.data.blocks(4, np.random.default_rng(2)):
        assert not f.grad(np.zeros(9), block)[5:].any()


def test_only_rows_in_pairs_count():
    X, y = sample()
    X[7, 5], X[8, 6] = 3.0, -1.0
    rest = np.setdiff1d(np.arange(len(y)), [7, 8]).astype(np.int32)
    i, j = rest[y[rest] > 0][:40], rest[y[rest] < 0][:40]
    for few in (10, 40):  # gathered rows, and all rows
        f = IncompleteHinge(Data.of(X, y), i[:few], j[:few])

        assert not f.grad(np.zeros(9))[5:].any()


@pytest.mark.parametrize("name", ["roc-svm", "roc-svm-full"])
def test_adamax_does_not_move_them_and_dense_is_csr(name):
    X, y = sample()
    paths = []
    for layout in (np.asarray, csr_array):
        _, states = begin(get_solver(name), Data.of(layout(X), y))
        paths.append(np.array([state.w.copy() for state in islice(states, 100)]))

    assert not paths[0][:, 5:].any()
    assert np.abs(paths[0][-1, :5]).min() > 0.01
    np.testing.assert_allclose(paths[0], paths[1], rtol=0, atol=1e-12)
