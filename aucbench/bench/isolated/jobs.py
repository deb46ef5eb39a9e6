"""The jobs of functions of plugins: look one up, make a section, export."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from aucbench.about import scale_of
from aucbench.bench.isolated.returned import contents_of, plain_section
from aucbench.bench.isolated.rows import Rows
from aucbench.bench.worker.blame import sentence_of
from aucbench.errors import AucbenchError, PluginError, UnknownNameError, written_at
from aucbench.processes.kept import Kept
from aucbench.processes.room import Room
from aucbench.registry import get_function, names
from aucbench.registry.lookup import find
from aucbench.registry.metrics import origin
from aucbench.registry.specs import Spec, parse_spec
from aucbench.registry.visits import tell

Request = Mapping[str, Any]
Steps = Mapping[str, Kept]


def found(request: Request, room: Room, steps: Steps) -> dict[str, Any]:
    """Say what a specification of a kind means: its canonical texts and its distribution.

    Returns
    -------
    dict
        `known` alone, all names of the kind, when there is none of this name.

    Raises
    ------
    ParameterError, PluginError
        As `aucbench.registry.get_function`.
    """
    tell(request["homes"])
    kind, asked = request["kind"], parse_spec(request["name"])
    try:
        function, claim = get_function(kind, asked), find(kind, asked.name)
    except UnknownNameError:
        known = names(kind)
        if asked.name in known:  # it is a parameter that is unknown
            raise
        return {"known": known}
    given = getattr(function, "keywords", {})
    return {
        "name": str(Spec(asked.name, given)),
        "qualified": str(Spec(claim.qualified, given)),
        "version": claim.entry.version,
        "distribution": claim.entry.distribution,
        "module": claim.entry.value,
        "about": _about(function) if kind == "metrics" else {},
    }


def section(request: Request, room: Room, steps: Steps) -> dict[str, Any]:
    """Return {"section": plain values} of a report section, or {"failure": sentence}."""
    return _called("report_sections", request, lambda made: {"section": plain_section(made)})


def export(request: Request, room: Room, steps: Steps) -> dict[str, Any]:
    """Hand over what an exporter returns; return the files by name, or a failure."""

    def kept(made: Any) -> dict[str, Any]:
        written = {}
        for number, (name, data) in enumerate(contents_of(made).items()):
            room.hand(str(number), data)
            written[name] = str(number)
        return {"names": written}

    return _called("exporters", request, kept)


def _called(kind: str, request: Request, use: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Return what a function of a plugin makes of the rows; any error is a sentence."""
    tell(request["homes"])
    try:
        function = get_function(kind, request["name"])
        made = function(Rows.of(Path(request["folder"]), request["ids"]))
        try:
            return use(made)
        except PluginError as error:
            return {"failure": f"{error}{written_at(origin(function))}"}
    except AucbenchError as error:
        return {"failure": str(error)}
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # sys.exit and panics of extensions are no Exception
        return {"failure": sentence_of(error)}


def _about(metric: Any) -> dict[str, Any]:
    return {"greater_is_better": scale_of(origin(metric)).greater_is_better}
