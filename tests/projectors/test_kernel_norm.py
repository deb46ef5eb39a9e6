"""The norm of a function in representer form: value, prox and coordinates."""

import numpy as np
import pytest

from aucbench.errors import ParameterError
from aucbench.projectors import KernelNorm


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def K(rng):
    A = rng.normal(size=(6, 9))
    return A @ A.T


@pytest.fixture
def norm(K):
    return KernelNorm(0.7, np.linalg.cholesky(K).T)


def test_value_is_the_squared_norm(norm, K, rng):
    w = rng.normal(size=6)

    assert norm.value(w) == pytest.approx(0.35 * w @ K @ w, rel=1e-12)
    assert norm.contains(w)


@pytest.mark.parametrize("step", [1e-3, 1.0, 50.0])
def test_prox_satisfies_its_optimality_condition(norm, K, rng, step):
    v = rng.normal(size=6)
    given = v.copy()
    u = norm(v, step)

    assert u is v
    np.testing.assert_allclose(u + step * 0.7 * K @ u, given, rtol=1e-9, atol=1e-11)


def test_in_its_coordinates_the_norm_is_euclidean(norm, rng):
    alpha, g = rng.normal(size=(2, 6))
    v = norm.coordinates(alpha)

    assert norm.value(alpha) == pytest.approx(0.35 * v @ v, rel=1e-12)
    np.testing.assert_allclose(norm.weights(v), alpha, rtol=1e-9)
    assert norm.pulled(g) @ v == pytest.approx(g @ alpha, rel=1e-9)


@pytest.mark.parametrize("lam", [0.0, -1.0, np.inf])
def test_a_ridge_that_is_not_positive_is_refused(lam):
    with pytest.raises(ParameterError, match="lam must be greater than 0"):
        KernelNorm(lam, np.eye(2))
