"""Find the class or factory for a name.

Design
  a. A bare name is that of a built-in, or else of the only other plugin whose entry point has this
     name. So no other plugin is imported, and the result does not depend on what was.
  b. If two plugins have the same right to a bare name, it is an error. `distribution:name` is
     never ambiguous, and also finds what (a) leaves out.
  c. `file.py:Name` is a class or function in a file, and `Name()` an object that the request of
     this process has brought, whatever is installed.
  d. What a third party registers is reported by a process of its own (`isolated_imports`). The
     plugin is imported here then only if its class is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
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
from aucbench.hookspecs import PROJECT
from aucbench.registry.discovery import (
    ALLOWED,
    BUILT_IN,
    CALLED,
    KINDS,
    NAME_PATTERN,
    PluginEntry,
    enabled,
    entries,
    importing,
    is_enabled,
    load,
    normalized,
)
from aucbench.registry.inline import find_object
from aucbench.registry.isolated_imports import imported, known
from aucbench.registry.shapes import find_class_fault, kind_of
from aucbench.registry.source_files import find_in_file, line_of
from aucbench.registry.specs import INLINE_MARK, in_file

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


def broken_plugins() -> dict[PluginEntry, str]:
    """Return why plugins could not be imported, as far as that was tried; none is imported."""
    tried = ((entry, known(entry)) for entry in entries())
    return {entry: one.failure for entry, one in tried if one and one.failure}


def entries_named(text: str) -> list[PluginEntry]:
    """Return the plugins whose entry point has a name, with or without `distribution:` in front."""
    bare = text.rpartition(":")[2]
    return [entry for entry in entries() if entry.name == bare]


def names(kind: str) -> list[str]:
    """Return all names of a kind, sorted; a contested name appears as `distribution:name`.

    It imports every enabled plugin, those of other packages in processes of their own.
    """
    _require_kind(kind)
    return sorted(
        {
            name if _is_meant(kind, entry, name) else f"{entry.distribution}:{name}"
            for entry, module in imported(enabled()).items()
            for name in module.factories.get(kind, {})
            if entry.provides(name)
        }
    )


def _is_meant(kind: str, entry: PluginEntry, name: str) -> bool:
    """Whether the bare name leads to what this plugin registers."""
    try:
        return owner(kind, name) == (entry, name)
    except PluginError:
        return False


def find(kind: str, text: str) -> Claim:
    """Return the class or factory for `text`, a name or `distribution:name`.

    `UnknownNameError`: no plugin registers it. `PluginError`: its plugin is broken or switched off,
    two of them claim the name, or the class does not have the shape of the contract.
    """
    claim = lookup(kind, text)
    if claim is None:
        raise unknown(kind, text)
    require_shape(claim)
    return claim


def require_shape(claim: Claim) -> None:
    """Raise `PluginError` when the class does not have the shape of the contract."""
    if wrong := find_class_fault(claim.kind, claim.factory):
        other = kind_of(claim.factory) if isinstance(claim.factory, type) else None
        hook = f"; it is a {CALLED[other]}, which aucbench_{other} registers" if other else ""
        hook = "" if other == claim.kind else hook
        raise PluginError(
            f"{format_place(claim)} is not a valid {CALLED[claim.kind]}: {wrong}{hook}"
        )


def format_place(claim: Claim) -> str:
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
    owned = owner(kind, text)
    if owned is None:
        return None
    entry, name = owned
    here = load(entry)
    _refuse_broken(entry)
    assert here is not None  # else it is being imported, which is refused
    if (factory := here.factories[kind].get(name)) is None:
        raise PluginError(
            f"the plugin {entry.qualified} does not register the {CALLED[kind]} {name!r} in "
            "every process; let its hook return the same each time"
        )
    return Claim(entry, kind, name, factory)


def owner(kind: str, text: str) -> tuple[PluginEntry, str] | None:
    """Return the plugin that registers a name, and the name without its distribution.

    No plugin of another package is imported in this process, but a file that `text` names is.
    Raises as `find`, but not for the shape of the class.
    """
    _require_kind(kind)
    if (file := in_file(text)) is not None or text.endswith(INLINE_MARK):
        there = find_in_file(kind, text) if file else find_object(kind, text)
        return there and there[:2]
    parts = QUALIFIED.fullmatch(text)
    if parts is None:
        return None
    distribution, name = parts.groups()
    whose = distribution and normalized(distribution)
    asked = [e for e in enabled() if whose in (None, normalized(e.distribution))]
    # All built-ins come first, so that no third party can replace one of them.
    own = [e for e in asked if e.builtin and e.name in (kind, name)]
    third = [e for e in asked if not e.builtin and e.name == name]
    for entry in sorted(own, key=lambda e: e.name != kind):
        if _registers(entry, kind, name):
            return entry, name
    if len(third) > 1:
        ways = [e.qualified for e in third]
        if len({*ways}) == 1:
            told = f"{ways[0]} has the plugin {name!r} {len(ways)} times; rename one"
            raise PluginChoiceError(told)
        raise PluginChoiceError(
            f"the plugin {name!r} is claimed by {len(ways)} distributions: write "
            f"{' or '.join(ways)}"
        )
    for entry in third:
        if _registers(entry, kind, name):
            return entry, name
    for entry in (*own, *third):
        _refuse_broken(entry)
    return None


def _registers(entry: PluginEntry, kind: str, name: str) -> bool:
    """Whether a plugin has a name; a broken or half imported one registers nothing."""
    return name in imported([entry], asked=True)[entry].factories.get(kind, {})


def unknown(kind: str, text: str, further: Iterable[str] = ()) -> AucbenchError:
    """Return the error for a name that `lookup` did not find; `further` names are known too."""
    if in_file(text) is not None:
        there = ((other, find_in_file(other, text)) for other in KINDS)
        others = (f"a {CALLED[other]}" for other, one in there if one and kind_of(one[2]) == other)
        return ParameterError(f"{text} is {next(others, 'no plugin')}, wanted a {CALLED[kind]}")
    for e in entries():
        if not is_enabled(e) and text in (e.name, e.qualified):
            return PluginChoiceError(
                f"the plugin {e.qualified} is switched off: add it to {ALLOWED}"
            )
    return UnknownNameError(CALLED[kind], text, [*suggested_names(kind), *further])


def suggested_names(kind: str) -> set[str]:
    """Return names for a mistyped one; of other packages no plugin is imported to know its kind."""
    _require_kind(kind)
    own = [e for e in enabled() if e.builtin]
    others = ((e, known(e)) for e in enabled() if not e.builtin)
    alone = {"solvers": BUILT_IN, "datasets": PROJECT}.get(kind)  # module of entries of one thing
    return {
        *(
            name
            for e in own
            if e.name == kind and (room := load(e))
            for name in room.factories[kind]
        ),
        *(e.name for e in own if e.top == alone and e.name not in KINDS),
        *(e.name for e, one in others if one is None or e.name in one.factories.get(kind, ())),
    }


def foreign_imports(texts: Iterable[str]) -> list[str]:
    """Return what is imported of other packages, and which files, for what a user has typed."""
    names = [text.partition("[")[0] for text in texts]
    found = (entry for name in names for entry in entries_named(name))
    plugins = [e.imported for e in found if not e.builtin and is_enabled(e)]
    return [*plugins, *(name for name in names if ".py" in name)]


def _refuse_broken(entry: PluginEntry) -> None:
    if importing(entry):
        raise PluginError(
            f"the plugin {entry.qualified} asks for {entry.name!r} while it is imported itself; "
            "ask inside a function"
        )
    if (tried := known(entry)) and tried.failure:
        raise PluginError(
            f"the plugin {entry.qualified} is broken ({tried.failure}); see `aucbench plugins`"
        )


def _require_kind(kind: str) -> None:
    if kind not in KINDS:
        raise UnknownNameError("kind of plugin", kind, KINDS)
