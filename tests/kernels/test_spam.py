"""Passes of SPAM, scaled, swept and lazy, against the eager definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from stepping import step_by_rows

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.data.data import Chunk
from aucbench.data.summaries import whole_chunk
from aucbench.kernels import spam
from aucbench_plugins.online.proximal import Window, make_ridge_pass
from aucbench_plugins.online.spam import ProximalPoint, reference_update

penalties = st.sampled_from([0.0, 1e-3, 0.05, 0.4, 30.0, 1e4])


def sample(rng, n, d, share):
    """Rows some of which are empty, with zeros stored and a column of zeros."""
    y = np.where(rng.random(n) < 0.4, 1, -1)
    y[:2] = 1, -1
    X = (rng.normal(size=(n, d)) + 0.3 * y[:, None]) / np.sqrt(d)
    X[rng.random(X.shape) < share] = 0.0
    X[2], X[:, d // 2] = 0.0, 0.0
    stored = csr_array(np.where((X != 0) | (rng.random(X.shape) < 0.1), X + 1.0, 0.0))
    stored.data -= 1.0
    return X, stored, y


def window(d, T, budget, fill=np.nan):
    shapes = [(d, 4), (T + 9, 8), (3, d + 3)]
    due, bins = np.full(d, -1, np.int32), np.full(4 * T + 9, -1, np.int32)
    return Window(budget, *(np.full(shape, fill) for shape in shapes), due, bins)


def lazily(data, order, point, *, T, budget):
    spam.soft_lazy(whole_chunk(data), order, point, window(data.d, T, budget))


def eagerly(data, order, point):
    spam.soft_pass(whole_chunk(data), order, point)


def scaled(data, order, point):
    make_ridge_pass(data)(whole_chunk(data), order, point)


def begun(data, w, l1, l2, xi, seen=0):
    """A point after some steps, so that steps may be as short as in a late pass."""
    point = ProximalPoint.at(w.copy(), data, l1, l2)
    point.xi, point.rows = xi, seen
    return point


@st.composite
def passes(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(4, 60)), draw(st.integers(1, 40))
    X, stored, y = sample(rng, n, d, draw(st.sampled_from([0.0, 0.6, 0.9])))
    order = rng.integers(0, n, draw(st.integers(0, 2 * n))).astype(np.int32)
    steps = draw(st.sampled_from([0.01, 0.3, 3.0])), draw(st.sampled_from([0, 999]))
    w = rng.normal(size=d) * (rng.random(d) < 0.7) * draw(st.sampled_from([0.0, 1.0]))
    return X, stored, y, order, steps, w


def expected_of(X, y, order, l1, l2, steps, w):
    """The point that the definition gives, and the largest |w_j| on the way."""
    point, peak = begun(Data.of(X, y), w, l1, l2, *steps), 1.0
    for i in order:
        reference_update(point, X[i], y[i])
        peak = max(peak, np.abs(point.w).max())
    return point, peak


def assert_same(found, expected, peak):
    np.testing.assert_allclose(found.w, expected.w, rtol=1e-10, atol=1e-11 * peak)
    np.testing.assert_allclose(found.total, expected.total, rtol=1e-10, atol=1e-11 * peak * 50)
    assert found.rows == expected.rows


@given(passes(), penalties, penalties)
def test_sweeps_equal_the_definition(drawn, l1, l2):
    X, stored, y, order, steps, w = drawn
    expected, peak = expected_of(X, y, order, l1, l2, steps, w)

    for M in (X, stored):
        data = Data.of(M, y)
        point = begun(data, w, l1, l2, *steps)
        eagerly(data, order, point)
        assert_same(point, expected, peak)


@given(passes(), penalties, penalties, st.sampled_from([1, 2, 7, 200]), st.integers(1, 200))
def test_lazy_steps_equal_the_definition_whatever_the_windows(drawn, l1, l2, T, budget):
    X, stored, y, order, steps, w = drawn
    expected, peak = expected_of(X, y, order, l1, l2, steps, w)

    data = Data.of(stored, y)
    point = begun(data, w, l1, l2, *steps)
    lazily(data, order, point, T=T, budget=budget)

    assert_same(point, expected, peak)
    dead = expected.w == 0
    assert (np.abs(point.w[dead]) <= 1e-11 * peak).all()


@given(passes(), penalties)
def test_scaled_steps_equal_the_definition(drawn, l2):
    X, stored, y, order, steps, w = drawn
    expected, peak = expected_of(X, y, order, 0.0, l2, steps, w)

    for M in (X, stored):
        data = Data.of(M, y)
        point = begun(data, w, 0.0, l2, *steps)
        scaled(data, order, point)
        assert_same(point, expected, peak)


def unscaled(offset, n=200, d=5):
    rng = np.random.default_rng(0)
    X, y = offset + rng.normal(size=(n, d)), np.where(rng.random(n) < 0.3, 1, -1)
    return X, y, np.arange(n, dtype=np.int32), (X**2).sum(axis=1).max()


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
@pytest.mark.parametrize("first", [0.3, 30.0])
@pytest.mark.parametrize("ridge", [0.0, 1e-3, 30.0, 1e5, 1e10])
def test_sums_keep_their_digits_on_unscaled_features(offset, first, ridge):
    """A step of `first` / |x|^2, and a ridge that divides w by 1 + `first` `ridge`."""
    X, y, order, square = unscaled(offset)
    constants = (0.0, ridge * square, first / square)
    expected, size = begun(Data.of(X, y), np.zeros(5), *constants), 0.0
    for i in order:
        reference_update(expected, X[i], y[i])
        size += np.linalg.norm(expected.w)  # what rounds where the sum cancels

    for M in (X, csr_array(X)):
        data = Data.of(M, y)
        point = begun(data, np.zeros(5), *constants)
        scaled(data, order, point)
        assert np.linalg.norm(point.w - expected.w) <= 1e-11 * np.linalg.norm(expected.w)
        assert np.linalg.norm(point.total - expected.total) <= 1e-12 * size


@pytest.mark.parametrize("ridge", [30.0, 3e4, 1e5])
def test_lazy_sums_keep_their_digits_where_the_ridge_is_large(ridge):
    X, y, order, square = unscaled(1e4)
    constants = (1e-6 / ridge, ridge * square, 0.3 / square)
    data = Data.of(csr_array(X), y)
    expected, point = (begun(data, np.zeros(5), *constants) for _ in range(2))
    step_by_rows(reference_update, expected, X, y, order)

    lazily(data, order, point, T=200, budget=10**9)

    assert np.linalg.norm(point.w - expected.w) <= 1e-12 * np.linalg.norm(expected.w)
    assert np.linalg.norm(point.total - expected.total) <= 1e-10 * np.linalg.norm(expected.total)


def test_a_long_pass_in_one_window_loses_no_digits():
    rng = np.random.default_rng(4)
    X, stored, y = sample(rng, 3000, 300, 0.97)
    order = rng.permutation(3000).astype(np.int32)

    for l1, l2 in [(1e-2, 0.0), (1e-3, 1e-3), (1e-5, 0.1)]:
        dense, sparse = Data.of(X, y), Data.of(stored, y)
        eager, lazy = (begun(data, np.zeros(300), l1, l2, 0.5) for data in (dense, sparse))
        eagerly(dense, order, eager)
        lazily(sparse, order, lazy, T=3000, budget=10**9)

        assert 0 < np.count_nonzero(eager.w) < 300
        np.testing.assert_array_equal(lazy.w == 0, eager.w == 0)
        np.testing.assert_allclose(lazy.w, eager.w, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(lazy.total / 3000, eager.total / 3000, rtol=1e-10, atol=1e-14)
        assert lazy.total[150] == 0.0  # the column of zeros


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e308])
@pytest.mark.parametrize("where", ["value", "weight", "step", "penalty"])
def test_any_float_ends_within_the_work_space(bad, where):
    rng = np.random.default_rng(8)
    X, _, y = sample(rng, 40, 12, 0.5)
    matrix = csr_array(X)
    point = begun(Data.of(matrix, y), rng.normal(size=12), 1e-2, 0.0, 0.1)
    if where == "value":
        matrix.data[5] = bad
    elif where == "weight":
        point.w[5] = bad
    else:
        setattr(point, {"step": "xi", "penalty": "l1"}[where], bad)
    scratch = window(12, 40, 64, fill=3.0)
    arrays = scratch.cells, scratch.steps, scratch.row, scratch.due, scratch.bins
    fenced = [np.concatenate([a, a[:1]]) for a in arrays]

    chunk = Chunk(rows(matrix), y.astype(np.int8))
    spam.soft_lazy(
        chunk, np.arange(40, dtype=np.int32), point, Window(64, *(a[:-1] for a in fenced))
    )

    assert where == "penalty" or not np.isnan(bad) or np.isnan(point.w).any()
    for a in fenced:
        assert (a[-1] == (3.0 if a.dtype == np.float64 else -1)).all()
