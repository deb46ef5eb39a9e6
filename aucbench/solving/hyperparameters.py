"""Read and change the hyperparameters of a solver, or of the classifier inside it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from aucbench.contract import Solver
from aucbench.errors import ParameterError, UnknownNameError
from aucbench.optim.classifiers import FromEstimator
from aucbench.registry.signatures import check
from aucbench.solving.wrappers import WithParts, WithSolver, core


def hyperparameters(thing: object) -> dict[str, Any]:
    """Return the fields of a solver, projector or feature map, or of the classifier inside it.

    Parameters of an objective or a projector that was replaced are left out.
    """
    inner, without = core(thing), left_out(thing)
    if isinstance(inner, FromEstimator):
        return dict(inner.estimator.get_params())
    if not is_dataclass(inner):
        return {}
    return {f.name: getattr(inner, f.name) for f in fields(inner) if f.name not in without}


def left_out(thing: object) -> tuple[str, ...]:
    """Return the parameters that have no meaning, since another objective or projector is there."""
    own = thing.without if isinstance(thing, WithParts) else ()
    return (*own, *left_out(thing.solver)) if isinstance(thing, WithSolver) else ()


def with_hyperparameters(solver: Solver, **values: Any) -> Solver:
    """Return the solver, or the one inside it, with other values.

    Raises
    ------
    UnknownNameError
        When it has no such parameter.
    ParameterError
        When it refuses a value, or is no dataclass.
    """
    if isinstance(solver, WithSolver):
        return replace(solver, solver=with_hyperparameters(solver.solver, **values))
    known = hyperparameters(solver)
    for name in values:
        if not is_dataclass(solver):
            raise ParameterError(
                f"{solver!r} is no dataclass, whose {name} could be set; make it one"
            )
        if name not in known:
            raise UnknownNameError(f"parameter of {type(solver).__name__}", name, known)
    if isinstance(solver, FromEstimator):
        from sklearn.base import clone

        return FromEstimator(clone(solver.estimator).set_params(**values))
    check(type(solver).__name__, type(solver), 0, values)
    return replace(solver, **values)  # type: ignore[type-var]
