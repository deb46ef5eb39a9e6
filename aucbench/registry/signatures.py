"""Parameters of a class or factory: list them, check their names and types, call it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from aucbench.errors import AucbenchError, ParameterError, UnknownNameError, short
from aucbench.registry.specs import FIRST

ANYTHING = inspect.Signature(
    [inspect.Parameter("params", inspect.Parameter.VAR_KEYWORD)]
)  # of a callable written in C that has no signature
WITH_NONE = re.compile(r"None|Optional|Any|object")  # in an annotation: None has a meaning
NO_TEXT = {int: "a number", float: "a number", bool: "True or False", NoneType: "None"}
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a solver or of anything else that can be named."""

    name: str
    type: str  # the annotation as the plugin wrote it; empty if there is none
    required: bool  # whether it has no default
    default: Any  # None where it is required; in a description as JSON holds it
    shown: str  # the default as Python shows it

    @property
    def is_float(self) -> bool:
        """Whether it is annotated as a float, and not as a whole number too."""
        words = re.findall(r"\w+", self.type)
        return "float" in words and "int" not in words


def parameters_of(factory: Callable[..., Any], skip: int) -> tuple[Parameter, ...]:
    """Return the parameters that can be given by name, without the first `skip` of them."""
    named = [p for p in signature(factory).parameters.values() if p.kind in NAMED]
    return tuple(
        Parameter(
            p.name,
            "" if p.annotation is p.empty else _type(p.annotation),
            p.default is p.empty,
            None if p.default is p.empty else p.default,
            "" if p.default is p.empty else repr(p.default),
        )
        for p in named[skip:]
    )


def call(
    label: str, factory: Callable[..., Any], args: tuple[Any, ...], params: Mapping[str, Any]
) -> Any:
    """Return factory(*args, **params); an error about `params` is one sentence with `label`."""
    check(label, factory, len(args), params)
    try:
        return factory(*args, **params)
    except AucbenchError:
        raise
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{label}: {error}") from error


def named(
    label: str,
    factory: Callable[..., Any],
    skip: int,
    params: Mapping[str, Any],
) -> Mapping[str, Any]:
    """`params`, with the value without a name as that of the first parameter after `skip`."""
    if FIRST not in params:
        return params
    known, value = parameters_of(factory, skip), params[FIRST]
    if not known:
        raise ParameterError(f"{label} has no parameters, got {value!r}; leave it out")
    first = known[0].name
    if first in params:
        raise ParameterError(
            f"{first} of {label} is given twice: by its name and as {value!r} without it; "
            "leave one out"
        )
    return {first if name == FIRST else name: one for name, one in params.items()}


def check(label: str, factory: Callable[..., Any], skip: int, params: Mapping[str, Any]) -> None:
    """Raise `UnknownNameError` or `ParameterError` for what the factory cannot take.

    Its first `skip` parameters are given otherwise.
    """
    known = {p.name: p for p in parameters_of(factory, skip)}
    open_ended = any(p.kind is p.VAR_KEYWORD for p in signature(factory).parameters.values())
    for name in params if not open_ended else ():
        if name not in known:
            raise UnknownNameError(f"parameter of {label}", name, known)
    missing = [p.name for p in known.values() if p.required and p.name not in params]
    if missing:
        shown = ",".join(f"{name}=..." for name in missing)
        raise ParameterError(f"{label} needs {', '.join(missing)}: write {label}[{shown}]")
    kinds = types_of(factory) if any(isinstance(v, str) for v in params.values()) else {}
    for name in params.keys() & known.keys():
        _check_type(label, known[name], params[name])
        _check_word(label, name, kinds.get(name), params[name])


def _check_type(label: str, parameter: Parameter, value: Any) -> None:
    """Refuse a text where the default is a number or a bool: 'no' would count as True.

    None is refused where the annotation of such a parameter has no None.
    """
    default = parameter.default
    known = parameter.type and default is not None and not WITH_NONE.search(parameter.type)
    if value is None and known:
        number = type(default) in (int, float)
        wanted = "a number" if number else f"of the type {parameter.type}"
        raise ParameterError(f"{parameter.name} of {label} must be {wanted}, got None")
    switch = isinstance(default, bool)
    words = "Literal" in (parameter.type or "")  # which `_check_word` checks
    number = isinstance(default, int | float) and not switch and not words
    if (switch and not isinstance(value, bool)) or (number and isinstance(value, str)):
        wanted = "True or False" if switch else "a number"
        raise ParameterError(f"{parameter.name} of {label} must be {wanted}, got {short(value)}")


def _check_word(label: str, name: str, kind: Any, value: Any) -> None:
    """Refuse a text that is none of the words of a `Literal`, with or without numbers or None."""
    members = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    words = [w for m in members if get_origin(m) is Literal for w in get_args(m)]
    others = {m for m in members if get_origin(m) is not Literal}
    if isinstance(value, str) and words and value not in words and others <= NO_TEXT.keys():
        wanted = [*(repr(w) for w in words), *sorted({NO_TEXT[m] for m in others})]
        raise ParameterError(f"{name} of {label} must be {' or '.join(wanted)}, got {short(value)}")


def types_of(factory: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the types of parameters; none where an annotation has no meaning at run time."""
    try:
        return get_type_hints(factory)
    except (NameError, TypeError, AttributeError):  # a name that only type checkers import
        return {}


def signature(factory: Callable[..., Any]) -> inspect.Signature:
    """Return the signature; that of any parameters for a callable in C that has none."""
    try:
        return inspect.signature(factory)
    except (TypeError, ValueError):
        return ANYTHING


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
