"""The job of a supervised process: import one plugin, and tell what it registers, as JSON.

A tuple is a list, a mapping or a record is an object, and all else is a text, its `repr`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aucbench import protocols
from aucbench.about import About, Scale
from aucbench.errors import PluginError
from aucbench.protocols import Needs
from aucbench.ranges import Range, axis_text
from aucbench.registry import Description, Parameter, description_of
from aucbench.registry.discovery import Loaded, PluginEntry, describe_error, load
from aucbench.registry.lookup import Claim

if TYPE_CHECKING:
    from aucbench.processes.room import Kept, Room

KINDS: tuple[Any, ...] = (About, Description, Needs, Parameter, Range, Scale)
RECORDS = {kind.__name__: kind for kind in KINDS}
FLOATS = ("inf", "-inf", "nan")


class Shown(str):
    """What `repr` has told of a value that is no literal of Python; it is shown as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def told(request: Mapping[str, Any], room: Room, steps: Mapping[str, Kept]) -> dict[str, Any]:
    """Import the plugin request["entry"], and return what it registers; both may end the process.

    Under "registers" is, by kind and name, what `packed` returns, or {"error": sentence}; under
    "failure" why it could not be imported, or None; and under "seconds" how long that took.
    """
    sys.path[:] = request["path"]  # the process that forked this one may be older
    begin = perf_counter()
    entry = PluginEntry(**request["entry"])
    known = load(entry) or Loaded()
    seconds = perf_counter() - begin
    registers = {
        kind: {name: _described(Claim(entry, kind, name, thing)) for name, thing in named.items()}
        for kind, named in known.factories.items()
    }
    return {"seconds": seconds, "registers": registers, "failure": known.failure}


def _described(claim: Claim) -> dict[str, Any]:
    try:
        return packed(description_of(claim))
    except PluginError as error:
        return {"error": str(error)}
    except Exception as error:
        return {"error": f"{claim.qualified} cannot be described ({describe_error(error)})"}


def packed(d: Description) -> dict[str, Any]:
    """Return the JSON of a description; `unpacked` makes a description of it."""
    listed = [d.space] if isinstance(d.space, Mapping) else d.space
    parts = listed if isinstance(listed, list | tuple) else []  # a property: only instances know
    space = tuple({name: _axis(axis) for name, axis in part.items()} for part in parts)
    needs = d.needs if isinstance(d.needs, Needs) else None
    told: dict[str, Any] = _packed(replace(d, space=space, needs=needs))
    return told


def unpacked(told: Any) -> Description:
    """Return the description; what is no literal of Python in it is `Shown`."""
    d: Description = _unpacked(told)
    parts: Any = d.space
    return replace(d, space=parts[0]) if len(parts) == 1 else d


def value(text: str) -> Any:
    """Return the value that has this `repr`, or the text where it is no literal of Python."""
    if text in FLOATS:
        return float(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return Shown(text)


def _axis(axis: Any) -> Any:
    if isinstance(axis, Range):
        return axis
    return tuple(axis) if isinstance(axis, list | tuple) else Shown(axis_text(axis))


def _packed(thing: Any) -> Any:
    if RECORDS.get(type(thing).__name__) is type(thing):
        held = {f.name: _packed(getattr(thing, f.name)) for f in fields(thing)}
        return {"of": type(thing).__name__, "held": held}
    if isinstance(thing, Mapping):
        return {"of": "mapping", "held": {name: _packed(each) for name, each in thing.items()}}
    if isinstance(thing, tuple):
        return [*map(_packed, thing)]
    if isinstance(thing, type):  # the protocol of another package cannot be found again
        ours = getattr(protocols, thing.__name__, None) is thing
        return {"protocol": thing.__name__} if ours else repr(True)
    return repr(thing)


def _unpacked(told: Any) -> Any:
    if isinstance(told, list):
        return tuple(map(_unpacked, told))
    if isinstance(told, str):
        return value(told)
    if "protocol" in told:
        return getattr(protocols, told["protocol"])
    held = {name: _unpacked(each) for name, each in told["held"].items()}
    return RECORDS[told["of"]](**held) if told["of"] in RECORDS else held
