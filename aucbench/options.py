"""Options as frozen dataclasses: keywords of a function of Python, or options of a command.

An option has the name, the type and the default of its field, and what the docstring of the
dataclass says of the attribute. So it is described once, for both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, fields
from functools import cache
from inspect import Parameter, cleandoc, signature
from typing import Any, TypeVar

from aucbench.errors import UnknownNameError

ATTRIBUTE = re.compile(r"^(\w+) : .*\n((?: {4}.*\n?)+)", re.MULTILINE)
Function = TypeVar("Function", bound=Callable[..., Any])
Kinds = Mapping[Any, tuple[str, ...]]  # dataclasses, each with the fields that are no options


@cache  # several commands have the same groups
def attributes(cls: type) -> dict[str, str]:
    """Return what the docstring of a dataclass says of its attributes, in one line each."""
    told = ATTRIBUTE.findall(cleandoc(cls.__doc__ or ""))
    return {name: " ".join(text.split()) for name, text in told}


def offered(cls: Any, without: Iterable[str] = ()) -> list[Field[Any]]:
    """Return the fields of a dataclass that are options."""
    return [field for field in fields(cls) if field.name not in without]


def takes(kinds: Kinds) -> Callable[[Function], Function]:
    """Let `help` and completion show the fields of dataclasses in place of `**options`.

    The function hands its options to `divided`.
    """

    def shown(function: Function) -> Function:
        told = signature(function)
        own = [p for p in told.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        known = {p.name for p in own}
        further = [p for p in _parameters(kinds) if p.name not in known]
        function.__signature__ = told.replace(  # type: ignore[attr-defined]
            parameters=[*own, *further]
        )
        function.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\n{documented(kinds)}"
        return function

    return shown


def _parameters(kinds: Kinds) -> Iterator[Parameter]:
    for cls, without in kinds.items():
        for field in offered(cls, without):
            yield Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=_default(field),
                annotation=field.type,
            )


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if callable(field.default_factory) else field.default


def documented(kinds: Kinds) -> str:
    """Return what the options are, in the groups of their dataclasses."""
    lines = ["Options", "-------"]
    for cls, without in kinds.items():
        said, names = attributes(cls), [field.name for field in offered(cls, without)]
        lines += [f"{name} :\n    {said[name]}" for name in names if name in said]
    return "\n".join(lines)


def divided(options: Mapping[str, Any], kinds: Kinds, of: str) -> list[Any]:
    """Return an instance of each dataclass with its options; `of` names the function.

    Raises
    ------
    UnknownNameError
        When an option belongs to none of them.
    """
    names = {cls: [field.name for field in offered(cls, no)] for cls, no in kinds.items()}
    known = [name for own in names.values() for name in own]
    for name in options:
        if name not in known:
            raise UnknownNameError(f"option of {of}", name, known)
    return [cls(**{n: options[n] for n in own if n in options}) for cls, own in names.items()]
