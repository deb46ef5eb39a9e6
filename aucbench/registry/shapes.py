"""What a plugin registers must have the shape that the contract asks for.

A class is checked when it is registered, and what a function makes or returns when it is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import partial
from inspect import Parameter, getattr_static, isfunction
from itertools import takewhile
from math import isclose, isfinite
from typing import Any

from aucbench.about import scale_of
from aucbench.errors import PluginError, float_of, short, written_at
from aucbench.ranges import is_axis
from aucbench.registry.signatures import parameters_of, signature, types_of

GIVEN = 2  # arguments of a metric that no specification gives: the labels and the scores
# What a metric of rows may take besides, first of all: no specification gives it.
OF_ROWS = ("sample_weight", "groups", "pos_label")
PROTOCOLS = {  # of `aucbench.contract`
    "solvers": "Solver",
    "objectives": "Objective",
    "projectors": "Projector",
    "features": "FeatureMap",
}
OTHERS = {  # members of kinds that follow no protocol of the contract
    "pairs": ("members", "kind", "measure"),
    "datasets": ("rows", "target"),
    "metrics": ("__call__",),
}
TELLING = {  # by which an instance or a class of a kind is known
    "solvers": ("iterates",),
    "projectors": ("contains", "value"),
    "features": ("fit", "__call__"),
    "objectives": ("value", "grad"),
    "pairs": ("members", "measure"),
    "datasets": ("rows", "target"),
}
ABSTRACT = {"solvers": ("iterates",), "objectives": ("value", "grad")}  # without a default
ROUNDING = 1e-12  # of a metric, which may be a sum of shares


def fault(kind: str, thing: Any) -> str | None:
    """Return what is wrong with a class or an instance of a kind; None when nothing is.

    A data set is rows and a target, whatever class it has.
    """
    protocol = protocol_of(kind)
    members = OTHERS[kind] if protocol is None else members_of(protocol)
    inherit = f"; inherit from {protocol.__module__}.{protocol.__name__}" if protocol else ""
    if lacking := [name for name in members if not _has(thing, name)]:
        return f"it lacks {', '.join(lacking)}{inherit}"
    if protocol is None:
        return None
    cls = thing if isinstance(thing, type) else type(thing)
    for name in members:
        own, wanted = getattr_static(cls, name, None), getattr_static(protocol, name)
        if own is wanted and name in ABSTRACT.get(kind, ()):
            return f"it has no {name} of its own; write it"
        if own is not wanted and isfunction(wanted):
            if not (callable(own) or isinstance(own, property | classmethod | staticmethod)):
                return f"its {name} is {own!r}, wanted a method"
            if isfunction(own) and not _takes(own, wanted):
                return f"its {name} takes {_names(own)}, wanted {_names(wanted)}"
    return _fault_of_solver(thing) if kind == "solvers" else None


def protocol_of(kind: str) -> type | None:
    """Return the protocol of the contract that a kind follows; None where there is none."""
    from aucbench import contract  # which imports NumPy

    return getattr(contract, PROTOCOLS[kind]) if kind in PROTOCOLS else None


def members_of(protocol: type) -> list[str]:
    """Return the names of what a protocol asks for."""
    return [name for name in vars(protocol) if name[0] != "_" or name == "__call__"]


def _takes(function: Any, wanted: Any) -> bool:
    """Whether a method can be called with the arguments of another one, in their order."""
    try:
        signature(function).bind(*signature(wanted).parameters)
    except TypeError:
        return False
    return True


def _names(method: Any) -> str:
    return f"({', '.join([*signature(method).parameters][1:])})"


def find_class_fault(kind: str, factory: Any) -> str | None:
    """As `fault`, of what is registered; a function shows its faults only by what it makes."""
    if kind == "metrics":
        return _fault_of_metric(factory)
    if not isinstance(factory, type):
        return _fault_of_maker(kind, factory)
    if kind == "datasets":
        return None
    parameters = signature(factory).parameters.values()
    if any(p.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL) for p in parameters):
        return "it takes any parameter (*args or **kwargs); name them all, so that a typo is found"
    return fault(kind, factory)


def _fault_of_maker(kind: str, factory: Any) -> str | None:
    """Return what is wrong with what is no class, as far as that is seen before it is called."""
    if isfunction(factory):
        scores = [*signature(factory).parameters][:2] == ["y", "scores"]
        return "it takes y and scores, as a metric does" if scores else None
    if kind_of(factory) is not None:
        return "it is an instance; register its class, or a function that makes one"
    return None


def given_to(kind: str, factory: Any) -> int:
    """Return how many parameters no specification can give, such as the data of an objective."""
    if kind == "metrics":
        return GIVEN + sum(1 for _ in takewhile(OF_ROWS.__contains__, _further(factory)))
    return int(kind == "objectives")


def takes_weights(metric: Any) -> bool:
    """Whether a metric has weights of rows as its third parameter."""
    return _further(metric)[:1] == ["sample_weight"]


def _further(metric: Any) -> list[str]:
    """Return the parameters of a metric after the labels and the scores."""
    return [*signature(metric).parameters][GIVEN:]


def _fault_of_metric(function: Any) -> str | None:
    """Return what is wrong with the function of a metric."""
    if isinstance(function, type):
        return "it is a class; register a function"
    parameters = [*signature(function).parameters.values()]
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    if len(parameters) < GIVEN or any(p.kind not in positional for p in parameters[:GIVEN]):
        return "it does not take y and scores as its first two"
    if _further(function)[:1] == ["weights"]:
        return "its third parameter is weights; call it sample_weight, as scikit-learn does"
    for p in parameters[GIVEN:]:
        if p.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL):
            return "it takes any parameter (*args or **kwargs); name them all"
        if p.default is Parameter.empty:
            return f"its parameter {p.name} has no default"
    return None


def kind_of(thing: Any) -> str | None:
    """Return the kind of a class or an instance by its members; None where it is not clear.

    A function is of the kind that it says it returns, where a metric returns a float. One that does
    not say it makes a data set if it has no required parameters, and is a metric if it has two.
    """
    if isfunction(thing):
        returned = types_of(thing).get("return")
        said = "metrics" if returned is float else kind_of(returned)
        parameters = signature(thing).parameters.values()
        required = sum(p.default is p.empty and p.kind is not p.VAR_KEYWORD for p in parameters)
        return said or {0: "datasets", 2: "metrics"}.get(required)
    kinds = (kind for kind, names in TELLING.items() if all(_has(thing, name) for name in names))
    return next(kinds, None)


def _has(thing: Any, name: str) -> bool:
    """Whether instances have it; a class itself can be called, whether they can or not."""
    if not isinstance(thing, type):
        return hasattr(thing, name)
    own = any(name in vars(base) for base in thing.__mro__)
    return own or name in getattr(thing, "__dataclass_fields__", {})


def _fault_of_solver(thing: Any) -> str | None:
    from aucbench.contract import Needs

    frozen = getattr(getattr(thing, "__dataclass_params__", None), "frozen", False)
    if not (is_dataclass(thing) and frozen):
        return "it is no frozen dataclass; write @dataclass(frozen=True) above the class"
    needs, space = (getattr(thing, name, None) for name in ("needs", "space"))
    if isinstance(needs, property) or isinstance(space, property):
        return None  # only instances know
    if not isinstance(needs, Needs):
        return f"its needs is {needs!r}, wanted an instance, as in needs: ClassVar = Needs()"
    if not isinstance(thing, type):
        return None  # its class was checked, and a property may hold the grid of another solver
    return _fault_of_space(space, {p.name for p in parameters_of(thing, 0)})


def _fault_of_space(space: Any, known: set[str]) -> str | None:
    parts = [space] if isinstance(space, Mapping) else space
    listed = isinstance(parts, Sequence) and not isinstance(parts, str)
    if not listed or not all(isinstance(part, Mapping) for part in parts):
        return (
            f"its space is {space!r}, wanted a mapping of parameters to tuples of values, ranges "
            "or distributions, or a list of such mappings"
        )
    for part in parts:
        for name, axis in part.items():
            if name not in known:
                return f"its space has {name!r}, which is none of its parameters"
            if not is_axis(axis):
                return (
                    f"its space has {axis!r} for {name}, wanted a tuple of values, a Range or a "
                    "frozen distribution"
                )
    return None


def origin(metric: Any) -> Any:
    """Return the function that was registered, without the parameters that are bound to it."""
    return metric.func if isinstance(metric, partial) else metric


def checked_value(metric: Any, value: Any) -> float:
    """Return the value of a metric as a float; the end of its range where rounding led beyond it.

    `PluginError`: it is no finite number, or not in the range that `@metric` names.
    """
    number, scale = float_of(value), scale_of(origin(metric))
    if number is None or not isfinite(number):
        place = written_at(origin(metric))
        raise PluginError(f"it returned {short(value)}, wanted a finite float{place}")
    within = min(max(number, float(scale.low)), float(scale.high))
    if not isclose(number, within, rel_tol=ROUNDING, abs_tol=ROUNDING):
        raise PluginError(
            f"it returned {number!r}, and says that its values are in [{scale.low:g}, "
            f"{scale.high:g}]; correct @metric(low=..., high=...)"
        )
    return within
