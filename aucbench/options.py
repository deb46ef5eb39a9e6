"""Options of commands and of functions: the fields of frozen dataclasses.

An option has the name, the type and the default of its field, and what the docstring of the
dataclass says of the attribute. So it is described once, for keywords of a function of Python and
for a command. A dataclass may hold others as groups, see `option_group`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from inspect import Parameter, cleandoc, signature
from typing import Any, TypeVar

from aucbench.errors import UnknownNameError

ATTRIBUTE = re.compile(r"^(\w+) : .*\n((?: {4}.*\n?)+)", re.MULTILINE)
GROUP = "group"  # in the metadata of a field that holds a dataclass of options
Function = TypeVar("Function", bound=Callable[..., Any])
Instance = TypeVar("Instance")


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """How the fields of a dataclass become options.

    Attributes
    ----------
    heading : str
        In the help of a command.
    without : tuple of str
        Fields that are no options, and keep their defaults.
    first : tuple of str
        Fields that are shown among the options of the command itself, which come first.
    cls : dataclass, optional
        The class, where it is the value of a field of another dataclass, see `option_group`.
    """

    heading: str
    without: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    cls: type | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A field of a dataclass that is an option.

    Attributes
    ----------
    cls : dataclass
        To which the field belongs.
    field : Field
    description : str or None
        What the docstring of the dataclass says of it.
    heading : str or None
        In the help of a command; None: it stands among the options of the command itself.
    """

    cls: type
    field: Field[Any]
    description: str | None
    heading: str | None


@cache  # several commands have the same groups
def read_attributes(cls: type) -> dict[str, str]:
    """Return what the docstring of a dataclass says of its attributes, in one line each."""
    described: dict[str, str] = {}
    for each in reversed(cls.__mro__):  # a class has the attributes of its base too
        for name, text in ATTRIBUTE.findall(cleandoc(each.__doc__ or "")):
            described[name] = " ".join(text.split())
    return described


def option_group(
    cls: type[Instance], heading: str, *, without: tuple[str, ...] = (), first: tuple[str, ...] = ()
) -> Instance:
    """Return a field that holds a dataclass, whose fields are options like those beside it.

    Parameters
    ----------
    cls : dataclass
        Its default is an instance with all defaults.
    heading, without, first :
        As of `OptionGroup`.
    """
    group = OptionGroup(heading, without, first, cls)
    held: Instance = field(default_factory=cls, metadata={GROUP: group})
    return held


def list_options(cls: type, group: OptionGroup | None = None) -> Iterator[Option]:
    """Yield the fields of a dataclass that are options, and those of the groups in it."""
    group = OptionGroup("") if group is None else group
    described = read_attributes(cls)
    for each in fields(cls):
        inner: OptionGroup | None = each.metadata.get(GROUP)
        if inner is not None and inner.cls is not None:
            yield from list_options(inner.cls, inner)
        elif each.name not in group.without:
            heading = None if each.name in group.first else group.heading
            yield Option(cls, each, described.get(each.name), heading)


def make_options(
    cls: type[Instance],
    options: Mapping[str, Any],
    function: str = "",
    *,
    without: Iterable[str] = (),
) -> Instance:
    """Return an instance of a dataclass, and of the groups in it, from options by name.

    Parameters
    ----------
    function : str
        Name of the function that takes the options, for the message.
    without : iterable of str
        Fields of the dataclass itself that are no options.

    Raises
    ------
    UnknownNameError
        When an option belongs to none of them.
    """
    known = [option.field.name for option in list_options(cls, OptionGroup("", tuple(without)))]
    for name in options:
        if name not in known:
            raise UnknownNameError(f"option of {function}", name, known)
    return _filled(cls, options, without)


def _filled(cls: type[Instance], options: Mapping[str, Any], without: Iterable[str]) -> Instance:
    values: dict[str, Any] = {}
    for each in fields(cls):  # type: ignore[arg-type]
        inner: OptionGroup | None = each.metadata.get(GROUP)
        if inner is not None and inner.cls is not None:
            values[each.name] = _filled(inner.cls, options, inner.without)
        elif each.name in options and each.name not in without:
            values[each.name] = options[each.name]
    return cls(**values)


def select_options(
    groups: Iterable[OptionGroup], options: Mapping[str, Any], function: str
) -> list[dict[str, Any]]:
    """Return the options of each group of a function, by name.

    Raises
    ------
    UnknownNameError
        When an option belongs to none of them.
    """
    names = [[one.field.name for one in _listed(group)] for group in groups]
    for name in options:
        if not any(name in some for some in names):
            known = [name for some in names for name in some]
            raise UnknownNameError(f"option of {function}", name, known)
    return [{name: options[name] for name in some if name in options} for some in names]


def _listed(group: type | OptionGroup) -> Iterator[Option]:
    if not isinstance(group, OptionGroup):
        yield from list_options(group)
    elif group.cls is not None:
        yield from list_options(group.cls, group)


def takes_options(*groups: type | OptionGroup) -> Callable[[Function], Function]:
    """Let `help` and completion show the options of dataclasses in place of `**options`.

    The function hands its options to `make_options` or `select_options`.
    """

    def shown(function: Function) -> Function:
        found = signature(function)
        before = [p for p in found.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        names = {p.name for p in before}
        options = [option for group in groups for option in _listed(group)]
        further = [p for p in map(_parameter, options) if p.name not in names]
        function.__signature__ = found.replace(  # type: ignore[attr-defined]
            parameters=[*before, *further]
        )
        function.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\n{format_options(options)}"
        return function

    return shown


def _parameter(option: Option) -> Parameter:
    return Parameter(
        option.field.name,
        Parameter.KEYWORD_ONLY,
        default=option.field.default,
        annotation=option.field.type,
    )


def format_options(options: Iterable[Option]) -> str:
    """Return a section of a docstring that describes options."""
    described = [one for one in options if one.description is not None]
    lines = [f"{one.field.name} :\n    {one.description}" for one in described]
    return "\n".join(["Options", "-------", *lines])
