"""Objects of Python that stand in a plan by a name such as `HeavyBall()`.

They come with the request to a process, and are known in this process only. The parentheses tell
their names from all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aucbench.errors import ParameterError, PluginError
from aucbench.registry.discovery import Loaded, PluginEntry, describe_error, remember
from aucbench.registry.specs import INLINE_MARK

VERSION = "object"  # stands in place of the version of a distribution

_given: dict[tuple[str, str], Callable[[], Callable[..., Any]]] = {}
_known: dict[tuple[str, str], tuple[PluginEntry, Callable[..., Any]]] = {}


def register_object(kind: str, name: str, make: Callable[[], Callable[..., Any]]) -> None:
    """Make a name known in this process; `make` returns its factory when that is asked for."""
    _given[kind, name] = make
    _known.pop((kind, name), None)  # of another object, where this process has had one


def find_object(kind: str, name: str) -> tuple[PluginEntry, str, Callable[..., Any]] | None:
    """Return what a name with parentheses means; None when it is known as another kind.

    `ParameterError`: it is not known in this process. `PluginError`: it cannot be made here.
    """
    if (kind, name) not in _given:
        if any(name == other for _, other in _given):
            return None
        raise ParameterError(
            f"{name} was an object in a process of Python, and only that process can compute with "
            "it; give it to compare again"
        )
    if (kind, name) not in _known:
        try:
            factory = _given[kind, name]()
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:  # the import of a module may do anything
            raise PluginError(
                f"{name} cannot be brought into another process ({describe_error(error)}); define "
                "its class in a file, and name it ./FILE.py:CLASS"
            ) from error
        module = getattr(factory, "__module__", None) or ""
        label = name.removesuffix(INLINE_MARK)
        entry = PluginEntry(label, module, VERSION, module)
        remember(entry, Loaded({kind: {label: factory}}))
        _known[kind, name] = entry, factory
    entry, factory = _known[kind, name]
    return entry, entry.name, factory
