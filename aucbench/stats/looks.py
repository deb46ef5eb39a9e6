"""Looks at the results of one comparison before all data sets are finished, planned beforehand.

Who looks after each data set and stops at p < .05 is wrong four times as often as he says. Here
the looks are few and known before, and the early ones ask for much more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil, sqrt

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike

from aucbench.errors import ParameterError, require_whole
from aucbench.stats.best_set import against, enough_flips
from aucbench.stats.signed_rank import p_values
from aucbench.stats.tables import Array, Rule, checked, differences
from aucbench.stats.words import LEVEL, require_level

FEWEST = 6  # data sets of a plan with looks; fewer can show nothing
MOST = 10  # looks
NODES = 120  # of the integral between the bounds
FAR, HALVINGS = 10.0, 40  # no usual level needs a bound of the Brownian motion beyond


@dataclass(frozen=True, slots=True)
class Look:
    """One of the planned looks.

    Attributes
    ----------
    number, of : int
        It is look `number` of so many.
    data_sets : int
        How many are finished then.
    bound : float
        The two-sided p-value below which a difference is taken for real at this look.
    """

    number: int
    of: int
    data_sets: int
    bound: float

    @property
    def level(self) -> float:
        """Level of a test or an interval at this look; all looks together have that of the plan."""
        return 1.0 - self.bound

    def __str__(self) -> str:
        return f"look {self.number} of {self.of}"

    def decides(
        self, values: ArrayLike, names: Sequence[str], reference: str | None = None
    ) -> bool:
        """Return whether the run can stop here.

        Two solvers differ by the signed-rank test of `pairwise`; or each other solver differs from
        the reference by the step-down of `against`, whose random flips are enough for the bound.

        Parameters
        ----------
        values : array of shape (N, m)
            Those of the first `data_sets` data sets; NaN where a solver has none.
        """
        if reference is None or len(names) == 2:
            table = checked(values, names)
            d, _ = differences(table[:, 0], table[:, 1], Rule.WORST_RANK)
            return bool(d.size and p_values(d[None])[0] < self.bound)
        flips = enough_flips(self.level)
        stepwise = against(values, names, reference, flips=flips).stepwise
        return bool(np.all(np.array(stepwise) < self.bound))


def looks_at(data_sets: int, count: int, level: float = LEVEL) -> tuple[Look, ...]:
    """Return equally spaced looks: after a first part of the data sets, a second one, and all.

    Raises
    ------
    ParameterError
        When there are fewer than 6 data sets, or so many looks make no sense.
    """
    require_whole(0, data_sets=data_sets, looks=count)
    if not 2 <= count <= MOST:
        raise ParameterError(f"there can be 2 to {MOST} looks, got {count}; 4 is usual")
    if data_sets < max(FEWEST, count):
        least = max(FEWEST, count)
        raise ParameterError(
            f"{count} looks take at least {least} data sets, got {data_sets}; run them all at once"
        )
    sizes = tuple(ceil(data_sets * number / count) for number in range(1, count + 1))
    bounds = bounds_of(tuple(size / data_sets for size in sizes), level)
    each = enumerate(zip(sizes, bounds, strict=True), 1)
    return tuple(Look(number, count, size, bound) for number, (size, bound) in each)


@lru_cache(maxsize=32)
def bounds_of(shares: tuple[float, ...], level: float = LEVEL) -> tuple[float, ...]:
    """Return the two-sided p-value that each look asks for, by O'Brien and Fleming.

    At shares t_1 < ... < t_K = 1 of the data, the statistic is about B(t_k)/√t_k with a Brownian
    motion B. The look k asks for |B(t_k)| >= C, so that its bound is 2 Φ(-C/√t_k). C is the number
    that B reaches at some look with the probability 1 - level; for four equal parts and .95 it is
    2.024, and the bounds are .000052, .0042, .0194 and .0430.

    Parameters
    ----------
    shares : tuple of float
        Rising, the last one 1.

    Notes
    -----
    O'Brien and Fleming (1979), "A multiple testing procedure for clinical trials", Biometrics 35;
    Armitage, McPherson and Rowe (1969), "Repeated significance tests on accumulating data", Journal
    of the Royal Statistical Society A 132, for the integral.
    """
    require_level(level)
    if any(a >= b for a, b in pairwise((0.0, *shares))) or shares[-1:] != (1.0,):
        raise ParameterError(f"shares of the data must rise to 1, got {shares}")

    grid = np.polynomial.legendre.leggauss(NODES)
    low, high = 0.0, FAR
    for _ in range(HALVINGS):
        c = (low + high) / 2.0
        low, high = (low, c) if _inside(shares, c, *grid) > level else (c, high)
    return tuple(float(2.0 * scipy.special.ndtr(-c / sqrt(t))) for t in shares)


def _inside(shares: Sequence[float], c: float, nodes: Array, weights: Array) -> float:
    """Return the probability that a Brownian motion is in (-c, c) at each of some times."""
    x, w = c * nodes, c * weights
    density: Array = np.exp(-(x**2) / (2.0 * shares[0])) / sqrt(2.0 * np.pi * shares[0])
    for before, t in pairwise(shares):
        step = t - before
        kernel = np.exp(-((x[:, None] - x) ** 2) / (2.0 * step)) / sqrt(2.0 * np.pi * step)
        density = np.sum(kernel * (w * density), axis=1)  # too small for threads of BLAS
    return float(np.sum(w * density))
