"""What the import of a plugin changes for all other code of its process.

Design
  a. What libraries change when they are imported is theirs: the state is read before and after each
     import of another package, and what has changed between counts as known.
  b. A replaced function is known by identity: of NumPy, SciPy, scikit-learn and aucbench, the
     callables of all modules and of their classes are compared.
"""

from __future__ import annotations

import builtins
import os
import random
import signal
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

PATCHABLE = frozenset({"numpy", "scipy", "sklearn", "aucbench"})
MEMBERS = (property, classmethod, staticmethod)  # of a class, beside what can be called
HOLDER = ""  # stands for the module or the class itself, beside the names in it
FEW = 3  # changes of one kind that a sentence names
State = dict[str, dict[Any, Any]]


@contextmanager
def watch_import(own: Collection[str]) -> Iterator[list[str]]:
    """Yield a list, which has one sentence after the context if the import has left changes.

    `own` are the top-level modules of the plugin, which is imported inside the context.
    """
    first, known, import_before = _state(), _state(), builtins.__import__

    def import_watched(
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002 - they can be given by name
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        importer = _top((globals or {}).get("__name__"))
        if level or importer not in own or _top(name) in own or _is_loaded(name, fromlist):
            return import_before(name, globals, locals, fromlist or (), level)
        before = _state()
        try:
            return import_before(name, globals, locals, fromlist or (), level)
        finally:
            _add_changes(known, before, _state())

    told: list[str] = []
    builtins.__import__ = import_watched
    try:
        yield told
    finally:
        builtins.__import__ = import_before
        last = _state()
        changes = {what: _changed(first[what], known[what], last[what]) for what in SETTINGS}
        changes[FUNCTIONS] = _replaced(known[FUNCTIONS], last[FUNCTIONS])
        if each := [f"{what} ({_listed(names)})" for what, names in changes.items() if names]:
            told.append(f"its import changes {' and '.join(each)}, for all code of its process")


def _listed(names: Collection[str]) -> str:
    some = sorted(names)
    further = f" and {len(some) - FEW} more" if len(some) > FEW else ""
    return f"{', '.join(some[:FEW])}{further}"


def _top(module: object) -> str:
    return module.partition(".")[0] if isinstance(module, str) else ""


def _is_loaded(name: str, members: Collection[str] | None) -> bool:
    """Whether an import statement loads no module."""
    module = sys.modules.get(name)
    return module is not None and all(member in vars(module) for member in members or ())


def _state() -> State:
    return {**{what: dict(look()) for what, look in SETTINGS.items()}, FUNCTIONS: _callables()}


def _add_changes(known: State, before: State, after: State) -> None:
    """Add to what is known what another package has changed, unless the plugin had before."""
    for what, now in after.items():
        for key in now.keys() | before[what].keys():
            old, new = before[what].get(key), now.get(key)
            if old is not new and known[what].get(key) == old:
                known[what][key] = new


def _changed(
    first: Mapping[Any, Any], known: Mapping[Any, Any], last: Mapping[Any, Any]
) -> set[str]:
    """Return the names of settings that are neither as they are known, nor as they were first."""
    names = known.keys() | last.keys()
    return {name for name in names if last.get(name) not in (known.get(name), first.get(name))}


def _replaced(known: Mapping[Any, Any], last: Mapping[Any, Any]) -> set[str]:
    """Return the names of callables that are others now, and of those that other code has added."""
    found = set()
    for (holder, name), now in last.items():
        old, place = known.get((holder, name)), getattr(now, "__module__", None)
        added = old is None and place is not None and _top(place) not in PATCHABLE
        # A class that follows a protocol gets its `__init__` from there when it is used first.
        replaced = old is not None and old is not now and getattr(old, "__module__", "") != "typing"
        if (added and (holder, HOLDER) in known) or replaced:
            parent = f"{holder.__module__}." if isinstance(holder, type) else ""
            found.add(f"{parent}{holder.__name__}.{name}")
    return found


def _callables() -> dict[Any, Any]:
    """Return what can be called, by the module or the class that has it, and the name there."""
    found: dict[Any, Any] = {}
    for place, module in [*sys.modules.items()]:
        if _top(place) not in PATCHABLE or not hasattr(module, "__dict__"):
            continue
        found[module, HOLDER] = module
        for name, thing in [*vars(module).items()]:
            if not callable(thing):
                continue
            found[module, name] = thing
            if isinstance(thing, type) and thing.__module__ == place:
                found[thing, HOLDER] = thing
                members = [*vars(thing).items()]
                found |= {
                    (thing, k): v for k, v in members if callable(v) or isinstance(v, MEMBERS)
                }
    return found


def handlers() -> Mapping[str, Any]:
    """Return the handlers of signals."""
    return {s.name: signal.getsignal(s) for s in signal.Signals if s in signal.valid_signals()}


def filters() -> Mapping[str, int]:
    """Return filters of warnings as texts, each with the number of those that come after it."""
    found = []
    for action, text, kind, module, line in warnings.filters:
        parts = (getattr(text, "pattern", text), getattr(module, "pattern", module), line)
        told = (action, getattr(kind, "__name__", kind), *filter(None, parts))
        found.append(" ".join(map(str, told)))
    return {told: after for after, told in enumerate(reversed(found))}


def generators() -> Mapping[str, Any]:
    """Return the states of the global generators of random numbers."""
    kind, key, *rest = np.random.get_state()  # noqa: NPY002
    return {"numpy.random": (kind, bytes(np.asarray(key)), *rest), "random": random.getstate()}


SETTINGS: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "variables of the environment": lambda: dict(os.environ),
    "handlers of signals": handlers,
    "reactions to errors of NumPy (np.seterr)": lambda: dict(np.geterr()),
    "filters of warnings": filters,
    "states of the global generators": generators,
}
FUNCTIONS = "functions of others"
