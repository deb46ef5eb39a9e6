"""Values as strict JSON can hold them, and messages as one line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

import numpy as np

from aucbench.bench.cell import Scalar
from aucbench.contract import Solver
from aucbench.errors import float_of
from aucbench.solving.hyperparameters import hyperparameters

Plain = Scalar | None


def strict(value: Any) -> Any:
    """Return `value` as strict JSON: lists for tuples and arrays, None for numbers that it has not.

    These are NaN, infinity, and whole numbers that no float holds.
    """
    return _json(value, lambda leaf: None if _is_beyond(leaf) else leaf)


def canonical_json(value: Any) -> Any:
    """Return `value` as JSON, equal for equal hyperparameters.

    Infinity, whole numbers that no float holds, and objects are text.
    """

    def written(leaf: Any) -> Any:
        if _is_beyond(leaf):
            return str(leaf) if isinstance(leaf, float) else hex(leaf)  # of any number of digits
        return leaf if isinstance(leaf, Plain) else _named(leaf)

    return _json(value, written)


def _json(value: Any, written: Callable[[Any], Any]) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _json(v, written) for name, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_json(v, written) for v in value]
    return written(value.item() if isinstance(value, np.generic) else value)


def plain_parameters(solver: Solver) -> dict[str, Plain]:
    """Return the hyperparameters that are single plain values, which a table can show."""
    return {
        name: plain
        for name, value in hyperparameters(solver).items()
        if isinstance(value, Plain | np.generic)
        and isinstance(plain := canonical_json(value), Plain)
    }


def plain_fields(thing: object, but: Collection[str] = ()) -> dict[str, Any] | None:
    """Return the fields of a dataclass but some, if they are plain and finite, else None."""
    if not is_dataclass(thing):
        return None
    values = {f.name: getattr(thing, f.name) for f in fields(thing) if f.init and f.name not in but}
    plain: dict[str, Any] = strict(values)
    lost = [name for name, value in plain.items() if value is None and values[name] is not None]
    return plain if not lost and all(isinstance(v, Plain) for v in plain.values()) else None


def message(error: BaseException) -> str:
    """Return the first line of the message of an error, without its class."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else "raised without a message"


def _is_beyond(value: Any) -> bool:
    if isinstance(value, float):
        return not isfinite(value)
    return isinstance(value, int) and float_of(int(value)) is None


def _named(value: Any) -> str:
    kind: Any = type(value)
    if kind.__repr__ is object.__repr__:  # it holds an address, which no other process has
        return f"{kind.__module__}.{kind.__qualname__}"
    return repr(value)
