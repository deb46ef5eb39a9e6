"""Options by groups: a frozen dataclass becomes options, and a command gets an instance of it.

Design
  a. An option has the name, the type and the default of its field, and as help what the docstring
     of the dataclass says of the attribute. So an option is described in one place.
  b. Help is plain text, by groups. The panels of typer would take rich, which is slow to import.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import Field
from functools import wraps
from inspect import Parameter, signature
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from aucbench.errors import ParameterError
from aucbench.options import Option, OptionGroup, list_options, make_options

KINDS = (
    bool,
    str,
    float,
    int,
    Path,
)  # of an option; of a union the first one here that it has, else str
FILES = "How files are read"  # heading of the options of `ReadOptions`
Command = TypeVar("Command", bound=Callable[..., Any])


def grouped(command: Command) -> Command:
    """Let a command take instances of dataclasses, whose fields become options.

    A parameter says so by its annotation, as in `Annotated[ReadOptions, OptionGroup("Files")]`.

    The metadata of a field may say `"whole": True`, for texts that are not divided at commas,
    `"alone": words`, for words that are handed over as text where they are the only entry, and
    `"negatable": True`, for a switch that --no-NAME turns off.
    """
    found = signature(command, eval_str=True)
    groups = {p.name: one for p in found.parameters.values() if (one := _group(p.annotation))}
    options: list[Parameter] = []
    for p in found.parameters.values():
        own = map(_parameter, list_options(*groups[p.name])) if p.name in groups else [p]
        options += own

    @wraps(command)
    def called(**values: Any) -> Any:
        for name, (cls, group) in groups.items():
            own = [option.field for option in list_options(cls, group)]
            given = {f.name: _value(f, values.pop(f.name)) for f in own}
            given = {f.name: given[f.name] for f in own if given[f.name] != f.default}
            values[name] = _make(cls, given, group)
        return command(**values)

    keywords = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in options]
    called.__signature__ = found.replace(parameters=keywords)  # type: ignore[attr-defined]
    return called  # type: ignore[return-value]


def _make(cls: type, given: dict[str, Any], group: OptionGroup) -> Any:
    """Return an instance of a dataclass; one that reads raw options has the method `of` for it."""
    read: Callable[[dict[str, Any]], Any] | None = getattr(cls, "of", None)
    return make_options(cls, given, without=group.without) if read is None else read(given)


def _group(annotation: Any) -> tuple[type, OptionGroup] | None:
    if get_origin(annotation) is Annotated and isinstance(annotation.__metadata__[0], OptionGroup):
        return annotation.__origin__, annotation.__metadata__[0]
    return None


def _parameter(option: Option) -> Parameter:
    f = option.field
    kind, default = _kind(f.type), f.default
    if kind is list:
        kind, default = list[str], None
    shown = typer.Option(_written(f), help=option.description, rich_help_panel=option.heading)
    hint = kind if default is not None else kind | None
    return Parameter(
        f.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[hint, shown]
    )


def _written(f: Field[Any]) -> str:
    """Return how an option is written; typer alone would add --no-NAME to each switch."""
    name = _dashed(f.name)
    return f"--{name}/--no-{name}" if f.metadata.get("negatable") else f"--{name}"


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _kind(hint: Any) -> Any:
    """Return the type of an option by the text of its annotation, whose names need no import."""
    words = re.findall(r"\w+", str(hint))
    return list if "tuple" in words else next((k for k in KINDS if k.__name__ in words), str)


def _value(f: Field[Any], value: Any) -> Any:
    """Return the value of a field: entries that commas divide as a tuple."""
    if value is None or (isinstance(value, list) and not value):
        return f.default
    if not isinstance(value, list):
        return value
    parts = tuple(value) if f.metadata.get("whole") else entries(_dashed(f.name), value)
    return parts[0] if parts in [(word,) for word in f.metadata.get("alone", ())] else parts


def entries(option: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the entries of an option that can be repeated and takes commas.

    Raises
    ------
    ParameterError
        When an entry is empty.
    """
    parts = tuple(part.strip() for text in texts for part in text.split(","))
    if "" in parts:
        raise ParameterError(f"--{option} has an empty entry; write it like --{option} a,b")
    return parts


class GroupedCommand(TyperCommand):
    """A command whose help shows its options by groups, those without one first."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of a command.

        Raises
        ------
        ParameterError
            When an option is one of other commands only, or when a word follows a switch, and the
            command takes no words without an option.
        """
        self._require_own(ctx, args)
        options: list[Any] = [p for p in self.params if p.param_type_name == "option"]
        if len(options) == len(self.params):
            flags = {f for p in options if p.is_flag for f in (*p.opts, *p.secondary_opts)}
            for flag, word in pairwise(args):
                if flag in flags and not word.startswith("-"):
                    raise ParameterError(
                        f"{flag} is a switch, and {word!r} follows it; leave {word} out"
                    )
        return super().parse_args(ctx, args)

    def _require_own(self, ctx: Any, args: Iterable[str]) -> None:
        own, commands = _flags(self, ctx), ctx.parent.command.commands
        for word in takewhile(lambda word: word != "--", args):
            flag = word.partition("=")[0]
            if flag in own or not flag.startswith("-"):
                continue
            if others := [name for name, one in commands.items() if flag in _flags(one, ctx)]:
                raise ParameterError(
                    f"{ctx.info_name} has no option {flag}, which is one of: {', '.join(others)}"
                )

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write each group under its heading."""
        rows = [
            (getattr(p, "rich_help_panel", None) or f"{p.param_type_name.capitalize()}s", record)
            for p in self.get_params(ctx)
            if (record := p.get_help_record(ctx))
        ]
        _write(formatter, rows)


class CommandsByGroup(TyperGroup):
    """Commands that the help shows by groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each group under its heading."""
        known = [(name, self.commands[name]) for name in self.list_commands(ctx)]
        room = formatter.width - 6 - max(len(name) for name, _ in known)
        rows = [
            (getattr(c, "rich_help_panel", None) or "Commands", (name, c.get_short_help_str(room)))
            for name, c in known
        ]
        _write(formatter, rows)


def _flags(command: Any, ctx: Any) -> set[str]:
    return {flag for p in command.get_params(ctx) for flag in (*p.opts, *p.secondary_opts)}


def _write(formatter: Any, rows: Iterable[tuple[str, tuple[str, str]]]) -> None:
    groups: dict[str, list[tuple[str, str]]] = {}
    for title, row in rows:
        groups.setdefault(title, []).append(row)
    for title, some in groups.items():
        with formatter.section(title):
            formatter.write_dl(some)
