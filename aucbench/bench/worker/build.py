"""Build the solver of a cell, its pairs and the points of its grid, in the process that fits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from aucbench import registry
from aucbench.bench.cell import ALL_PAIRS, Cell, Tuning
from aucbench.contract import Budget, Needs, Problem, Solver
from aucbench.data import Data
from aucbench.data.targets import Labels
from aucbench.errors import DataError, PluginError
from aucbench.objectives.differences import constant_in_parts
from aucbench.pairs import members_of
from aucbench.ranges import samples
from aucbench.registry.lookup import broken_plugins, entries_named, lookup
from aucbench.registry.specs import Spec
from aucbench.solving.classes import trained_on as other_pairs
from aucbench.solving.points import Axes, GridPoint, few, mappings, points_in
from aucbench.solving.replaceable import own_parameters
from aucbench.solving.wrappers import WithSolver, recast, with_pairs

OF_LABELS = ("group", "range")  # kinds of which a solver without them can take all pairs instead


@dataclass(frozen=True)
class OnAllPairs(WithSolver):
    """A solver that takes rows of labels as they are, whatever pairs of them count."""

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """The needs of the solver inside, which sees all pairs."""
        return with_pairs(self.solver.needs, "group-pairs", "range-pairs")

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Problem of the solver inside, on all pairs."""
        return self.solver.problem(replace(data, pairs=None), rng, budget)


def paired(cell: Cell, data: Data) -> Data:
    """Return the rows with the pairs of the cell."""
    return data if cell.pairs is None else replace(data, pairs=registry.get_pairs(cell.pairs))


def trainable(cell: Cell, solver: Solver) -> Solver:
    """Return the solver; on all pairs if it does not train on those of the cell.

    It then takes part, is judged by the measure of the pairs, and its record says so.
    """
    if cell.pairs is None:
        return solver
    kind = registry.get_pairs(cell.pairs).kind
    takes = f"{kind}-pairs" in solver.needs.capabilities
    return solver if takes or kind not in OF_LABELS else OnAllPairs(solver)


def within_groups(pairs: Any) -> bool:
    """Whether pairs are those of one group."""
    return pairs.kind == "group" or getattr(pairs, "column", None) is not None


def describe_pairs(cell: Cell, solver: Solver, train: Data) -> dict[str, Any]:
    """Return what the record says of the pairs; nothing where all pairs of the target were meant.

    It raises `DataError` or `UnsupportedError` when the training rows have no such pairs.
    """
    if train.pairs is None:
        other = other_pairs(solver, train)
        return {"trained_on": other} if other else {}
    if train.pairs.kind in OF_LABELS and not isinstance(train.target, Labels):
        raise DataError(
            f"the pairs {cell.pairs} are of two classes, and the rows have {train.target.what}; "
            "leave the pairs out, or take those of this target"
        )
    if train.pairs.kind == "class":
        next(train.pairs.labels(train))  # which the target has, or refuses
        return {"trained_on": str(cell.pairs)}
    members = members_of(train)
    if isinstance(solver, OnAllPairs):
        return {"trained_on": ALL_PAIRS}
    facts: dict[str, Any] = {"trained_on": str(cell.pairs)}
    facts["constant"] = int(constant_in_parts(train.rows, *members.components).size)
    if train.groups is not None and within_groups(train.pairs):
        facts["left_out"] = int(members.left_out)
        facts["groups"] = int(np.unique(train.groups).size) - facts["left_out"]
    return facts


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
    broken = (entry for entry in entries_named(spec.name) if entry in broken_plugins())
    return next(((e.distribution, e.version, e.value) for e in broken), None)


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
    fixed = {*registry.params_of("solvers", spec), *own_parameters(solver, replaced)}
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
