"""The rows of descents that a folder holds, and intervals of what is computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, nan, sqrt
from typing import Any

import numpy as np
from scipy.special import stdtrit

from aucbench.papers.results import Results
from aucbench.stats.words import LEVEL

Row = Mapping[str, Any]


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
        if np.isnan(self.low):
            return f"{self.mean:.3g}"
        return f"{self.mean:.3g} ({self.low:.3g} to {self.high:.3g})"


def rows_in(results: Results, names: Iterable[str]) -> list[Row]:
    """Return the rows of the measurements of these names that have a result."""
    known = results.documents
    return [row for name in names if name in known for row in known[name]["rows"]]


def range_of(values: Sequence[float], ratio: float = 0.0) -> Range:
    """Return the mean of one value for each run, with its interval by Student's t.

    Parameters
    ----------
    values : sequence of float
        One for each seed or split.
    ratio : float
        Of the rows of the two sides of a split, where runs are splits of the same rows; 0 for
        runs with rows of their own. The standard error is s sqrt(1/J + ratio), see
        `aucbench.stats.resampled`.
    """
    x = np.asarray(values, np.float64)
    mean = float(x.mean()) if x.size else nan
    if x.size < 2:
        return Range(mean, nan, nan)
    half = float(stdtrit(x.size - 1, (1 + LEVEL) / 2) * x.std(ddof=1)) * sqrt(1 / x.size + ratio)
    return Range(mean, mean - half, mean + half)
