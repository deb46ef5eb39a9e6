"""The public names of aucbench, one a line: `python tests/public_names.py` writes the list.

docs/policy.md says what is public. The list has no types, since parameters and their defaults are
what a caller relies on.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LIST = ROOT / "tests" / "public_names.txt"
ENTRY = re.compile(r"^::: ([\w.]+)(\n    options:\n      members: false)?", re.MULTILINE)


def public_names() -> list[str]:
    """Return the lines of the list, sorted."""
    import aucbench

    lines = {line for name in aucbench.__all__ for line in described(f"aucbench.{name}")}
    for page in DOCS.rglob("*.md"):
        for name, alone in ENTRY.findall(page.read_text(encoding="utf-8")):
            lines |= {line for line in documented(name) if not alone or line.startswith(f"{name}(")}
    return sorted({*lines, *_commands(), *_plugins(), *_texts()})


def documented(name: str) -> list[str]:
    """Return the lines of a name; those of the list if its library is not installed."""
    try:
        return [*described(name)]
    except ModuleNotFoundError:
        return [line for line in LIST.read_text("utf-8").splitlines() if line.startswith(name)]


def described(name: str) -> Iterator[str]:
    """Yield a line for a function, and for a class or a module also one for each of its members."""
    thing = resolved(name)
    if isinstance(thing, ModuleType):
        for member in _members_of_module(thing):
            yield from described(f"{name}.{member}")
    elif inspect.isclass(thing):
        yield from _of_class(name, thing)
    else:
        yield f"{name}{_parameters(thing)}"


def resolved(name: str) -> Any:
    """Return what a dotted name means: a module, or something in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            thing: Any = import_module(".".join(parts[:length]))
        except ModuleNotFoundError as error:
            if not str(error.name).startswith("aucbench"):
                raise
            continue
        for part in parts[length:]:
            thing = getattr(thing, part)
        return thing
    raise LookupError(name)


def _members_of_module(module: ModuleType) -> list[str]:
    listed = getattr(module, "__all__", None)
    own = (
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__
    )
    return sorted(own if listed is None else listed)


def _of_class(name: str, cls: type) -> Iterator[str]:
    if issubclass(cls, enum.Enum):
        yield f"{name}[{', '.join(member.name for member in cls)}]"
        return
    yield f"{name}{_parameters(cls)}"
    ours = [base for base in cls.__mro__ if base.__module__.startswith("aucbench")]
    for member in sorted({m for base in ours for m in vars(base) if not m.startswith("_")}):
        thing = inspect.getattr_static(cls, member)
        thing = thing.__func__ if isinstance(thing, classmethod | staticmethod) else thing
        if inspect.isfunction(thing):
            yield f"{name}.{member}{_parameters(thing)}"
        elif isinstance(thing, property):
            yield f"{name}.{member}"


def _parameters(thing: Any) -> str:
    """Return `(x, *, k=1)`; nothing where there is no signature, as of a type of arrays."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    plain = [
        p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else _Plain(p))
        for p in signature.parameters.values()
        if p.name not in ("self", "cls")
    ]
    return str(inspect.Signature(plain))


class _Plain:
    """A default as text: the same in each process."""

    def __init__(self, parameter: inspect.Parameter):
        self.text = re.sub(r" at 0x[0-9a-f]+", "", repr(parameter.default))
        if isinstance(parameter.default, enum.Enum):
            self.text = str(parameter.default)
        elif inspect.isroutine(parameter.default) or inspect.isclass(parameter.default):
            self.text = parameter.default.__name__

    def __repr__(self) -> str:
        return self.text


def _commands() -> Iterator[str]:
    """Yield each command with its options."""
    from typer.main import get_command

    from aucbench.cli import app

    yield from _of_command("aucbench", get_command(app))


def _of_command(name: str, command: Any) -> Iterator[str]:
    options = sorted(o for p in command.params for o in (*p.opts, *p.secondary_opts) if "--" in o)
    yield f"$ {name}[{', '.join(o for o in options if o != '--help')}]"
    for word, inner in sorted(getattr(command, "commands", {}).items()):
        yield from _of_command(f"{name} {word}", inner)


def _plugins() -> Iterator[str]:
    """Yield what aucbench registers, with its parameters and their defaults."""
    from aucbench.registry import describe, names
    from aucbench.registry.discovery import KINDS

    for kind in KINDS:
        for description in (describe(kind, name) for name in names(kind)):
            if description.distribution == "aucbench":
                parameters = [
                    p.name if p.required else f"{p.name}={p.default!r}"
                    for p in description.parameters
                ]
                yield f"{kind} {description.name}[{', '.join(parameters)}]"


def _texts() -> Iterator[str]:
    """Yield keys of plans, fields of records, variables, and functions for kernels."""
    from aucbench.bench.plan.toml import KEYS, TABLES
    from aucbench.bench.results.convergence import Convergence
    from aucbench.bench.results.record import documented

    yield from (f"key {key}" for key in KEYS)
    yield from (f"key {table}.{key}" for table, keys in TABLES.items() for key in keys)
    yield from (f"field {name}" for name, *_ in documented(Convergence))
    environment = (DOCS / "install.md").read_text(encoding="utf-8")
    yield from (
        f"variable {name}" for name in re.findall(r"^\| `(AUCBENCH_\w+)", environment, re.M)
    )
    kernels = (ROOT / "cython" / "aucbench_kernels.pxd").read_text(encoding="utf-8")
    for listed in re.findall(r" cimport (\([^)]*\)|[^\n]+)", kernels.partition('"""\n\n')[2]):
        yield from (f"kernel {name}" for name in re.findall(r"\w+", listed))


if __name__ == "__main__":
    LIST.write_text("".join(f"{line}\n" for line in public_names()), encoding="utf-8")
