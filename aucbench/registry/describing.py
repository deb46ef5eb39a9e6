"""Describe what plugins register; those of other packages in processes of their own.

A description holds what JSON can hold, so that it is the same whichever process has imported the
plugin; and all of them make the one document that programs read, which has a version.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, is_dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from math import isfinite
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aucbench.about import about_of, bibtex, scale_of
from aucbench.errors import AucbenchError, MissingExtraError, PluginError
from aucbench.ranges import Range, axis_text
from aucbench.registry.discovery import (
    KINDS,
    Loaded,
    PluginEntry,
    describe_error,
    is_enabled,
    licence_of,
    load,
    loaded,
    printable,
)
from aucbench.registry.import_traces import watch_import
from aucbench.registry.isolated_imports import imported, is_supervised
from aucbench.registry.lookup import (
    Claim,
    broken_plugins,
    find,
    names,
    owner,
    require_shape,
    unknown,
)
from aucbench.registry.shapes import given_to, takes_weights
from aucbench.registry.signatures import Parameter, parameters_of

if TYPE_CHECKING:
    from pathlib import Path

    from aucbench.processes.child import Room

VERSION = 2  # of the document
ORIGIN = ("plugin", "distribution", "version", "reason")
STREAMING = ("start", "update", "weights")


@dataclass(frozen=True, slots=True)
class Description:
    """What is known of a registered name, and which plugin registers it."""

    kind: str
    name: str
    plugin: str
    distribution: str
    version: str
    licence: str = ""  # as the metadata of the distribution state it
    family: str = ""  # of a solver: the folder of its module inside its package, such as `online`
    purpose: str = ""  # purpose, sparse, certified and cites: as in `aucbench.about.About`
    doc: str = ""  # its docstring: formula, parameters with units, reference
    parameters: tuple[Parameter, ...] = ()  # in the order of definition
    # The published grids of a solver: by parameter `text` for people, and one of `values`, `range`
    # ({low, high, log, integer}) and `distribution`.
    space: tuple[Mapping[str, Mapping[str, Any]], ...] = ()
    # What a solver supports and asks for: the fields of `Needs`.
    needs: Mapping[str, Any] | None = None
    sparse: bool = False
    certified: bool = False
    streaming: bool = False  # whether it follows `aucbench.contract.Streaming`
    missing: str | None = None  # why it cannot be used: what to install, or what is wrong with it
    # Of a metric: `greater_is_better`, `low` and `high` (None without an end), and `weights`:
    # whether it takes weights of rows.
    metric: Mapping[str, Any] | None = None
    pairs: Mapping[str, str] | None = None  # `kind`, and `measure` unless parameters decide it
    cites: tuple[str, ...] = ()
    bibtex: tuple[str, ...] | None = None  # its papers; None where they cannot be read
    problem: str | None = None  # why they cannot be read, in one sentence


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
    from cattrs import structure

    return structure(answer, Description)


def described(kind: str) -> list[Description]:
    """Describe all names of a kind; `missing` says why one of them cannot be used.

    It imports every enabled plugin, those of other packages in processes of their own.
    """
    return [_described(kind, name) for name in names(kind)]


def document() -> dict[str, Any]:
    """Return as JSON holds it: a version, that of aucbench, and the description of every name.

    Under "broken" are the plugins that could not be imported, and why: `plugin`, `distribution`,
    `version` and `reason`. It imports every enabled plugin, those of other packages in processes
    of their own.
    """
    broken = [
        dict(zip(ORIGIN, (*_origin(entry), failure), strict=True))
        for entry, failure in broken_plugins().items()
        if is_enabled(entry)
    ]
    plugins = [asdict(one) for kind in KINDS for one in described(kind)]
    about = {"version": VERSION, "aucbench": version("aucbench")}
    return {**about, "plugins": plugins, "broken": broken}


def descriptions_of(name: str) -> Iterator[Description]:
    """Yield the descriptions of whatever has this name, one for each kind."""
    yield from (describe(kind, name) for kind in KINDS if owner(kind, name))


def _described(kind: str, name: str) -> Description:
    try:
        return describe(kind, name)
    except PluginError as error:
        owned = owner(kind, name)
        assert owned is not None  # it is one of `names`
        entry = owned[0]
        return Description(kind, name, *_origin(entry), licence_of(entry), missing=str(error))


def _origin(entry: PluginEntry) -> tuple[str, str, str]:
    return entry.name, entry.distribution, entry.version


def _description_of(claim: Claim) -> Description:
    """Describe what a plugin has registered in this process; it must have the right shape."""
    require_shape(claim)
    kind, factory, about = claim.kind, claim.factory, about_of(claim.factory)
    needs: Any = getattr(factory, "needs", None)  # of a property only instances know it
    known = is_dataclass(needs) and not isinstance(needs, type)
    asked = {name: plain_value(x) for name, x in asdict(needs).items()} if known else None
    # `aucbench_plugins.online.oam` → `online`
    folders = (getattr(factory, "__module__", None) or "").split(".")[1:-1]
    papers, problem = _papers(about.cites)
    return Description(
        kind,
        claim.name,
        *_origin(claim.entry),
        licence=licence_of(claim.entry),
        family=".".join(folders) if kind == "solvers" else "",
        purpose=about.purpose,
        doc=_doc(factory),
        parameters=tuple(
            replace(p, default=plain_value(p.default))
            for p in parameters_of(factory, given_to(kind, factory))
        ),
        space=_space(getattr(factory, "space", {})),
        needs=asked,
        sparse=about.sparse,
        certified=about.certified,
        streaming=all(hasattr(factory, name) for name in STREAMING),
        missing=_missing(claim.name, needs),
        metric=_metric(factory) if kind == "metrics" else None,
        pairs=_pairs(factory) if kind == "pairs" else None,
        cites=about.cites,
        bibtex=papers,
        problem=problem,
    )


def _doc(factory: Callable[..., Any]) -> str:
    docs = (factory, documented_base(factory))
    return "\n\n".join(inspect.getdoc(each) or "" for each in docs if each is not None)


def documented_base(factory: Callable[..., Any]) -> type | None:
    """Return the base class that describes the parameters of a class which describes none itself.

    What it says of them stands below the docstring of the class.
    """
    bases = inspect.getmro(factory) if isinstance(factory, type) else ()
    described = (each for each in bases if "\nParameters\n" in inspect.cleandoc(each.__doc__ or ""))
    base = next(described, None)
    return None if base is factory else base


def _papers(cites: tuple[str, ...]) -> tuple[tuple[str, ...] | None, str | None]:
    """Return the BibTeX of papers, or why it cannot be read."""
    try:
        return tuple(bibtex(cites).values()), None
    except AucbenchError as error:
        return None, str(error)


def _space(space: Any) -> tuple[dict[str, dict[str, Any]], ...]:
    grids = [space] if isinstance(space, Mapping) else space
    if not isinstance(grids, list | tuple):  # a property: only instances know
        return ()
    return tuple({name: _axis(axis) for name, axis in grid.items()} for grid in grids if grid)


def _axis(axis: Any) -> dict[str, Any]:
    """Return an axis of a grid: values, a range, or the text of a distribution."""
    text = axis_text(axis)
    if isinstance(axis, Range):
        return {"text": text, "range": asdict(axis)}
    if isinstance(axis, tuple | list):
        return {"text": text, "values": [plain_value(value) for value in axis]}
    return {"text": text, "distribution": text}


def _missing(name: str, needs: Any) -> str | None:
    """Return what to install before a solver can be used."""
    extra = getattr(needs, "extra", None)
    if extra is None or all(map(find_spec, needs.packages)):
        return None
    return str(MissingExtraError(name, extra))


def _metric(metric: Any) -> dict[str, Any]:
    """Return what a metric says of its values; an end of its range that is infinite is None."""
    scale = scale_of(metric)
    low, high = (end if isfinite(end) else None for end in (scale.low, scale.high))
    better, weighted = scale.greater_is_better, takes_weights(metric)
    return {"greater_is_better": better, "low": low, "high": high, "weights": weighted}


def _pairs(pairs: Any) -> dict[str, str]:
    known = {name: getattr(pairs, name) for name in ("kind", "measure")}
    return {name: text for name, text in known.items() if isinstance(text, str)}


def plain_value(value: Any) -> Any:
    """Return a value as JSON holds it; what JSON has no word for is a text, such as "inf"."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, tuple | list):
        return [plain_value(part) for part in value]
    if isinstance(value, frozenset):
        return sorted(map(plain_value, value))
    return repr(value)


def import_entry(
    request: Mapping[str, Any], room: Room, steps: Mapping[str, Path]
) -> dict[str, Any]:
    """Import the plugin request["entry"], and return what it registers; both may end the process.

    It is the job of a supervised process. Under "registers" is, by kind and name, a description as
    JSON holds it, or {"error": sentence}; under "failure" why it could not be imported, or None;
    and under "seconds" how long that took. With request["watched"] it is a failure too if the
    import changes what others have.
    """
    sys.path[:] = request["path"]  # the process that forked this one may be older
    begin = perf_counter()
    entry = PluginEntry(**request["entry"])
    watch: AbstractContextManager[list[str]] = nullcontext([])
    with watch_import({entry.top}) if request["watched"] else watch as changes:
        known = load(entry) or Loaded()
    seconds = perf_counter() - begin
    registers = {
        kind: {name: _answer(Claim(entry, kind, name, thing)) for name, thing in named.items()}
        for kind, named in known.factories.items()
    }
    failure = known.failure or next(map(printable, changes), None)
    return {"seconds": seconds, "registers": registers, "failure": failure}


def _answer(claim: Claim) -> dict[str, Any]:
    try:
        return asdict(_description_of(claim))
    except PluginError as error:
        return {"error": str(error)}
    except Exception as error:
        return {"error": f"{claim.qualified} cannot be described ({describe_error(error)})"}
