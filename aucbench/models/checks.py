"""Whether the parts of a model that was read from a file fit together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from aucbench.data.arrays import rows
from aucbench.datasets.reading import MARKS
from aucbench.errors import DataError
from aucbench.features import AppendOne, Bins, KernelColumns, Nystroem, Splines
from aucbench.features.by_column import Spline, Steps
from aucbench.features.crosses import Cross
from aucbench.models.calibration import Isotonic
from aucbench.records import Stop

if TYPE_CHECKING:
    from aucbench.models.model import Model


def require_fit(model: Model) -> None:
    """Raise `DataError` unless the parts of a model fit together.

    At the end a row without a value is scored: what this look has missed shows then, and not when
    a table is read.
    """
    _require_columns(model)
    d = model.width if model.encoding is None else model.encoding.d
    _require_score(model, d)
    if model.scorecard is not None:
        _require_whole_points(model)
    if isinstance(model.calibrator, Isotonic):
        _require_rising(model.calibrator)
    stop = model.provenance.get("stop", Stop.FINISHED.name)
    if stop not in Stop.__members__ or model.provenance.get("decimal", ".") not in MARKS:
        raise DataError("its origin has a value that no fit writes")
    empty = 0.0 if model.encoding is None else np.nan
    with np.errstate(all="ignore"):
        model.scores(rows(np.full((1, model.width), empty)))


def _require_score(model: Model, d: int) -> None:
    """Raise `DataError` unless weights or trees fit to what the maps make of d features."""
    for phi in model.maps:
        d = _width_after(phi, d)
    if model.trees is None:
        _require_shape("the weights", np.asarray(model.weights), d)
    elif model.trees.d != d or any(a.ndim != 1 for a in _arrays(model.trees).values()):
        raise DataError(f"its trees read {model.trees.d} features, and there are {d}")
    if model.spread is not None:
        _require_shape("the spread", model.spread, d)


def _require_columns(model: Model) -> None:
    if model.width < 1 or bool(model.negative) != bool(model.positive):
        raise DataError("it reads no column, or a class has no label")
    if not model.decides and (model.operating or model.calibrator):
        raise DataError("it has a threshold or probabilities, and no classes")
    if model.columns is not None and len({*model.columns}) != model.width:
        raise DataError(f"its {model.width} columns do not have different names")
    if model.encoding is not None and len(model.encoding.schema.columns) != model.width:
        count = len(model.encoding.schema.columns)
        raise DataError(f"its encoding has {count} columns, and the table has {model.width}")


def _width_after(phi: Any, d: int) -> int:
    """Return how many features a map makes of d."""
    if isinstance(phi, KernelColumns):
        if phi.landmarks.d != d:
            raise DataError(f"its landmarks have {phi.landmarks.d} features, and there are {d}")
        return phi.landmarks.n
    if isinstance(phi, Nystroem):
        if phi.columns is None or phi.root is None:
            raise DataError("its map nystroem has learnt nothing")
        m = _width_after(phi.columns, d)
        if phi.root.shape != (m, m):
            raise DataError(f"the root of nystroem has the shape {phi.root.shape}, wanted {m, m}")
        return m
    if isinstance(phi, Splines | Bins):
        crosses = phi.crosses if isinstance(phi, Splines) else ()
        return _width_of(phi.blocks or (), type(phi).__name__, d) + _width_of_pairs(crosses, d)
    for one in fields(phi):
        if (learnt := getattr(phi, one.name)) is None:
            raise DataError(f"its map {type(phi).__name__} has learnt no {one.name}")
        _require_shape(f"{one.name} of {type(phi).__name__}", learnt, d)
    return d + isinstance(phi, AppendOne)


def _require_whole_points(model: Model) -> None:
    weights = model.weights
    steps = [type(phi) for phi in model.maps] == [Bins, AppendOne]
    if weights is None or not steps or not (weights == np.rint(weights)).all():
        raise DataError("its scorecard has points that are not whole, or are of no bins")


def _width_of(blocks: Sequence[Spline | Steps | None], name: str, d: int) -> int:
    """Return how many features the functions of d columns are."""
    if len(blocks) != d:
        raise DataError(f"its map {name} reads {len(blocks)} features, and there are {d}")
    some = [block for block in blocks if block is not None]
    for block in some:
        if isinstance(block, Spline):
            _require_knots(block)
        _require_shape(f"what bounds {name}", block.signs, block.width)
    return sum(block.width for block in some)


def _width_of_pairs(crosses: Sequence[Cross], d: int) -> int:
    """Return how many features the functions of pairs of d columns are."""
    for cross in crosses:
        if not 0 <= min(cross.columns) <= max(cross.columns) < d:
            raise DataError(f"a pair of columns of its splines is {cross.columns}, of {d} columns")
        for block in (cross.first, cross.second):
            _require_knots(block)
        _require_shape("what is subtracted from a pair of its splines", cross.centre, cross.width)
    return sum(cross.width for cross in crosses)


def _require_knots(block: Spline) -> None:
    m = block.knots.size - block.degree - 1
    if block.degree < 1 or block.C.shape != (m, block.width) or block.low >= block.high:
        raise DataError("the functions of a column of its splines do not fit to their knots")


def _arrays(part: Any) -> dict[str, Any]:
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def _require_shape(what: str, array: Any, d: int) -> None:
    if array.shape != (d,):
        raise DataError(f"{what} has the shape {array.shape}, wanted {(d,)}: one for each feature")


def _require_rising(calibrator: Isotonic) -> None:
    s, p = np.array(calibrator.scores), np.array(calibrator.probabilities)
    rises = s.size and s.shape == p.shape and (np.diff(s) >= 0).all() and (np.diff(p) >= 0).all()
    if not rises or p[0] < 0 or p[-1] > 1:
        raise DataError("its calibration is no rising function from scores to probabilities")
