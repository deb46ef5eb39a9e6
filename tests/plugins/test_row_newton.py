"""Newton's path on wide rows: its minima, its cuts, and its starts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucbench.data import Data
from aucbench.data.tally import counting
from aucbench.datasets.simulated import outbreak
from aucbench.objectives import PairwiseHinge
from aucbench.registry import get_solver
from aucbench.solving.loop import begin
from aucbench_plugins.roc_svm.row_newton import LEVEL, RowNewton, worth_newton


def wide(seed, n=30, d=60, weighted=False):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1, -1)
    X = rng.normal(size=(n, d)) + 0.3 * y[:, None]
    return Data.of(X, y, weights=rng.uniform(0.5, 3.0, n) if weighted else None)


def pair_weights(data):
    """v_ij of all pairs, and the rows of the pairs."""
    i, j = np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0)
    weights = np.ones(data.n) if data.weights is None else data.weights
    V = np.outer(weights[i], weights[j])
    return V / V.sum(), i, j


def naive(data, w, mu):
    """Σ v_ij φ_μ(1 − w·(x_i − x_j)) and its gradient in w, pair by pair."""
    V, rows_i, rows_j = pair_weights(data)
    X, value, slope = data.rows.dense().matrix, 0.0, np.zeros(data.d)
    for a, i in enumerate(rows_i):
        for b, j in enumerate(rows_j):
            z = 1.0 - w @ (X[i] - X[j])
            value += V[a, b] * (0.0 if z < 0 else z * z / (2 * mu) if z < mu else z - mu / 2)
            slope -= V[a, b] * min(max(z / mu, 0.0), 1.0) * (X[i] - X[j])
    return value, slope


def path(data, lam, w=None, most=12):
    """(w, c, gap) of the first levels, with w as an array."""
    w = np.zeros(data.d) if w is None else w
    found = []
    for at, c, gap in RowNewton(data, lam).levels(w, data.scores(w)):
        found.append((at(w, lam, data.pullback), at, c, gap))
        if len(found) == most:
            break
    return found


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weights"])
@pytest.mark.parametrize("lam", [1e-3, 0.1, 5.0, 200.0])
def test_a_level_is_the_minimum_of_the_smoothed_hinge(lam, weighted):
    data = wide(0, weighted=weighted)
    f, found = PairwiseHinge(data), path(data, lam)

    assert found[-1][-1] <= 1e-9
    for w, at, c, gap in found:
        s = data.scores(w)
        np.testing.assert_allclose(at.s - at.s.mean(), s - s.mean(), rtol=0, atol=1e-9)
        assert at.square == pytest.approx(w @ w, rel=1e-8)
        g, b, P = data.pullback(c), -0.5 * c @ data.y, f.value(w) + lam / 2 * w @ w
        rest = (g + lam * w) @ (g + lam * w) / (2 * lam)
        price = f.value(w) - b - g @ w
        assert rest <= 1.01 * LEVEL * price + 1e-10 * P
        assert gap == pytest.approx(rest + price, rel=1e-5, abs=1e-9 * P)
        assert P - (b - g @ g / (2 * lam)) == pytest.approx(gap, rel=1e-5, abs=1e-9 * P)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weights"])
@pytest.mark.parametrize("mu", [0.01, 0.5, 3.0])
def test_the_smoothed_hinge_is_that_of_the_pairs(mu, weighted):
    data = wide(1, n=9, d=12, weighted=weighted)
    w = 0.3 * np.random.default_rng(2).normal(size=data.d)

    found = RowNewton(data, 1.0)._smoothed(data.scores(w), mu)

    value, slope = naive(data, w, mu)
    assert found.value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(data.pullback(found.c), slope, rtol=1e-11, atol=1e-13)
    assert found.hinge == pytest.approx(PairwiseHinge(data).value(w), rel=1e-12)


@st.composite
def wide_problems(draw):
    n = draw(st.integers(2, 9))
    d = draw(st.integers(n, 14))
    X = draw(st.lists(st.integers(-3, 3), min_size=n * d, max_size=n * d))
    positives = draw(st.integers(1, n - 1))
    y = np.where(np.arange(n) < positives, 1, -1)
    X = draw(st.sampled_from([0.1, 1.0, 30.0])) * np.reshape(X, (n, d)).astype(float)
    v = draw(st.one_of(st.none(), st.lists(st.integers(1, 5), min_size=n, max_size=n)))
    return Data.of(X, y, weights=v), draw(st.sampled_from([1e-3, 0.05, 1.0, 100.0]))


@settings(max_examples=60, deadline=None)
@given(wide_problems())
def test_every_cut_is_below_the_hinge(problem):
    data, lam = problem
    f, rng = PairwiseHinge(data), np.random.default_rng(0)

    for w, _, c, gap in path(data, lam):
        g, b = data.pullback(c), -0.5 * c @ data.y
        assert gap >= 0.0
        for u in (w, np.zeros(data.d), *rng.normal(size=(5, data.d))):
            size = 1.0 + np.abs(data.scores(u)).max()
            assert f.value(u) >= b + g @ u - 1e-12 * size


def to_gap(data, lam, w0=None, tol=1e-4):
    """Passes, and the weights at a relative gap."""
    with counting() as read:
        for state in begin(get_solver("svm-or", lam=lam), data, w0=w0)[1]:
            if state.gap <= tol * state.value:
                return read.rows / data.n, state.w.copy()
    raise AssertionError(f"ended before a gap of {tol}")


def test_a_neighbour_on_the_grid_is_a_better_start():
    data, w = outbreak(n=200, d=600), None
    for lam in (10.0, 1.0, 0.1, 0.01, 0.001):
        cold, _ = to_gap(data, lam)
        warm, w = to_gap(data, lam, w)
        assert warm <= cold


def test_long_rows_and_many_rows_are_left_to_the_bundle():
    assert not worth_newton(outbreak(n=200, d=150))
    assert not worth_newton(Data.of(1e150 * np.eye(4), [1, -1, 1, -1]))
