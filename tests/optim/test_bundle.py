"""The cutting-plane model: its bound and its minimiser prove each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import aucbench.optim.bundle as module
from aucbench.optim import Bundle


def bundle(G, b, lam):
    found = Bundle(G.shape[1], lam)
    for g, offset in zip(G, b, strict=True):
        found.add(g, offset)
    return found


def model(G, b, lam, w):
    return (b + G @ w).max() + lam / 2 * w @ w


def random_cuts(seed, K, d, spread=1.0):
    """Tangents of mean hinges, as the solver meets them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, d)) + 0.4
    W = spread * rng.normal(size=(K, d))
    active = X @ W.T < 1
    return -(X.T @ active).T / 40, active.mean(axis=0)


@pytest.mark.parametrize("lam", [1e-4, 0.03, 10.0])
@pytest.mark.parametrize(("K", "d"), [(1, 3), (2, 3), (5, 5), (40, 4), (30, 200), (90, 20)])
def test_bound_and_model_meet(K, d, lam):
    G, b = random_cuts(K, K, d)
    bound, w = bundle(G, b, lam).minimise()
    value = model(G, b, lam, w)
    assert bound <= value + 1e-15
    assert value - bound <= 1e-11 * max(1.0, (G * G).sum(axis=1).max() / lam)


def test_it_is_the_quadratic_programme():
    G, b = random_cuts(1, 12, 4)
    bound, w = bundle(G, b, 0.1).minimise()
    start = np.r_[np.zeros(4), 1.0]
    above = {"type": "ineq", "fun": lambda v: v[4] - b - G @ v[:4]}
    slsqp = minimize(
        lambda v: v[4] + 0.05 * v[:4] @ v[:4], start, constraints=above, options={"ftol": 1e-14}
    )
    assert bound == pytest.approx(slsqp.fun, abs=1e-9)
    np.testing.assert_allclose(w, slsqp.x[:4], atol=1e-6)


CUTS = st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(0, 3))


@given(st.lists(CUTS, min_size=1, max_size=12), st.sampled_from([1e-3, 1.0, 50.0]))
def test_equal_flat_and_dependent_cuts(cuts, lam):
    table = np.array(cuts, dtype=float)
    G, b = table[:, :2], table[:, 2]
    bound, w = bundle(G, b, lam).minimise()
    gap = model(G, b, lam, w) - bound
    assert -1e-12 <= gap <= 1e-10 / lam


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1e8])
def test_scales(scale):
    G, b = random_cuts(2, 8, 3)
    bound, w = bundle(G * scale, b, 0.1).minimise()
    assert bound <= model(G * scale, b, 0.1, w)
    assert np.isfinite(w).all()


def test_cuts_without_weight_are_discarded_and_the_bound_stays(monkeypatch):
    monkeypatch.setattr(module, "KEEP", 32)
    G, b = random_cuts(3, 400, 4, spread=0.3)
    found, best = Bundle(4, 0.01), -np.inf
    for g, offset in zip(G, b, strict=True):
        found.add(g, offset)
        bound, _ = found.minimise()
        assert bound >= best - 1e-13
        best = bound
    assert found.count <= 32
    monkeypatch.undo()
    assert best <= bundle(G, b, 0.01).minimise()[0] + 1e-12
