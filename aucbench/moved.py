"""Names that have another name than they had: the table `moved.toml`, and who says what it says.

Design
  a. One table serves all: imports, attributes, parameters, the command, plans, `aucbench check
     --moved`, and the page docs/moved.md.
  b. It is read when a name is missing, and never before: a start costs nothing.
  c. A deprecated name works for two minor releases, with an `AucbenchDeprecation`. Then its row
     moves to the table of what is gone, and the sentence remains.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pkgutil import resolve_name
from types import FunctionType, ModuleType
from typing import Any, TypeVar, cast
from warnings import warn

from aucbench.errors import AucbenchDeprecation

WINDOW = 2  # minor releases in which a deprecated name works
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Move:
    """One row of the table."""

    kind: str
    old: str
    new: str
    since: str  # minor release, as in 0.2
    works: bool  # whether the old name works, with a warning

    @property
    def named(self) -> bool:
        """Whether `new` is a name, and not words that say what to use."""
        return " " not in self.new

    @property
    def until(self) -> str:
        """The minor release in which the old name does not work any more."""
        major, minor = self.since.split(".")
        return f"{major}.{int(minor) + WINDOW}"

    @property
    def way_out(self) -> str:
        """What to write, and where it works, for how long the old name does."""
        still = f"; the old name works until {self.until}" if self.works else ""
        return f"since aucbench {self.since}, use {self.new}{still}"


@cache
def moves() -> tuple[Move, ...]:
    """Return the table."""
    import tomllib
    from importlib.resources import files

    text = files("aucbench").joinpath("moved.toml").read_text(encoding="utf-8")
    return tuple(
        Move(kind, old, new, since, works=state == "deprecated")
        for since, states in tomllib.loads(text).items()
        for state, kinds in states.items()
        for kind, rows in kinds.items()
        for old, new in rows.items()
    )


def move_of(kind: str, old: str) -> Move | None:
    """Return the row of an old name; None where there is none."""
    return next((move for move in moves() if (move.kind, move.old) == (kind, old)), None)


def moved_name(dotted: str) -> tuple[Move, str] | None:
    """Return the row of a module or of a name of a module, and what `dotted` is called now.

    What was in a folder that has moved may have another name there, or be gone: see `today`.
    """
    if move := move_of("names", dotted):
        return move, move.new
    parts = dotted.split(".")
    for length in range(len(parts), 1, -1):
        if move := move_of("modules", ".".join(parts[:length])):
            return move, _renamed(move, parts[length:])
    return None


def _renamed(move: Move, rest: list[str]) -> str:
    """Return what follows a module that has moved: again by the table, where that has a row."""
    if not move.named:
        return move.new
    name = ".".join([move.new, *rest])
    further = moved_name(name)
    return further[1] if rest and further else name


def today(dotted: str) -> tuple[Move, str] | None:
    """As `moved_name`, with the folder in place of a name that is not in it; it imports modules."""
    moved = moved_name(dotted)
    if moved is None or " " in moved[1]:
        return moved
    move, name = moved
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return move, move.new
    return move, name


class _Alias(Loader):
    """Gives a module that has moved its old name too."""

    def __init__(self, new: str):
        self.new = new

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in the place of the empty one."""
        sys.modules[module.__name__] = import_module(self.new)


def spec_of(dotted: str) -> ModuleSpec | None:
    """Return how a deprecated module is imported; None for a name that has never moved.

    Raises
    ------
    ImportError
        When it is a module, or a name of a package, that is gone.
    """
    if not (moved := moved_name(dotted)):
        return None
    move, _ = moved
    if move.works and move.kind == "modules":
        _warn(f"the module {dotted}", move, up=1)
        return ModuleSpec(dotted, _Alias(move.new))
    # Without the argument `name`: `from package import old` ignores an error that has it.
    if move.kind == "names":
        package, _, name = dotted.rpartition(".")
        raise ImportError(f"cannot import name {name!r} from {package!r}: {move.way_out}")
    raise ModuleNotFoundError(f"No module named {dotted!r}: {move.way_out}")


def old_attributes(
    module: str, otherwise: Callable[[str], Any] | None = None
) -> Callable[[str], Any]:
    """Return the function `__getattr__` of a module, which serves names that it had.

    A deprecated name works, and a name that is gone is an `AttributeError` with the new one.
    `otherwise` is the function that serves all other names, such as that of lazy_loader.
    """

    def attribute(name: str) -> Any:
        move = move_of("names", f"{module}.{name}")
        if move is None and otherwise is not None:
            return otherwise(name)
        if move is not None and move.works:
            place, _, new = move.new.rpartition(".")
            _warn(f"{name} of {module}", move)
            return getattr(import_module(place), new)
        hint = "" if move is None else f": {move.way_out}"
        raise AttributeError(f"module {module!r} has no attribute {name!r}{hint}")

    return attribute


def old_parameters(function: Function) -> Function:
    """Let a function take parameters by names that they had, with a warning."""
    code = cast(FunctionType, function).__code__
    known = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}

    @wraps(function)
    def called(*args: Any, **values: Any) -> Any:
        if not values.keys() <= known:
            values = _renamed_values(f"{function.__module__}.{function.__qualname__}", values)
        return function(*args, **values)

    return cast(Function, called)


def _renamed_values(function: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by their present names; the function itself refuses what is unknown."""
    renamed: dict[str, Any] = {}
    for name, value in values.items():
        move = move_of("parameters", f"{function}.{name}")
        if move is not None and move.new in values:
            raise TypeError(f"{function}() got {name} and {move.new}, which are the same")
        if move is not None and move.works:
            _warn(f"the parameter {name} of {function}", move, up=1)
            name = move.new
        elif move is not None:
            raise TypeError(f"{function}() has no parameter {name}: {move.way_out}")
        renamed[name] = value
    return renamed


def _warn(what: str, move: Move, up: int = 0) -> None:
    """Warn at the line that uses an old name: of who has called the function that calls this."""
    warn(f"{what} is deprecated: {move.way_out}", AucbenchDeprecation, stacklevel=3 + up)
