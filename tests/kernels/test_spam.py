"""Passes of SPAM, scaled, swept and lazy, against the eager definition."""

from importlib import import_module
from itertools import islice

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYOUTS
from scipy.sparse import csr_array
from stepping import posed, states

from aucbench.data import Data
from aucbench.kernels import spam
from aucbench.registry import get_solver
from aucbench.solving.loop import begin

METHODS = import_module("aucbench_plugins.online.spam")
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


def scratch(d, T, fill=np.nan):
    shapes = [(d, 4), (T + 9, 8), (3, d + 3)]
    return (
        *(np.full(shape, fill) for shape in shapes),
        np.full(d, -1, np.int32),
        np.full(4 * T + 9, -1, np.int32),
    )


def lazily(data, order, steps, l1, l2, w, total, *, T, budget):
    means, d = np.concatenate(data.means), data.d
    spam.soft_lazy(
        *data.rows.stored_arrays, order, data.y, means, steps, data.labels.p, l1, l2, w, total,
        budget, *scratch(d, T),
    )  # fmt: skip


def eagerly(data, order, steps, l1, l2, w, total):
    means = np.concatenate(data.means)
    spam.soft_pass(
        *data.rows.stored_arrays, order, data.y, means, steps, data.labels.p, l1, l2, w, total
    )


@st.composite
def passes(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(4, 60)), draw(st.integers(1, 40))
    X, stored, y = sample(rng, n, d, draw(st.sampled_from([0.0, 0.6, 0.9])))
    order = rng.integers(0, n, draw(st.integers(0, 2 * n))).astype(np.int32)
    first = draw(st.sampled_from([1, 1000]))
    steps = draw(st.sampled_from([0.01, 0.3, 3.0])) / np.sqrt(np.arange(first, first + order.size))
    w = rng.normal(size=d) * (rng.random(d) < 0.7) * draw(st.sampled_from([0.0, 1.0]))
    return X, stored, y, order, steps, w


def assert_same(found, expected):
    (w, total), (w_, total_, peak) = found, expected
    size = max(1.0, peak)
    np.testing.assert_allclose(w, w_, rtol=1e-10, atol=1e-11 * size)
    np.testing.assert_allclose(total - 7.0, total_, rtol=1e-10, atol=1e-11 * size * 50)


@given(passes(), penalties, penalties)
def test_sweeps_equal_the_definition(drawn, l1, l2):
    X, stored, y, order, steps, start = drawn
    expected = reference.spam(X, y, order, steps, l1=l1, l2=l2, w=start)

    for M in (X, stored):
        w, total = start.copy(), np.full(start.size, 7.0)
        eagerly(Data.of(M, y), order, steps, l1, l2, w, total)
        assert_same((w, total), expected)


@given(passes(), penalties, penalties, st.sampled_from([1, 2, 7, 200]), st.integers(1, 200))
def test_lazy_steps_equal_the_definition_whatever_the_windows(drawn, l1, l2, T, budget):
    X, stored, y, order, steps, start = drawn
    expected = reference.spam(X, y, order, steps, l1=l1, l2=l2, w=start)

    w, total = start.copy(), np.full(start.size, 7.0)
    lazily(Data.of(stored, y), order, steps, l1, l2, w, total, T=T, budget=budget)

    assert_same((w, total), expected)
    dead = expected[0] == 0
    assert (np.abs(w[dead]) <= 1e-11 * expected[2]).all()


@given(passes(), penalties)
def test_scaled_steps_equal_the_definition(drawn, l2):
    X, stored, y, order, steps, start = drawn
    expected = reference.spam(X, y, order, steps, l1=0.0, l2=l2, w=start)

    for M in (X, stored):
        data, w, total = Data.of(M, y), start.copy(), np.full(start.size, 7.0)
        METHODS.one_pass(data, 0.0, l2)(order, steps, w, total)
        assert_same((w, total), expected)


def unscaled(offset, n=200, d=5):
    rng = np.random.default_rng(0)
    X, y = offset + rng.normal(size=(n, d)), np.where(rng.random(n) < 0.3, 1, -1)
    return X, y, np.arange(n, dtype=np.int32), (X**2).sum(axis=1).max()


def terms(X, y, order, steps, **penalty):
    """The sum of |w| over the steps from 0: what rounds where their sum cancels."""
    w, total = np.zeros(X.shape[1]), 0.0
    for t in range(len(order)):
        w, *_ = reference.spam(X, y, order[t : t + 1], steps[t : t + 1], w=w, **penalty)
        total += np.linalg.norm(w)
    return total


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
@pytest.mark.parametrize("first", [0.3, 30.0])
@pytest.mark.parametrize("ridge", [0.0, 1e-3, 30.0, 1e5, 1e10])
def test_sums_keep_their_digits_on_unscaled_features(offset, first, ridge):
    """A step of `first` / |x|^2, and a ridge that divides w by 1 + `first` `ridge`."""
    X, y, order, square = unscaled(offset)
    steps = first / square / np.sqrt(np.arange(1.0, 201.0))
    penalty = {"l1": 0.0, "l2": ridge * square}
    w_, total_, _ = reference.spam(X, y, order, steps, w=np.zeros(5), **penalty)
    size = terms(X, y, order, steps, **penalty)

    for M in (X, csr_array(X)):
        w, total = np.zeros(5), np.zeros(5)
        METHODS.one_pass(Data.of(M, y), 0.0, ridge * square)(order, steps, w, total)
        assert np.linalg.norm(w - w_) <= 1e-11 * np.linalg.norm(w_)
        assert np.linalg.norm(total - total_) <= 1e-12 * size


@pytest.mark.parametrize("ridge", [30.0, 3e4, 1e5])
def test_lazy_sums_keep_their_digits_where_the_ridge_is_large(ridge):
    X, y, order, square = unscaled(1e4)
    steps = 0.3 / square / np.sqrt(np.arange(1.0, 201.0))
    l1, l2 = 1e-6 / ridge, ridge * square
    w_, total_, _ = reference.spam(X, y, order, steps, l1=l1, l2=l2, w=np.zeros(5))

    w, total = np.zeros(5), np.zeros(5)
    lazily(Data.of(csr_array(X), y), order, steps, l1, l2, w, total, T=200, budget=10**9)

    assert np.linalg.norm(w - w_) <= 1e-12 * np.linalg.norm(w_)
    assert np.linalg.norm(total - total_) <= 1e-10 * np.linalg.norm(total_)


def test_a_long_pass_in_one_window_loses_no_digits():
    rng = np.random.default_rng(4)
    X, stored, y = sample(rng, 3000, 300, 0.97)
    order = rng.permutation(3000).astype(np.int32)
    steps = 0.5 / np.sqrt(np.arange(1, 3001))

    for l1, l2 in [(1e-2, 0.0), (1e-3, 1e-3), (1e-5, 0.1)]:
        found = [(np.zeros(300), np.zeros(300)) for _ in range(2)]
        eagerly(Data.of(X, y), order, steps, l1, l2, *found[0])
        lazily(Data.of(stored, y), order, steps, l1, l2, *found[1], T=3000, budget=10**9)

        assert 0 < np.count_nonzero(found[0][0]) < 300
        np.testing.assert_array_equal(found[1][0] == 0, found[0][0] == 0)
        np.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(found[1][1] / 3000, found[0][1] / 3000, rtol=1e-10, atol=1e-14)
        assert found[1][1][150] == 0.0  # the column of zeros


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e308])
@pytest.mark.parametrize("where", ["value", "weight", "step", "penalty"])
def test_any_float_ends_within_the_scratch(bad, where):
    rng = np.random.default_rng(8)
    X, _, y = sample(rng, 40, 12, 0.5)
    matrix = csr_array(X)
    data, order = Data.of(matrix, y), np.arange(40, dtype=np.int32)
    means, l1 = np.concatenate(data.means), 1e-2
    w, total, steps = rng.normal(size=12), np.zeros(12), 0.1 / np.sqrt(np.arange(1.0, 41.0))
    if where == "penalty":
        l1 = bad
    else:
        {"value": matrix.data, "weight": w, "step": steps}[where][5] = bad
    np.testing.assert_equal(data.rows.stored, matrix.data)  # read-only views of the matrix
    fenced = [np.concatenate([a, a[:1]]) for a in scratch(12, 40, fill=3.0)]

    spam.soft_lazy(
        *data.rows.stored_arrays, order, y.astype(np.int8), means, steps, data.labels.p, l1, 0.0, w,
        total, 64, *(a[:-1] for a in fenced),
    )  # fmt: skip

    assert where == "penalty" or not np.isnan(bad) or np.isnan(w).any()
    for a in fenced:
        assert (a[-1] == (3.0 if a.dtype == np.float64 else -1)).all()


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("name", ["spam-l1", "spam-net"])
def test_solvers_do_not_depend_on_the_kernel(monkeypatch, name, average):
    _, stored, y = sample(np.random.default_rng(3), 200, 60, 0.9)
    data, found = Data.of(stored, y), []
    for limit in (0, 10**9):
        monkeypatch.setattr(METHODS, "LAZY_FROM", limit)
        solver = get_solver(name, average=average, l1=5e-3)
        _, made = begin(solver, data)
        found.append(np.array([state.w.copy() for state in islice(made, 6)]))

    assert np.count_nonzero(found[0]) > 60
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10, atol=1e-13)


@LAYOUTS
@pytest.mark.parametrize(
    ("name", "penalty"),
    [("spam-l1", {"l1": 0.01}), ("spam-l2", {"l2": 0.1}), ("spam-net", {"l1": 0.01, "l2": 0.1})],
)
def test_solvers_yield_the_running_mean_from_their_start(layout, name, penalty):
    X, _, y = sample(np.random.default_rng(6), 30, 7, 0.3)
    solver = get_solver(name, xi=0.4, shuffle=False, **penalty)
    w, total = np.linspace(-1, 1, 7), 0.0
    made = states(solver, posed(solver, Data.of(layout(X), y)), np.random.default_rng(0), w)

    for t, state in enumerate((s.w.copy() for s in islice(made, 2)), 1):
        steps = 0.4 / np.sqrt(np.arange(30 * t - 29, 30 * t + 1))
        both = {"l1": 0.0, "l2": 0.0} | penalty
        w, added, _ = reference.spam(X, y, np.arange(30), steps, w=w, **both)
        total = total + added
        np.testing.assert_allclose(state, total / (30 * t), rtol=1e-11, atol=1e-13)
