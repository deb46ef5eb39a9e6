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
    aucbench_features,
    scaling,
    standard,
)

MAPS = [AppendOne(), MaxAbs(), MinMax(), Standard(), Unit(), UnitCentred()]
LEARNING = [MaxAbs(), MinMax(), Standard(), UnitCentred()]


def ident(phi):
    return type(phi).__name__


@pytest.fixture
def rng():
    return np.random.default_rng(0)


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


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else X


@pytest.mark.parametrize("phi", MAPS, ids=ident)
def test_dense_and_csr_give_the_same_features(phi, X, rng):
    from_dense = applied(phi, X[:30], X, rng)
    from_csr = applied(phi, csr_array(X[:30]), csr_array(X), rng)

    np.testing.assert_allclose(dense(from_csr), from_dense, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("phi", MAPS, ids=ident)
def test_the_mapped_row_depends_on_itself_and_the_training_rows_only(phi, X, rng):
    together = applied(phi, X[:30], X, rng)
    alone = applied(phi, X[:30], np.vstack([X[35:36], 1e6 * X[:2]]), rng)

    np.testing.assert_array_equal(together[35], alone[0])


@pytest.mark.parametrize("phi", MAPS, ids=ident)
def test_neither_the_map_nor_the_rows_are_changed(phi, X, rng):
    kept = X.copy()
    applied(phi, X, X, rng)

    np.testing.assert_array_equal(X, kept)
    assert phi == type(phi)()


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


def test_append_one_has_one_exempt_coordinate_of_ones(X, rng):
    mapped = applied(AppendOne(), X, X, rng)

    assert AppendOne.exempt == 1
    np.testing.assert_array_equal(mapped, np.hstack([X, np.ones((40, 1))]))


def test_maxabs_divides_by_the_peak_of_the_training_rows(X, rng):
    peak = np.abs(X[:30]).max(axis=0)
    peak[4] = 1

    np.testing.assert_allclose(applied(MaxAbs(), X[:30], X, rng), X / peak, rtol=1e-15)


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


def test_min_max_folds_into_weights_of_the_columns_as_given(X, rng):
    phi, w = MinMax().fit(labelled(X[:30]), rng), rng.normal(size=6)
    v, c = phi.input_weights(w)

    np.testing.assert_allclose(X @ v + c, phi(rows(X)).matrix @ w, rtol=1e-12, atol=1e-12)


def test_standard_gives_mean_zero_and_variance_one(X, rng):
    mapped = applied(Standard(), X, X, rng)

    np.testing.assert_allclose(mapped.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(mapped.var(axis=0), [1, 1, 1, 1, 0, 1], atol=1e-13)


def test_standard_keeps_its_digits_far_from_zero(rng):
    plain = rng.normal(size=(5000, 3))
    mapped = applied(Standard(), plain + 1e8, plain + 1e8, rng)

    expected = (plain - plain.mean(axis=0)) / plain.std(axis=0)
    np.testing.assert_allclose(mapped, expected, atol=1e-7)


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


def test_unit_rows_have_length_one_and_a_zero_row_stays(X, rng):
    lengths = np.linalg.norm(applied(Unit(), X, X, rng), axis=1)

    np.testing.assert_allclose(lengths, np.abs(X).sum(axis=1) > 0, atol=1e-15)


def test_unit_centred_rows_are_unit_rows_about_the_training_mean(X, rng):
    mapped = applied(UnitCentred(), X[:30], X, rng)
    moved = X - X[:30].mean(axis=0)

    np.testing.assert_allclose(np.linalg.norm(mapped, axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(mapped * np.linalg.norm(moved, axis=1)[:, None], moved, atol=1e-13)


@pytest.mark.parametrize("phi", [Standard(), UnitCentred()], ids=ident)
def test_sparse_rows_that_would_not_fit_when_dense_are_refused(phi, X, rng, monkeypatch):
    monkeypatch.setattr(standard, "DENSE_LIMIT", 1000)
    with pytest.raises(DataError, match="use maxabs or unit, which keep zeros"):
        phi.fit(labelled(csr_array(X)), rng)


def test_inverse_never_overflows():
    lengths = np.array([0.0, 5e-324, 1e-308, 2.0**-1000, 4.0])

    np.testing.assert_array_equal(scaling.inverse(lengths), [1, 1, 1, 2.0**1000, 0.25])


def test_the_names_on_the_command_line():
    named = aucbench_features()

    assert sorted(named) == [
        "append-one",
        "auto",
        "bins",
        "maxabs",
        "min-max",
        "none",
        "nystroem",
        "splines",
        "standard",
        "unit",
        "unit-centred",
    ]
    assert [named[name]().exempt for name in sorted(named)] == [1] + [0] * 10
