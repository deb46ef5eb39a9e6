"""Find the class or factory for a name.

Design
  a. The order for a bare name: first a built-in with that name, then what the plugin of that
     name registers, then what exactly one other plugin registers under that name. So the
     plugin of that name is imported without the other third parties. The result does not
     depend on what was imported before.
  b. If two plugins have the same right to a bare name, it is an error. `distribution:name` is
     never ambiguous, and also finds what (a) leaves out.
  c. `file.py:Name` is a class or function in a file, and `Name()` an object that the request of
     this process has brought, whatever is installed.
  d. What a third party registers is told by a process of its own (`visits`). Only the plugin
     that has the name is imported here then, and only if its class is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from inspect import getsourcefile
from typing import Any

from aucbench.errors import (
    AucbenchError,
    ParameterError,
    PluginChoiceError,
    PluginError,
    UnknownNameError,
)
from aucbench.registry.discovery import (
    KINDS,
    NAME_PATTERN,
    PluginEntry,
    enabled,
    entries,
    importing,
    is_enabled,
    load,
    normalized,
    switched_off,
)
from aucbench.registry.given import claimed_given
from aucbench.registry.shapes import fault_of_class, kind_of
from aucbench.registry.source_files import claimed, line_of
from aucbench.registry.specs import GIVEN_MARK, in_file
from aucbench.registry.visits import Home, Visit, is_supervised, known, visited

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
        return _qualified(self.entry, self.name)


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
        registers are known only if it was imported, here or for a lookup.
    failure : str or None
        Why it could not be imported, if that was tried.
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
            found.failure if (found := known(e)) else None,
        )
        for e in entries()
    )


def names(kind: str) -> list[str]:
    """Return all names of a kind, sorted; a contested name appears as `distribution:name`.

    It imports every enabled plugin, those of other packages in processes of their own.

    Raises
    ------
    UnknownNameError
        When there is no such kind.
    """
    _require_kind(kind)
    found = _registered(kind, enabled())
    return sorted({name if _is_meant(kind, e, name) else _qualified(e, name) for e, name in found})


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
    require_shape(found)
    return found


def require_shape(claim: Claim) -> None:
    """Raise `PluginError` when the class does not have the shape of the contract."""
    if wrong := fault_of_class(claim.kind, claim.factory):
        other = kind_of(claim.factory) if isinstance(claim.factory, type) else None
        hook = f"; it is a {CALLED[other]}, which aucbench_{other} registers" if other else ""
        hook = "" if other == claim.kind else hook
        raise PluginError(f"{placed(claim)} is not a valid {CALLED[claim.kind]}: {wrong}{hook}")


def placed(claim: Claim) -> str:
    """As `origin`; of a class in a file the path stands once, with its line."""
    if in_file(claim.qualified) is None:
        return origin(claim)
    line = line_of(claim.factory)
    return claim.qualified if line is None else f"{claim.qualified} (line {line})"


def origin(claim: Claim) -> str:
    """distribution:name and version, with the file and line where it begins."""
    line = line_of(claim.factory)
    where = "" if line is None else f" ({getsourcefile(claim.factory)}, line {line})"
    return f"{claim.qualified} {claim.entry.version}{where}"


def lookup(kind: str, text: str) -> Claim | None:
    """As `find`, but return None when no plugin registers it; the class may have any shape."""
    found = owner(kind, text)
    if found is None:
        return None
    entry, name = found
    loaded = load(entry)
    _refuse_broken(entry)
    assert loaded is not None  # else it is being imported, which is refused
    if (factory := loaded.factories[kind].get(name)) is None:
        raise PluginError(
            f"the plugin {entry.qualified} does not register the {CALLED[kind]} {name!r} in "
            "every process; let its hook return the same each time"
        )
    return Claim(entry, kind, name, factory)


def owner(kind: str, text: str, *, far: bool = True) -> tuple[PluginEntry, str] | None:
    """Return the plugin that registers a name, and the name without its distribution.

    No plugin of another package is imported in this process, but a file that `text` names is.

    Parameters
    ----------
    kind, text : str
        As in `find`.
    far : bool
        Whether plugins of other packages with another name than this are asked too.

    Raises
    ------
    PluginError
        As `find`, but for the shape of the class.
    """
    _require_kind(kind)
    if in_file(text) is not None:
        there = claimed(kind, text)
        return None if there is None else there[:2]
    if text.endswith(GIVEN_MARK):
        there = claimed_given(kind, text)
        return None if there is None else there[:2]
    parts = QUALIFIED.fullmatch(text)
    if parts is None:
        return None
    distribution, name = parts.groups()
    asked = [e for e in enabled() if distribution is None or _is_of(e, distribution)]
    # All built-ins come first, so that no third party can replace one of them.
    own = _within(kind, name, [e for e in asked if e.builtin])
    found = own or _within(kind, name, [e for e in asked if not e.builtin], far=far)
    return None if found is None else (found, name)


def home(kind: str, text: str) -> Home | None:
    """Return (kind, name, distribution:plugin) of a name that is not that of its plugin.

    `visits.tell` takes it in a supervised process, which cannot find it out. None: no plugin of
    another package registers it, or the one with its name does.

    Raises
    ------
    PluginError
        As `find`, but for the shape of the class.
    """
    alone = text.endswith(GIVEN_MARK) or in_file(text)
    found = None if alone else owner(kind, text)
    if found is None and (unusable := _unusable(text)) is not None:
        raise unusable
    if found is None or found[0].builtin or found[0].name == found[1]:
        return None
    return kind, found[1], found[0].qualified


def unknown(kind: str, text: str, further: Iterable[str] = ()) -> AucbenchError:
    """Return the error for a name that `lookup` did not find; `further` names are known too."""
    if in_file(text) is not None:
        return ParameterError(f"{text} is {_other_kind(text)}, wanted a {CALLED[kind]}")
    if (unusable := _unusable(text)) is not None:
        return unusable
    return UnknownNameError(CALLED[kind], text, [*suggested(kind), *further])


def suggested(kind: str) -> list[str]:
    """As `names`; a supervised process asks no plugin, and most plugins register their own name."""
    third = [e.name for e in enabled() if not e.builtin] if is_supervised() else []
    return [*names(kind), *third]


def _unusable(text: str) -> PluginError | None:
    """Return why the plugin that was meant cannot be used: it is switched off or broken."""
    for e in entries():
        if not is_enabled(e) and text in (e.name, e.qualified):
            return PluginChoiceError(switched_off(e))
    distribution = text.rpartition(":")[0]
    for e in enabled() if distribution else ():
        if _is_of(e, distribution) and (found := known(e)) and found.failure:
            return _broken(e, found.failure)  # it may have been meant to register the name
    return None


def _other_kind(text: str) -> str:
    """What a class or function in a file is."""
    found = (kind for kind in KINDS if (known := claimed(kind, text)) and kind_of(known[2]) == kind)
    return next((f"a {CALLED[kind]}" for kind in found), "no plugin")


def _within(
    kind: str, name: str, group: list[PluginEntry], *, far: bool = True
) -> PluginEntry | None:
    named = [e for e in group if e.name == name]
    if len(named) > 1:
        raise _contested("plugin", name, [e.qualified for e in named])
    found = _registered(kind, named, name, asked=True)
    if named and not found and not named[0].builtin:
        _refuse_broken(named[0])
    if far:
        # That of the name of a kind has nearly all of it; the others are imported if it has not.
        main = [e for e in group if e.builtin and e.name == kind]
        found = found or _registered(kind, main, name) or _registered(kind, group, name)
    if len(found) > 1:
        raise _contested(CALLED[kind], name, [_qualified(*one) for one in found])
    if named and not found:
        _refuse_broken(named[0])
    return found[0][0] if found else None


def _registered(
    kind: str, group: Iterable[PluginEntry], only: str | None = None, *, asked: bool = False
) -> list[tuple[PluginEntry, str]]:
    """Return what these plugins register; a broken or half imported one registers nothing."""
    return [
        (entry, name)
        for entry, found in visited(group, asked=asked).items()
        for name in found.registers.get(kind, {})
        if only in (None, name)
    ]


def _refuse_broken(entry: PluginEntry) -> None:
    if importing(entry):
        raise PluginError(
            f"the plugin {entry.qualified} asks for {entry.name!r} while it is imported itself; "
            "ask inside a function"
        )
    if (found := known(entry)) and found.failure:
        raise _broken(entry, found.failure)


def _broken(entry: PluginEntry, failure: str) -> PluginError:
    return PluginError(
        f"the plugin {entry.qualified} is broken ({failure}); see `aucbench plugins --doctor`"
    )


def _contested(called: str, name: str, ways: list[str]) -> PluginError:
    if len({*ways}) == 1:
        return PluginChoiceError(
            f"{ways[0]} has the {called} {name!r} {len(ways)} times; rename one"
        )
    return PluginChoiceError(
        f"the {called} {name!r} is claimed by {len(ways)} distributions: write {' or '.join(ways)}"
    )


def _conflicts(entry: PluginEntry, active: Iterable[PluginEntry]) -> Iterator[str]:
    mine = known(entry) or Visit()
    for other in active:
        if other == entry:
            continue
        if other.name == entry.name:
            yield f"plugin {entry.name!r} of {other.distribution}"
        theirs = known(other) or Visit()
        for kind in mine.registers.keys() & theirs.registers.keys():
            for name in mine.registers[kind].keys() & theirs.registers[kind].keys():
                yield f"{CALLED[kind]} {name!r} of {other.distribution}"


def _is_meant(kind: str, entry: PluginEntry, name: str) -> bool:
    """Whether the bare name leads to what this plugin registers."""
    try:
        return owner(kind, name) == (entry, name)
    except PluginError:
        return False


def _qualified(entry: PluginEntry, name: str) -> str:
    return f"{entry.distribution}:{name}"


def _is_of(entry: PluginEntry, distribution: str) -> bool:
    return normalized(entry.distribution) == normalized(distribution)


def _require_kind(kind: str) -> None:
    if kind not in KINDS:
        raise UnknownNameError("kind of plugin", kind, KINDS)
