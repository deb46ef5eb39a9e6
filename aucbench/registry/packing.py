"""Descriptions as JSON, so that a supervised process can return those of its plugins."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from aucbench import protocols
from aucbench.about import About, Scale
from aucbench.protocols import Needs
from aucbench.ranges import Range, axis_text
from aucbench.registry import Description, Parameter

PLAIN = ("kind", "name", "plugin", "distribution", "version", "doc", "missing", "licence", "family")
FLAGS = ("streaming", "weighted")
FLOATS = ("inf", "-inf", "nan")


class Shown(str):
    """What `repr` has told of a value that is no literal of Python; it is shown as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def packed(d: Description) -> dict[str, Any]:
    """Return the JSON of a description; `unpacked` makes a description of it."""
    listed = [d.space] if isinstance(d.space, Mapping) else d.space
    parts = listed if isinstance(listed, list | tuple) else []  # a property: only instances know
    return {
        **{name: getattr(d, name) for name in (*PLAIN, *FLAGS)},
        "parameters": [[p.name, p.type, p.required, repr(p.default)] for p in d.parameters],
        "space": [{name: _packed_axis(axis) for name, axis in part.items()} for part in parts],
        "needs": _packed_needs(d.needs) if isinstance(d.needs, Needs) else None,
        "about": asdict(d.about),
        "scale": None if d.scale is None else _packed_fields(d.scale),
    }


def unpacked(told: Mapping[str, Any]) -> Description:
    """Return the description; what is no literal of Python in it is `Shown`."""
    space = [{name: _axis(axis) for name, axis in part.items()} for part in told["space"]]
    about = {**told["about"], "cites": tuple(told["about"]["cites"])}
    return Description(
        **{name: told[name] for name in (*PLAIN, *FLAGS)},
        parameters=tuple(_parameter(*known) for known in told["parameters"]),
        space=space[0] if len(space) == 1 else space,
        needs=None if told["needs"] is None else _needs(told["needs"]),
        about=About(**about),
        scale=None if told["scale"] is None else Scale(**_values(told["scale"])),
    )


def value(text: str) -> Any:
    """Return the value that has this `repr`, or the text where it is no literal of Python."""
    if text in FLOATS:
        return float(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return Shown(text)


def _parameter(name: str, kind: str, required: bool, default: str) -> Parameter:
    return Parameter(name, kind, required, value(default))


def _packed_axis(axis: Any) -> dict[str, Any]:
    if isinstance(axis, Range):
        return {"range": _packed_fields(axis)}
    if isinstance(axis, list | tuple):
        return {"values": [*map(repr, axis)]}
    return {"text": axis_text(axis)}


def _axis(told: Mapping[str, Any]) -> Any:
    if "range" in told:
        return Range(**_values(told["range"]))
    return tuple(map(value, told["values"])) if "values" in told else Shown(told["text"])


def _packed_needs(needs: Needs) -> dict[str, str]:
    protocol = needs.objective
    named = getattr(protocols, protocol.__name__, None) if isinstance(protocol, type) else None
    # The protocol of another package cannot be found again; its solver needs some objective.
    objective = protocol.__name__ if named is protocol else repr(bool(protocol))
    return {**_packed_fields(needs), "objective": objective}


def _needs(told: Mapping[str, str]) -> Needs:
    found = _values(told)
    protocol = found["objective"]
    return Needs(**{**found, "objective": getattr(protocols, str(protocol), protocol)})


def _packed_fields(thing: Any) -> dict[str, str]:
    return {field.name: repr(getattr(thing, field.name)) for field in fields(thing)}


def _values(told: Mapping[str, str]) -> dict[str, Any]:
    return {name: value(text) for name, text in told.items()}
