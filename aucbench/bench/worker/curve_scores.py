"""Scores of the test rows along a fit: weights are copied during it, and score them after it.

Design
  a. Weights are copied at points of the curve, while the clock does not run. The test rows are
     read and scored when the fit has ended, and the parent, which has their labels, measures.
  b. There are at most `MOST` points, about equally far apart in log(passes). How long a fit lasts
     is not known before it ends. So when there is one point too many, one is removed: the point
     whose neighbours are closest to each other.
  c. The copies take at most `WEIGHT_BYTES`, and the scores `SCORE_BYTES`. Wide rows and many test
     rows have fewer points. A model that is no vector of weights is not copied at all.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """Weights at some points of one curve."""

    def __init__(self) -> None:
        self.points: list[Kept] = []

    def add(self, place: int, passes: float, w: Vector) -> None:
        """Copy the weights at a point, and forget those of another one if they are too many."""
        most = min(MOST, WEIGHT_BYTES // (8 * max(1, w.size)))
        if most:
            at = log(max(passes, FLOOR))
            self.points.append(Kept(place, at, np.array(w, dtype=np.float64)))
        if len(self.points) > most:
            del self.points[_least_missed([kept.at for kept in self.points])]

    def scores(self, problem: Problem, test: Rows, last: int) -> tuple[list[int], Vector]:
        """Score the test rows by the weights of all points but the last one of the curve.

        The weights at the end of the fit score them anyway.
        """
        before = [kept for kept in self.points if kept.place < last]
        some = _few(before, _room(test.n, problem.data.d))
        if not some:
            return [], np.empty((0, test.n))
        return [kept.place for kept in some], problem.each_scores([kept.w for kept in some], test)


def _least_missed(at: Sequence[float]) -> int:
    """Return the number of the point between two others that leaves the smallest gap; else 0."""
    return min(range(1, len(at) - 1), key=lambda j: at[j + 1] - at[j - 1], default=0)


def _room(n: int, d: int) -> int:
    free = MOST_BYTES - 2 * 8 * (n + d)  # twice what the end of the fit takes, to be safe
    return max(0, min(SCORE_BYTES, free)) // (8 * n)


def _few(points: Sequence[Kept], most: int) -> list[Kept]:
    if len(points) <= most:
        return [*points]
    return [points[j] for j in np.linspace(0, len(points) - 1, most).round().astype(int)]
