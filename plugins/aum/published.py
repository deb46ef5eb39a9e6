"""The published descent of the AUM: along the subgradient of the point, by a line search."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from aucbench.aum.search import Search
from aucbench.contract import Projector, State
from aucbench.data.arrays import Vector
from aucbench.data.summaries import breakpoints_of
from aucbench.objectives import Aum
from aucbench.projectors import Hyperplane

from .certificate import LowerBound
from .early_stopping import Shown

BESIDE = 1e-9  # relative distance of two points on both sides of a kink, far above rounding


def along(project: Projector, v: Vector) -> Vector:
    """Return v without the part that leads out of a hyperplane; a copy of v without such a set."""
    return project.along(v) if isinstance(project, Hyperplane) else v.copy()


def published_descent(
    f: Aum, project: Projector, w: Vector, search: Search, tol: float, shown: Shown
) -> Iterator[State]:
    """w ← w − η p, p = P ∇AUM(Xw), where η comes from a search along the line.

    The derivatives are the means of the one-sided ones, and P removes the part of a direction that
    leads out of the feasible set. Each step costs a product with X and one with Xᵀ (together a
    pass), and the search. At a kink p need not be a direction of descent: then the search finds no
    step, and the descent ends. It also ends where ‖p‖ max(‖w‖, η‖p‖) ≤ tol AUM, or where the AUM
    is at most tol times that of the start. For labels a linear programme says at the end how far
    away the minimum is.

    The numbers in brackets are those of the equations in the paper.

    References
    ----------
    Fowler & Hocking, "Efficient line search for optimizing area under the ROC curve", 2024.
    """
    errors, s, eta = breakpoints_of(f.data), f.data.scores(w), inf
    loss = f.loss(s)  # (5), with its one-sided derivatives (Hillman & Hocking, 2023)
    shown.show(w, s, loss.value)
    enough = tol * loss.value
    while True:
        value, p = loss.value, along(project, f.data.pullback(loss.gradient))
        size = float(np.linalg.norm(p))
        reach = max(float(np.linalg.norm(w)), eta * size)
        if value <= enough or not size or size * reach <= tol * value:
            break
        v = f.data.scores(p)  # (1): after a step η the scores are s − ηv
        eta = search(errors, s - f.shift, v)  # (2) to (18): the line search
        before = s - eta * (1.0 - BESIDE) * v
        loss = f.loss(s - eta * v)
        if not loss.value < value:
            break
        w, s = project(w - eta * p), s - eta * v
        shown.judge(w, before, loss.value, s)
        yield State(shown.weights)
    bound = LowerBound.of(f, project)
    bound.raise_bound(w, s)
    if shown.early_stopping and bound.gap(w, value) <= enough:
        yield State(shown.weights)  # it has ended at the minimum, and shows other weights
        return
    gap = bound.gap(shown.weights, f.loss(f.data.scores(shown.weights)).value)
    yield State(shown.weights, gap=gap)
