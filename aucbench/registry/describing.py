"""Describe what plugins register; those of other packages in processes of their own.

A description holds what JSON can hold, and the texts that people read, so that it is the same
whichever process has imported the plugin.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from functools import cache
from importlib.util import find_spec
from math import isfinite
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aucbench.about import About, Scale, about_of, scale_of
from aucbench.errors import MissingExtraError, PluginError
from aucbench.ranges import Range, axis_text
from aucbench.registry.discovery import (
    Loaded,
    PluginEntry,
    describe_error,
    licence_of,
    load,
    loaded,
)
from aucbench.registry.isolated_imports import imported, is_supervised
from aucbench.registry.lookup import Claim, find, names, owner, require_shape, unknown
from aucbench.registry.shapes import given_to, takes_weights
from aucbench.registry.signatures import Parameter, parameters_of

if TYPE_CHECKING:
    from pathlib import Path

    from aucbench.processes.child import Room

PROTOCOLS = "aucbench.protocols"
STREAMING = ("start", "update", "weights")


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a published grid."""

    text: str  # for people
    plain: Mapping[str, Any]  # as JSON holds it: values, a range, or the text of a distribution


@dataclass(frozen=True, slots=True)
class Description:
    """What is known of a registered name, and which plugin registers it."""

    kind: str
    name: str
    plugin: str
    distribution: str
    version: str
    doc: str = ""  # its docstring: formula, parameters with units, reference
    parameters: tuple[Parameter, ...] = ()  # in the order of definition
    space: tuple[Mapping[str, Axis], ...] = ()  # the published grids of a solver
    # What a solver requires of data, objective and projector: the fields of `Needs`.
    needs: Mapping[str, Any] | None = None
    missing: str | None = None  # why it cannot be used: what to install, or what is wrong with it
    about: About = field(default_factory=About)
    licence: str = ""  # as the metadata of the distribution state it
    family: str = ""  # of a solver: the folder of its module inside its package, such as `online`
    streaming: bool = False  # whether it follows `aucbench.protocols.Streaming`
    scale: Scale | None = None  # of a metric: its range, and what is better
    weighted: bool = False  # of a metric: whether it takes weights of rows
    counting: tuple[str, ...] = ()  # of pairs: their kind, and the measure where all have one


def describe(kind: str, name: str) -> Description:
    """Describe a name of a kind, such as solvers; `aucbench.registry.discovery.KINDS` has them."""
    owned = owner(kind, name)
    if owned is None:
        raise unknown(kind, name)
    entry, bare = owned
    if loaded(entry) is not None or is_supervised():
        return _description_of(find(kind, name))
    answer = imported([entry])[entry].factories[kind][bare]
    if "error" in answer:
        raise PluginError(answer["error"])
    description: Description = _converter().structure(answer, Description)
    return description


def described(kind: str) -> list[Description]:
    """Describe all names of a kind; `missing` says why one of them cannot be used.

    It imports every enabled plugin, those of other packages in processes of their own.
    """
    return [_described(kind, name) for name in names(kind)]


def _described(kind: str, name: str) -> Description:
    try:
        return describe(kind, name)
    except PluginError as error:
        owned = owner(kind, name)
        assert owned is not None  # it is one of `names`
        return replace(_origin(kind, name, owned[0]), missing=str(error))


def _description_of(claim: Claim) -> Description:
    """Describe what a plugin has registered in this process; it must have the right shape."""
    require_shape(claim)
    kind, factory = claim.kind, claim.factory
    needs = getattr(factory, "needs", None)
    extra, missing = getattr(needs, "extra", None), None
    if needs is not None and extra is not None and not all(map(find_spec, needs.packages)):
        missing = str(MissingExtraError(claim.name, extra))
    space = getattr(factory, "space", {})
    grids = [space] if isinstance(space, Mapping) else space
    if not isinstance(grids, list | tuple):  # a property: only instances know
        grids = ()
    # `aucbench_plugins.online.oam` → `online`
    folders = (getattr(factory, "__module__", None) or "").split(".")[1:-1]
    return replace(
        _origin(kind, claim.name, claim.entry),
        doc=inspect.getdoc(factory) or "",
        parameters=tuple(
            replace(p, default=plain_value(p.default))
            for p in parameters_of(factory, given_to(kind, factory))
        ),
        space=tuple({name: _axis(axis) for name, axis in grid.items()} for grid in grids),
        needs=_needs(needs),
        missing=missing,
        about=about_of(factory),
        family=".".join(folders) if kind == "solvers" else "",
        streaming=all(hasattr(factory, name) for name in STREAMING),
        scale=scale_of(factory) if kind == "metrics" else None,
        weighted=kind == "metrics" and takes_weights(factory),
        counting=_counting(factory) if kind == "pairs" else (),
    )


def _origin(kind: str, name: str, entry: PluginEntry) -> Description:
    """What is known of a name without its class."""
    origin = (entry.name, entry.distribution, entry.version)
    return Description(kind, name, *origin, licence=licence_of(entry))


def _counting(pairs: Any) -> tuple[str, ...]:
    return tuple(t for name in ("kind", "measure") if isinstance(t := getattr(pairs, name), str))


def _axis(axis: Any) -> Axis:
    """Return an axis of a grid: values, a range, or the text of a distribution."""
    text = axis_text(axis)
    if isinstance(axis, Range):
        return Axis(text, {"range": asdict(axis)})
    if isinstance(axis, tuple | list):
        return Axis(text, {"values": [plain_value(value) for value in axis]})
    return Axis(text, {"distribution": text})


def _needs(needs: Any) -> dict[str, Any] | None:
    if not is_dataclass(needs) or isinstance(needs, type):  # a property: only instances know
        return None
    plain = {name: plain_value(value) for name, value in asdict(needs).items()}
    objective = getattr(needs, "objective", None)
    if getattr(objective, "__module__", PROTOCOLS) != PROTOCOLS:  # that of another package
        plain["objective"] = True
    return plain


def plain_value(value: Any) -> Any:
    """Return a value as JSON holds it; what JSON has no word for is a text, such as "inf"."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, tuple | list):
        return [plain_value(part) for part in value]
    return repr(value)


@cache
def _converter() -> Any:
    from cattrs import Converter

    converter = Converter()
    # A scale may have no end; JSON has no infinity.
    converter.register_unstructure_hook(float, plain_value)
    converter.register_structure_hook(
        float, lambda end, _: float(end) if isinstance(end, str) else end
    )
    return converter


def import_entry(
    request: Mapping[str, Any], room: Room, steps: Mapping[str, Path]
) -> dict[str, Any]:
    """Import the plugin request["entry"], and return what it registers; both may end the process.

    It is the job of a supervised process. Under "registers" is, by kind and name, a description as
    JSON holds it, or {"error": sentence}; under "failure" why it could not be imported, or None;
    and under "seconds" how long that took.
    """
    sys.path[:] = request["path"]  # the process that forked this one may be older
    begin = perf_counter()
    entry = PluginEntry(**request["entry"])
    known = load(entry) or Loaded()
    seconds = perf_counter() - begin
    registers = {
        kind: {name: _answer(Claim(entry, kind, name, thing)) for name, thing in named.items()}
        for kind, named in known.factories.items()
    }
    return {"seconds": seconds, "registers": registers, "failure": known.failure}


def _answer(claim: Claim) -> Any:
    try:
        return _converter().unstructure(_description_of(claim))
    except PluginError as error:
        return {"error": str(error)}
    except Exception as error:
        return {"error": f"{claim.qualified} cannot be described ({describe_error(error)})"}
