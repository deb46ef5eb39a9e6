"""Hinge objectives: equal to sums over pairs, dense = CSR, refusals."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.objectives import IncompleteHinge, PairwiseHinge, PairwiseSquaredHinge

ALL_PAIRS = pytest.mark.parametrize(
    ("objective", "twin"),
    [
        (PairwiseHinge, reference.hinge_of_scores),
        (PairwiseSquaredHinge, reference.squared_hinge_of_scores),
    ],
    ids=["hinge", "squared"],
)


@st.composite
def samples(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 25)), draw(st.integers(1, 12))
    X = rng.normal(size=(n, d))
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.7]))] = 0.0
    y = np.where(rng.random(n) < draw(st.sampled_from([0.2, 0.5, 0.8])), 1, -1)
    y[:2] = 1, -1
    return X, y, rng.normal(size=d)


def sample(n=80, d=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    y[:2] = 1, -1
    return rng.normal(size=(n, d)) + 0.5 * y[:, None], y, rng.normal(size=d)


def drawn(data, pairs=50):
    return IncompleteHinge.draw(data, pairs, np.random.default_rng(0))


@ALL_PAIRS
@given(samples())
def test_value_and_subgradient_equal_the_double_sum(objective, twin, given_sample):
    X, y, w = given_sample
    value, c, active = twin(X @ w, y)

    for rows in (X, csr_array(X)):
        f = objective(Data.of(rows, y))
        assert f.value(w) == pytest.approx(value, rel=1e-10)
        np.testing.assert_allclose(f.grad(w), X.T @ c, rtol=1e-10, atol=1e-12)
        assert f.active(X @ w) == active


@pytest.mark.parametrize("objective", [PairwiseHinge, PairwiseSquaredHinge, drawn])
@given(samples())
def test_members_agree_and_results_are_fresh(objective, given_sample):
    X, y, w = given_sample
    f = objective(Data.of(X, y))

    value, g = f.value(w), f.grad(w)
    by_scores, c = f.of_scores(f.data.scores(w))

    assert f.value(w) == value == by_scores
    np.testing.assert_allclose(f.data.pullback(c), g, rtol=1e-12, atol=1e-14)
    kept = c.copy()
    f.of_scores(f.data.scores(-w))
    np.testing.assert_array_equal(c, kept)


@given(samples(), st.integers(1, 40), st.integers(0, 99))
def test_incomplete_is_the_mean_over_its_pairs(given_sample, pairs, seed):
    X, y, w = given_sample
    for rows in (X, csr_array(X)):
        f = IncompleteHinge.draw(Data.of(rows, y), pairs, np.random.default_rng(seed))
        value, c = reference.hinge_of_pairs(X @ w, f.positives, f.negatives)
        assert f.value(w) == pytest.approx(value, rel=1e-10, abs=1e-14)
        np.testing.assert_allclose(f.grad(w), X.T @ c, rtol=1e-10, atol=1e-12)


def test_few_pairs_of_many_rows_read_only_theirs():
    X, y, w = sample(n=3000)
    f = drawn(Data.of(X, y), 20)
    block, _, _ = f._used

    assert block.size <= 40
    value, c = reference.hinge_of_pairs(X @ w, f.positives, f.negatives)
    assert f.value(w) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(f.grad(w), X.T @ c, rtol=1e-10)
    np.testing.assert_allclose(f.of_scores(X @ w)[1], c, atol=1e-15)


def test_draws_are_unbiased_and_their_variance_falls_as_one_over_pairs():
    X, y, w = sample(n=200)
    data, rng = Data.of(X, y), np.random.default_rng(5)
    true = PairwiseHinge(data).value(w)

    def estimates(pairs):
        return np.array([IncompleteHinge.draw(data, pairs, rng).value(w) for _ in range(1500)])

    few, many = estimates(10), estimates(160)

    for found in (few, many):
        assert abs(found.mean() - true) < 4 * found.std() / np.sqrt(found.size)
    assert few.var() / many.var() == pytest.approx(16, rel=0.2)  # its standard error is 5 %


@pytest.mark.parametrize(
    ("positives", "negatives", "sentence"),
    [
        ([0], [9], "below 3"),
        ([-1], [1], "below 3"),
        ([], [], "at least one"),
        ([1], [0], "a positive and a negative"),
        ([0, 0], [1], "do not make pairs"),
        ([[0]], [[1]], "row numbers"),
        ([0.0], [1.0], "int32"),
    ],
)
def test_pairs_that_are_none_are_refused(positives, negatives, sentence):
    data = Data.of(np.ones((3, 1)), [1, -1, -1])
    whole = np.int32 if positives != [0.0] else np.float64

    with pytest.raises(DataError, match=sentence):
        IncompleteHinge(data, np.array(positives, whole), np.array(negatives, whole))


def test_what_cannot_be_asked_is_refused():
    X, y, w = sample(n=10)
    data = Data.of(X, y)
    f = drawn(data)

    np.testing.assert_array_equal(f.grad(w, slice(0, 10)), f.grad(w))
    with pytest.raises(UnsupportedError, match="ask for ALL"):
        f.grad(w, slice(0, 5))
    with pytest.raises(ParameterError, match="pairs must be at least 1"):
        drawn(data, 0)
    for objective in (f, PairwiseHinge(data), PairwiseSquaredHinge(data)):
        with pytest.raises(DataError, match="for 10 rows"):
            objective.of_scores(np.zeros(9))
