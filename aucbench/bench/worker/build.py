"""Build the solver of a cell, and the points of its grid, in the process that fits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from aucbench import registry
from aucbench.bench.cell import Cell, Tuning
from aucbench.bench.worker.pairing import trainable
from aucbench.errors import PluginError
from aucbench.protocols import Solver
from aucbench.ranges import samples
from aucbench.registry.lookup import lookup
from aucbench.registry.specs import Spec
from aucbench.solving.points import Axes, GridPoint, few, mappings, points_in
from aucbench.solving.wrappers import recast


def build(cell: Cell, point: Mapping[str, Any]) -> Solver:
    """Return the solver of a cell at a point of its grid.

    It works on the objective and the projector of the cell, where these are given; and on all
    pairs of labels, where it does not train on those of the cell.
    """
    solver = registry.get_solver(cell.solver, **point)
    objective = cell.objective and partial(registry.get_objective, cell.objective)
    projector = cell.projector and registry.get_projector(cell.projector)
    solver = recast(solver, objective=objective or None, projector=projector or None)
    return trainable(cell, solver)


def plugin_of(kind: str, spec: Spec) -> tuple[str, str, str] | None:
    """Return (distribution, version, value) of the plugin that a specification means.

    A broken plugin is found by its own name. None means that no plugin has the name, as when
    the name is that of a file.
    """
    try:
        claim = lookup(kind, spec.name)
    except PluginError:
        claim = None
    if claim is not None:
        return claim.entry.distribution, claim.entry.version, claim.entry.value
    named = (p for p in registry.plugins() if p.name == spec.name.rpartition(":")[2] and p.failure)
    return next(((p.distribution, p.version, p.value) for p in named), None)


def grids_of(spec: Spec, tuning: Tuning, replaced: Collection[str] = ()) -> tuple[Axes, ...]:
    """Return the given grid, or the published ones without the parameters that `spec` fixes.

    The axes of a given grid are in the order of the published one; those that it lacks follow.
    Where the objective or the projector is `replaced`, parameters of it are left out.
    """
    solver = registry.get_solver(spec)
    space = solver.space
    parts = mappings(space)
    if not isinstance(tuning, bool):
        known = [name for part in parts for name in part]
        ranked = sorted(tuning, key=lambda axis: [*known, axis[0]].index(axis[0]))
        return (few(spec, dict(ranked)),)
    if not parts:
        raise PluginError(
            f"the published grid of {spec} is {space!r}, wanted a mapping of parameters to "
            "tuples of values, ranges or distributions, or a list of such mappings; give a grid "
            "of your own"
        )
    fixed = {*registry.params_of("solvers", spec), *solver.needs.parameters_of(replaced)}
    free = ({n: axis for n, axis in part.items() if n not in fixed} for part in parts)
    return tuple(few(spec, part) for part in free)


def check_grid(spec: Spec, tuning: Tuning, replaced: Collection[str] = ()) -> None:
    """Build the solver with values of each axis, and let it refuse them.

    These values are all those of a list, both ends of a range, and the median of a distribution.
    """
    for grid in grids_of(spec, tuning, replaced):
        for name, axis in grid.items():
            for value in samples(axis):
                registry.get_solver(spec, **{name: value})


def points_of(cell: Cell) -> tuple[GridPoint, ...]:
    """Return the points that a cell tries, in the order of `aucbench.solving.points`."""
    replaced = [kind for kind in ("objective", "projector") if getattr(cell, kind) is not None]
    solver = registry.get_solver(cell.solver)
    grids = grids_of(cell.solver, cell.tune, replaced)
    return points_in(solver, grids, cell.tune_evals, published=isinstance(cell.tune, bool))
