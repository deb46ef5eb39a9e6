"""What a process has imported since it began, which the metadata of a plugin need not declare."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import count, takewhile
from types import ModuleType
from typing import Any

OURS = frozenset({"aucbench", "aucbench_plugins"})
_numbers = count()


def mark_imports() -> str:
    """Put an empty module at the end of `sys.modules`, and return its name.

    What is imported from now on stands behind it. The names before it are not looked at: in a
    process that was forked, a look at each of 1500 names copies 400 pages of memory.
    """
    mark = f"aucbench mark {next(_numbers)}"
    sys.modules[mark] = ModuleType(mark)
    return mark


def imported_since(mark: str) -> dict[str, str]:
    """Return the file or folder of each top-level package or module, by its name.

    The standard library, aucbench, and what comes from no file are left out. A package some of
    whose modules were there counts when another one is new. If a plugin has removed the mark, all
    modules count as new.
    """
    new = takewhile(lambda name: name != mark, reversed(sys.modules))
    tops = {name.partition(".")[0] for name in [*new]} - sys.stdlib_module_names - OURS
    places = ((top, _place(sys.modules.get(top))) for top in sorted(tops))
    return {top: place for top, place in places if place}


def _place(module: Any) -> str | None:
    known = getattr(module, "__dict__", None)  # not getattr of the names: modules may be lazy
    if not isinstance(known, Mapping):
        return None
    file, folders = known.get("__file__"), known.get("__path__")
    if file is None and folders is not None:  # a package without __init__.py
        return next((place for place in folders if isinstance(place, str)), None)
    return file if isinstance(file, str) else None
