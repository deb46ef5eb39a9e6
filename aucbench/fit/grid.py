"""Spaces of hyperparameters, and which of their points a solver is tuned over.

Design
  a. A space is a mapping of parameters to axes: lists of values, ranges, or distributions; or
     a list of such mappings, for parameters that have a meaning only with some others.
  b. If all axes are lists, points are drawn from their grid without replacement. Otherwise each
     coordinate of a point is drawn independently. In both cases `tune_evals` points are tried,
     the same number for every solver. The seed of the cell decides which.
  c. Several mappings share the points evenly. Of 20 points three mappings get 7, 7 and 6, and
     the mapping that contains the default of the solver comes first. When a grid has fewer
     points than its share, the others share the rest evenly.
  d. No point of a mapping is tried twice. (Rejected: to allow it. A range of three integers
     would fit the same points again and again.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from aucbench import registry
from aucbench.cell import Cell, Tuning
from aucbench.errors import ParameterError, PluginError
from aucbench.fit.plain import held
from aucbench.protocols import Solver
from aucbench.ranges import drawn_from, holds, is_axis, is_continuous, samples
from aucbench.registry.specs import Spec

MOST_POINTS = 2**62  # points of a grid that can be drawn from
DRAWS_PER_POINT = 20  # after so many draws for each wanted point, fewer points are enough
NOWHERE = object()  # no axis has this value
Axes = Mapping[str, Any]
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GridPoint:
    """Hyperparameters by name, and their positions on the axes.

    Attributes
    ----------
    values : mapping of str to value
    place : tuple of int
        One position per name. On an axis without a list of values it is -1 - the number of the
        draw.
    part : int
        Number of the mapping to which the point belongs.
    """

    values: Mapping[str, Any]
    place: tuple[int, ...]
    part: int = 0


def grids_of(spec: Spec, tuning: Tuning) -> tuple[Axes, ...]:
    """Return the given grid, or the published ones without the parameters that `spec` fixes.

    Raises
    ------
    PluginError
        When the published space is neither a mapping of parameters to axes nor a list of such.
    """
    if not isinstance(tuning, bool):
        return (dict(tuning),)
    space = registry.get_solver(spec).space
    parts = [space] if isinstance(space, Mapping) else space
    fine = isinstance(parts, Sequence) and not isinstance(parts, str) and len(parts) > 0
    if not (fine and all(isinstance(p, Mapping) and all(map(is_axis, p.values())) for p in parts)):
        raise PluginError(
            f"the published grid of {spec} is {space!r}, wanted a mapping of parameters to "
            "tuples of values, ranges or distributions, or a list of such mappings; give a grid "
            "of your own"
        )
    fixed = registry.given("solvers", spec)
    return tuple({n: axis for n, axis in part.items() if n not in fixed} for part in parts)


def check_grid(spec: Spec, tuning: Tuning) -> int | None:
    """Build the solver with values of each axis; return the number of points, None if endless.

    These values are all those of a list, both ends of a range, and the median of a distribution.

    Raises
    ------
    AucbenchError
        When the solver has no such parameter or refuses a value.
    """
    grids = grids_of(spec, tuning)
    for grid in grids:
        for name, axis in grid.items():
            for value in samples(axis):
                registry.get_solver(spec, **{name: value})
    if any(map(_is_drawn, grids)):
        return None
    return sum(map(_size, grids))


def points_of(cell: Cell) -> tuple[GridPoint, ...]:
    """Return the points that a cell tries, mapping by mapping.

    Points of a grid are in its order, in which the last name varies first. If the grid has more
    points than its share of `tune_evals`, the seed of the cell draws some of them. The default
    of the solver is always one of the points if a mapping contains it. Where some axis has no
    list of values, it is the first point.

    Raises
    ------
    ParameterError, PluginError
        When a grid has more than 2**62 points; as `grids_of`.
    """
    grids = grids_of(cell.solver, cell.tune)
    defaults = [_default(registry.get_solver(cell.solver), grid) for grid in grids]
    home = next((j for j, found in enumerate(defaults) if found is not None), 0)
    sizes = [_total(cell.solver, grid) for grid in grids]
    shares = _shares(sizes, cell.tune_evals, home)
    rngs = _generators(cell.seed, len(grids))
    found: list[GridPoint] = []
    for j, (grid, rng) in enumerate(zip(grids, rngs, strict=True)):
        draw = _of_grid if sizes[j] is not None else _of_axes
        keep = defaults[j] if j == home else None
        placed = draw(grid, keep, shares[j], rng) if shares[j] else ()
        found += [GridPoint(values, place, j) for values, place in placed]
    return tuple(found)


def chains(points: Sequence[GridPoint], path: str | None) -> list[list[int]]:
    """Return chains of points that differ only along `path`, as numbers of points in its order.

    A point that has no neighbour is a chain of its own. So is every point if the axis of `path`
    has no list of values, since it then has no order.
    """
    found: dict[tuple[int, ...], list[int]] = {}
    for number, point in enumerate(points):
        names, place = [*point.values], point.place
        along = names.index(path) if path in names else None
        if along is not None and place[along] >= 0:
            place = (*place[:along], *place[along + 1 :])
        found.setdefault((point.part, *place), []).append(number)
    return [*found.values()]


def _generators(seed: int, count: int) -> list[np.random.Generator]:
    """One for each mapping; a single mapping uses the generator of the seed itself."""
    rng = np.random.default_rng(seed)
    return [rng] if count == 1 else rng.spawn(count)


def _is_drawn(grid: Axes) -> bool:
    """Whether an axis has no list of values."""
    return any(map(is_continuous, grid.values()))


def _size(grid: Axes) -> int:
    return prod(len(values) for values in grid.values())


def _total(spec: Spec, grid: Axes) -> int | None:
    """Points of a grid; None when they are endless."""
    if _is_drawn(grid):
        return None
    total = _size(grid)
    if total > MOST_POINTS:
        raise ParameterError(
            f"the grid of {spec} has {total} points; give fewer values, 2**62 points fit"
        )
    return total


def _shares(sizes: Sequence[int | None], budget: int, first: int) -> Mapping[int, int]:
    """Return the number of points of each mapping; the remainder goes to `first`, then in order."""
    waiting = sorted(range(len(sizes)), key=lambda j: j != first)
    filled: dict[int, int] = {}
    while waiting:
        even, more = divmod(budget - sum(filled.values()), len(waiting))
        wanted = {j: even + (rank < more) for rank, j in enumerate(waiting)}
        small = {j: size for j in waiting if (size := sizes[j]) is not None and size <= wanted[j]}
        if not small:
            return filled | wanted
        filled |= small
        waiting = [j for j in waiting if j not in small]
    return filled


def _default(solver: Solver, grid: Axes) -> Values | None:
    """Return the default values of the solver if the mapping contains them, else None."""
    fields = held(solver)
    own = {name: fields.get(name, getattr(solver, name, NOWHERE)) for name in grid}
    return own if all(holds(axis, own[name]) for name, axis in grid.items()) else None


def _of_grid(
    grid: Axes, keep: Values | None, count: int, rng: np.random.Generator
) -> Iterator[tuple[Values, tuple[int, ...]]]:
    """Draw points of lists without replacement; `keep` is one of them."""
    sizes = [len(values) for values in grid.values()]
    kept = None if keep is None else _number(grid, keep)
    for drawn in _drawn(prod(sizes), kept, count, rng):
        place = _place(drawn, sizes)
        yield {name: grid[name][j] for name, j in zip(grid, place, strict=True)}, place


def _number(grid: Axes, values: Values) -> int:
    """Number of a point in the order of the grid."""
    number = 0
    for name, axis in grid.items():
        number = number * len(axis) + [*axis].index(values[name])
    return number


def _of_axes(
    grid: Axes, keep: Values | None, count: int, rng: np.random.Generator
) -> Iterator[tuple[Values, tuple[int, ...]]]:
    """Draw different points, each coordinate independently; `keep` comes first."""
    found: list[Values] = [] if keep is None else [keep]
    for _ in range(DRAWS_PER_POINT * count):
        if len(found) == count:
            break
        drawn = {name: drawn_from(axis, rng) for name, axis in grid.items()}
        if drawn not in found:
            found.append(drawn)
    for number, values in enumerate(found):
        yield (
            values,
            tuple(
                -1 - number if is_continuous(axis) else [*axis].index(values[name])
                for name, axis in grid.items()
            ),
        )


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
