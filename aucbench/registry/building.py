"""Build solvers, objectives, projectors, feature maps, pairs and data sets by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from aucbench.errors import (
    AucbenchError,
    MissingExtraError,
    ParameterError,
    PluginError,
    UnknownNameError,
    short,
)
from aucbench.registry.discovery import CALLED
from aucbench.registry.lookup import (
    Claim,
    find,
    format_place,
    names,
    origin,
    owner,
    unknown,
)
from aucbench.registry.shapes import TELLING, fault, given_to
from aucbench.registry.signatures import call, check, named, parameters_of
from aucbench.registry.specs import Spec, SpecChain, in_file, parse_chain, parse_spec

if TYPE_CHECKING:
    from aucbench.contract import FeatureMap, Objective, Projector, Solver
    from aucbench.data import Data
    from aucbench.pairs import Pairs

ROWS = "rows"  # what any data set takes: at most so many rows


def list_solvers() -> list[str]:
    """Return the names of all solvers that can be built, sorted."""
    return names("solvers")


def get_solver(spec: str | Spec | Solver, /, **params: Any) -> Solver:
    """Build a solver: `get_solver("sht-auc", k=50)` or `get_solver("sht-auc[k=50]")`.

    Parameters
    ----------
    spec : str, Spec or Solver
        `name` or `name[k=50,blocks=4]`, with or without `distribution:` in front. The first value
        may be without its name, as in `name[50,blocks=4]`. `./mine.py:Class[k=50]` is a class in
        a file. A solver is returned unchanged.
    **params
        Its hyperparameters, those that are not given in the brackets.

    Raises
    ------
    UnknownNameError
        When no plugin registers the name, or the solver has no such parameter.
    ParameterError
        When the text is malformed, or a parameter is missing, given twice or refused.
    PluginError
        When the plugin is broken or switched off, or two of them claim the name.
    """
    return _get("solvers", spec, params)  # type: ignore[no-any-return]


def get_objective(spec: str | Spec | Objective, data: Data, /, **params: Any) -> Objective:
    """Build f on `data`: `get_objective("logistic", data)`; raises as `get_solver`."""
    from aucbench.data.data import require_features  # which imports NumPy

    require_features(data)
    return _get("objectives", spec, params, data)  # type: ignore[no-any-return]


def get_projector(spec: str | Spec | Projector, /, **params: Any) -> Projector:
    """Build a projector: `get_projector("top-k", k=50)`; raises as `get_solver`."""
    return _get("projectors", spec, params)  # type: ignore[no-any-return]


def get_features(spec: str | Spec | SpecChain | FeatureMap, /, **params: Any) -> FeatureMap:
    """Build a feature map, not yet fitted: `get_features("maxabs")`; raises as `get_solver`.

    Maps joined by + in a text, as in `standard+nystroem[rank=50]`, are applied from left to right.
    """
    parts = parse_chain(spec) if isinstance(spec, str) else spec
    if not isinstance(parts, SpecChain) or len(parts) == 1:
        one = parts[0] if isinstance(parts, SpecChain) else parts
        return _get("features", one, params)  # type: ignore[no-any-return]
    from aucbench.features import Chain

    return _given("features", Chain(tuple(map(get_features, parts))), params)  # type: ignore[no-any-return]


def get_pairs(spec: str | Spec | Pairs, /, **params: Any) -> Pairs:
    """Build the pairs that count: `get_pairs("group", each="group")`; raises as `get_solver`."""
    return _get("pairs", spec, params)  # type: ignore[no-any-return]


def get_preprocessing(spec: str | Spec | SpecChain | FeatureMap, /) -> FeatureMap:
    """Build a feature map that is fitted before the solver; it may add no intercept."""
    built = get_features(spec)
    if built.exempt:
        raise ParameterError(
            f"{spec} adds an intercept, which only a solver may do; ask it, as in "
            "sto-iht[intercept=True]"
        )
    return built


def get_dataset(spec: str | Spec | Data, /, **params: Any) -> Data:
    """Read or generate a data set.

    Parameters
    ----------
    spec : str, Spec or Data
        A registered name with its parameters, such as `outbreak[n=1000,d=1000]`, or a file
        in the folder `AUCBENCH_DATA`, a path, an https address, or a set of a collection such as
        `keel:glass1`. `Data` are returned unchanged. A built-in set comes before a file of its
        name, and so does the set of a plugin.
    **params
        Parameters of a registered data set. For files: `positive`, `drop`, `target`, and
        `folds` of changepoint sets. For all: `rows`, see `aucbench.datasets.drawing`.

    Raises
    ------
    UnknownNameError, ParameterError, PluginError
        As `get_solver`.
    DataError
        When the file cannot be used as it is.
    """
    if not isinstance(spec, str | Spec):
        return _given("datasets", spec, params)  # type: ignore[no-any-return]
    read = _parsed(spec)
    from aucbench.datasets.collections import member_of

    loose = in_file(read.name) is not None
    if member_of(read.name) is not None or not (loose or owner("datasets", read.name)):
        return _read(read, params)
    claim, inside = _claimed("datasets", read)
    chosen = dict(_merged(claim.name, inside, params))
    own = inspect.signature(claim.factory).parameters.values()
    takes_rows = any(p.name == ROWS or p.kind is p.VAR_KEYWORD for p in own)
    if ROWS not in chosen or takes_rows:
        return _dataset(claim, chosen)
    from aucbench.datasets.drawing import sample_data

    rows = chosen.pop(ROWS)
    return sample_data(_dataset(claim, chosen), rows)


def get_metric(spec: str | Spec, /) -> Callable[..., Any]:
    """Return a metric, with the parameters of the brackets.

    Parameters
    ----------
    spec : str or Spec
        `name` or `name[depth=0.1]`, with or without `distribution:` in front.

    Raises
    ------
    UnknownNameError, ParameterError, PluginError
        As `get_solver`.
    """
    claim, params = _claimed("metrics", spec)
    check(claim.name, claim.factory, given_to("metrics", claim.factory), params)
    return partial(claim.factory, **params) if params else claim.factory


def _dataset(claim: Claim, params: Mapping[str, Any]) -> Data:
    """Call the function of a data set; what it raises about itself is the fault of its plugin."""
    from aucbench.data.sound import unsound

    check(claim.name, claim.factory, 0, params)
    if claim.entry.builtin:
        return call(claim.name, claim.factory, (), params)  # type: ignore[no-any-return]
    try:
        data = claim.factory(**params)
    except (ParameterError, UnknownNameError, MissingExtraError):  # about what the user gave
        raise
    except AucbenchError as error:
        raise PluginError(f"the data set {origin(claim)} cannot be made: {error}") from error
    if wrong := unsound(data):
        raise PluginError(f"the data set {origin(claim)} cannot be used: {wrong}")
    return data  # type: ignore[no-any-return]


def params_of(kind: str, spec: str | Spec) -> Mapping[str, Any]:
    """Parameters that the brackets of a specification give, all by name; no value is looked at."""
    return _claimed(kind, spec)[1]


def identity_of(kind: str, spec: str | Spec, *, filled: bool = True) -> Spec:
    """Return one specification for all spellings: all by name, in one order.

    Parameters
    ----------
    kind : str
        Such as solvers.
    spec : str or Spec
        What a user has typed.
    filled : bool
        Whether a parameter that is left out means its default. It does not in a solver that is
        tuned, where it may be tuned.

    Raises
    ------
    UnknownNameError, ParameterError, PluginError
        As `get_solver`.
    """
    claim, given = _claimed(kind, spec)
    known = parameters_of(claim.factory, given_to(kind, claim.factory))
    defaults = [p for p in known if filled and not p.required and _is_plain(p.default)]
    params = {**{p.name: p.default for p in defaults}, **given}
    for p in known:  # 1 is 1.0 where the parameter is a float
        if p.is_float and type(value := params.get(p.name)) is int and float(value) == value:
            params[p.name] = float(value)
    return Spec(claim.qualified, dict(sorted(params.items())))


def _is_plain(default: Any) -> bool:
    """Whether a default is a value that a specification can hold."""
    return default is None or isinstance(default, bool | int | float | str)


def _claimed(kind: str, spec: str | Spec) -> tuple[Claim, Mapping[str, Any]]:
    """Return what the name of a specification means, and the parameters of its brackets."""
    read = _parsed(spec)
    claim = find(kind, read.name)
    skipped = given_to(kind, claim.factory)
    return claim, named(claim.name, claim.factory, skipped, read.params)


def _parsed(spec: str | Spec) -> Spec:
    return spec if isinstance(spec, Spec) else parse_spec(spec)


def _get(kind: str, spec: Any, params: Mapping[str, Any], *args: Any) -> Any:
    if not isinstance(spec, str | Spec):
        return _given(kind, spec, params)
    claim, inside = _claimed(kind, spec)
    thing = call(claim.name, claim.factory, args, _merged(claim.name, inside, params))
    if wrong := fault(kind, thing):
        made = f"{format_place(claim)} made {short(thing)}"
        raise PluginError(f"{made}, which is not a valid {CALLED[kind]}: {wrong}")
    return thing


def _read(spec: Spec, params: Mapping[str, Any]) -> Data:
    """Read a data set that no plugin registers: a file."""
    from aucbench.datasets import files
    from aucbench.datasets.catalogue import names_like
    from aucbench.datasets.located import available, names_file
    from aucbench.datasets.reading import Loading

    inside = named(spec.name, Loading, 0, spec.params)
    chosen = _merged(spec.name, inside, params)
    check(spec.name, Loading, 0, chosen)
    if not names_file(spec.name):
        raise unknown("datasets", spec.name, {*available(), *names_like(spec.name)})
    return files.load(spec.name, **chosen)


def _given(kind: str, thing: Any, params: Mapping[str, Any]) -> Any:
    if isinstance(thing, type) or any(not hasattr(thing, name) for name in TELLING[kind]):
        raise ParameterError(
            f"got {thing!r}, wanted the name of a {CALLED[kind]} or an instance of one"
        )
    if params:
        raise ParameterError(
            f"{thing!r} is an instance already; {', '.join(params)} can only be given with a name"
        )
    return thing


def _merged(name: str, inside: Mapping[str, Any], beside: Mapping[str, Any]) -> Mapping[str, Any]:
    if twice := inside.keys() & beside.keys():
        raise ParameterError(
            f"{', '.join(sorted(twice))} of {name} is given twice: in the brackets and as an "
            "argument"
        )
    return {**inside, **beside}
