"""Objectives over pairs: equal to the double sum, at extreme scores, and for constant columns.

`tests/conformance` asks their laws, and `tests/kernels` the sums over rows and over scores.
"""

import numpy as np
import pytest
import reference
from definitions import equals_definition
from hypothesis import strategies as st
from layouts import LAYOUTS
from refusals import assert_refused, refusals
from samples import data, sample

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.objectives import (
    IncompleteHinge,
    Logistic,
    PairwiseHinge,
    PairwiseLogistic,
    PairwiseSquare,
    PairwiseSquaredHinge,
    UnivariateExp,
)
from aucbench.objectives.differences import constant_columns


def drawn(rows, pairs=50):
    return IncompleteHinge.draw(rows, pairs, np.random.default_rng(0))


TWINS = {
    PairwiseHinge: reference.hinge_of_scores,
    PairwiseSquaredHinge: reference.squared_hinge_of_scores,
    PairwiseLogistic: reference.pair_logistic_of_scores,
}


def of_objective(case, objective):
    f = objective(case.data)
    return f.value(case.w), f.grad(case.w)


def of_pairs(case, objective):
    value, c, *_ = TWINS[objective](case.X @ case.w, case.y)
    return value, case.X.T @ c


test_values_and_subgradients_equal_the_double_sum = equals_definition(
    of_objective, of_pairs, ["dense", "csr"], of_cases={"divided": False, "most": 25},
    objective=st.sampled_from([*TWINS]),
)  # fmt: skip


def of_drawn(case, pairs):
    f = drawn(case.data, pairs)
    return 1.0 + f.value(case.w), f.grad(case.w)


def of_drawn_pairs(case, pairs):
    f, s = drawn(case.data, pairs), case.X @ case.w
    value, c = reference.hinge_of_pairs(s, f.positives, f.negatives)
    return 1.0 + value, case.X.T @ c


test_incomplete_is_the_mean_over_its_pairs = equals_definition(
    of_drawn, of_drawn_pairs, ["dense", "csr"], of_cases={"divided": False},
    pairs=st.integers(1, 40),
)  # fmt: skip


def of_blocks(case, m):
    f = PairwiseSquare(case.data)
    return [f.grad(case.w, block) for block in f.data.blocks(m, case.rng())]


def of_blocks_by_rows(case, m):
    blocks, rows = case.data.blocks(m, case.rng()), np.arange(case.y.size)
    return [reference.pairwise_square_block(case.X, case.y, case.w, rows[b]) for b in blocks]


test_a_block_of_the_pairwise_square_is_the_paper_s = equals_definition(
    of_blocks, of_blocks_by_rows, ["dense", "csr"], offsets=(0.0, 30.0), rtol=1e-9, atol=1e-9,
    of_cases={"divided": False, "most": 25}, m=st.integers(1, 3),
)  # fmt: skip


def test_extreme_scores():
    f = Logistic(Data.of(np.array([[1e4], [-1e4]]), [1, -1]))
    assert [f.value(np.array([w])) for w in (1.0, -1.0)] == [0.0, 1e4]
    assert [f.grad(np.array([w])) for w in (1.0, -1.0)] == [0.0, -1e4]

    f = UnivariateExp(Data.of(np.array([[1.0], [1.0], [-1.0], [0.0]]), [1, 1, -1, -1]))
    assert f.value(np.array([1e4])) == 0.25  # the row at 0 alone
    assert f.value(np.array([-710.0])) == pytest.approx(0.75 * np.e * np.exp(709.0), rel=1e-12)
    assert f.value(np.array([-1e4])) == np.inf
    assert np.isnan(f.value(np.array([np.nan])))
    assert [f.grad(np.array([w])) for w in (1e4, -1e4)] == [0.0, -np.inf]


# --- drawn pairs -------------------------------------------------------------------------


def test_draws_are_unbiased_and_their_variance_falls_as_one_over_pairs():
    rows, rng, w = data(n=200), np.random.default_rng(5), np.array([1.0, -1.0, 0.5, 0.3])
    true = PairwiseHinge(rows).value(w)

    def estimates(pairs):
        return np.array([IncompleteHinge.draw(rows, pairs, rng).value(w) for _ in range(1500)])

    few, many = estimates(10), estimates(160)

    for found in (few, many):
        assert abs(found.mean() - true) < 4 * found.std() / np.sqrt(found.size)
    assert few.var() / many.var() == pytest.approx(16, rel=0.2)  # its standard error is 5 %


TEN, THREE = data(n=10), Data.of(np.ones((3, 1)), [1, -1, -1])


def refused(name, word, positives, negatives, dtype=np.int32):
    pairs = np.array(positives, dtype), np.array(negatives, dtype)
    return name, lambda: IncompleteHinge(THREE, *pairs), DataError, word


REFUSED = refusals(
    refused("too large", "row", [0], [9]),
    refused("negative", "row", [-1], [1]),
    refused("none", "pair", [], []),
    refused("wrong classes", "class", [1], [0]),
    refused("another number", "pairs", [0, 0], [1]),
    refused("a matrix", "row", [[0]], [[1]]),
    refused("no whole numbers", "int32", [0], [1], float),
    ("a part", lambda: drawn(TEN).grad(np.ones(4), slice(0, 5)), UnsupportedError, "ALL"),
    ("no pairs", lambda: drawn(TEN, 0), ParameterError, "pairs"),
    *(
        (f"scores of {f.__name__}", lambda f=f: f(TEN).of_scores(np.zeros(9)), DataError, "10 rows")
        for f in (drawn, PairwiseHinge, PairwiseSquaredHinge)
    ),
)


@REFUSED
def test_what_cannot_be_asked_is_refused(call, error, word):
    assert_refused(call, error, word)


# --- columns with one value: no gradient, whatever the layout ----------------------------


@LAYOUTS
def test_they_are_found_beyond_the_first_slices(layout):
    X = np.ones((10_000, 4))
    X[63, 0] = X[64, 1] = X[9_999, 2] = 2.0

    found = constant_columns(rows(layout(X)), np.arange(10_000, dtype=np.int32))

    np.testing.assert_array_equal(found, [3])


def with_constants():
    """Ordinary columns 0 ... 4, then those of 0.1, 1e8, 1 and 0."""
    X, y = sample(0, 203, 5, density=0.7)
    return np.column_stack([X, *(np.full(203, v) for v in (0.1, 1e8, 1.0, 0.0))]), y


@LAYOUTS
@pytest.mark.parametrize("objective", [PairwiseHinge, PairwiseSquaredHinge, drawn])
def test_their_gradient_is_zero_and_the_others_are_as_they_were(layout, objective):
    X, y = with_constants()
    f, w = objective(Data.of(layout(X), y)), np.r_[np.ones(5), np.zeros(4)]

    g = f.grad(w)

    _, c = f.of_scores(X @ w)
    np.testing.assert_array_equal(g[5:], 0.0)
    np.testing.assert_allclose(g[:5], X[:, :5].T @ c, rtol=1e-12)
    if objective is not drawn:
        for block in f.data.blocks(4, np.random.default_rng(2)):
            assert not f.grad(np.zeros(9), block)[5:].any()
