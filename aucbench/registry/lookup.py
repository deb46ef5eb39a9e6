"""Find the class or factory for a name.

Design
  a. The order for a bare name: first a built-in with that name, then what the plugin of that
     name registers, then what exactly one other plugin registers under that name. So the
     plugin of that name is imported without the other third parties. The result does not
     depend on what was imported before.
  b. If two plugins have the same right to a bare name, it is an error. `distribution:name` is
     never ambiguous, and also finds what (a) leaves out.
  c. `file.py:Name` is a class or function in a file, whatever is installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from aucbench.errors import AucbenchError, ParameterError, PluginError, UnknownNameError
from aucbench.registry.discovery import (
    KINDS,
    NAME_PATTERN,
    Loaded,
    PluginEntry,
    enabled,
    entries,
    is_enabled,
    load,
    loaded,
    normalized,
    switched_off,
)
from aucbench.registry.loose import claimed, line_of
from aucbench.registry.shapes import fault_of_class, kind_of
from aucbench.registry.specs import in_file

WORDS = (
    *("solver", "objective", "projector", "feature map", "data set"),
    *("metric", "report section", "exporter"),
)
CALLED = dict(zip(KINDS, WORDS, strict=True))
QUALIFIED = re.compile(f"(?:({NAME_PATTERN.pattern}):)?({NAME_PATTERN.pattern})")


@dataclass(frozen=True, slots=True)
class Claim:
    """A name that a plugin registers, and the class or factory behind it."""

    entry: PluginEntry
    kind: str
    name: str
    factory: Callable[..., Any]

    @property
    def qualified(self) -> str:
        """distribution:name."""
        return f"{self.entry.distribution}:{self.name}"


@dataclass(frozen=True, slots=True)
class Plugin:
    """One row of the list of plugins.

    Attributes
    ----------
    name, distribution, version, value : str
        As in its metadata; value is the module that holds its hooks.
    builtin, enabled : bool
        Whether it comes with aucbench; whether `AUCBENCH_PLUGINS` leaves it on.
    conflicts : tuple of str
        A phrase for each name that another plugin claims too. The names that a plugin
        registers are known only if it was imported in this process.
    failure : str or None
        Why it could not be imported, if that was tried in this process.
    """

    name: str
    distribution: str
    version: str
    value: str
    builtin: bool
    enabled: bool
    conflicts: tuple[str, ...]
    failure: str | None


def plugins() -> tuple[Plugin, ...]:
    """Return all installed plugins, built-ins first, without importing them."""
    active = [e for e in entries() if is_enabled(e)]
    return tuple(
        Plugin(
            e.name,
            e.distribution,
            e.version,
            e.value,
            e.builtin,
            is_enabled(e),
            tuple(sorted(_conflicts(e, active))) if e in active else (),
            known.failure if (known := loaded(e)) else None,
        )
        for e in entries()
    )


def names(kind: str) -> list[str]:
    """Return all names of a kind, sorted; a contested name appears as `distribution:name`.

    It imports every enabled plugin.

    Raises
    ------
    UnknownNameError
        When there is no such kind.
    """
    _require_kind(kind)
    claims = _registered(kind, enabled())
    return sorted({c.name if _is_meant(c) else c.qualified for c in claims})


def find(kind: str, text: str) -> Claim:
    """Return the class or factory for `text`, a name or `distribution:name`.

    Raises
    ------
    UnknownNameError
        When no plugin registers it.
    PluginError
        When its plugin is broken or switched off, when two of them claim the name, or when the
        class does not have the shape of the contract.
    """
    found = lookup(kind, text)
    if found is None:
        raise unknown(kind, text)
    if wrong := fault_of_class(kind, found.factory):
        raise PluginError(f"{_placed(found)} is not a valid {CALLED[kind]}: {wrong}")
    return found


def _placed(claim: Claim) -> str:
    """distribution:name; of a class in a file with its line."""
    line = line_of(claim.factory) if in_file(claim.qualified) else None
    return claim.qualified if line is None else f"{claim.qualified} (line {line})"


def lookup(kind: str, text: str) -> Claim | None:
    """As `find`, but return None when no plugin registers it."""
    _require_kind(kind)
    if in_file(text) is not None:
        found = claimed(kind, text)
        return None if found is None else Claim(found[0], kind, *found[1:])
    parts = QUALIFIED.fullmatch(text)
    if parts is None:
        return None
    distribution, name = parts.groups()
    asked = [e for e in enabled() if distribution is None or _is_of(e, distribution)]
    # All built-ins come first, so that no third party can replace one of them.
    own = _within(kind, name, [e for e in asked if e.builtin])
    return own or _within(kind, name, [e for e in asked if not e.builtin])


def unknown(kind: str, text: str, further: Iterable[str] = ()) -> AucbenchError:
    """Return the error for a name that `lookup` did not find; `further` names are known too."""
    if in_file(text) is not None:
        return ParameterError(f"{text} is {_other_kind(text)}, wanted a {CALLED[kind]}")
    for e in entries():
        if not is_enabled(e) and text in (e.name, e.qualified):
            return PluginError(switched_off(e))
    distribution = text.rpartition(":")[0]
    for e in enabled() if distribution else ():
        if _is_of(e, distribution) and (known := loaded(e)) and known.failure:
            return _broken(e, known.failure)  # it may have been meant to register the name
    return UnknownNameError(CALLED[kind], text, [*names(kind), *further])


def _other_kind(text: str) -> str:
    """What a class or function in a file is."""
    found = (kind for kind in KINDS if (known := claimed(kind, text)) and kind_of(known[2]) == kind)
    return next((f"a {CALLED[kind]}" for kind in found), "no plugin")


def _within(kind: str, name: str, group: list[PluginEntry]) -> Claim | None:
    named = [e for e in group if e.name == name]
    if len(named) > 1:
        raise _contested("plugin", name, [e.qualified for e in named])
    found = _registered(kind, named, name)
    if named and not found and not named[0].builtin:
        _refuse_broken(named[0])
    found = found or _registered(kind, group, name)
    if len(found) > 1:
        raise _contested(CALLED[kind], name, [c.qualified for c in found])
    if named and not found:
        _refuse_broken(named[0])
    return found[0] if found else None


def _registered(kind: str, group: Iterable[PluginEntry], only: str | None = None) -> list[Claim]:
    """Return what these plugins register; a broken or half imported one registers nothing."""
    return [
        Claim(entry, kind, name, factory)
        for entry in group
        if (known := load(entry))
        for name, factory in known.factories.get(kind, {}).items()
        if only in (None, name)
    ]


def _refuse_broken(entry: PluginEntry) -> None:
    known = load(entry)
    if known is None:
        raise PluginError(
            f"the plugin {entry.qualified} asks for {entry.name!r} while it is imported itself; "
            "ask inside a function"
        )
    if known.failure:
        raise _broken(entry, known.failure)


def _broken(entry: PluginEntry, failure: str) -> PluginError:
    return PluginError(
        f"the plugin {entry.qualified} is broken ({failure}); see `aucbench plugins --doctor`"
    )


def _contested(called: str, name: str, ways: list[str]) -> PluginError:
    if len({*ways}) == 1:
        return PluginError(f"{ways[0]} has the {called} {name!r} {len(ways)} times; rename one")
    return PluginError(
        f"the {called} {name!r} is claimed by {len(ways)} distributions: write {' or '.join(ways)}"
    )


def _conflicts(entry: PluginEntry, active: Iterable[PluginEntry]) -> Iterator[str]:
    mine = loaded(entry) or Loaded()
    for other in active:
        if other == entry:
            continue
        if other.name == entry.name:
            yield f"plugin {entry.name!r} of {other.distribution}"
        theirs = loaded(other) or Loaded()
        for kind in mine.factories.keys() & theirs.factories.keys():
            for name in mine.factories[kind].keys() & theirs.factories[kind].keys():
                yield f"{CALLED[kind]} {name!r} of {other.distribution}"


def _is_meant(claim: Claim) -> bool:
    """Whether the bare name leads to this claim."""
    try:
        return lookup(claim.kind, claim.name) == claim
    except PluginError:
        return False


def _is_of(entry: PluginEntry, distribution: str) -> bool:
    return normalized(entry.distribution) == normalized(distribution)


def _require_kind(kind: str) -> None:
    if kind not in KINDS:
        raise UnknownNameError("kind of plugin", kind, KINDS)
