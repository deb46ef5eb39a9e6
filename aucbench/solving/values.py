"""Values of f and Ω, and membership in a set, as plain numbers: a plugin may return anything."""

from __future__ import annotations

import numpy as np

from aucbench.contract import Objective, Problem, Projector
from aucbench.data.arrays import Vector
from aucbench.errors import PluginError, float_of, short, written_at


def value_of(part: Objective | Projector, w: Vector) -> float:
    """Return f(w) or Ω(w) as a float.

    Raises
    ------
    PluginError
        When it is no number that a float holds.
    """
    value = float_of(answer := part.value(w))
    if value is None:
        raise PluginError(
            f"{type(part).__name__}.value returned {short(answer)}, wanted a number that a float "
            f"holds{written_at(part.value)}"
        )
    return value


def objective_at(problem: Problem, w: Vector) -> float | None:
    """Return f(w) + Ω(w); None where f is not listed."""
    if problem.f is None:
        return None
    return value_of(problem.f, w) + value_of(problem.project, w)


def contains(project: Projector, w: Vector) -> bool:
    """Return whether the set of a projector has w.

    Raises
    ------
    PluginError
        When the answer is neither True nor False.
    """
    answer = project.contains(w)
    if not isinstance(answer, bool | np.bool_):
        raise PluginError(
            f"{type(project).__name__}.contains returned {short(answer)}, wanted True or False"
            f"{written_at(project.contains)}"
        )
    return bool(answer)
