"""Build the solver of a cell from its specifications, in the process that fits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from aucbench import registry
from aucbench.bench.cell import Cell
from aucbench.errors import PluginError
from aucbench.protocols import Solver
from aucbench.registry.lookup import lookup
from aucbench.registry.specs import Spec
from aucbench.solving.wrappers import recast


def build(cell: Cell, point: Mapping[str, Any]) -> Solver:
    """Return the solver of a cell at a point of its grid.

    It works on the objective and the projector of the cell, where these are given.
    """
    solver = registry.get_solver(cell.solver, **point)
    objective = cell.objective and partial(registry.get_objective, cell.objective)
    projector = cell.projector and registry.get_projector(cell.projector)
    return recast(solver, objective=objective or None, projector=projector or None)


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
