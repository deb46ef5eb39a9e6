"""A plain method that lowers f + Ω: the claims of a solver are compared with what it reaches.

It is accelerated proximal gradient descent with a line search, which starts again where it does not
descend. Each point that it visits is feasible, so its value is never below the minimum:
a method that ends above it was not at the minimum.

References
----------
Beck & Teboulle, "A fast iterative shrinkage-thresholding algorithm for linear inverse problems",
SIAM J. Imaging Sciences 2(1), 2009. O'Donoghue & Candès, "Adaptive restart for accelerated
gradient schemes", Found. Comput. Math. 15, 2015.
"""

from __future__ import annotations

from math import inf, isfinite
from time import process_time
from typing import NamedTuple

import numpy as np

from aucbench.contract import Problem
from aucbench.data.arrays import Vector
from aucbench.ranges import ENOUGH
from aucbench.solving.values import objective_at

TRIALS = 60  # steps of half the length before the last one
LEAST = 1e-300  # length of a step
FEW_STEPS, FEW_TRIALS = 3, 12  # at the end of a fit: about as much as three passes of a method
SMALL = 1e-4  # of the length of w, or of 1: how far the slope is followed for the first step


class Lowered(NamedTuple):
    """A point, and f + Ω there."""

    w: Vector
    value: float


def descends(problem: Problem, w0: Vector, w: Vector, tolerance: float) -> bool:
    """Whether three plain steps from w show that a method which has ended at w was not done.

    They show it when they lower f + Omega by more than 1 % of what the fit has gained since its
    start w0, and by more than `tolerance * max(1, |f + Omega|)`. They read the rows about twelve
    times. False says nothing: the minimum may be far away, and three steps not come there.

    A problem without a listed objective, or with `early_stopping`, is not asked: there the weights
    are not meant to minimise it.
    """
    if problem.f is None or problem.early_stopping:
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # a method may diverge
        here, start = attained(problem, w), attained(problem, w0)
        if not here < inf:
            return False
        low = lowered(problem, w, FEW_STEPS, FEW_TRIALS).value
    return here - low > max(ENOUGH * (start - low), tolerance * max(1.0, abs(here)))


def lowered(
    problem: Problem, w: Vector, steps: int, trials: int = TRIALS, seconds: float = inf
) -> Lowered:
    """Return the lowest of the points that so many steps from w visit, w among them.

    A step reads the rows about four times. It is tried with at most `trials` lengths.
    None begins after so many CPU seconds.
    """
    best = Lowered(w.copy(), attained(problem, w))
    y, momentum, step, begin = w.copy(), 1.0, _first_step(problem, w), process_time()
    for _ in range(steps):
        if process_time() - begin > seconds:
            break
        moved, step = _stepped(problem, y, step, trials)
        if not moved.value < best.value:
            if np.array_equal(y, best.w):  # no step from the best point descends
                break
            y, momentum = best.w.copy(), 1.0
            continue
        larger = 0.5 * (1.0 + (1.0 + 4.0 * momentum**2) ** 0.5)
        y = moved.w + (momentum - 1.0) / larger * (moved.w - best.w)
        best, momentum, step = moved, larger, 1.5 * step
    return best


def _stepped(problem: Problem, y: Vector, step: float, trials: int) -> tuple[Lowered, float]:
    """Return the proximal step from y, and its length, for which f is below its upper model."""
    f = problem.objective
    at, slope = f.value(y), f.grad(y)
    for _ in range(trials):
        u = problem.project(y - step * slope, step)
        move = u - y
        model = at + float(slope @ move) + float(move @ move) / (2.0 * step)
        if f.value(u) <= model + 1e-12 * abs(at):
            return Lowered(u, attained(problem, u)), step
        step = max(0.5 * step, LEAST)
    return Lowered(y, inf), step


def _first_step(problem: Problem, w: Vector) -> float:
    """Return one over the curvature along the slope at w; 1 if there is none."""
    f = problem.objective
    slope = f.grad(w)
    length = float(np.linalg.norm(slope))
    if not 0.0 < length < inf:
        return 1.0
    h = SMALL * max(1.0, float(np.linalg.norm(w))) / length
    bend = float(np.linalg.norm(f.grad(w - h * slope) - slope)) / (h * length)
    return 1.0 / bend if isfinite(bend) and bend > 0.0 else 1.0


def attained(problem: Problem, w: Vector) -> float:
    """Return f + Ω at w; infinity where w is not in the domain, or it is no number."""
    value = objective_at(problem, w) if problem.project.contains(w) else None
    return value if value is not None and isfinite(value) else inf
