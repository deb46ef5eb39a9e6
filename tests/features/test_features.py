from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.errors import DataError, ParameterError
from aucbench.features import (
    AppendOne,
    MaxAbs,
    MinMax,
    Standard,
    Unit,
    UnitCentred,
    affine,
)

LEARNING = [MaxAbs(), MinMax(), Standard(), UnitCentred()]


def ident(phi):
    return type(phi).__name__


@pytest.fixture
def X(rng):
    made = rng.normal(size=(40, 6)) * [1, 10, 0.1, 3, 1, 1] + 2
    made[rng.random(made.shape) < 0.6] = 0
    made[:, 4] = 0
    made[7] = 0
    return made


def labelled(X):
    return Data.of(X, np.where(np.arange(X.shape[0]) % 3, -1, 1))


def applied(phi, train, X, rng):
    return phi.fit(labelled(train), rng)(rows(X)).matrix


@pytest.mark.parametrize("phi", [MaxAbs(), Unit(), AppendOne()], ids=ident)
def test_zeros_are_kept_so_sparse_stays_sparse(phi, X, rng):
    mapped = phi.fit(labelled(csr_array(X)), rng)(rows(csr_array(X)))

    assert mapped.is_sparse
    np.testing.assert_array_equal(mapped.matrix.toarray()[:, :6] == 0, X == 0)


@pytest.mark.parametrize("phi", LEARNING, ids=ident)
def test_a_map_that_has_learnt_nothing_says_so(phi, X):
    with pytest.raises(ParameterError, match="has not learnt from training rows"):
        phi(rows(X))


@pytest.mark.parametrize("phi", LEARNING, ids=ident)
@pytest.mark.parametrize("width", [1, 5, 7])
def test_rows_of_another_width_are_refused(phi, X, rng, width):
    with pytest.raises(DataError, match=f"fitted on 6 features, but the rows have {width}"):
        phi.fit(labelled(X), rng)(rows(np.ones((3, width))))


def test_min_max_takes_the_ends_of_the_training_rows_to_minus_one_and_one(X, rng):
    mapped = applied(MinMax(), X[:30], X, rng)
    low, high = X[:30].min(axis=0), X[:30].max(axis=0)
    wanted = 2 * (X - low) / np.where(high > low, high - low, 2) - (high > low)

    np.testing.assert_allclose(mapped, wanted, atol=1e-14)
    np.testing.assert_array_equal(mapped[:30].min(axis=0), [-1, -1, -1, -1, 0, -1])
    np.testing.assert_array_equal(mapped[:30].max(axis=0), [1, 1, 1, 1, 0, 1])


@pytest.mark.parametrize("size", [1e-300, 1e300, 1.5e308])
def test_min_max_keeps_its_digits_far_from_zero_and_at_the_ends_of_the_floats(rng, size):
    plain = np.vstack([rng.uniform(-1, 1, (50, 2)), [[-1, -1], [1, 1]]])
    far = 2.0**40 + np.round(plain * 2**10)
    near = applied(MinMax(), np.round(plain * 2**10), np.round(plain * 2**10), rng)

    np.testing.assert_array_equal(applied(MinMax(), far, far, rng), near)
    np.testing.assert_allclose(
        applied(MinMax(), size * plain, size * plain, rng), plain, rtol=1e-13, atol=1e-15
    )


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e8 + 0.1, -7e-300, 1e300])
def test_standard_takes_a_constant_column_to_zero(value, rng):
    constant = np.full((1001, 2), value)

    assert not applied(Standard(), constant, constant, rng).any()


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_standard_survives_squares_out_of_range(size, rng):
    plain = rng.normal(size=(50, 2))

    np.testing.assert_allclose(
        applied(Standard(), size * plain, size * plain, rng),
        applied(Standard(), plain, plain, rng),
        rtol=1e-10,
    )


@pytest.mark.parametrize("phi", [Standard(), UnitCentred()], ids=ident)
def test_sparse_rows_that_would_not_fit_when_dense_are_refused(phi, X, rng, monkeypatch):
    monkeypatch.setattr(affine, "DENSE_LIMIT", 1000)
    with pytest.raises(DataError, match="use maxabs or unit, which keep zeros"):
        phi.fit(labelled(csr_array(X)), rng)
