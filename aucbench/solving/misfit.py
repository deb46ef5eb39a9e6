"""Which part of a problem returns what it must not: a wrong part may fail inside a right solver."""

from __future__ import annotations

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import short, written_at
from aucbench.protocols import Problem
from aucbench.scale import PartsData

PARTS = {  # of a problem, and what is asked of them
    "f": ("data", "value", "grad"),
    "project": ("__call__", "contains", "value"),
    "features": ("__call__", "exempt"),
}


def lacking_part(problem: Problem) -> str | None:
    """Return which part of a problem has not what the loop and the harness ask it for."""
    for part, names in PARTS.items():
        thing = getattr(problem, part)
        if part == "f" and thing is None:
            continue
        if lacking := [name for name in names if not hasattr(thing, name)]:
            return f"whose {part} is {short(thing)}, which lacks {', '.join(lacking)}"
    for part in ("holdout", "train"):
        kinds = Data | PartsData | None if part == "train" else Data | None
        if not isinstance(data := getattr(problem, part), kinds):
            return f"whose {part} is {short(data)}, wanted Data"
    if problem.w0 is not None and not isinstance(problem.w0, np.ndarray):
        return f"whose w0 is {short(problem.w0)}, wanted an array"
    return None


def wrong_part(problem: Problem) -> str | None:
    """Return which part of a problem returns no vector where one is due; None when none does.

    It costs a gradient, so that it is asked when a solver has failed, and at no other time.
    """
    w = problem.start()
    wrong = None if problem.f is None else _wrong(problem.f, "grad", w)
    return wrong or _wrong(problem.project, "__call__", w, 1.0)


def _wrong(part: object, method: str, w: Vector, *further: float) -> str | None:
    try:
        answer = getattr(part, method)(w, *further)
    except Exception:  # the solver has met it too, and that error is told
        return None
    if isinstance(answer, np.ndarray) and answer.shape == w.shape:
        return None
    came = f"an array of shape {answer.shape}" if isinstance(answer, np.ndarray) else short(answer)
    place = written_at(getattr(type(part), method))
    called = f"{type(part).__name__}.{method}"
    return f"{called} returned {came}, wanted an array of shape {w.shape}{place}"
