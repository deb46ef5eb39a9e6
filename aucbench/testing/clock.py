"""Another day: what the clock and the calendar say, for what runs in a context."""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

now, localtime, strftime, datetime64 = time.time, time.localtime, time.strftime, np.datetime64
DAYS = 400
SECONDS = 86400 * DAYS
# Whose own clocks go on: they time work, and pass dates to code in C.
OTHERS = sys.stdlib_module_names | {"aucbench", "numpy", "pandas", "scipy", "sklearn", "psutil"}


@contextmanager
def at_another_day() -> Iterator[None]:
    """Let plugins see a clock that is 400 days ahead, in Python, NumPy and pandas."""
    fakes = {id(real): (real, fake) for real, fake in _fakes()}
    with ExitStack() as stack:
        for owner, names in _readers():
            for name, value in names.items():
                real, fake = fakes.get(id(value), (None, None))
                if real is value and fake is not None:
                    stack.enter_context(patch.object(owner, name, fake))
        stack.enter_context(_pandas())
        yield


def _readers() -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the modules of plugins, and those of the clocks, with their names."""
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] not in OTHERS or name in ("datetime", "time", "numpy"):
            yield module, dict(vars(module))


def _fakes() -> Iterator[tuple[Any, Any]]:
    ahead = datetime.timedelta(days=DAYS)
    yield time.time, lambda: now() + SECONDS
    yield time.time_ns, lambda: int(1e9 * (now() + SECONDS))
    for function in (time.localtime, time.gmtime, time.ctime):
        yield function, _at(function)
    for real in (datetime.date, datetime.datetime):
        names = [name for name in ("today", "now", "utcnow") if hasattr(real, name)]
        yield real, _like(real, {name: _later(getattr(real, name), ahead) for name in names})
    yield time.strftime, lambda form, at=None: strftime(form, at or localtime(now() + SECONDS))
    yield datetime64, _like(datetime64, {"__new__": _datetime64})


def _at(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda seconds=None: function(now() + SECONDS if seconds is None else seconds)


def _later(method: Callable[..., Any], by: Any) -> Any:
    return staticmethod(lambda *args, **options: method(*args, **options) + by)


def _datetime64(_: Any, *args: Any) -> Any:
    value = datetime64(*args)
    return value + np.timedelta64(DAYS, "D") if args[:1] in (("today",), ("now",)) else value


def _like(real: type, members: dict[str, Any]) -> type:
    """A class that makes and knows instances of the real one, with other members."""

    class Like(type(real)):  # type: ignore[misc]
        def __instancecheck__(cls, thing: Any) -> bool:
            return isinstance(thing, real)

        def __subclasscheck__(cls, other: Any) -> bool:
            return issubclass(other, real)

    made = {"__new__": lambda _, *args, **options: real(*args, **options), **members}
    return Like(real.__name__, (real,), made)


@contextmanager
def _pandas() -> Iterator[None]:
    """Move `Timestamp.now` and `today` of pandas, where it is imported."""
    if (pandas := sys.modules.get("pandas")) is None:
        yield
        return
    stamp, by = pandas.Timestamp, pandas.Timedelta(days=DAYS)
    with ExitStack() as stack:
        for name in ("now", "today"):
            stack.enter_context(patch.object(stamp, name, _later(getattr(stamp, name), by)))
        yield
