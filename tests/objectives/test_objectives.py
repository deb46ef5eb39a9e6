"""Objectives: equal to the double sum, and at extreme scores; conformance has their laws."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.objectives import Logistic, PairwiseSquare


@st.composite
def samples(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 25)), draw(st.integers(1, 12))
    X = rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 30.0]))
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.7]))] = 0.0
    y = np.where(rng.random(n) < 0.3, 1, -1)
    y[:2] = 1, -1
    return X, y, rng.normal(size=d)


@given(samples())
def test_pairwise_square_equals_the_double_sum(sample):
    X, y, w = sample
    value, grad = reference.pairwise_square(X, y, w)

    for rows in (X, csr_array(X)):
        f = PairwiseSquare(Data.of(rows, y))
        assert f.value(w) == pytest.approx(value, rel=1e-10)
        np.testing.assert_allclose(f.grad(w), grad, rtol=1e-10, atol=1e-10 * np.abs(grad).max())


@given(samples(), st.integers(1, 5))
def test_pairwise_square_block_is_the_paper_s(sample, m):
    X, y, w = sample
    for rows in (X, csr_array(X)):
        f = PairwiseSquare(Data.of(rows, y))
        for block in f.data.blocks(min(m, len(y)), np.random.default_rng(0)):
            members = np.arange(len(y))[block]
            expected = reference.pairwise_square_block(X, y, w, members)
            np.testing.assert_allclose(
                f.grad(w, block), expected, rtol=1e-9, atol=1e-9 * (1 + np.abs(expected).max())
            )


@given(samples())
def test_logistic_equals_plain_exponentials(sample):
    X, y, w = sample
    w = w / (1 + np.abs(X @ w).max())  # where plain exponentials do not overflow
    value, grad = reference.logistic(X, y, w)

    for rows in (X, csr_array(X)):
        f = Logistic(Data.of(rows, y))
        assert f.value(w) == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(f.grad(w), grad, rtol=1e-10, atol=1e-12)


def test_logistic_survives_extreme_scores():
    f = Logistic(Data.of(np.array([[1e4], [-1e4]]), [1, -1]))

    assert f.value(np.array([1.0])) == 0.0
    assert f.value(np.array([-1.0])) == 1e4
    np.testing.assert_array_equal(f.grad(np.array([1.0])), [0.0])
    np.testing.assert_array_equal(f.grad(np.array([-1.0])), [-1e4])
