"""What is checked: a thing of a known kind, given or named in a text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from aucbench import registry
from aucbench.data import Data
from aucbench.errors import AucbenchError, ParameterError, PluginError, UnknownNameError
from aucbench.registry.discovery import (
    KINDS,
    PREFIX,
    enabled,
    require_known_hooks,
)
from aucbench.registry.lookup import lookup, suggested_names
from aucbench.registry.shapes import GIVEN, TELLING, given_to, kind_of
from aucbench.registry.signatures import check, types_of
from aucbench.registry.signatures import named as with_names
from aucbench.registry.source_files import load_file
from aucbench.registry.specs import Spec, in_file, parse_spec
from aucbench.testing import (
    datasets,
    features,
    losses,
    metrics,
    objectives,
    pairs,
    projectors,
    solvers,
)
from aucbench.testing.foreign import ForeignLoss, is_loss
from aucbench.testing.laws import EXPECTED, Law

LAWS: Mapping[str, tuple[Law, ...]] = {
    laws.kind: tuple(laws)
    for laws in (
        *(solvers.laws, objectives.laws, projectors.laws, features.laws, pairs.laws),
        *(datasets.laws, metrics.laws, losses.laws),
    )
}
GET: Mapping[str, Callable[[str], Any]] = {  # kinds whose classes are called without arguments
    "solvers": registry.get_solver,
    "projectors": registry.get_projector,
    "features": registry.get_features,
    "pairs": registry.get_pairs,
}


@dataclass(frozen=True)
class Subject:
    """Something to check."""

    kind: str  # one of `LAWS`
    name: str  # what people call it
    build: Callable[[], Any]  # returns what the laws of the kind take


def subject_of(thing: Any, kind: str | None = None, name: str | None = None) -> Subject:
    """The subject for a thing; its kind is found from its members, or it is an error."""
    kind = kind or _kind_of(thing)
    if kind not in LAWS:
        raise UnknownNameError("kind", kind, LAWS)
    called = name or getattr(thing, "__name__", None) or type(thing).__name__
    if kind == losses.laws.kind:
        return Subject(kind, called, partial(ForeignLoss, thing))
    instance = all(hasattr(thing, member) for member in TELLING.get(kind, ()))
    if kind in GET and (inspect.isclass(thing) or not instance):
        return Subject(kind, called, thing)
    return Subject(kind, called, lambda: thing)


def _kind_of(thing: Any) -> str:
    kind = "datasets" if isinstance(thing, Data) else kind_of(thing)
    kind = losses.laws.kind if kind in (None, "metrics") and is_loss(thing) else kind
    if kind is None:
        raise ParameterError(
            f"cannot tell what {thing!r} is; say kind='solvers', or one of {', '.join(LAWS)}, or "
            "name the file of its hook"
        )
    return kind


# --- named in a text ---------------------------------------------------------------------


def named(target: str) -> tuple[Subject, ...]:
    """What a text names: a registered name, `module:Class[k=3]`, or all that a file registers."""
    file, _, member = target.partition(".py")
    if Path(f"{file}.py").is_file() and member[:1] in ("", ":") and "[" not in member:
        return _members(load_file(Path(f"{file}.py")), member[1:], target)
    spec = parse_spec(target)
    place = in_file(spec.name)
    if place and is_loss(thing := _member(load_file(place[0]), place[1])):  # no hook registers it
        return (_with_parameters(thing, spec),)
    if subjects := tuple(_registered(target)):
        return subjects
    module, _, member = spec.name.partition(":")
    if member and _is_module(module):
        if spec.params:
            return (_with_parameters(_member(import_module(module), member), spec),)
        return _members(import_module(module), member, target)
    known = {name for kind in KINDS for name in suggested_names(kind)}
    raise UnknownNameError("plugin, module:Class or file.py", target, known)


def modules_of(target: str) -> set[str]:
    """The names of the top-level modules of plugins that are imported for a text."""
    file = Path(f"{target.partition('.py')[0]}.py")
    if file.is_file():
        return {path.stem for path in file.parent.glob("*.py")}
    others = (entry for entry in enabled() if not entry.builtin)
    return {target.partition(":")[0].partition(".")[0], *(entry.top for entry in others)}


def _registered(target: str) -> Iterator[Subject]:
    name = target.partition("[")[0]
    for kind in KINDS:
        if (claim := lookup(kind, name)) is None:
            continue
        if kind in GET:
            yield Subject(kind, target, partial(GET[kind], target))
            continue
        thing: Any
        if kind == "objectives":
            thing = _objective(target, claim.factory)
        elif kind == "datasets":
            thing = partial(registry.get_dataset, target)
        else:
            thing = registry.get_metric(target)
        yield subject_of(thing, kind, target)


def _objective(target: str, factory: Any) -> Callable[[Data], Any]:
    def build(data: Data) -> Any:
        return registry.get_objective(target, data)

    setattr(build, EXPECTED, getattr(factory, EXPECTED, {}))
    return build


def _is_module(name: str) -> bool:
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if error.name and name.startswith(error.name):
            return False
        raise
    return True


def _member(module: ModuleType, member: str) -> Any:
    thing: Any = module
    for part in member.split("."):
        if not hasattr(thing, part):
            raise UnknownNameError(f"name in {module.__name__}", member, _public(module))
        thing = getattr(thing, part)
    return thing


def _with_parameters(thing: Any, spec: Spec) -> Subject:
    """The subject of a class or a function, whose parameters are named in a specification."""
    kind, label = _kind_of(thing), str(spec)
    skip = GIVEN if kind == "losses" and inspect.isfunction(thing) else given_to(kind, thing)
    params = with_names(label, thing, skip, spec.params)
    check(label, thing, skip, params)
    return subject_of(partial(thing, **params), kind, label)


def _members(module: ModuleType, member: str, target: str) -> tuple[Subject, ...]:
    """One member of a module; or all that its hooks register, or all that it defines."""
    if member:
        thing = _member(module, member)
        hooked = (kind for kind, _, factory in _hooks(module) if factory is thing)
        return (subject_of(thing, next(hooked, None), member),)
    require_known_hooks(module, target)
    found = tuple(subject_of(factory, kind, name) for kind, name, factory in _hooks(module))
    own = [getattr(module, n) for n in _public(module)]
    own = [thing for thing in own if getattr(thing, "__module__", None) == module.__name__]
    subjects = found or tuple(_subjects(filter(inspect.isclass, own)))
    subjects = tuple(one for one in subjects if one.kind != losses.laws.kind) or subjects
    # A function beside a class helps it; alone it is a data set or a metric, if it says so.
    if subjects := subjects or tuple(_subjects(filter(_says_what_it_is, own))):
        return subjects
    raise PluginError(
        f"{target} has no class of a solver or another plugin, and no function that says what it "
        "returns: a data set -> Data, a metric -> float"
    )


def _says_what_it_is(thing: Any) -> bool:
    return inspect.isfunction(thing) and types_of(thing).get("return") in (Data, float)


def _subjects(own: Iterable[Any]) -> Iterator[Subject]:
    for one in own:
        try:
            yield subject_of(one)
        except AucbenchError:  # a class that is no plugin, such as the memory of a solver
            continue


def _public(module: ModuleType) -> list[str]:
    return [name for name in vars(module) if not name.startswith("_")]


def _hooks(module: ModuleType) -> Iterator[tuple[str, str, Any]]:
    """Yield (kind, name, thing) of all that the hooks of a module register."""
    for kind in KINDS:
        hook = getattr(module, PREFIX + kind, None)
        for name, factory in (hook() if callable(hook) else {}).items():
            yield kind, name, factory
