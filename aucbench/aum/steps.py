"""Line searches by name: how far to go along a line on which the AUM is piecewise linear."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Protocol

import numpy as np

from aucbench.aum import (
    AumLoss,
    Breakpoints,
    Found,
    LineMinimum,
    Lines,
    aum_line_min,
    best_max_auc,
    best_min,
    first_min,
)
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.summaries import breakpoints_of
from aucbench.data.targets import Labels
from aucbench.errors import ParameterError, UnknownNameError

GRID = 10.0 ** np.arange(-9.0, 3.5, 0.5)  # steps η, as multiples of the direction


class AumObjective(Protocol):
    """What a line search needs of an objective; `aucbench.objectives.Aum` has it."""

    @property
    def data(self) -> Data:
        """The rows."""
        ...

    @property
    def shift(self) -> Vector:
        """What the margin subtracts from each score, (n,)."""
        ...

    def loss(self, s: Vector) -> AumLoss:
        """Return the AUM of the scores and its one-sided derivatives."""
        ...

    def subgradient(self, s: Vector) -> tuple[float, Vector]:
        """Return the AUM and an element of its subdifferential."""
        ...


@dataclass(frozen=True, slots=True)
class Line:
    """A line of weights w − ηp, and of the scores s − ηv of the training rows.

    Attributes
    ----------
    w, p : arrays of shape (d,)
        Weights and direction.
    s, v : arrays of shape (n,)
        s = Xw and v = Xp.
    """

    w: Vector
    p: Vector
    s: Vector
    v: Vector


@dataclass
class LineSearches:
    """The line searches of one training set.

    Each search takes a `Line` and returns the step η ≥ 0. It returns 0 when no step is better.

    Parameters
    ----------
    f : AumObjective
        The objective of the training rows.
    held : AumObjective, optional
        The objective of the validation rows.
    """

    f: AumObjective
    held: AumObjective | None = None

    def exact(self, line: Line) -> float:
        """Minimum of the AUM in O(n) for labels; else its first local minimum, by the sweep."""
        return self._minimum(line).step

    def first_min(self, line: Line) -> float:
        """First local minimum of the AUM."""
        return first_min(self._lines(line)).step

    def linear(self, line: Line) -> float:
        """Least AUM of the first B events, where B is the number of breakpoints."""
        lines = self._lines(line)
        return best_min(lines, max_events=lines.intercept.size).step

    def quadratic(self, line: Line) -> float:
        """Least AUM of all events; there are O(B²)."""
        return best_min(self._lines(line)).step

    def max_auc(self, line: Line) -> float:
        """Largest AUC of the training rows, up to the first local minimum of their AUM."""
        return best_max_auc(self._lines(line), step_limit=self._end(line)).step

    def max_auc_validation(self, line: Line) -> float:
        """Largest AUC of the validation rows, up to the same step as `max_auc`."""
        if self.held is None:
            raise ParameterError("there are no validation rows for the search; set validation=0.2")
        held = self.held.data
        lines = _balanced(breakpoints_of(held), held.scores(line.w), held.scores(line.p))
        return best_max_auc(lines, step_limit=self._end(line)).step

    def grid(self, line: Line) -> float:
        """Least AUM on the grid 0, 10^-9, 10^-8.5, ..., 10^3."""
        values = [self.f.loss(line.s - step * line.v).value for step in (0.0, *GRID)]
        return float((0.0, *GRID)[int(np.argmin(values))])

    def _minimum(self, line: Line) -> LineMinimum | Found:
        """First interval of minimisers, in O(n) where the AUM is convex."""
        target = self.f.data.target
        if isinstance(target, Labels):
            return aum_line_min(line.s - self.f.shift, line.v, target.y)
        return first_min(self._lines(line))

    def _end(self, line: Line) -> float:
        """Where the first interval of minimisers ends, or twice its beginning."""
        end = self._minimum(line)
        return end.step_hi if isfinite(end.step_hi) else 2.0 * end.step_lo

    def _lines(self, line: Line) -> Lines:
        return _balanced(breakpoints_of(self.f.data), line.s - self.f.shift, line.v)


SEARCHES: Mapping[str, Callable[[LineSearches, Line], float]] = {
    "exact": LineSearches.exact,
    "first_min": LineSearches.first_min,
    "linear": LineSearches.linear,
    "quadratic": LineSearches.quadratic,
    "max_auc": LineSearches.max_auc,
    "max_auc_validation": LineSearches.max_auc_validation,
    "grid": LineSearches.grid,
}


def search_called(name: str) -> Callable[[LineSearches, Line], float]:
    """Return the line search of this name; `UnknownNameError` when there is none."""
    if name not in SEARCHES:
        raise UnknownNameError("line_search", name, SEARCHES)
    return SEARCHES[name]


def _balanced(counts: Breakpoints, scores: Vector, direction: Vector) -> Lines:
    """Errors as whole numbers with equal totals, so that the sweep rounds nothing."""
    fps, fns = counts.totals
    lines = Lines.of(counts, scores, direction)
    return replace(lines, fp_diff=lines.fp_diff * fns, fn_diff=lines.fn_diff * fps)
