"""Bulk reads of X: equal to the row-by-row definition, dense = CSR, any block."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.data.arrays import ALL
from aucbench.data.passes import square_norms
from aucbench.objectives import Logistic, PairwiseSquare


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 35))
    X = rng.normal(size=(n, d)) * 10.0 ** draw(st.integers(-6, 6))
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.6, 0.95]))] = 0.0
    y = np.where(rng.random(n) < 0.3, 1, -1)
    y[:2] = 1, -1
    block = rng.integers(0, n, draw(st.integers(0, 2 * n))).astype(np.int32)
    return X, y, block, rng


def layouts(X, y):
    return Data.of(X, y), Data.of(csr_array(X), y)


@given(problems())
def test_float32_rows_give_what_the_same_numbers_give_as_float64(problem):
    X, y, block, rng = problem
    w, r = rng.normal(size=X.shape[1]), rng.normal(size=block.size)
    exact = X.astype(np.float32).astype(np.float64)
    tolerance = 1e-14 * max(1.0, np.abs(X).max()) * X.shape[1]

    for wanted, data in zip(
        layouts(exact, y),
        (Data.of(X, y, dtype="float32"), Data.of(csr_array(X), y, dtype=np.float32)),
        strict=True,
    ):
        for name, given_ in (("scores", w), ("pullback", r)):
            found, right = (getattr(each, name)(given_, block) for each in (data, wanted))
            atol = tolerance * (1 + block.size)
            np.testing.assert_allclose(found, right, rtol=1e-13, atol=atol)
        for f in (Logistic, PairwiseSquare):
            found, right = (f(each).grad(0.1 * w) for each in (data, wanted))
            scale = np.abs(X).max() + np.abs(X).max() ** 2
            np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-13 * scale * X.shape[1])
        np.testing.assert_allclose(square_norms(data.rows), square_norms(wanted.rows), rtol=1e-14)


@given(problems())
def test_scores_and_pullback_equal_the_definition(problem):
    X, y, block, rng = problem
    w, r = rng.normal(size=X.shape[1]), rng.normal(size=block.size)
    tolerance = 1e-13 * max(1.0, np.abs(X).max()) * X.shape[1]

    for data in layouts(X, y):
        scores = reference.block_scores(X, w, block)
        pulled = reference.block_pullback(X, r, block)
        np.testing.assert_allclose(data.scores(w, block), scores, rtol=1e-12, atol=tolerance)
        np.testing.assert_allclose(
            data.pullback(r, block), pulled, rtol=1e-11, atol=tolerance * (1 + block.size)
        )


@given(problems(), st.integers(0, 40), st.integers(0, 40))
def test_contiguous_block_equals_gathered_block(problem, lo, hi):
    X, y, _, rng = problem
    w = rng.normal(size=X.shape[1])
    gathered = np.arange(len(y), dtype=np.int32)[lo:hi]

    for data in layouts(X, y):
        np.testing.assert_array_equal(data.scores(w, slice(lo, hi)), data.scores(w, gathered))
        np.testing.assert_array_equal(
            data.pullback(np.ones(gathered.size), slice(lo, hi)),
            data.pullback(np.ones(gathered.size), gathered),
        )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_any_float_in_w_ends_and_touches_only_the_rows_that_hold_it(bad):
    X = np.eye(5)
    w = np.array([1.0, bad, 2.0, 3.0, 4.0])
    data = Data.of(csr_array(X), [1, -1, 1, -1, 1])

    scores = data.scores(w)

    np.testing.assert_array_equal(scores[[0, 2, 3, 4]], [1.0, 2.0, 3.0, 4.0])
    assert not np.isfinite(scores[1])


def test_input_is_read_in_place_and_never_written():
    X = np.arange(12.0).reshape(4, 3)
    X.setflags(write=False)
    data = Data.of(X, [1, -1, 1, -1])

    assert np.shares_memory(data.rows.stored, X)
    np.testing.assert_allclose(data.scores(np.ones(3), ALL), X.sum(axis=1))


def test_rows_that_do_not_exist_are_refused():
    data = Data.of(np.eye(3), [1, -1, 1])

    for block in ([3], [-1]):
        with pytest.raises(ValueError, match="but there are 3 rows"):
            data.scores(np.ones(3), np.array(block, dtype=np.int32))
