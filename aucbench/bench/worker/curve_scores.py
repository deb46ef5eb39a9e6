"""Scores of the test rows along a fit: weights are copied during it, and score them after it.

There are at most `MOST` points, about equally far apart in log(passes). How long a fit lasts is not
known before, so that one is removed when there is one too many: that whose neighbours are closest.
The copies take at most `WEIGHT_BYTES`, and the scores `SCORE_BYTES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from aucbench.data.arrays import Rows, Vector
from aucbench.processes.answers import MOST_BYTES
from aucbench.protocols import Problem

MOST = 24
WEIGHT_BYTES = MOST_BYTES
SCORE_BYTES = MOST_BYTES // 4  # the weights and the scores at the end are handed over too
FLOOR = 1e-6  # passes; less of them count as this, since 0 has no logarithm


@dataclass(frozen=True, slots=True)
class Kept:
    """Weights at a point of the curve."""

    place: int  # number of the point, from 0
    at: float  # log(passes)
    w: Vector


class KeptWeights:
    """Weights at some points of one curve, which is one of `curves` that share the limits."""

    def __init__(self, curves: int = 1) -> None:
        self.points: list[Kept] = []
        self._curves = curves

    def add(self, place: int, passes: float, w: Vector) -> None:
        """Copy the weights at a point, and forget those of another one if they are too many."""
        most = min(MOST, WEIGHT_BYTES // self._curves // (8 * max(1, w.size)))
        if most:
            at = log(max(passes, FLOOR))
            self.points.append(Kept(place, at, np.array(w, dtype=np.float64)))
        if len(self.points) > most:
            # The point between two others that leaves the smallest gap; else the first one.
            logs, inner = [point.at for point in self.points], range(1, len(self.points) - 1)
            del self.points[min(inner, key=lambda j: logs[j + 1] - logs[j - 1], default=0)]

    def scores(self, problem: Problem, test: Rows, last: int) -> tuple[list[int], Vector]:
        """Score the test rows by the weights of all points but the last one of the curve.

        The weights at the end of the fit score them anyway.
        """
        some = [point for point in self.points if point.place < last]
        at_end = 2 * 8 * (test.n + problem.data.d)  # twice what that takes, to be safe
        free = MOST_BYTES // self._curves - at_end
        most = max(0, min(SCORE_BYTES // self._curves, free)) // (8 * test.n)
        if len(some) > most:
            some = [some[j] for j in np.linspace(0, len(some) - 1, most).round().astype(int)]
        if not some:
            return [], np.empty((0, test.n))
        return [point.place for point in some], problem.each_scores(
            [point.w for point in some], test
        )
