"""Line searches by name: how far to go along a line on which the AUM is piecewise linear.

Each search takes the errors of the examples, their scores s and the direction v, both (n,). It
returns the step η ≥ 0 after which the scores are s − ηv, or 0 if no step is better. The errors
are those of `breakpoints_of(data)`. With a margin, s are the scores minus `Aum.shift`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite

import numpy as np

from aucbench.aum.line_min import aum_line_min
from aucbench.aum.lines import Found, Lines
from aucbench.aum.loss import aum_loss
from aucbench.aum.walk import best_max_auc, first_min
from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Breakpoints

GRID = (0.0, *(10.0 ** np.arange(-9.0, 3.5, 0.5)))  # steps η, as multiples of the direction
Search = Callable[[Breakpoints, Vector, Vector], float]


def choose_exact(errors: Breakpoints, s: Vector, v: Vector) -> float:
    """Return the minimum of the AUM in O(n) for labels; else its first local minimum."""
    return _minimum(errors, s, v).step


def choose_first_min(errors: Breakpoints, s: Vector, v: Vector) -> float:
    """Return the first local minimum of the AUM, by the published sweep."""
    return first_min(balanced_lines(errors, s, v)).step


def choose_max_auc(errors: Breakpoints, s: Vector, v: Vector) -> float:
    """Return the largest AUC up to the first local minimum of the AUM."""
    end = _minimum(errors, s, v)
    limit = end.step_hi if isfinite(end.step_hi) else 2.0 * end.step_lo
    return best_max_auc(balanced_lines(errors, s, v), step_limit=limit).step


def choose_on_grid(errors: Breakpoints, s: Vector, v: Vector) -> float:
    """Return the least AUM on the grid 0, 10^-9, 10^-8.5, ..., 10^3."""
    rates = errors.rates
    return float(GRID[int(np.argmin([aum_loss(rates, s - eta * v).value for eta in GRID]))])


SEARCHES: Mapping[str, Search] = {
    "exact": choose_exact,
    "first_min": choose_first_min,
    "max_auc": choose_max_auc,
    "grid": choose_on_grid,
}


def balanced_lines(errors: Breakpoints, s: Vector, v: Vector) -> Lines:
    """Return the thresholds along the line; errors that are counts become rates times n₊ n₋.

    They are whole numbers with equal totals, so the sweep rounds nothing.
    """
    fps, fns = errors.totals
    lines = Lines.of(errors, s, v)
    return replace(lines, fp_diff=lines.fp_diff * fns, fn_diff=lines.fn_diff * fps)


def _minimum(errors: Breakpoints, s: Vector, v: Vector) -> Found:
    """Return the first interval of minimisers, in O(n) if the AUM is convex, as with labels."""
    if errors.sides is not None:
        return aum_line_min(s, v, errors.sides.y)
    return first_min(balanced_lines(errors, s, v))
