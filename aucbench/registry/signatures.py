"""Parameters of a class or factory: listed, checked by name and type, passed on."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aucbench.errors import AucbenchError, ParameterError, UnknownNameError

ANYTHING = inspect.Signature(
    [inspect.Parameter("params", inspect.Parameter.VAR_KEYWORD)]
)  # of what is written in C and does not say
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a solver or of anything else that can be named.

    Attributes
    ----------
    name, type : str
        The type as the plugin wrote it; empty where it wrote none.
    required : bool
        Whether it has no default.
    default : object
        None where it is required.
    """

    name: str
    type: str
    required: bool
    default: Any


def parameters_of(factory: Callable[..., Any], skip: int) -> tuple[Parameter, ...]:
    """Parameters that can be given by name, without the first `skip` positional ones."""
    named = [p for p in _signature(factory).parameters.values() if p.kind in NAMED]
    return tuple(
        Parameter(
            p.name,
            "" if p.annotation is p.empty else _type(p.annotation),
            p.default is p.empty,
            None if p.default is p.empty else p.default,
        )
        for p in named[skip:]
    )


def call(
    label: str, factory: Callable[..., Any], args: tuple[Any, ...], params: Mapping[str, Any]
) -> Any:
    """factory(*args, **params), every mistake in `params` told in one sentence about `label`.

    Raises
    ------
    UnknownNameError
        When it has no parameter of this name.
    ParameterError
        When a parameter is missing, has the wrong type, or is refused by the factory.
    """
    check(label, factory, len(args), params)
    try:
        return factory(*args, **params)
    except AucbenchError:
        raise
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{label}: {error}") from error


def check(label: str, factory: Callable[..., Any], skip: int, params: Mapping[str, Any]) -> None:
    """Refuse parameters that the factory cannot take, the first `skip` being given already.

    Raises
    ------
    UnknownNameError, ParameterError
        As `call`, which checks too.
    """
    known = {p.name: p for p in parameters_of(factory, skip)}
    open_ended = any(p.kind is p.VAR_KEYWORD for p in _signature(factory).parameters.values())
    for name in params if not open_ended else ():
        if name not in known:
            raise UnknownNameError(f"parameter of {label}", name, known)
    missing = [p.name for p in known.values() if p.required and p.name not in params]
    if missing:
        shown = ",".join(f"{name}=..." for name in missing)
        raise ParameterError(f"{label} needs {', '.join(missing)}: write {label}[{shown}]")
    for name in params.keys() & known.keys():
        _check_type(label, known[name], params[name])


def _check_type(label: str, parameter: Parameter, value: Any) -> None:
    """Refuse a word where the default is a number or a switch: 'no' would count as True."""
    default = parameter.default
    switch = isinstance(default, bool)
    number = isinstance(default, int | float) and not switch
    if (switch and not isinstance(value, bool)) or (number and isinstance(value, str)):
        wanted = "True or False" if switch else "a number"
        raise ParameterError(f"{parameter.name} of {label} must be {wanted}, got {value!r}")


def _signature(factory: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(factory)
    except (TypeError, ValueError):
        return ANYTHING


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
