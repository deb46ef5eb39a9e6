"""Points of a space of hyperparameters, and the order in which they are tried.

Design
  a. A space is a mapping of parameters to axes: lists of values, ranges, or distributions; or
     a list of such mappings, for parameters that have a meaning only with some others.
  b. The points have one order, and `tune_evals` of them are tried, the same number for every
     solver. So a smaller budget tries the first points of a larger one.
  c. The default of the solver comes first, on the published axes or off them. Of a grid
     of the user the default is tried if it is one of its points.
  d. In the next four points only the first axis varies, which is the one that matters most. All
     others come from a Halton sequence, which fills the cube of all axes from coarse to fine.
     (Rejected: to draw points by the seed. After 5 points the AUC was lower, and every split
     tried others. Rejected: to go on around the best point so far. It chose no better ones, and
     reads each fold again for every step. docs/run.md has the numbers.)
  e. Several mappings take turns, so that they share the points evenly. When one has no more
     points, the others go on.
  f. No point of a mapping is tried twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import chain, count, islice, product, zip_longest
from math import inf, prod
from typing import Any

from aucbench.contract import Solver
from aucbench.errors import ParameterError
from aucbench.ranges import holds, is_axis, is_continuous, value_at
from aucbench.solving.hyperparameters import hyperparameters

ALONG_FIRST = 4  # points in which only the first axis varies
BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
FACTORS = (1, 1, 3, 3, 4, 9, 7, 5, 9, 18, 18, 8, 13, 31, 9, 19, 36, 33, 21, 44)
MOST_MISSES = 1000  # known points in a row after which a sequence has no new ones nearby
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
        One position per name. It is -1 for a default that a list lacks. On an axis without a list
        of values it is -1 - the number of the point.
    part : int
        Number of the mapping to which the point belongs.
    """

    values: Mapping[str, Any]
    place: tuple[int, ...]
    part: int


def points_in(
    solver: Solver, grids: Sequence[Axes], most: int, *, published: bool
) -> tuple[GridPoint, ...]:
    """Return at most so many points of the mappings, in the order of the design above.

    Parameters
    ----------
    solver : Solver
        Its own values come first: with `published` anywhere, else only as a point of a grid.
    grids : sequence of mappings of str to axis
        Each is one that `few` returns.
    """
    own = [_own(solver, grid) for grid in grids]
    home = next((j for j, grid in enumerate(grids) if _contains(grid, own[j])), 0)
    turns = (
        _points(j, grids[j], _centre(grids[j], own[j], anywhere=published and j == home))
        for j in sorted(range(len(grids)), key=lambda j: j != home)
    )
    in_turn = (point for turn in zip_longest(*turns) for point in turn if point is not None)
    return tuple(islice(in_turn, most))


def few(label: object, grid: Axes) -> Axes:
    """Return the mapping if the Halton sequence has a base for each of its axes.

    Raises
    ------
    ParameterError
        When it has more than 20 axes; `label` says whose.
    """
    if len(grid) > len(BASES):
        raise ParameterError(
            f"the grid of {label} has {len(grid)} axes, at most {len(BASES)} can be tuned at once; "
            "fix some of the parameters"
        )
    return grid


def chains(points: Sequence[GridPoint], path: str | None) -> list[list[int]]:
    """Return chains of points that differ only along `path`, as numbers of points in its order.

    A point that has no neighbour is a chain of its own. So is every point if the axis of `path`
    has no list of values, since it then has no order.
    """
    members: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for number, point in enumerate(points):
        names, place = [*point.values], point.place
        along = names.index(path) if path in names else None
        step = -1 if along is None else place[along]
        if along is not None and step >= 0:
            place = (*place[:along], *place[along + 1 :])
        members.setdefault((point.part, *place), []).append((step, number))
    return [[number for _, number in sorted(steps)] for steps in members.values()]


def mappings(space: Any) -> Sequence[Axes]:
    """Return the mappings of a published space; nothing if it is malformed."""
    parts = [space] if isinstance(space, Mapping) else space
    if not isinstance(parts, Sequence) or isinstance(parts, str):
        return ()
    fine = all(isinstance(p, Mapping) and all(map(is_axis, p.values())) for p in parts)
    return parts if fine else ()


def size_of(grid: Axes) -> float:
    """Return the number of points; inf if an axis has no list of values."""
    return prod(inf if is_continuous(axis) else len(axis) for axis in grid.values())


def _own(solver: Solver, grid: Axes) -> Values:
    """Return the values of the solver itself; NOWHERE if it has no such attribute."""
    fields = hyperparameters(solver)
    return {name: fields.get(name, getattr(solver, name, NOWHERE)) for name in grid}


def _contains(grid: Axes, values: Values) -> bool:
    return all(holds(axis, values[name]) for name, axis in grid.items())


def _centre(grid: Axes, own: Values, *, anywhere: bool) -> Values:
    """Return the own values of the solver, and the middle of an axis that may not be left."""
    return {
        name: own[name]
        if holds(axis, own[name]) or (anywhere and own[name] is not NOWHERE)
        else value_at(axis, 0.5)
        for name, axis in grid.items()
    }


def _points(part: int, grid: Axes, centre: Values) -> Iterator[GridPoint]:
    """Yield the different points of a mapping: the centre, then from coarse to fine."""
    known: set[tuple[Any, ...]] = set()
    missing = size_of(grid)
    for values in chain([centre], _spread(grid, centre, known), _listed(grid)):
        key = tuple(_position(axis, values[name]) for name, axis in grid.items())
        if key not in known:
            number = len(known)
            known.add(key)
            place = (
                -1 - number if is_continuous(axis) else -1 if j is None else j
                for axis, j in zip(grid.values(), key, strict=True)
            )
            yield GridPoint(values, tuple(place), part)
            missing -= None not in key
        if not missing:
            return


def _position(axis: Any, value: Any) -> Any:
    """Return the number of a value of a list, a value of a range to 9 digits; None off the axis."""
    if not holds(axis, value):
        return None
    return f"{value:.9g}" if is_continuous(axis) else [*axis].index(value)


def _spread(grid: Axes, centre: Values, known: Sized) -> Iterator[Values]:
    """Yield points of the Halton sequence until many in a row are known; first along one axis."""
    misses = 0
    for i in count(1):
        free = [*grid][: 1 if i <= ALONG_FIRST else None]
        before = len(known)
        yield {
            **centre,
            **{
                name: value_at(grid[name], _inverse(i, base, factor))
                for name, base, factor in zip(free, BASES, FACTORS, strict=False)
            },
        }
        misses = 0 if len(known) > before else misses + 1
        if misses == MOST_MISSES:
            return


def _inverse(i: int, base: int, factor: int) -> float:
    """Return the radical inverse of i: its digits to the base, mirrored at the point.

    Each digit is multiplied by the factor, modulo the base. Without this, the first points would
    go along the diagonal of two axes with large bases.

    References
    ----------
    Faure & Lemieux, "Generalized Halton sequences in 2008: a comparative study", ACM TOMACS
    19(4), 2009. Their factors are `FACTORS`.
    """
    mirrored, unit = 0, 1
    while i:
        i, digit = divmod(i, base)
        mirrored, unit = base * mirrored + factor * digit % base, base * unit
    return mirrored / unit


def _listed(grid: Axes) -> Iterator[Values]:
    """Yield all points of a grid of lists, in its order; nothing if an axis has no list."""
    if any(map(is_continuous, grid.values())):
        return
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))
