"""`select`: solvers and their hyperparameters by cross-validation, along paths of warm starts.

Design
  a. The rules are those of `tuning`, as in the benchmark. The numbers of a single list descend, so
     that the first of equal means has the strongest penalty, and so that each fit starts from a
     simpler one. All other points come in the order of `points`.
  b. The last fit has its own start. It equals what `solve` gives with the chosen values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, nan
from statistics import fmean
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.folds import drawn_parts
from aucbench.errors import ParameterError, float_of, require_whole
from aucbench.protocols import Solver
from aucbench.ranges import GAP_TOL, is_axis, is_continuous
from aucbench.records import Run
from aucbench.registry import get_solver, params_of
from aucbench.solving.hyperparameters import with_hyperparameters
from aucbench.solving.loop import solve
from aucbench.solving.points import Axes, GridPoint, chains, few, mappings, points_in, size_of
from aucbench.solving.tuning import Trial, first_best, try_on_folds

POINTS = 20  # of a grid that is not given as lists, as in the benchmark
Wanted = str | Solver


@dataclass(frozen=True, slots=True)
class Candidate:
    """A solver with values of its parameters, and its AUCs.

    Attributes
    ----------
    solver : Solver
        With these values.
    parameters : mapping of str to value
        The values that were tried; empty for a solver that is taken as it is.
    aucs : tuple of float
        AUC of the rows held out, for each fold; NaN from the fold on whose weights or scores were
        invalid.
    passes : float
        Passes over the training rows of its fits, all folds together.
    """

    solver: Solver
    parameters: Mapping[str, Any]
    aucs: tuple[float, ...]
    passes: float

    @staticmethod
    def of(trial: Trial, folds: int) -> Candidate:
        """Return what a trial has found on so many folds."""
        aucs = (*trial.aucs, *[nan] * (folds - len(trial.aucs)))
        return Candidate(trial.build(trial.values), trial.values, aucs, trial.passes)

    @property
    def value(self) -> Any:
        """The value of the parameter, where there is one.

        Raises
        ------
        ParameterError
            When there are several parameters, or none.
        """
        if len(self.parameters) != 1:
            raise ParameterError(
                f"a candidate has the parameters {dict(self.parameters)}, so that no single value "
                "names it; read its `parameters`"
            )
        (only,) = self.parameters.values()
        return only

    @property
    def auc(self) -> float:
        """Mean over the folds; NaN when one of them failed."""
        return fmean(self.aucs)

    @property
    def std(self) -> float:
        """Standard deviation over the folds, with the denominator folds − 1."""
        return float(np.std(self.aucs, ddof=1))


@dataclass(frozen=True, slots=True)
class Selection:
    """What cross-validation chose.

    Attributes
    ----------
    candidates : tuple of Candidate
        In the order in which they were tried.
    best : Candidate
        The first one with the highest mean AUC.
    run : Run
        The fit of its solver to all rows, from its own start.
    """

    candidates: tuple[Candidate, ...]
    best: Candidate
    run: Run

    @property
    def solver(self) -> Solver:
        """The best solver, with the chosen values."""
        return self.best.solver

    @property
    def chosen(self) -> Any:
        """The chosen value of the parameter, where there is one; as `Candidate.value`."""
        return self.best.value


def select(
    solvers: Wanted | Sequence[Wanted] | Mapping[str, Any],
    data: Data,
    *,
    parameter: str | None = None,
    grid: Any = None,
    points: int | None = None,
    folds: int = 5,
    passes: float | None = None,
    seconds: float | None = None,
    gap_tol: float = GAP_TOL,
    seed: int = 0,
) -> Selection:
    """Choose a solver and its parameters by the mean AUC over stratified folds, and refit.

    Parameters
    ----------
    solvers : str, Solver, sequence of these, or mapping of str to grid
        `"svm-or"`, `"svm-or[loss=exact]"`, `get_solver("svm-or")`, or several of them. With a
        mapping each has a grid of its own: `{"svm-or": {"lam": (1, 0.1)}, "logistic": None}`.
    parameter : str, optional
        The one parameter that `grid` is for. None: "lam" if `grid` is a list or a range.
    grid : mapping of str to axis, axis, or None
        An axis is a list of values of any kind, a `Range`, or a frozen distribution of
        scipy.stats. None: what the solver publishes, for `parameter` if it is given, without the
        parameters that stand in brackets.
    points : int, optional
        At most so many points of a solver are tried. None: all points of a grid of lists that
        you give, else 20. Of a single list of values all are tried.
    folds : int
        At least 2; fewer are made when the rarer class has fewer rows.
    passes, seconds, gap_tol, seed :
        As `solve`, for each fit. The folds are drawn by the same seed.

    Raises
    ------
    UnknownNameError, ParameterError
        When there is no such solver or parameter; when a grid is asked for that is not published;
        when a solver refuses a value; when every point gave invalid weights.
    DataError
        When a class has fewer than two rows.
    """
    require_whole(1, points=points)
    trials: list[Trial] = []
    order: list[list[Trial]] = []
    for wanted, axes in _each(solvers, parameter, grid):
        grid_points, solver = _points(wanted, axes, parameter, points), get_solver(wanted)
        here = [
            _trial(with_hyperparameters(solver, **point.values), point) for point in grid_points
        ]
        along = chains(grid_points, getattr(solver.needs, "path", None))
        order += [[here[j] for j in chain] for chain in along]
        trials += here
    budget = partial(solve, passes=passes, seconds=seconds, gap_tol=gap_tol, seed=seed)
    parts = drawn_parts(data, folds, seed)
    try_on_folds(order, parts, partial(budget, every=inf), refused=())
    best = first_best(trials)
    if best is None:
        raise ParameterError(
            f"none of the {len(trials)} values gave valid weights on every fold; pass others as "
            "grid=, or scale the features"
        )
    count = len(best.aucs)
    table = tuple(Candidate.of(trial, count) for trial in trials)
    chosen = table[trials.index(best)]
    return Selection(table, chosen, budget(chosen.solver, data))


def _trial(solver: Solver, point: GridPoint) -> Trial:
    return Trial(point.values, lambda _: solver)


def _each(solvers: Any, parameter: str | None, grid: Any) -> list[tuple[Wanted, Any]]:
    """Return each solver with its grid."""
    if isinstance(solvers, Mapping):
        if grid is not None or parameter is not None:
            raise ParameterError(
                "a mapping of solvers has the grid of each; leave grid= and parameter= out"
            )
        return [*solvers.items()]
    several = isinstance(solvers, Sequence) and not isinstance(solvers, str)
    return [(wanted, grid) for wanted in (solvers if several else [solvers])]


def _points(
    wanted: Wanted, grid: Any, parameter: str | None, most: int | None
) -> Sequence[GridPoint]:
    """Return the points of a solver in the order in which they are tried."""
    solver, published = get_solver(wanted), grid is None
    grids = _published(wanted, parameter) if published else [_given(grid, parameter, solver)]
    if len(grids) == 1 and len(grids[0]) == 1:
        ((name, axis),) = grids[0].items()
        if not is_continuous(axis):
            return [GridPoint({name: v}, (j,)) for j, v in enumerate(_descending(axis, published))]
    total = sum(map(size_of, grids))
    limit = most or (POINTS if published or not isfinite(total) else int(total))
    return points_in(solver, [few(solver, part) for part in grids], limit, published=published)


def _given(grid: Any, parameter: str | None, solver: Solver) -> Axes:
    """Return the grid of a user as a mapping of parameters to axes."""
    if isinstance(grid, Mapping) and parameter is not None:
        raise ParameterError(
            f"parameter={parameter!r} is for a list of values; the grid {dict(grid)} names its own"
        )
    named = grid if isinstance(grid, Mapping) else {parameter or "lam": grid}
    axes = {name: axis if is_continuous(axis) else _listed(axis) for name, axis in named.items()}
    for name, axis in axes.items():
        if not is_axis(axis):
            raise ParameterError(
                f"the grid of {type(solver).__name__} has {named[name]!r} for {name!r}; give a "
                "list of values, a Range, or a distribution of scipy.stats"
            )
    return axes


def _listed(axis: Any) -> Any:
    return tuple(axis) if np.iterable(axis) and not isinstance(axis, str | Mapping) else axis


def _published(wanted: Wanted, parameter: str | None) -> Sequence[Axes]:
    """Return the published grids, or that of one parameter."""
    solver = get_solver(wanted)
    fixed = params_of("solvers", wanted) if isinstance(wanted, str) else {}
    parts = mappings(solver.space)
    if parameter is None:
        return [{n: a for n, a in part.items() if n not in fixed} for part in parts] or [{}]
    for part in parts:
        if parameter in part:
            return [{parameter: part[parameter]}]
    raise ParameterError(
        f"{type(solver).__name__} publishes no grid for {parameter!r} and none was given; "
        "pass values as grid="
    )


def _descending(values: Sequence[Any], published: bool) -> Sequence[Any]:
    """Return numbers without repetitions in descending order, and other values as they are."""
    numbers = [*filter(_is_finite, values)]
    if numbers and (published or len(numbers) == len(values)):
        return sorted({*numbers}, reverse=True)  # without None, which some published axes have
    return values


def _is_finite(value: Any) -> bool:
    number = float_of(value)
    return number is not None and isfinite(number)
