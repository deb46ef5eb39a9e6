"""`select`: one hyperparameter by cross-validation, along a path of warm starts.

Design
  a. The rules are those of tuning in the benchmark: folds are stratified, and the highest mean
     AUC wins. Among equal means the first value wins. Values descend, so that this is the
     strongest penalty, and so that each fit starts from a simpler one.
  b. A fit starts from the weights of the one before only along the path that the solver names
     (`Needs.path`). On other parameters the weights after a given budget would depend on the
     grid.
  c. The last fit has its own start. It equals what `solve` gives with the chosen value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from math import inf, isfinite, nan
from numbers import Real
from statistics import fmean
from typing import Any

import numpy as np

from aucbench.budget import GAP_TOL
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.folds import drawn_parts
from aucbench.errors import ParameterError, UnknownNameError
from aucbench.metrics import auc_of
from aucbench.protocols import Problem, Solver
from aucbench.ranges import axis_text, is_continuous
from aucbench.records import Run, Stop
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import Around, Observed, Started


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value of the parameter and its AUCs.

    Attributes
    ----------
    value : float
    aucs : tuple of float
        AUC of the rows held out, for each fold; NaN where the weights or scores were invalid.
    passes : float
        Passes over the training rows of its fits, all folds together.
    """

    value: float
    aucs: tuple[float, ...]
    passes: float

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
    parameter : str
    chosen : float
    candidates : tuple of Candidate
        All values, descending.
    solver : Solver
        With the chosen value.
    run : Run
        The fit of `solver` to all rows, from its own start.
    """

    parameter: str
    chosen: float
    candidates: tuple[Candidate, ...]
    solver: Solver
    run: Run


def select(
    solver: Solver,
    data: Data,
    *,
    parameter: str = "lam",
    grid: Sequence[float] | None = None,
    folds: int = 5,
    passes: float | None = None,
    seconds: float | None = None,
    gap_tol: float = GAP_TOL,
    seed: int = 0,
) -> Selection:
    """Choose λ, or another parameter, by the mean AUC over stratified folds, and refit.

    Parameters
    ----------
    solver : Solver
        For example `get_solver("svm-or")`; its other parameters stay as they are.
    parameter : str
        Its name.
    grid : sequence of float, optional
        Values in any order; None: the numbers of the published grid of the solver.
    folds : int
        At least 2; fewer are made when the rarer class has fewer rows.
    passes, seconds, gap_tol, seed :
        As `solve`, for each fit. The folds are drawn by the same seed.

    Raises
    ------
    UnknownNameError, ParameterError
        When the solver has no such parameter; when its grid has no values for it, but a range or
        nothing; when a value is not a finite number, or the solver refuses it; when every value
        gave invalid weights.
    DataError
        When a class has fewer than two rows.
    """
    values = _descending(solver, parameter, grid)
    solvers = [_put(solver, parameter, value) for value in values]
    warm = solver.needs.path == parameter
    budget = partial(solve, passes=passes, seconds=seconds, gap_tol=gap_tol, seed=seed)
    scored: list[list[tuple[float, float]]] = [[] for _ in values]
    for rest, held in drawn_parts(data, folds, seed):
        w: Vector | None = None
        for candidate, notes in zip(solvers, scored, strict=True):
            observed = Observed(Started(candidate, w))
            run = budget(observed, rest, every=inf)
            score = _score(run, observed.problems[0], held)
            notes.append((score, run.points[-1].passes))
            w = run.w if warm and isfinite(score) else None
    table = [
        Candidate(value, tuple(a for a, _ in notes), sum(p for _, p in notes))
        for value, notes in zip(values, scored, strict=True)
    ]
    best = _first_best(table)
    run = budget(solvers[best], data)
    return Selection(parameter, values[best], tuple(table), solvers[best], run)


def _descending(solver: Solver, parameter: str, given: Sequence[float] | None) -> list[float]:
    values: Sequence[Any] = _published(solver, parameter) if given is None else given
    if is_continuous(values):
        raise ParameterError(
            f"{parameter} has the range {axis_text(values)} in place of values, and one path needs "
            "values; pass some of it as grid="
        )
    if given is None:  # None and "scale", which some axes have too, are no steps of a path
        values = [*filter(_is_finite, values)]
    if not len(values):
        raise ParameterError(
            f"{type(solver).__name__} publishes no grid for {parameter!r} and none was given; "
            "pass values as grid="
        )
    for value in values:
        if not _is_finite(value):
            raise ParameterError(
                f"{parameter} has the value {value!r}, which has no place in a descending grid; "
                "pass finite numbers as grid="
            )
    return sorted({*values}, reverse=True)


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def _published(solver: Solver, parameter: str) -> Any:
    """The axis of a parameter in the space of the solver, the first that there is."""
    space = solver.space
    parts = [space] if isinstance(space, Mapping) else space
    return next((part[parameter] for part in parts if parameter in part), ())


def _put(solver: Solver, parameter: str, value: float) -> Solver:
    """Return the solver, or the one inside it, with another value."""
    if isinstance(solver, Around):
        return replace(solver, solver=_put(solver.solver, parameter, value))
    if is_dataclass(solver) and not isinstance(solver, type):
        known = [f.name for f in fields(solver)]
        if parameter in known:
            return replace(solver, **{parameter: value})
        raise UnknownNameError(f"parameter of {type(solver).__name__}", parameter, known)
    raise ParameterError(f"{solver!r} is no dataclass, whose {parameter} could be set; make it one")


def _score(run: Run, problem: Problem, held: Data) -> float:
    """AUC of the rows held out; NaN where weights or scores are invalid."""
    if run.stop is Stop.INVALID:
        return nan
    if run.w is not None and not problem.project.contains(run.w):
        return nan
    scores = run.decision_function(held.rows)
    return nan if np.isnan(scores).any() else auc_of(held.target, scores)


def _first_best(table: Sequence[Candidate]) -> int:
    valid = [j for j, tried in enumerate(table) if isfinite(tried.auc)]
    if not valid:
        raise ParameterError(
            f"none of the {len(table)} values gave valid weights on every fold; pass others as "
            "grid=, or scale the features"
        )
    return max(valid, key=lambda j: table[j].auc)
