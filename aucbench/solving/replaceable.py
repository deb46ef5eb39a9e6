"""Which parameters of a solver shape its own f or Ω alone: they have no meaning with others.

They are found by looking, on a small sample: two values of a parameter give two problems, and
what differs between them is what the parameter shapes. One that `iterates` reads, or that changes
the features, shapes more than f and Ω.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from aucbench.contract import Budget, Problem, Solver
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import AucbenchError

ROWS, COLUMNS = 60, 40  # of the sample; the published numbers of non-zeros begin at 10
STATES = 3  # in which `iterates` has read what it reads
SMALL = 1e-12  # relative difference that is rounding


def own_parameters(solver: Solver, kinds: Collection[str]) -> tuple[str, ...]:
    """Return the parameters of its own "objective" or "projector", or of both.

    Parameters
    ----------
    solver : Solver
        A frozen dataclass.
    kinds : collection of str
        What is replaced.
    """
    if not (replaced := {*kinds}):
        return ()
    read = _read_in_iterates(solver)
    own = []
    for name, one, other in _pairs(solver):
        try:
            shaped = _shaped(_problem(one), _problem(other))
        except AucbenchError:  # the sample does not suit these values, so that nothing is known
            continue
        if shaped and shaped <= replaced and name not in read:
            own.append(name)
    return tuple(own)


def _pairs(solver: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield each parameter with two solvers that differ in it alone."""
    axes = solver.space if isinstance(solver.space, Mapping) else {}
    for field in fields(solver):
        known, own = axes.get(field.name), getattr(solver, field.name)
        values = (True, False) if isinstance(own, bool) else known
        if isinstance(values, tuple) and len(values) > 1:
            one, other = (replace(solver, **{field.name: value}) for value in values[:2])
            yield field.name, one, other


@cache
def _sample() -> Data:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, COLUMNS)) + 0.5
    return Data.of(X, np.where(X[:, 0] + rng.standard_normal(ROWS) > 1.0, 1, -1))


def _problem(solver: Any) -> Problem:
    problem: Problem = solver.problem(_sample(), np.random.default_rng(0), Budget(passes=1.0))
    return problem


def _shaped(one: Problem, other: Problem) -> set[str]:
    """Return what differs between two problems: objective, projector, features."""
    if one.data.d != other.data.d:
        return {"features"}
    shaped = {
        kind
        for kind, look in (("objective", _of_objective), ("projector", _of_projector))
        if not np.allclose(look(one), look(other), rtol=SMALL, atol=0.0, equal_nan=True)
    }
    rows = [problem.features(_sample().rows).dense().matrix for problem in (one, other)]
    return shaped if np.array_equal(*rows) else {*shaped, "features"}


def _points() -> Vector:
    return np.random.default_rng(1).standard_normal((2, COLUMNS + 1))


def _of_objective(problem: Problem) -> Vector:
    """Values and gradients at two points."""
    f, d = problem.objective, problem.data.d
    return np.concatenate([np.r_[f.value(w[:d]), f.grad(w[:d])] for w in _points()])


def _of_projector(problem: Problem) -> Vector:
    """Two points, projected."""
    d = problem.data.d
    return np.concatenate([problem.project(w[:d].copy(), 1.0) for w in _points()])


def _read_in_iterates(solver: Any) -> set[str]:
    """Return the fields that `iterates` reads until it has yielded some states."""
    names, read = {field.name for field in fields(solver)}, set[str]()

    class Watched(type(solver)):  # type: ignore[misc]  # the class is known at run time only
        def __getattribute__(self, name: str) -> Any:
            if name in names:
                read.add(name)
            return super().__getattribute__(name)

    watched = object.__new__(Watched)
    for name in names:
        object.__setattr__(watched, name, getattr(solver, name))
    problem = _problem(solver)
    read.clear()
    w0 = np.zeros(problem.data.d)
    answer = watched.iterates(problem, w0, np.random.default_rng(0), Budget(passes=1.0))
    if isinstance(answer, Iterator):
        for _ in islice(answer, STATES):
            pass
    return read
