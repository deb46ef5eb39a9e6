"""SOLAM and regSOLAM, scaled and lazy, against the eager definition."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYOUTS

from aucbench.data import Chunk
from aucbench.kernels.solam import solam_pass
from aucbench_plugins.online.solam import SaddlePoint


def sample(seed, n=60, d=9):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    X = (rng.normal(size=(n, d)) + 0.3 * y[:, None]) / 3.0
    X[rng.random(X.shape) < 0.6] = 0.0
    return X, y


@LAYOUTS
@given(
    seed=st.integers(0, 2**16),
    xi=st.sampled_from([0.01, 0.3, 1.0]),  # beyond, steps magnify the rounding of both
    lam=st.sampled_from([0.0, 1e-3, 0.5, 3.0]),
    R=st.sampled_from([0.1, 3.0, 1e4]),
    kappa=st.sampled_from([None, 1.0]),
)
def test_it_equals_the_eager_definition(layout, seed, xi, lam, R, kappa):
    X, y = sample(seed)
    order = np.random.default_rng(seed).permutation(2 * len(y)).astype(np.int32) % len(y)
    start = np.random.default_rng(seed + 1).normal(size=X.shape[1]) * 0.1

    point = SaddlePoint.at(start.copy(), kappa, first=xi, R=R, lam=lam)
    point.move(Chunk.of(layout(X), y), order)
    mean, last, abc = reference.solam(X, y, order, xi=xi, R=R, lam=lam, kappa=kappa, w=start)

    scale = max(1.0, np.abs(mean).max())
    np.testing.assert_allclose(point.mean, mean, rtol=1e-10, atol=1e-11 * scale)
    np.testing.assert_allclose(point.w, last, rtol=1e-10, atol=1e-11 * scale)
    np.testing.assert_allclose(point.numbers[:3], abc, rtol=1e-10, atol=1e-11 * scale)
    assert not point.work.any()


def far_away(seed, offset, scale, n=60, d=30):
    """Rows that nobody has scaled: a step is longer than w by about 2 xi |x|^2."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    return scale * (offset + rng.normal(size=(n, d))), y, (np.arange(2 * n) % n).astype(np.int32)


@LAYOUTS
@pytest.mark.parametrize("offset", [0.0, 1e2, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("scale", [1e-8, 1e-4, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("xi", [1e-9, 1.0, 100.0])
def test_the_mean_keeps_its_digits_on_unscaled_features(layout, offset, scale, xi):
    X, y, order = far_away(0, offset, scale)

    point = SaddlePoint.at(np.zeros(30), None, first=xi, R=10.0)
    point.move(Chunk.of(layout(X), y), order)
    mean, last, abc = reference.solam(X, y, order, xi=xi, R=10.0)

    for found, wanted in ((point.mean, mean), (point.w, last), (point.numbers[:3], abc)):
        assert np.linalg.norm(found - wanted) <= 1e-10 * np.linalg.norm(wanted)
    assert np.linalg.norm(point.mean) <= 10.0 * (1 + 1e-9)
    assert np.linalg.norm(point.w) <= 10.0 * (1 + 1e-12)


@LAYOUTS
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
@pytest.mark.parametrize("lam", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize("xi", [1e-12, 1e-5, 1.0, 100.0])
def test_so_does_the_mean_with_a_ridge_however_large(layout, offset, lam, xi):
    X, y, order = far_away(1, offset, 1.0, d=7)
    R = np.sqrt(2.0 / lam)

    point = SaddlePoint.at(np.full(7, 0.1 * R), None, first=xi, R=R, lam=lam)
    point.move(Chunk.of(layout(X), y), order)
    mean, last, _ = reference.solam(X, y, order, xi=xi, R=R, lam=lam, w=np.full(7, 0.1 * R))

    np.testing.assert_allclose(point.mean, mean, rtol=0, atol=1e-11 * R)
    np.testing.assert_allclose(point.w, last, rtol=0, atol=1e-11 * R)
    assert np.linalg.norm(point.mean) <= R * (1 + 1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_it_ends_on_any_floats(bad):
    X, y = sample(1)
    X[5, 2] = bad
    arrays = X.ravel(), None, None, X.shape[1]
    w, u, total, numbers = np.zeros(9), np.zeros(9), np.zeros(9), np.zeros(7)

    with np.errstate(all="ignore"):
        norms = (X**2).sum(axis=1)
    order = np.arange(len(y), dtype=np.int32)
    steps = np.ones(len(y))
    solam_pass(
        *arrays, order, y.astype(np.int8), norms, steps, 0.1, 2.0, True, w, u, total, numbers
    )

    assert numbers[4] == len(y)
