"""Shapes of effects: how they are written, found by column, and turned into bounds of weights."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from aucbench.contract import NoMap
from aucbench.data import Data, Shape, Shapes
from aucbench.errors import UnsupportedError
from aucbench.features import Chain, MinMax, Nystroem, Standard, Unit
from aucbench.features.chain import applied

RNG = np.random.default_rng(0)


def toy(shapes=None):
    return replace(Data.of(RNG.normal(size=(20, 3)), np.arange(20) % 2), shapes=shapes)


@pytest.mark.parametrize(
    ("text", "slope", "bend"),
    [
        *(("+1", 1, 0), ("1", 1, 0), ("-1", -1, 0), ("increasing", 1, 0), ("decreasing", -1, 0)),
        *(("convex", 0, 1), ("decreasing-concave", -1, -1), ("convex-increasing", 1, 1)),
    ],
)
def test_a_shape_is_read_and_written(text, slope, bend):
    shape = Shape.of(text)
    assert shape == Shape(slope, bend)
    assert Shape.of(str(shape)) == shape


def test_columns_are_found_by_name_or_number():
    found = Shapes.of({"b": "+1", "a": "-1"}, ("a", "b"), 2)
    assert found.of_columns == ((0, Shape(-1)), (1, Shape(1)))
    assert [Shapes.of({"1": 1}, None, 2).get(k) for k in (0, 1)] == [Shape(), Shape(1)]


@pytest.mark.parametrize("phi", [NoMap(), Standard(), Chain((MinMax(), Standard()))])
def test_maps_that_scale_columns_turn_slopes_into_bounds(phi):
    data = toy(Shapes(((0, Shape(1)), (2, Shape(-1)))))
    terms = applied(phi.fit(data, np.random.default_rng(0)), data).terms
    assert terms.low.tolist() == [0.0, -inf, -inf]
    assert terms.high.tolist() == [inf, inf, 0.0]
    assert terms.columns == ((0,), (1,), (2,))


def test_maps_that_mix_columns_refuse_shapes():
    data = toy(Shapes(((0, Shape(1)),)))
    for phi in (Unit(), Nystroem(rank=3), Chain((Unit(), Standard()))):
        with pytest.raises(UnsupportedError, match="mix"):
            applied(phi.fit(data, RNG), data)
