"""Grids of hyperparameters, and which of their points a solver is tuned over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from aucbench import registry
from aucbench.cell import Cell, Tuning
from aucbench.errors import ParameterError, PluginError
from aucbench.protocols import Solver

LARGEST = 2**62  # points of a grid that can be drawn from
Grid = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class GridPoint:
    """Hyperparameters by name, and their place in the grid: one position per name."""

    values: Mapping[str, Any]
    place: tuple[int, ...]


def grid_of(spec: str, tuning: Tuning) -> Grid:
    """The grid of a solver: the one given, or its published one less what `spec` fixes.

    Raises
    ------
    PluginError
        When the published grid is no mapping of parameters to values.
    """
    if not isinstance(tuning, bool):
        return dict(tuning)
    space = registry.get_solver(spec).space
    lists = isinstance(space, Mapping) and all(
        isinstance(values, Sequence) and values and not isinstance(values, str)
        for values in space.values()
    )
    if not lists:
        raise PluginError(
            f"the published grid of {spec} is {space!r}, wanted a mapping of parameters to "
            "tuples of values; give a grid of your own"
        )
    fixed = registry.parse_spec(spec).params
    return {name: tuple(values) for name, values in space.items() if name not in fixed}


def check_grid(spec: str, tuning: Tuning) -> int:
    """Build the solver with each value of the grid; return the number of its points.

    Raises
    ------
    AucbenchError
        When the solver has no such parameter or refuses a value.
    """
    grid = grid_of(spec, tuning)
    for name, values in grid.items():
        for value in values:
            registry.get_solver(spec, **{name: value})
    return prod(map(len, grid.values()))


def points_of(cell: Cell) -> tuple[GridPoint, ...]:
    """Return the points that a cell tries, in the order of the grid (the last name varies first).

    All of the grid, or `tune_evals` points drawn by the seed of the cell, of which the
    solver's own default is always one if the grid has it.

    Raises
    ------
    ParameterError, PluginError
        When the grid has more than 2**62 points; as `grid_of`.
    """
    grid = grid_of(cell.solver, cell.tune)
    sizes = [len(values) for values in grid.values()]
    total = prod(sizes)
    if total > LARGEST:
        raise ParameterError(
            f"the grid of {cell.solver} has {total} points; give fewer values, 2**62 points fit"
        )
    keep = _default(registry.get_solver(cell.solver), grid)
    rng = np.random.default_rng(cell.seed)
    places = [_place(number, sizes) for number in _drawn(total, keep, cell.tune_evals, rng)]
    return tuple(
        GridPoint({name: grid[name][j] for name, j in zip(grid, place, strict=True)}, place)
        for place in places
    )


def chains(points: Sequence[GridPoint], path: str | None) -> list[list[int]]:
    """Numbers of the points that differ along `path` only, in its order; else each by itself."""
    names = [*points[0].values]
    along = names.index(path) if path in names else None
    found: dict[tuple[int, ...], list[int]] = {}
    for number, point in enumerate(points):
        place = point.place
        key = place if along is None else (*place[:along], *place[along + 1 :])
        found.setdefault(key, []).append(number)
    return [*found.values()]


def _default(solver: Solver, grid: Grid) -> int | None:
    """Number of the grid point that is the solver as it stands, if the grid has it."""
    number = 0
    for name, values in grid.items():
        equal = [j for j, value in enumerate(values) if getattr(solver, name, values) == value]
        if not equal:
            return None
        number = number * len(values) + equal[0]
    return number


def _drawn(total: int, keep: int | None, count: int, rng: np.random.Generator) -> list[int]:
    if total <= count:
        return [*range(total)]
    kept = [] if keep is None else [keep]
    others = rng.choice(total - len(kept), count - len(kept), replace=False, shuffle=False)
    # The numbers drawn skip the one that is kept.
    return sorted([*kept, *(int(j) + (keep is not None and j >= keep) for j in others)])


def _place(number: int, sizes: Sequence[int]) -> tuple[int, ...]:
    place: list[int] = []
    for size in reversed(sizes):
        number, j = divmod(number, size)
        place.insert(0, j)
    return tuple(place)
