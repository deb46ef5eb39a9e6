"""The univariate exponential: its definition and its tie to the pairwise one."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.objectives import UnivariateExp


@st.composite
def samples(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 25)), draw(st.integers(1, 12))
    X = rng.normal(size=(n, d))
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.7]))] = 0.0
    y = np.where(rng.random(n) < 0.3, 1, -1)
    y[:2] = 1, -1
    return X, y, rng.normal(size=d)


@given(samples())
def test_equals_the_definition(sample):
    X, y, w = sample
    value, grad = reference.univariate_exp(X, y, w)

    for rows in (X, csr_array(X)):
        f = UnivariateExp(Data.of(rows, y))
        assert f.value(w) == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(f.grad(w), grad, rtol=1e-10, atol=1e-12 * (1 + value))


@given(samples())
def test_square_at_the_best_offset_is_the_pairwise_exponential(sample):
    X, y, w = sample
    pos, neg = X[y > 0] @ w, X[y < 0] @ w
    pairwise = np.mean([np.exp(t - s) for s in pos for t in neg])
    offset = (np.log(np.exp(-pos).mean()) - np.log(np.exp(neg).mean())) / 2

    f = UnivariateExp(Data.of(np.column_stack([X, np.ones(len(y))]), y))

    assert f.value(np.append(w, offset)) ** 2 == pytest.approx(pairwise, rel=1e-10)


def test_extreme_scores():
    X = np.array([[1.0], [1.0], [-1.0], [0.0]])
    f = UnivariateExp(Data.of(X, [1, 1, -1, -1]))

    assert f.value(np.array([1e4])) == 0.25  # the row at 0 alone
    assert f.value(np.array([-710.0])) == pytest.approx(0.75 * np.e * np.exp(709.0), rel=1e-12)
    assert f.value(np.array([-1e4])) == np.inf
    assert np.isnan(f.value(np.array([np.nan])))
    np.testing.assert_array_equal(f.grad(np.array([1e4])), [0.0])
    np.testing.assert_array_equal(f.grad(np.array([-1e4])), [-np.inf])
