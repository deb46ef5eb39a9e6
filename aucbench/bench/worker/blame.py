"""Name the plugin in which an exception was raised: kind, distribution, file and line.

The exception passes through solver, objective, projector and feature map, which may be of different
plugins. The innermost frame of a third party is the one to look at, since what is built in may
have been called in a wrong way. Where there is none, it is the innermost one of a built-in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb
from types import FrameType

from aucbench.errors import AucbenchError, PluginError
from aucbench.registry.discovery import CALLED, PluginEntry, entries, loaded, remembered

OURS = "aucbench"  # the package of the built-in parts that are not solvers


@contextmanager
def blamed() -> Iterator[None]:
    """Add a note to an exception that is not ours: which plugin raised it, and where.

    An `AucbenchError` is raised on purpose, and its sentence says what to do. The place is that of
    its cause, such as the `DataError` of a data set.
    """
    try:
        yield
    except PluginError as error:
        if error.__cause__ is not None and (place := place_of(error.__cause__)):
            error.add_note(place)
        raise
    except AucbenchError:
        raise
    except Exception as error:
        if place := place_of(error):
            error.add_note(place)
        raise


def place_of(error: BaseException) -> str | None:
    """Return "in the feature map maps:drop 1.0 (file, line 12)"; None if no plugin took part."""
    own = [entry for entry in entries() if loaded(entry) is not None] + [*remembered()]
    places = [
        (entry, frame, line)
        for frame, line in walk_tb(error.__traceback__)
        if (entry := _entry_of(frame, own)) is not None
    ]
    if not places:
        return None
    third = [place for place in places if not place[0].builtin]
    entry, frame, line = (third or places)[-1]
    return f"in {_called(entry, frame)} ({frame.f_code.co_filename}, line {line})"


def _entry_of(frame: FrameType, own: list[PluginEntry]) -> PluginEntry | None:
    """Return the plugin whose module the frame is in, or else one of the same package."""
    module = str(frame.f_globals.get("__name__", ""))
    top = module.partition(".")[0]
    if top == OURS:
        return None
    exact = (entry for entry in own if entry.value.partition(":")[0] == module)
    near = (entry for entry in own if entry.value.partition(":")[0].partition(".")[0] == top)
    return next(exact, None) or next(near, None)


def _called(entry: PluginEntry, frame: FrameType) -> str:
    """Return "the solver dist:name 1.0", by the class or the function that the frame is of."""
    kind = type(frame.f_locals.get("self"))
    factories = (known.factories if (known := loaded(entry)) else {}).items()
    for family, named in factories:
        for name, factory in named.items():
            if (
                getattr(factory, "__wrapped__", factory) is kind
                or getattr(factory, "__code__", None) is frame.f_code
            ):
                return f"the {CALLED[family]} {entry.distribution}:{name} {entry.version}"
    return f"the plugin {entry.qualified} {entry.version}"
