"""Feature maps one after the other, and the text that asks for them."""

import numpy as np
import pytest

from aucbench.contract import NoMap
from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.errors import ParameterError, UnknownNameError
from aucbench.features import AppendOne, Chain, Nystroem, Standard, Unit
from aucbench.registry import get_features, parse_chain


@pytest.fixture
def X(rng):
    return rng.normal(size=(40, 4)) * [1, 10, 0.1, 3] + 2


def labelled(X):
    return Data.of(X, np.where(np.arange(X.shape[0]) % 3, -1, 1))


def test_maps_are_applied_from_left_to_right(X, rng):
    chain = Chain((Standard(), Unit())).fit(labelled(X), rng)
    by_hand = Unit()(Standard().fit(labelled(X), rng)(rows(X)))

    np.testing.assert_array_equal(chain(rows(X)).matrix, by_hand.matrix)
    assert (chain(rows(X)).matrix != Standard().fit(labelled(X), rng)(Unit()(rows(X))).matrix).any()


def test_each_map_learns_from_the_mapped_training_rows(X, rng):
    chain = Chain((Standard(), Nystroem(rank=9, gamma="scale")))
    standard, nystroem = chain.fit(labelled(X), rng).maps
    mapped = standard(rows(X)).matrix

    assert nystroem.columns.kernel.gamma == pytest.approx(0.25)
    assert all(
        (landmark == mapped).all(axis=1).any() for landmark in nystroem.columns.landmarks.matrix
    )


def test_an_intercept_cannot_be_joined():
    with pytest.raises(ParameterError, match="adds an intercept"):
        Chain((Standard(), AppendOne()))
    with pytest.raises(ParameterError, match="adds an intercept"):
        get_features("append-one+standard")


def test_maps_are_asked_for_in_one_specification():
    asked = get_features(" none + standard+aucbench:nystroem[rank=50,gamma=1e+1]")

    assert asked == Chain((NoMap(), Standard(), Nystroem(rank=50, gamma=10.0)))
    assert get_features("standard") == Standard()
    assert get_features(asked) is asked


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("maxabs", ["maxabs"]),
        ("a+b[x=1e+3,y='p+q']+c", ["a", "b[x=1000.0,y='p+q']", "c"]),
    ],
)
def test_only_a_plus_outside_brackets_joins(text, parts):
    assert [*map(str, parse_chain(text))] == parts


@pytest.mark.parametrize("text", ["maxabs+", "+maxabs", "a++b", "a+b["])
def test_a_missing_map_is_refused(text):
    with pytest.raises(ParameterError, match="cannot read"):
        get_features(text)


def test_an_unknown_map_in_a_chain_is_named():
    with pytest.raises(UnknownNameError, match="unknown feature map 'nystrom': did you mean"):
        get_features("standard+nystrom")


def test_parameters_beside_a_chain_belong_to_nobody():
    with pytest.raises(ParameterError, match="rank can only be given with a name"):
        get_features("standard+nystroem", rank=5)
