"""SOLAM and regSOLAM, scaled and lazy, against the eager definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYOUTS
from stepping import step_by_rows

from aucbench.data import Chunk
from aucbench.data.arrays import rows
from aucbench.kernels.solam import solam_pass
from aucbench_plugins.online.solam import SaddlePoint, reference_update


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

    found, expected = both(layout, X, y, order, start, kappa, xi=xi, R=R, lam=lam)

    scale = max(1.0, np.abs(expected.mean).max())
    for one, other in numbers(found, expected):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-11 * scale)
    assert not found.zeros.any()


def both(layout, X, y, order, w, kappa=None, **constants):
    """The point after the steps of the kernel, and after those of the definition."""
    found, expected = (SaddlePoint.at(w.copy(), kappa, **constants) for _ in range(2))
    solam_pass(Chunk.of(layout(X), y), order, found)
    step_by_rows(reference_update, expected, X, y, order)
    return found, expected


def numbers(*points):
    """What a pass changes: the mean, w, and (a, b, α)."""
    return zip(*((p.mean, p.w, np.array([p.a, p.b, p.alpha])) for p in points), strict=True)


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

    found, expected = both(layout, X, y, order, np.zeros(30), xi=xi, R=10.0)

    for one, other in numbers(found, expected):
        assert np.linalg.norm(one - other) <= 1e-10 * np.linalg.norm(other)
    assert np.linalg.norm(found.mean) <= 10.0 * (1 + 1e-9)
    assert np.linalg.norm(found.w) <= 10.0 * (1 + 1e-12)


@LAYOUTS
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
@pytest.mark.parametrize("lam", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize("xi", [1e-12, 1e-5, 1.0, 100.0])
def test_so_does_the_mean_with_a_ridge_however_large(layout, offset, lam, xi):
    X, y, order = far_away(1, offset, 1.0, d=7)
    R = np.sqrt(2.0 / lam)

    found, expected = both(layout, X, y, order, np.full(7, 0.1 * R), xi=xi, R=R, lam=lam)

    np.testing.assert_allclose(found.mean, expected.mean, rtol=0, atol=1e-11 * R)
    np.testing.assert_allclose(found.w, expected.w, rtol=0, atol=1e-11 * R)
    assert np.linalg.norm(found.mean) <= R * (1 + 1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_it_ends_on_any_floats(bad):
    X, y = sample(1)
    X[5, 2] = bad
    point = SaddlePoint.at(np.zeros(9), None, xi=1.0, R=2.0, lam=0.1)

    solam_pass(Chunk(rows(X), y.astype(np.int8)), np.arange(len(y), dtype=np.int32), point)

    assert point.rows == len(y)
