"""Parts of solvers: centred rows, the curvature of the hinge, Newton's path on wide rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import LAYOUTS
from optima import differences
from samples import sample

from aucbench.data import Data
from aucbench.data.passes import gram
from aucbench.datasets.simulated import outbreak
from aucbench.objectives import PairwiseHinge
from aucbench.solving.loop import solve
from aucbench_plugins.ridge.centred import CentredRows
from aucbench_plugins.roc_svm import svm_or
from aucbench_plugins.roc_svm.preconditioner import WINDOW, bend, inverse_bend
from aucbench_plugins.roc_svm.row_newton import RowNewton, worth_newton

WEIGHTED = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weights"])


# --- centred rows of the pairwise square ---------------------------------------------------

X, Y = sample(2, n=40, d=6, offset=2.0, density=0.6)
MEANS = {side: X[side == Y].mean(axis=0) for side in (-1, 1)}
SHARE = {side: (side == Y).mean() for side in (-1, 1)}
CENTRED = np.array([(x - MEANS[y]) / np.sqrt(SHARE[y]) for x, y in zip(X, Y, strict=True)])


@LAYOUTS
@pytest.mark.parametrize("block", [slice(None), np.array([3, 7, 9, 30], dtype=np.int32)])
def test_products_are_those_of_the_centred_rows(layout, block):
    rows, bar, rng = CentredRows(Data.of(layout(X), Y)), CENTRED[block], np.random.default_rng(0)
    w, r = rng.normal(size=6), rng.normal(size=len(bar))
    np.testing.assert_allclose(rows.scores(w, block), bar @ w, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rows.pullback(r, block), bar.T @ r, rtol=1e-12, atol=1e-12)
    assert rows.largest_norm() == pytest.approx(np.linalg.norm(CENTRED, axis=1).max())


@LAYOUTS
@pytest.mark.parametrize("stored", [0.05, 0.5, 1.0])  # few are multiplied as sparse rows
def test_gram_is_a_weighted_sum_of_outer_products(layout, stored):
    rng = np.random.default_rng(2)
    Z, c, centre = X * (rng.random(X.shape) < stored), rng.random(40), rng.normal(size=6)
    total = sum(weight * np.outer(z - centre, z - centre) for weight, z in zip(c, Z, strict=True))
    product = gram(Data.of(layout(Z), Y).rows, c, centre)
    np.testing.assert_allclose(product, total, rtol=1e-11, atol=1e-11)


# --- the mean curvature of the hinge -------------------------------------------------------


@LAYOUTS
def test_bend_is_the_sum_over_pairs_in_the_window(layout):
    s = X @ np.linspace(-0.3, 0.5, 6)
    u, t = s[Y < 0], s[Y > 0] - 1.0
    h = WINDOW * np.hypot(u.std(), t.std()) * min(u.size, t.size) ** -0.2
    D = differences(X, Y)
    near = D[np.abs(1.0 - differences(s[:, None], Y)[:, 0]) <= h]
    found = bend(Data.of(layout(X), Y), s)
    assert np.allclose(found, near.T @ near / (2 * h * u.size * t.size), atol=1e-12)


def test_wide_rows_and_scores_without_kinks():
    data = Data.of(X, Y)
    assert inverse_bend(Data.of(np.zeros((4, 1001)), [0, 1, 0, 1]), np.zeros(4), 1.0) is None
    flat = inverse_bend(data, np.zeros(40), 0.5)  # no pair is near its kink
    assert np.allclose(flat(np.ones(6)), 2.0)
    with np.errstate(over="ignore", invalid="ignore"):
        assert inverse_bend(Data.of(1e200 * X, Y), X @ np.ones(6), 1.0) is None


@pytest.mark.parametrize("kind", ["correlated", "scaled"])
def test_many_rows_in_memory_begin_with_a_sample(kind, monkeypatch):
    rng, (plain, y) = np.random.default_rng(0), sample(0, n=20_000, d=12, shift=0.2)
    mixed = rng.normal(size=(12, 12)) if kind == "correlated" else 10.0 ** rng.uniform(-2, 2, 12)
    data = Data.of(plain @ mixed if kind == "correlated" else plain * mixed, y)
    whole = solve("svm-or", data, gap_tol=1e-6, passes=400)
    monkeypatch.setattr(svm_or, "MANY", 10_000)
    monkeypatch.setattr(svm_or, "SAMPLED", 4000)
    short = solve("svm-or", data, gap_tol=1e-6, passes=400)
    a, b = short.points[-1], whole.points[-1]
    assert a.step < b.step / 2
    assert abs(a.objective - b.objective) <= a.gap + b.gap
    assert a.passes > a.step  # what is read of the sample counts
    assert solve("svm-or", data, gap_tol=1e-6, w0=short.w).points[-1].step <= 3


# --- Newton's path on wide rows: its minima, its cuts, and its starts -----------------------


def wide(seed, n=30, d=60, *, weighted=False):
    rows, y = sample(seed, n, d, shift=0.3)
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, n) if weighted else None
    return Data.of(rows, y, weights=weights)


def path(data, lam):
    """(w, at, c, gap) of the first levels, with w as an array."""
    w, found = np.zeros(data.d), []
    for at, c, gap in RowNewton(data, lam).levels(w, data.scores(w)):
        found.append((at(w, lam, data.pullback), at, c, gap))
        if len(found) == 12:
            break
    return found


@WEIGHTED
@pytest.mark.parametrize("mu", [0.01, 0.5, 3.0])
def test_the_smoothed_hinge_is_that_of_the_pairs(mu, weighted):
    data = wide(1, n=9, d=12, weighted=weighted)
    w = 0.3 * np.random.default_rng(2).normal(size=12)
    v = np.ones(9) if data.weights is None else data.weights
    D, V = differences(data.rows.matrix, data.y), np.outer(v[data.y > 0], v[data.y < 0]).ravel()
    z, V = 1.0 - D @ w, V / V.sum()
    found = RowNewton(data, 1.0)._smoothed(data.scores(w), mu)
    loss = np.select([z < 0, z < mu], [0.0, z * z / (2 * mu)], z - mu / 2)
    assert found.value == pytest.approx(V @ loss, rel=1e-12)
    slope = -D.T @ (V * np.clip(z / mu, 0.0, 1.0))
    np.testing.assert_allclose(data.pullback(found.c), slope, rtol=1e-11, atol=1e-13)
    assert found.hinge == pytest.approx(PairwiseHinge(data).value(w), rel=1e-12)


@st.composite
def wide_problems(draw):
    n = draw(st.integers(2, 9))
    d = draw(st.integers(n, 14))
    rows = draw(st.lists(st.integers(-3, 3), min_size=n * d, max_size=n * d))
    y = np.where(np.arange(n) < draw(st.integers(1, n - 1)), 1, -1)
    rows = draw(st.sampled_from([0.1, 1.0, 30.0])) * np.reshape(rows, (n, d)).astype(float)
    v = draw(st.one_of(st.none(), st.lists(st.integers(1, 5), min_size=n, max_size=n)))
    return Data.of(rows, y, weights=v), draw(st.sampled_from([1e-3, 0.05, 1.0, 100.0]))


@settings(deadline=None)
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


def test_long_rows_and_many_rows_are_left_to_the_bundle():
    assert not worth_newton(outbreak(n=200, d=150))
    assert not worth_newton(Data.of(1e150 * np.eye(4), [1, -1, 1, -1]))
