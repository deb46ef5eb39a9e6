"""Which solvers run if nobody names one, and which ones can do what a request needs.

The lists are data of the built-in plugins, `defaults.toml` in their package. What a solver can do
is in its `Needs`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from aucbench.registry.discovery import BUILT_IN, entries, is_enabled, load
from aucbench.registry.isolated_imports import known
from aucbench.registry.lookup import find
from aucbench.registry.specs import parse_spec


@cache
def defaults() -> Mapping[str, Any]:
    """Return what `defaults.toml` says: names of solvers for each request."""
    return tomllib.loads(files(BUILT_IN).joinpath("defaults.toml").read_text("utf-8"))


def class_needs(spec: str) -> Any:
    """Return the `Needs` of the class of a solver, which may lack packages."""
    factory: Any = find("solvers", parse_spec(spec).name).factory
    return factory.needs


def is_installed(spec: str) -> bool:
    """Whether the packages of a solver are there."""
    return all(map(find_spec, class_needs(spec).packages))


def solvers_with(capability: str) -> list[str]:
    """Return the names of the registered solvers that have a capability, sorted.

    The built-in ones are imported. Of other packages only those count that are known already.
    """
    found: set[str] = set()
    for entry in entries():
        if not is_enabled(entry) or (entry.builtin and entry.top != BUILT_IN):
            continue
        plugin = load(entry) if entry.builtin else known(entry)
        registered = plugin.factories.get("solvers", {}) if plugin else {}
        found |= {name for name, one in registered.items() if capability in _capabilities(one)}
    return sorted(found)


def _capabilities(registered: Any) -> frozenset[str]:
    """Return those of a class, or of its description by another process; empty if unknown."""
    if isinstance(registered, Mapping):
        return frozenset((registered.get("needs") or {}).get("capabilities", ()))
    found = getattr(getattr(registered, "needs", None), "capabilities", None)
    return found if isinstance(found, frozenset) else frozenset()
