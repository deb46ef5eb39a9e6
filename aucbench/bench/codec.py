"""Cells, records and what they hold as plain values of JSON, and back.

Every dataclass is a mapping of its fields. A specification is {"name": ..., "params": {...}}; what
JSON cannot hold in it stands in a mapping with the name of its type, as {"tuple": [1, 2]}.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import isinf
from typing import Any, TypeVar

from aucbench.bench.cell import Tuning
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError
from aucbench.ranges import Range
from aucbench.registry.specs import Spec, SpecChain

T = TypeVar("T")
LONG = 2**53  # from which on a whole number is written as text, since not every reader keeps it
READ = {"float": float, "int": int, "tuple": tuple, "set": set, "dict": dict}  # types in mappings


def dump(thing: Any) -> Any:
    """Return a dataclass, or a container of them, as plain values."""
    return _converter().unstructure(thing)


def load(plain: Any, cls: type[T]) -> T:
    """Return the object that `dump` has made plain.

    Raises
    ------
    DataError
        When a key is missing or unknown, or a value is of another type.
    """
    from cattrs import BaseValidationError, transform_error

    try:
        loaded: T = _converter().structure(plain, cls)
    except BaseValidationError as error:
        raise DataError(
            f"this is no {cls.__name__.lower()} of this aucbench: "
            f"{'; '.join(transform_error(error))}; read it with the version that wrote it, or run "
            "into a new folder"
        ) from error
    return loaded


@cache
def _converter() -> Any:
    from cattrs import Converter  # it takes longer to import than a command to start

    converter = Converter(forbid_extra_keys=True)
    converter.register_unstructure_hook(Spec, _plain_spec)
    converter.register_structure_hook(Spec, lambda plain, _: _spec(plain))
    converter.register_unstructure_hook(SpecChain, lambda chain: [*map(_plain_spec, chain)])
    converter.register_structure_hook(SpecChain, lambda plain, _: SpecChain(map(_spec, plain)))
    converter.register_unstructure_hook_func(lambda kind: kind == Tuning, _plain_tuning)
    converter.register_structure_hook(Tuning, lambda plain, _: _tuning(plain))
    converter.register_unstructure_hook(ReadOptions, _plain_options)
    converter.register_structure_hook(ReadOptions, lambda plain, _: ReadOptions(**plain))
    converter.register_structure_hook(bool, _flag)  # a bool is an int, which would take it as well
    # The points of curves are most of a record; they are taken as JSON gives them, without a copy.
    converter.register_structure_hook_func(lambda kind: kind == Mapping[str, Any], _mapping)
    return converter


def _plain_spec(spec: Spec) -> dict[str, Any]:
    return {"name": spec.name, "params": {key: _plain(v) for key, v in spec.params.items()}}


def _spec(plain: Mapping[str, Any]) -> Spec:
    return Spec(plain["name"], {key: _literal(value) for key, value in plain["params"].items()})


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [*map(_plain, value)]
    if isinstance(value, dict):
        return {"dict": [[_plain(key), _plain(held)] for key, held in value.items()]}
    if isinstance(value, set):
        return {"set": [*map(_plain, sorted(value, key=repr))]}
    if isinstance(value, tuple):
        return {"tuple": [*map(_plain, value)]}
    if isinstance(value, float) and isinf(value):
        return {"float": str(value)}
    return {"int": str(value)} if isinstance(value, int) and abs(value) >= LONG else value


def _literal(plain: Any) -> Any:
    if isinstance(plain, list):
        return [*map(_literal, plain)]
    if isinstance(plain, dict):
        ((kind, held),) = plain.items()
        return READ[kind](_literal(held))
    return plain


def _plain_tuning(tuning: Tuning) -> Any:
    if isinstance(tuning, bool):
        return tuning
    return [[name, dump(v) if isinstance(v, Range) else [*v]] for name, v in tuning]


def _tuning(plain: Any) -> Tuning:
    if isinstance(plain, bool):
        return plain
    return tuple((name, Range.of(v) if isinstance(v, dict) else tuple(v)) for name, v in plain)


def _plain_options(options: ReadOptions) -> dict[str, Any]:
    given = options.options()
    return {name: [*v] if isinstance(v, tuple) else v for name, v in given.items()}


def _mapping(plain: Any, _: Any) -> Mapping[str, Any]:
    if not isinstance(plain, dict):
        raise TypeError(f"not a mapping but {type(plain).__name__}")
    return plain


def _flag(plain: Any, _: Any) -> bool:
    if not isinstance(plain, bool):
        raise TypeError("not true or false")
    return plain
