"""The document of a model, made into objects: each value has the type that its field says.

Design
  a. The dataclasses define the format. A missing or unknown name, or another type, is an error that
     says where it is.
  b. A list of kinds says what a part may be, see `maps`.
  c. A value may have the right type and make no sense with the others: `require_fit` checks that.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache, partial
from math import nan
from operator import eq
from typing import TYPE_CHECKING, Any, get_args, get_origin

import numpy as np
from cattrs import BaseValidationError, Converter, transform_error
from cattrs.gen import make_dict_structure_fn
from cattrs.v import format_exception

from aucbench.contract import FeatureMap
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.datasets.reading import MARKS, Plain
from aucbench.datasets.tables import Encoding
from aucbench.datasets.tables.parts import Dates, Hashed, Number, OneHot, Part
from aucbench.datasets.tables.schema import VERSION
from aucbench.errors import AucbenchError, DataError
from aucbench.features import AppendOne, Bins, KernelColumns, Nystroem, Splines
from aucbench.features.bins import Steps
from aucbench.features.splines import Cross, Spline
from aucbench.models.calibration import Calibrator, Isotonic, Sigmoid
from aucbench.models.maps import CALIBRATORS, KIND, MAPS, NAMES, PARTS, ROWS, current_fields
from aucbench.records import Stop
from aucbench.stats import Interval

if TYPE_CHECKING:
    from aucbench.models.model import Model
    from aucbench.models.score_function import ScoreFunction

LEARNT: Mapping[str, type[Any]] = {part.kind: part for part in (Number, OneHot, Dates, Hashed)}
BOUNDS = ("estimate", "low", "high")  # of an interval; JSON has no NaN, so that None stands for it
MOST_WHOLE = 2**53  # no count of a model is larger
# What `explain`, `predict` and the estimator read of a provenance; it may hold more.
COUNTS = ("n_pos", "n_events", "grades", "classes")  # beside the number of rows, one of them
ORIGIN: Mapping[str, Any] = {
    **dict.fromkeys(
        ("solver", "features", "aucbench", "date", "data", "label", "decimal", "pairs"),
        str,
    ),
    "monotone": str,
    **dict.fromkeys(("n", *COUNTS, "seed"), int),
    **dict.fromkeys(("target", "measure"), str),
    **dict.fromkeys(("passes", "seconds"), float | None),
    **dict.fromkeys(("choice", "warnings"), tuple[str, ...]),
    **dict.fromkeys(("left_out", "versions"), dict[str, str]),
    "remarks": tuple[tuple[str, ...], ...],
    "class_rows": tuple[int, ...],
    "separator": str | None,
    "first_index": int | None,
    "stop": str,
    "parameters": dict[str, Any],
}


def structured(plain: Any, kind: Any) -> Any:
    """Return the object of a type that plain values and arrays stand for.

    Raises
    ------
    DataError
        When a value has another type, or is missing or unknown.
    """
    try:
        return _converter().structure(plain, kind)
    except BaseValidationError as error:
        told = transform_error(error, "model.json", _sentence)
        raise DataError(f"it is damaged: {'; '.join(told[:3])}; take another copy") from error


def _sentence(error: BaseException, kind: Any) -> str:
    known = isinstance(error, AucbenchError | TypeError)
    return str(error) if known else format_exception(error, kind)


@cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for own in (str, bool):
        converter.register_structure_hook(own, _only(own))
    converter.register_structure_hook(int, _whole)
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook(Rows, lambda plain, _: _rows(plain))
    converter.register_structure_hook(Interval, lambda plain, _: _interval(plain))
    converter.register_structure_hook(Encoding, lambda plain, _: _encoding(plain))
    converter.register_structure_hook_func(_is_array, _array)
    converter.register_structure_hook_func(lambda kind: bool(kind == Mapping[str, Any]), _origin)
    converter.register_structure_hook_func(lambda kind: kind is Any, lambda plain, _: plain)
    unions: tuple[tuple[Any, Mapping[str, type[Any]]], ...] = (
        (FeatureMap, MAPS),
        (Calibrator, CALIBRATORS),
        (Part, LEARNT),
    )
    for union, kinds in unions:
        converter.register_structure_hook_func(partial(eq, union), _one_of(kinds))
    for part in PARTS.values():
        converter.register_structure_hook(part, _one_of({NAMES[part]: part}))
    for plain in (Plain, float | str, Plain | None):
        converter.register_structure_hook_func(partial(eq, plain), _value)
    return converter


def _is_array(kind: Any) -> bool:
    # From NumPy 2.5 on NDArray[T] is an alias with a name of its own, and before that its content.
    return get_origin(kind) in (np.ndarray, get_origin(Vector))


@cache
def _fields(kind: Any) -> Any:
    return make_dict_structure_fn(kind, _converter(), _cattrs_forbid_extra_keys=True)


def _one_of(kinds: Mapping[str, type[Any]]) -> Any:
    """Return what takes a part whose kind is in the list."""

    def take(plain: Any, _: Any) -> Any:
        name = _mapping(plain).get(KIND)
        if not isinstance(name, str) or name not in kinds:
            raise DataError(f"it has a part of the kind {name!r}; known are {', '.join(kinds)}")
        own = {key: value for key, value in plain.items() if key != KIND}
        part: Any = kinds[name]
        return _fields(part)(current_fields(name, own), part)

    return take


def _only(kind: type[Any]) -> Any:
    def take(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"{type(value).__name__}, not {kind.__name__}")
        return value

    return take


def _whole(value: Any, _: Any) -> int:
    if type(value) is not int or abs(value) > MOST_WHOLE:
        raise TypeError(f"{str(value)[:30]!r} is no whole number, or too large")
    return value


def _number(value: Any, _: Any) -> float:
    if type(value) not in (int, float) or abs(value) > sys.float_info.max:
        raise TypeError(f"{str(value)[:30]!r} is no number that a float holds")
    return float(value)


def _value(value: Any, kind: Any) -> Any:
    allowed = get_args(kind)
    if type(value) not in allowed:
        raise TypeError(f"{type(value).__name__}, not one value")
    if type(value) in (int, float):
        return _whole(value, int) if type(value) is int else _number(value, float)
    return value


def _mapping(plain: Any) -> Mapping[str, Any]:
    if not isinstance(plain, Mapping):
        raise TypeError(f"{type(plain).__name__}, not a mapping")
    return plain


def _array(value: Any, kind: Any) -> Any:
    """Return an array of the type of its field; kernels check neither type nor content."""
    scalar = kind
    while inside := get_args(scalar):  # NDArray[T], or ndarray[shape, dtype[T]]
        scalar = inside[-1]
    wanted = np.dtype(scalar)
    if not isinstance(value, np.ndarray) or value.dtype.kind != wanted.kind:
        came = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
        raise TypeError(f"{came}, not an array of {wanted}")
    if wanted.kind == "i":
        if value.size and not -(2**31) <= value.min() <= value.max() < 2**31:
            raise DataError(f"an array holds numbers that are no {wanted}")
    elif not np.isfinite(value).all():
        raise DataError("an array holds NaN or infinity")
    return np.ascontiguousarray(value, wanted) if value.ndim else value.astype(wanted)


def _rows(plain: Any) -> Rows:
    """Return a matrix; `rows` checks it, since kernels do not."""
    own = {**_mapping(plain)}
    if own.pop(KIND, None) != ROWS or own.keys() != {"n", "d", "values", "columns", "starts"}:
        raise DataError(f"it has a part that is not of the kind {ROWS}")
    n, d = (_whole(own[name], int) for name in ("n", "d"))
    values = _array(own["values"], Vector)
    if own["columns"] is None:
        return rows(values.reshape(n, d))
    from scipy.sparse import csr_array

    parts = (_array(own[name], Index) for name in ("columns", "starts"))
    return rows(csr_array((values, *parts), shape=(n, d)))


def _interval(plain: Any) -> Interval:
    values = _mapping(plain)
    numbers = {name: nan if name in BOUNDS and v is None else v for name, v in values.items()}
    interval: Interval = _fields(Interval)(numbers, Interval)
    return interval


def _encoding(plain: Any) -> Encoding:
    values = {**_mapping(plain)}
    if (version := values.pop("version", None)) != VERSION:
        raise DataError(
            f"the encoding has the version {version!r}, this aucbench reads version {VERSION}; "
            "take the aucbench that wrote it"
        )
    encoding: Encoding = _fields(Encoding)(values, Encoding)
    return encoding


def _origin(plain: Any, _: Any) -> dict[str, Any]:
    """Return a provenance, of which those values have their types that are read."""
    origin = {**_mapping(plain)}
    for name in origin.keys() & ORIGIN.keys():
        origin[name] = _converter().structure(origin[name], ORIGIN[name])
    if ("n" in origin) != any(name in origin for name in COUNTS):
        raise DataError("the number of rows comes without that of the positive ones")
    return origin


def require_fit(model: Model) -> None:
    """Raise `DataError` unless the parts of a model fit together.

    At the end a row without a value is scored: a fault that these checks have missed shows then,
    and not when a table is read.
    """
    _require_columns(model)
    d = model.width if model.encoding is None else model.encoding.d
    for phi in model.maps:
        d = _width_after(phi, d)
    for function in model.functions:
        _require_score(function, d)
        if len(model.functions) > 1 and not isinstance(function.calibrator, Sigmoid):
            raise DataError("a class has no sigmoid")
        if isinstance(function.calibrator, Isotonic):
            _require_rising(function.calibrator)
        if not model.decides and (function.operating or function.calibrator):
            raise DataError("it has a threshold or probabilities, and no classes")
    if model.scorecard is not None:
        _require_whole_points(model)
    stop = model.provenance.get("stop", Stop.FINISHED.name)
    if stop not in Stop.__members__ or model.provenance.get("decimal", ".") not in MARKS:
        raise DataError("its origin has a value that no fit writes")
    empty = 0.0 if model.encoding is None else np.nan
    with np.errstate(all="ignore"):
        model.scores(rows(np.full((1, model.width), empty)))


def _require_score(function: ScoreFunction, d: int) -> None:
    """Raise `DataError` unless weights or trees fit to what the maps make of d features."""
    for phi in function.maps:
        d = _width_after(phi, d)
    if function.trees is None:
        _require_shape("the weights", np.asarray(function.weights), d)
    elif function.trees.d != d or any(a.ndim != 1 for a in _arrays(function.trees).values()):
        raise DataError(f"its trees read {function.trees.d} features, and there are {d}")
    if function.spread is not None:
        _require_shape("the spread", function.spread, d)


def _require_columns(model: Model) -> None:
    if model.width < 1 or len(model.labels) == 1 or not all(model.labels):
        raise DataError("it reads no column, or a class has no label")
    named = [label for labels in model.labels for label in labels]
    if len({*named}) != len(named):
        raise DataError("a label belongs to two of its classes")
    if model.columns is not None and len({*model.columns}) != model.width:
        raise DataError(f"its {model.width} columns do not have different names")
    if model.encoding is not None and len(model.encoding.schema.columns) != model.width:
        count = len(model.encoding.schema.columns)
        raise DataError(f"its encoding has {count} columns, and the table has {model.width}")
    if model.ranges is not None and model.ranges.shape != (2, model.width):
        raise DataError(f"its {model.width} columns have ranges of shape {model.ranges.shape}")


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
    weights = model.function.weights
    maps = (*model.maps, *model.function.maps)
    steps = [type(phi) for phi in maps] == [Bins, AppendOne]
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
