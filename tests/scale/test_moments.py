"""Class moments: against whole numbers and long doubles, in any parts, order and layout."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parts_problems import as_columns, in_parts, rows_with_labels

from aucbench.data.rounding import gamma
from aucbench.scale import InMemory, Piece
from aucbench.scale.moments import Moments, moments


def naive(data, shift):
    """Moments in long doubles, and the sums of the magnitudes of what they add up."""
    X = data.rows.dense().matrix.astype(np.longdouble) - shift
    sides = [X[data.y == side] for side in (-1, 1)]
    products = [np.einsum("ni,nj->ij", Z, Z) for Z in sides]
    sizes = [np.einsum("ni,nj->ij", abs(Z), abs(Z)) for Z in sides]
    return [len(Z) for Z in sides], [Z.sum(axis=0) for Z in sides], products, sizes


@pytest.mark.parametrize("sparse", [False, True])
def test_moments_are_those_of_the_rows(sparse):
    data = rows_with_labels(1, offset=0.0 if sparse else 100.0, sparse=sparse)
    shift = np.zeros(data.d) if sparse else data.rows.matrix.mean(axis=0)
    piece = next(iter(InMemory(data, data.n).read(0)))
    got = moments(piece, shift)
    counts, sums, products, sizes = naive(data, shift)
    assert got.counts == tuple(counts)
    np.testing.assert_allclose(got.sums, np.array(sums, float), rtol=1e-12, atol=1e-10)
    for k in (0, 1):
        assert (abs(got.products[k] - products[k]) <= 2 * gamma(data.n) * sizes[k]).all()
        assert (got.products[k] == got.products[k].T).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_have_the_moments_of_rows(dtype):
    data = rows_with_labels(2)
    data = type(data).of(data.rows.matrix.astype(dtype).astype(float), data.y)
    shift = data.rows.matrix.mean(axis=0)
    piece = next(iter(InMemory(data, data.n).read(0)))
    by_rows, by_columns = moments(piece, shift), moments(as_columns(data, dtype), shift)
    np.testing.assert_allclose(by_columns.products, by_rows.products, rtol=1e-12, atol=1e-12)


@given(st.integers(0, 10**6), st.sets(st.integers(1, 299), max_size=6))
def test_any_parts_in_any_order_have_equal_counts_and_nearly_equal_sums(seed, cuts):
    data = rows_with_labels(3, n=300, d=3)
    order = np.random.default_rng(seed).permutation(data.n)
    blocks = np.split(order, sorted(cuts))
    shift = np.array([0.3, -0.2, 7.0])
    pieces = [Piece(data.rows.take(b.astype(np.int32)), data.y[b]) for b in blocks]
    got = reduce(Moments.merge, [moments(piece, shift) for piece in pieces])
    counts, _, products, sizes = naive(data, shift)
    assert got.counts == tuple(counts)
    for k in (0, 1):
        assert (
            abs(got.products[k] - products[k]) <= 2 * gamma(data.n + 8) * sizes[k] + 1e-300
        ).all()


def test_the_tree_gives_the_same_bits_with_any_number_of_threads():
    from aucbench import threads

    data = rows_with_labels(4, n=2000)
    one = in_parts(data).moments
    with threads(3):
        three = in_parts(data).moments
    assert one.products.tobytes() == three.products.tobytes()


@pytest.mark.parametrize("ordered", [False, True])
def test_a_large_mean_costs_no_digits(ordered):
    """The mean of all rows is the shift, also where the first part is far from it."""
    data = rows_with_labels(5, n=4000, d=4, offset=1e6)
    X = data.rows.matrix
    if ordered:
        data = data.take(np.argsort(X[:, 0]).astype(np.int32))
    parts = in_parts(data, 500)
    products = naive(data, parts.centre)[2]
    for k in (0, 1):
        size = np.sqrt(np.outer(np.diag(products[k]), np.diag(products[k]))) + 1e-300
        assert (abs(parts.moments.products[k] - products[k]) / size).max() < 1e-14
