"""The published descent of the AUM: along the subgradient of the point, by a line search."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from aucbench.aum.steps import AumObjective, Line, LineSearches, search_called
from aucbench.contract import Projector, State
from aucbench.data.arrays import Vector

from .bound import LowerBound
from .proximal_cuts import along
from .settings import Settings
from .shown import BESIDE, Shown


def published_descent(
    settings: Settings, project: Projector, w: Vector, f: AumObjective, held: AumObjective | None
) -> Iterator[State]:
    """w ← w − η p, p = P ∇AUM(Xw), where η comes from a search along the line.

    The derivatives are the means of the one-sided ones, and P removes the part of a direction that
    leads out of the feasible set. Each step costs a product with X and one with Xᵀ (together a
    pass), and the search. At a kink p need not be a direction of descent: then the search finds no
    step, and the descent ends. It also ends where ‖p‖ max(‖w‖, η‖p‖) ≤ tol AUM, or where the AUM
    is at most tol times that of the start. For labels a linear programme says at the end how far
    away the minimum is.

    References
    ----------
    Fowler & Hocking, "Efficient line search for optimizing area under the ROC curve", 2024.
    """
    search, steps = search_called(settings.search(f.data)), LineSearches(f, held)
    eta = inf  # no step was taken yet: it can be of any length
    s = f.data.scores(w)
    loss = f.loss(s)
    shown, enough = Shown(settings, f, held, w, s, loss.value), settings.tol * loss.value
    while True:
        value, p = loss.value, along(project, f.data.pullback(loss.gradient))
        size = float(np.linalg.norm(p))
        reach = max(float(np.linalg.norm(w)), eta * size)
        if value <= enough or not size or size * reach <= settings.tol * value:
            break
        v = f.data.scores(p)
        eta = search(steps, Line(w, p, s, v))
        before = s - eta * (1.0 - BESIDE) * v
        loss = f.loss(s - eta * v)
        if not loss.value < value:
            break
        w, s = project(w - eta * p), s - eta * v
        shown.judge(w, before, loss.value, s)
        yield State(shown.weights)
    bound = LowerBound.of(f, project)
    bound.settle(w, s)
    if settings.early_stopping and bound.gap(w, value) <= enough:
        yield State(shown.weights)  # it has ended at the minimum, and shows other weights
        return
    gap = bound.gap(shown.weights, f.loss(f.data.scores(shown.weights)).value)
    yield State(shown.weights, gap=gap)
