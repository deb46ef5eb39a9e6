"""Look names up in a supervised process, since the import of a plugin may crash."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import NoneType
from typing import Any

from aucbench import registry
from aucbench.about import scale_of
from aucbench.bench.cell import Choice, Tuning
from aucbench.bench.codec import dump
from aucbench.bench.worker.build import check_grid, plugin_of
from aucbench.bench.worker.plain import message
from aucbench.data import Data
from aucbench.errors import AucbenchError, DataError, PluginError, UnsupportedError
from aucbench.registry.lookup import broken_plugins, entries_named, find
from aucbench.registry.shapes import origin
from aucbench.registry.signatures import parameters_of
from aucbench.registry.specs import Spec, in_file, short
from aucbench.solving.replaceable import own_parameters

TOY = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]  # rows that an objective is built on
REFUSED, ERROR = "refused", "error"


def resolve_spec(
    kind: str, spec: Spec, tuning: Tuning = False, replaced: Collection[str] = ()
) -> dict[str, Any]:
    """Return what a specification of a kind ("solvers", "metrics", ...) means, as JSON.

    The grid of a tuned solver is checked too; `replaced` says whether it runs on another
    "objective" or "projector" than its own.

    It has `ok`, `plugin` ([distribution, version, value]; None where no plugin is meant),
    and what the function of its kind returns.
    If not ok it has `error` (a class), `reason` (a line), and `status`: "refused" after a mistake
    of the user, "error" where the plugin is broken.
    """
    answer: dict[str, Any] = {"ok": True}
    try:
        answer |= LOOKED_UP[kind](spec)
        answer["identity"] = dump(registry.identity_of(kind, spec, filled=not tuning))
        if kind == "solvers":
            _refuse_needless(spec, tuning, replaced)
        if tuning:
            check_grid(spec, tuning, replaced)
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # sys.exit and panics of extensions are no Exception
        answer |= {"ok": False, **_refusal(error, broken=_is_broken(spec, error))}
    try:
        return {**answer, "plugin": plugin_of(kind, spec)}
    except AucbenchError:  # `found` holds the reason already
        return {**answer, "plugin": None}


def _refusal(error: BaseException, *, broken: bool = False) -> dict[str, Any]:
    at_fault = broken and isinstance(error, PluginError)
    status = REFUSED if isinstance(error, AucbenchError) and not at_fault else ERROR
    return {"status": status, "error": type(error).__name__, "reason": message(error)}


def _is_broken(spec: Spec, error: BaseException) -> bool:
    """Whether a plugin is to blame: its import failed, or that of a file has left by `sys.exit`."""
    if in_file(spec.name) is not None:
        return not isinstance(error.__cause__, Exception | NoneType)
    return any(entry in broken_plugins() for entry in entries_named(spec.name))


def _solver(spec: Spec) -> dict[str, Any]:
    needs = registry.get_solver(spec).needs
    return {"capabilities": sorted(needs.capabilities), "packages": [*needs.packages]}


def _refuse_needless(spec: Spec, tuning: Tuning, replaced: Collection[str]) -> None:
    """Raise when the user gives a parameter of a part that is replaced.

    It would count in the name and the id of a result, and change nothing.
    """
    solver = registry.get_solver(spec)
    known = solver.needs.capabilities
    kinds = [kind for kind in replaced if f"any-{kind}" in known]
    required = {p.name for p in parameters_of(find("solvers", spec.name).factory, 0) if p.required}
    written = registry.params_of("solvers", spec).keys() - required
    tuned = set() if isinstance(tuning, bool) else {axis for axis, _ in tuning}
    for name in own_parameters(solver, kinds) if kinds and written | tuned else ():
        if name in written | tuned:
            raise UnsupportedError(
                f"{name} of {short(Choice(spec, tuning))} belongs to its own {' or '.join(kinds)}, "
                f"which --{' and --'.join(kinds)} replaces; leave {name} out"
            )


def _objective(spec: Spec) -> dict[str, Any]:
    # The cells show whether it accepts the real rows: here only its parameters are looked at.
    with suppress(DataError):
        registry.get_objective(spec, Data.of(TOY, [0, 1, 0, 1]))
    return {}


def _pairs(spec: Spec) -> dict[str, Any]:
    pairs, claim = registry.get_pairs(spec), find("pairs", spec.name)
    about = {"kind": pairs.kind, "measure": pairs.measure}
    return {
        "name": dump(spec),
        "qualified": dump(replace(spec, name=claim.qualified)),
        "about": about,
    }


def _built(build: Callable[[Spec], object], spec: Spec) -> dict[str, Any]:
    build(spec)
    return {}


def _metric(spec: Spec) -> dict[str, Any]:
    metric, claim = registry.get_metric(spec), find("metrics", spec.name)
    parameters = getattr(metric, "keywords", {})
    return {
        "name": dump(Spec(spec.name, parameters)),
        "qualified": dump(Spec(claim.qualified, parameters)),
        "about": {"greater_is_better": scale_of(origin(metric)).greater_is_better},
    }


LOOKED_UP: dict[str, Callable[[Spec], dict[str, Any]]] = {
    "solvers": _solver,
    "objectives": _objective,
    "projectors": partial(_built, registry.get_projector),
    "features": partial(_built, registry.get_preprocessing),
    "pairs": _pairs,
    "metrics": _metric,
}
