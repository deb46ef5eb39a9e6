"""Means, ratios, deviations and exponents over the runs of an experiment, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, nan, sqrt

import numpy as np
from scipy.special import chdtri, stdtrit

from aucbench.stats.resampled import standard_error
from aucbench.stats.words import LEVEL


@dataclass(frozen=True, slots=True)
class Range:
    """A mean with its 95 % interval; `low` and `high` are NaN where there is none."""

    mean: float
    low: float
    high: float

    def exp(self) -> Range:
        """Return that of a ratio, from that of its logarithm."""
        return Range(*(exp(value) for value in (self.mean, self.low, self.high)))

    def __str__(self) -> str:
        """For people: "1.15 (1.02 to 1.28)"."""
        return f"{self:.3g}"

    def __format__(self, form: str) -> str:
        """Return it with each number in a form, such as .4f."""
        form = form or ".3g"
        if np.isnan(self.low):
            return f"{self.mean:{form}}"
        return f"{self.mean:{form}} ({self.low:{form}} to {self.high:{form}})"


def range_of(values: Sequence[float], ratio: float = 0.0, repeats: int = 1) -> Range:
    """Return the mean of one value for each run, with its interval by Student's t.

    Runs whose value is NaN are left out. `ratio` is that of the rows of the two sides of a split,
    where runs are splits of the same rows, which are divided `repeats` times, see
    `standard_error`; 0 for runs with rows of their own.
    """
    x = np.asarray(values, np.float64)
    x = x[~np.isnan(x)]
    mean = float(x.mean()) if x.size else nan
    if x.size < 2:
        return Range(mean, nan, nan)
    se = standard_error(float(x.std(ddof=1)), max(1.0, x.size / repeats), ratio)
    half = float(stdtrit(x.size - 1, (1 + LEVEL) / 2)) * se
    return Range(mean, mean - half, mean + half)


def deviation_of(values: Sequence[float]) -> Range:
    """Return the standard deviation of one value for each run, with its interval by chi-square."""
    x = np.asarray(values, np.float64)
    if x.size < 2:
        return Range(nan, nan, nan)
    s, freedom = float(x.std(ddof=1)), x.size - 1
    tail = (1 - LEVEL) / 2
    low, high = (s * sqrt(freedom / float(chdtri(freedom, p))) for p in (tail, 1 - tail))
    return Range(s, low, high)


def in_pairs(a: Mapping[int, float], b: Mapping[int, float]) -> list[tuple[float, float]]:
    """Return the values of the runs that both have."""
    return [(a[run], b[run]) for run in sorted(a.keys() & b.keys())]


def growth(sizes: Sequence[float], numbers: Sequence[float]) -> float:
    """Return the slope of the least-squares line through the points (log size, log number)."""
    return float(np.polyfit(np.log(sizes), np.log(numbers), 1)[0])
