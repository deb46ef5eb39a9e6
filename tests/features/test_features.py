"""Feature maps of columns and of rows, and maps one after the other.

`tests/conformance` asks their laws; `test_exact_maps.py` has their digits.
"""

import numpy as np
import pytest
from refusals import assert_refused, refusals
from samples import data, sample
from scipy.sparse import csr_array

from aucbench.contract import NoMap
from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.features import (
    AppendOne,
    Chain,
    MaxAbs,
    MinMax,
    Nystroem,
    Standard,
    Unit,
    UnitCentred,
    affine,
)
from aucbench.registry import get_features, parse_chain

SPREAD = {"scale": np.array([1, 10, 0.1, 3, 1, 1]), "offset": 2.0, "density": 0.4}


def odd():
    """Rows of several scales, a column of zeros, and a row of zeros."""
    X, _ = sample(0, 40, 6, **SPREAD)
    X[:, 4], X[7] = 0, 0
    return X


def seeded():
    return np.random.default_rng(0)


def labelled(X):
    return Data.of(X, np.arange(X.shape[0]) % 3 == 0)


def applied(phi, train, X):
    return phi.fit(labelled(train), seeded())(rows(X)).matrix


@pytest.mark.parametrize("phi", [MaxAbs(), Unit(), AppendOne()], ids=repr)
def test_zeros_are_kept_so_sparse_stays_sparse(phi):
    X = odd()
    mapped = phi.fit(labelled(csr_array(X)), seeded())(rows(csr_array(X)))

    assert mapped.is_sparse
    np.testing.assert_array_equal(mapped.matrix.toarray()[:, :6] == 0, X == 0)


def test_min_max_takes_the_ends_of_the_training_rows_to_minus_one_and_one():
    X = odd()
    mapped = applied(MinMax(), X[:30], X)
    low, high = X[:30].min(axis=0), X[:30].max(axis=0)
    wanted = 2 * (X - low) / np.where(high > low, high - low, 2) - (high > low)

    np.testing.assert_allclose(mapped, wanted, atol=1e-14)
    np.testing.assert_array_equal(mapped[:30].min(axis=0), [-1, -1, -1, -1, 0, -1])
    np.testing.assert_array_equal(mapped[:30].max(axis=0), [1, 1, 1, 1, 0, 1])


@pytest.mark.parametrize("size", [1e-300, 1e300, 1.5e308])
def test_min_max_keeps_its_digits_far_from_zero_and_at_the_ends_of_the_floats(size):
    plain = np.vstack([seeded().uniform(-1, 1, (50, 2)), [[-1, -1], [1, 1]]])
    whole = np.round(plain * 2**10)
    far, large = 2.0**40 + whole, size * plain

    near = applied(MinMax(), whole, whole)
    np.testing.assert_array_equal(applied(MinMax(), far, far), near)
    np.testing.assert_allclose(applied(MinMax(), large, large), plain, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e8 + 0.1, -7e-300, 1e300])
def test_standard_takes_a_constant_column_to_zero(value):
    constant = np.full((1001, 2), value)
    assert not applied(Standard(), constant, constant).any()


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_standard_survives_squares_out_of_range(size):
    plain, _ = sample()
    far, near = (applied(Standard(), X, X) for X in (size * plain, plain))
    np.testing.assert_allclose(far, near, rtol=1e-10)


# --- maps one after the other ------------------------------------------------------------


def test_maps_are_applied_from_left_to_right():
    train = data(0, 40, 4, scale=np.array([1, 10, 0.1, 3]), offset=2.0)
    X = train.rows
    chain = Chain((Standard(), Unit())).fit(train, seeded())
    by_hand = Unit()(Standard().fit(train, seeded())(X))

    np.testing.assert_array_equal(chain(X).matrix, by_hand.matrix)
    assert (chain(X).matrix != Standard().fit(train, seeded())(Unit()(X)).matrix).any()


def test_each_map_learns_from_the_mapped_training_rows():
    train = data(0, 40, 4, scale=np.array([1, 10, 0.1, 3]), offset=2.0)
    standard, nystroem = (
        Chain((Standard(), Nystroem(rank=9, gamma="scale"))).fit(train, seeded()).maps
    )
    mapped = standard(train.rows).matrix

    assert nystroem.columns.kernel.gamma == pytest.approx(0.25)
    for landmark in nystroem.columns.landmarks.matrix:
        assert (landmark == mapped).all(axis=1).any()


def test_maps_are_asked_for_in_one_specification():
    asked = get_features(" none + standard+aucbench:nystroem[rank=50,gamma=1e+1]")

    assert asked == Chain((NoMap(), Standard(), Nystroem(rank=50, gamma=10.0)))
    assert get_features("standard") == Standard()
    assert get_features(asked) is asked
    parts = parse_chain("a+b[x=1e+3,y='p+q']+c")  # only a plus outside of brackets joins
    assert [*map(str, parts)] == ["a", "b[x=1000.0,y='p+q']", "c"]


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize("phi", [MaxAbs(), MinMax(), Standard(), UnitCentred()], ids=repr)
def test_a_map_refuses_rows_before_it_has_learnt_and_of_another_width(phi):
    assert_refused(lambda: phi(rows(odd())), ParameterError, "learnt")
    for width in (1, 5, 7):
        other = np.ones((3, width))
        assert_refused(lambda X=other: applied(phi, odd(), X), DataError, "6 features")


def refused(asked, word, error=ParameterError, **parameters):
    return asked, lambda: get_features(asked, **parameters), error, word


REFUSED = refusals(
    ("a chain", lambda: Chain((Standard(), AppendOne())), ParameterError, "intercept"),
    refused("append-one+standard", "intercept"),
    *(refused(text, "read") for text in ("maxabs+", "+maxabs", "a++b", "a+b[")),
    refused("standard+nystrom", "nystroem", UnknownNameError),
    refused("standard+nystroem", "rank", rank=5),
)


@REFUSED
def test_what_makes_no_sense_is_refused(call, error, word):
    assert_refused(call, error, word)


@pytest.mark.parametrize("phi", [Standard(), UnitCentred()], ids=repr)
def test_sparse_rows_that_would_not_fit_when_dense_are_refused(phi, monkeypatch):
    monkeypatch.setattr(affine, "DENSE_LIMIT", 1000)
    assert_refused(lambda: phi.fit(labelled(csr_array(odd())), seeded()), DataError, "maxabs")
