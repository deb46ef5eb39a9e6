"""Objects of Python that stand in a plan by a name such as `HeavyBall()`.

They come with the request to a process, and are known in this process only. The parentheses tell
their names from all others.
"""

from __future__ import annotations

import inspect
import pickle
from base64 import b64decode
from collections.abc import Callable
from dataclasses import fields, replace
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


def unpickle_solver(packed: str) -> Callable[..., Any]:
    """Return a function that makes a solver like one that `aucbench.bench.inline` has packed.

    Its defaults are the values of that one.
    """
    solver = pickle.loads(b64decode(packed))  # of the own parent, by a pipe

    def make(**params: Any) -> Any:
        return replace(solver, **params)

    kind = type(solver)
    own = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(solver, field.name),
            annotation=field.type,
        )
        for field in fields(solver)
        if field.init
    ]
    made: Any = make
    made.__signature__ = inspect.Signature(own)
    made.__name__, made.__module__, made.__doc__ = kind.__qualname__, kind.__module__, kind.__doc__
    made.space, made.needs, made.__wrapped__ = solver.space, solver.needs, kind
    return make


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
