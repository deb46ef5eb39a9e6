"""Plugins of the entry-point group `aucbench`: found without import, imported one by one.

Design
  a. Plugins are found by their metadata only. A plugin is imported on first use, alone. An
     exception in its import is stored with this plugin and does not affect others.
  b. An entry point names a class, or a module whose hooks register several things. Its name is the
     name that it registers. So it is known who has a name before anything is imported. Only the
     built-in parts, such as projectors, have one entry point for all of a kind.
  c. Each plugin has a pluggy manager of its own. A shared manager would stop at the first
     broken plugin, and of two equal names it would silently use the first.
  d. A plugin may use the registry while it is imported. This module holds no lock then: a
     lock around the import lock of Python could deadlock.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, PackageMetadata, distributions, version
from inspect import isroutine
from threading import local
from types import MappingProxyType, ModuleType
from typing import Any

import pluggy

from aucbench import hookspecs
from aucbench.about import about_of
from aucbench.errors import PluginError, UnknownNameError, short, written_at
from aucbench.hookspecs import PROJECT, Factories
from aucbench.registry.shapes import kind_of

ALLOWED = "AUCBENCH_PLUGINS"
BUILT_IN = "aucbench_plugins"  # the package of the built-in plugins
PREFIX = f"{PROJECT}_"  # of the name of a hook
CALLED = {
    "solvers": "solver",
    "objectives": "objective",
    "projectors": "projector",
    "features": "feature map",
    "pairs": "kind of pairs",
    "datasets": "data set",
    "metrics": "metric",
}
KINDS = tuple(CALLED)
FUNCTIONS = ("datasets", "metrics")  # kinds that are registered as functions
HOOK_MARK = f"{PROJECT}_impl"  # attribute by which pluggy knows what `hookimpl` has marked
LONGEST_REASON = 300
NAME_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class PluginEntry:
    """One plugin as described by its metadata; every text in it is safe to print."""

    name: str
    distribution: str
    version: str
    value: str  # module:Class, or a module with hooks
    location: str = ""
    fault: str | None = None  # why it cannot be imported, seen from its metadata

    @property
    def builtin(self) -> bool:
        """Whether it comes with aucbench."""
        return normalized(self.distribution) == PROJECT

    @property
    def top(self) -> str:
        """The top-level module."""
        return re.split(r"[.:]", self.value)[0]

    @property
    def imported(self) -> str:
        """What people wait for while it is imported."""
        return f"{self.name} ({self.value.replace(':', '.')})"

    @property
    def qualified(self) -> str:
        """distribution:name, which is always unambiguous."""
        return f"{self.distribution}:{self.name}"

    def provides(self, name: str) -> bool:
        """Whether a name that its hooks register is found by this entry point."""
        return name == self.name or (self.builtin and self.name in KINDS)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of the import of a plugin: factories by kind and name, or why it failed."""

    factories: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    failure: str | None = None
    limit: float | None = None  # seconds of an import in another process, where they were up
    ending: str = "ok"  # of that process: ok, error (it raised), crash, or timeout
    seconds: float = 0.0  # until its hooks had answered, without our own libraries


# Kept until the process ends, as Python keeps imported modules.
_loaded: dict[PluginEntry, Loaded] = {}
_remembered: dict[PluginEntry, None] = {}  # in the order of their use
_thread = local()


def normalized(distribution: str) -> str:
    """Return the normalized name of a distribution (PEP 503): equal for all its spellings."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def stated_in(about: PackageMetadata, field: str) -> str:
    """Return a field of the metadata of a distribution, empty where there is none.

    Some versions of `importlib.metadata`, and `importlib_metadata` where it is imported, raise
    KeyError for a field that is not there; others return None.
    """
    return about[field] if field in about else ""  # noqa: SIM401 - it has no method get


@lru_cache(maxsize=64)
def licence_of(entry: PluginEntry) -> str:
    """Return the licence that the metadata of a distribution state; empty where they do not."""
    for distribution in distributions(name=entry.distribution, path=[entry.location]):
        about = distribution.metadata
        classes = (c.split(" :: ") for c in about.get_all("Classifier") or ())
        classified = [words[-1] for words in classes if words[0] == "License"]
        stated = (
            stated_in(about, "License-Expression"),
            *classified[:1],
            stated_in(about, "License"),
        )
        return printable(next(filter(None, stated), "").partition("\n")[0])
    return ""


def entries() -> tuple[PluginEntry, ...]:
    """Return all installed plugins, built-ins first, without importing them."""
    return _entries(tuple(sys.path))


def enabled() -> tuple[PluginEntry, ...]:
    """Return the built-ins and the plugins that `AUCBENCH_PLUGINS` names; all if it is not set.

    Its entries are names or `distribution:name`. An empty list leaves no plugin of another package
    on. One that names no installed plugin is an error.
    """
    known = {name for e in entries() for name in (e.name, e.qualified)}
    for name in sorted((_allowed() or set()) - known):
        raise UnknownNameError(f"plugin in {ALLOWED}", name, known)
    return tuple(e for e in entries() if is_enabled(e))


def is_enabled(entry: PluginEntry) -> bool:
    """Whether `AUCBENCH_PLUGINS` leaves this plugin on."""
    allowed = _allowed()
    return entry.builtin or allowed is None or not allowed.isdisjoint((entry.name, entry.qualified))


def loaded(entry: PluginEntry) -> Loaded | None:
    """Return the result of the import in this process; None before its first use."""
    return Loaded(failure=entry.fault) if entry.fault else _loaded.get(entry)


def load(entry: PluginEntry) -> Loaded | None:
    """Import a plugin, at most once per process; None while it is being imported."""
    if (known := loaded(entry)) is not None:
        return known
    busy = _thread.__dict__.setdefault("importing", set())
    if entry in busy:
        return None
    busy.add(entry)
    try:
        found = Loaded(_factories(entry))
    except _Unfinished:
        return None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, and panics of extensions in Rust
        found = Loaded(failure=describe_error(error))
    finally:
        busy.discard(entry)
    return _loaded.setdefault(entry, found)


def remember(entry: PluginEntry, loaded: Loaded) -> None:
    """Remember what was found in another way than by an entry point, so that `loaded` knows it."""
    _loaded[entry] = loaded
    _remembered[entry] = None


def remembered() -> tuple[PluginEntry, ...]:
    """Return what `remember` was given, as if each were a plugin."""
    return (*_remembered,)


def importing(entry: PluginEntry) -> bool:
    """Whether this thread is importing the plugin."""
    return entry in _thread.__dict__.get("importing", ())


def describe_error(error: BaseException) -> str:
    """Return class and message on one printable line."""
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be shown)"
    return printable(f"{type(error).__name__}: {text}")


def printable(text: str) -> str:
    """Return `text` as one line without control characters, cut at `LONGEST_REASON`."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


class _Unfinished(Exception):
    """A plugin asks for itself while its module is being imported."""


def _factories(entry: PluginEntry) -> Mapping[str, Factories]:
    point = EntryPoint(entry.name, entry.value, PROJECT)
    module = import_module(point.module)
    # A module whose import has not finished has no hooks yet: the result would be empty.
    if getattr(module.__spec__, "_initializing", False):
        raise _Unfinished
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    plugin = _plugin_of(entry, point.load()) if point.attr else module
    require_known_hooks(plugin, entry.value)
    manager.register(plugin, entry.name)
    manager.check_pending()
    if not manager.get_hookcallers(plugin):
        raise PluginError(
            f"{entry.value} has no function marked with aucbench.hookimpl; name its class in the "
            f'entry point, as in {entry.name} = "{entry.value}:MyClass"'
        )
    factories = {kind: _factories_of(manager, kind) for kind in KINDS}
    _require_entry_points(entry, factories)
    return MappingProxyType(factories)


def _plugin_of(entry: PluginEntry, thing: Any) -> ModuleType:
    """Return a plugin whose hook registers a class, or a function, under the name of its entry."""
    kind = kind_of(thing)
    if kind is None:
        raise PluginError(
            f"{entry.value} is {short(thing)}{written_at(thing)}, whose kind is not clear; inherit "
            "from a protocol of aucbench.contract, such as Solver; of a function, say what it "
            "returns: a data set -> Data, a metric -> float; or write a hook"
        )
    plugin = ModuleType(entry.name)

    def registered() -> Factories:
        return {entry.name: thing}

    setattr(plugin, f"{PREFIX}{kind}", hookspecs.hookimpl(registered))
    return plugin


def _require_entry_points(entry: PluginEntry, factories: Mapping[str, Factories]) -> None:
    """Raise `PluginError` for a name that nobody would find, as no entry point has it."""
    mine = [e for e in entries() if normalized(e.distribution) == normalized(entry.distribution)]
    for kind, named in factories.items():
        for name in named:
            if not any(e.provides(name) for e in mine):
                raise PluginError(
                    f"it registers the {CALLED[kind]} {name!r}, which no entry point of "
                    f'{entry.distribution} names; write the line {name} = "{entry.value}" below '
                    f"[project.entry-points.{PROJECT}], and install it again"
                )


def require_known_hooks(plugin: Any, named: str) -> None:
    """Raise `PluginError` when a module or class has a function named like a hook, and it is none.

    Nothing would ever call it, and what it registers would be missing without a word.
    """
    known = [name for name in vars(hookspecs) if name.startswith(PREFIX)]
    for name, thing in vars(plugin).items() if hasattr(plugin, "__dict__") else ():
        if name in known and not hasattr(hook := getattr(plugin, name), HOOK_MARK):
            raise PluginError(
                f"{named} has {name}, which is {short(hook)}{written_at(hook)}; wanted a function "
                "with @hookimpl above it"
            )
        if name.startswith(PREFIX) and isroutine(thing) and name not in known:
            [near] = get_close_matches(name, known, 1, cutoff=0.0)
            raise PluginError(
                f"{named} has the function {name}, which is no hook; did you mean {near}?"
            )


def _factories_of(manager: pluggy.PluginManager, kind: str) -> Factories:
    hook: Any = getattr(manager.hook, f"aucbench_{kind}")
    if not hook.get_hookimpls():
        return {}
    where = f"{hook.name}{written_at(hook.get_hookimpls()[0].function)}"
    wanted = "function" if kind in FUNCTIONS else "class"
    try:
        answer = next(iter(hook()), None)  # pluggy leaves out an answer of None
    except (Exception, SystemExit) as error:
        raise PluginError(f"{where} raised {describe_error(error)}") from error
    if not isinstance(answer, Mapping):
        raise PluginError(f"{where} returned {short(answer)}, wanted a mapping of name to {wanted}")
    for name, factory in answer.items():
        if not (isinstance(name, str) and NAME_PATTERN.fullmatch(name)):
            raise PluginError(f"{where} names {short(name)}; use letters, digits and . _ -")
        if not callable(factory):
            raise PluginError(f"{where} has {short(factory)} under {name!r}, wanted a {wanted}")
        try:
            about_of(factory)  # which refuses what lists could not print
        except PluginError as error:
            raise PluginError(
                f"{where} has under {name!r} what cannot be listed: {error}"
            ) from error
    return MappingProxyType(dict(answer))


def _allowed() -> set[str] | None:
    """Return the names in `AUCBENCH_PLUGINS`; None if it is not set."""
    text = os.environ.get(ALLOWED)
    return None if text is None else {name.strip() for name in text.split(",") if name.strip()}


@lru_cache(maxsize=4)
def _entries(path: tuple[str, ...]) -> tuple[PluginEntry, ...]:
    entries_of: dict[str, tuple[PluginEntry, ...]] = {}
    for distribution in distributions(path=[*path]):
        of_this = _entries_of(distribution)
        # The first copy on the path is the one that Python imports (editable install and wheel).
        if of_this:
            entries_of.setdefault(normalized(of_this[0].distribution), of_this)
    every = [entry for of_one in entries_of.values() for entry in of_one]
    return tuple(sorted(every, key=lambda e: (not e.builtin, e.name, e.distribution)))


def _entries_of(distribution: Distribution) -> tuple[PluginEntry, ...]:
    place = str(distribution.locate_file(""))
    try:
        points = [p for p in distribution.entry_points if p.group == PROJECT]
        if not points:
            return ()
        about = distribution.metadata
        known = [_entry(point, about["Name"], about["Version"], place) for point in points]
        own = normalized(known[0].distribution) == PROJECT
        if unmet := None if own else _unmet(about.get_all("Requires-Dist") or ()):
            known = [replace(entry, fault=entry.fault or unmet) for entry in known]
    except Exception as error:  # the metadata of others may be malformed in any way
        fault = f"the metadata of a distribution cannot be read: {describe_error(error)}"
        return (PluginEntry("unreadable", _safe(place), "", "", place, fault),)
    return tuple(dict.fromkeys(known))


def _unmet(requirements: Iterable[str]) -> str | None:
    """Return which version of aucbench a distribution asks for, when another one is here.

    Other requirements are the task of the installer: packages may be there without metadata.
    """
    from packaging.requirements import Requirement

    for text in requirements:
        if not normalized(text).startswith(PROJECT):
            continue
        asked = Requirement(text)
        if normalized(asked.name) != PROJECT or (asked.marker and not asked.marker.evaluate()):
            continue
        if not asked.specifier.contains(here := version(PROJECT), prereleases=True):
            return f"it requires {PROJECT}{asked.specifier}, and {here} is installed"
    return None


def _entry(point: EntryPoint, distribution: str, version: str, place: str) -> PluginEntry:
    fault, value = None, _safe(point.value)
    if not all(NAME_PATTERN.fullmatch(text) for text in (point.name, distribution)):
        names = f"{_safe(distribution)}:{_safe(point.name)}"
        fault = f"the name {names} holds more than letters, digits and . _ -"
    elif not EntryPoint.pattern.match(point.value):
        fault = f"its value {value} is not module or module:object"
    else:
        value = f"{point.module}:{point.attr or ''}".removesuffix(":")
    return PluginEntry(_safe(point.name), _safe(distribution), _safe(version), value, place, fault)


def _safe(text: str) -> str:
    """Return `text` with ? for control characters, markup and spaces."""
    return re.sub(r"[^\w./:+!-]", "?", text, flags=re.ASCII)
