"""The kinds of targets, and what is given as one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aucbench.data.breakpoints import Breakpoints
from aucbench.data.categories import Categories
from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.errors import DataError
from aucbench.stats.vectors import plain, row_weights

Target = Labels | Breakpoints | Survival | Grades | Categories
NEEDS_LABELS = (
    "needs labels, but the rows have error functions instead; use a solver that learns from "
    "breakpoints"
)
NEEDS_CLASSES = (
    "needs labels of two classes, but the rows have {} instead; use a solver that learns from "
    "pairs of them"
)


def needs_labels(target: Target) -> str:
    """Return why a solver of labels cannot learn from a target."""
    return NEEDS_LABELS if isinstance(target, Breakpoints) else NEEDS_CLASSES.format(target.what)


def checked_target(y: Any, n: int, positive: Any, negative: Any, weights: Any) -> Target:
    """Check what was given as `y`: labels, or a target that is checked already."""
    if isinstance(y, Labels | Survival | Grades | Categories):
        return _checked_before(y, n, positive, negative, weights)
    y = plain("y", y)
    if y.shape[:1] != (n,):
        got = y.shape[0] if y.ndim else 0
        raise DataError(f"X has {n} rows but y has {got} labels; give one label per row")
    return Labels.of(y, positive, negative, row_weights(weights, n))


def _checked_before(
    target: Labels | Survival | Grades | Categories,
    n: int,
    positive: Any,
    negative: Any,
    weights: Any,
) -> Target:
    if target.n != n:
        raise DataError(f"X has {n} rows but y has {target.n} {target.what}; give one per row")
    if positive is not None or negative is not None:
        raise DataError(
            f"positive and negative name labels, but y has {target.what}; leave both out"
        )
    if weights is None:
        return target
    if target.weights is not None:
        raise DataError("y has weights already, and weights are given too; leave one of both out")
    return replace(target, weights=row_weights(weights, n))
