"""Shapes of effects: how they are written, found by column, and turned into bounds of weights."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from aucbench.contract import NoMap
from aucbench.data import Data, Shape, Shapes
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.features import Chain, MinMax, Nystroem, Standard, Unit
from aucbench.features.chain import applied

RNG = np.random.default_rng(0)


def toy(shapes: Shapes | None = None) -> Data:
    X = RNG.normal(size=(20, 3))
    return replace(Data.of(X, np.arange(20) % 2), shapes=shapes)


@pytest.mark.parametrize(
    ("text", "slope", "bend"),
    [
        ("+1", 1, 0),
        ("1", 1, 0),
        ("-1", -1, 0),
        ("increasing", 1, 0),
        ("decreasing", -1, 0),
        ("convex", 0, 1),
        ("decreasing-concave", -1, -1),
        ("convex-increasing", 1, 1),
    ],
)
def test_a_shape_is_read_and_written(text: str, slope: int, bend: int) -> None:
    shape = Shape.of(text)
    assert shape == Shape(slope, bend)
    assert Shape.of(str(shape)) == shape


@pytest.mark.parametrize("text", ["increasing-decreasing", "convex-concave", "convex-convex"])
def test_a_contradiction_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="twice"):
        Shape.of(text)


def test_columns_are_found_by_name_or_number() -> None:
    assert Shapes.of({"b": "+1", "a": "-1"}, ("a", "b"), 2).of_columns == (
        (0, Shape(-1)),
        (1, Shape(1)),
    )
    assert Shapes.of({"1": 1}, None, 2).get(1) == Shape(1)
    assert Shapes.of({"1": 1}, None, 2).get(0) == Shape()
    for name, columns in (("c", ("a", "b")), ("2", None), ("a", None)):
        with pytest.raises(DataError, match="no column"):
            Shapes.of({name: 1}, columns, 2)


def test_maps_that_scale_columns_turn_slopes_into_bounds() -> None:
    data = toy(Shapes(((0, Shape(1)), (2, Shape(-1)))))
    rng = np.random.default_rng(0)
    for phi in (NoMap(), Standard(), Chain((MinMax(), Standard()))):
        terms = applied(phi.fit(data, rng), data).terms
        assert terms is not None
        assert terms.low is not None
        assert terms.high is not None
        assert terms.low.tolist() == [0.0, -inf, -inf]
        assert terms.high.tolist() == [inf, inf, 0.0]
        assert terms.columns == ((0,), (1,), (2,))


def test_maps_that_mix_columns_refuse_shapes() -> None:
    data = toy(Shapes(((0, Shape(1)),)))
    rng = np.random.default_rng(0)
    for phi in (Unit(), Nystroem(rank=3)):
        with pytest.raises(UnsupportedError, match="mix columns"):
            applied(phi.fit(data, rng), data)
    with pytest.raises(UnsupportedError, match="mix columns"):
        Chain((Unit(), Standard())).fit(data, rng)


def test_terms_stay_with_rows_and_go_with_features() -> None:
    data = applied(NoMap(), toy())
    assert data.terms is not None
    assert not data.terms.are_bounded
    assert data.take(slice(0, 10)).terms is data.terms
    assert data.with_rows(data.rows).terms is None
