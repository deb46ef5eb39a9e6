"""How sure a comparison can be: what it can detect, and what would make it surer.

Design
  a. The model of a difference, for planning: on data set i it is delta + s g_i, with g_i ~ N(0, 1).
     The variance s^2 over data sets has a part that splits make, sigma^2 (1/J + ratio), where sigma
     is the spread between the J splits of a data set and ratio = n_test/n_train (Nadeau and
     Bengio). More splits only shrink sigma^2/J. They do not replace data sets.
  b. Power is that of the test that is used, the signed-rank test. Up to `EXACT` data sets it is
     simulated, since the test has few possible p-values there; above, it follows from the moments
     of its statistic. A test finds delta where delta/s is larger than -W, W being the Walsh average
     at its critical value; so one simulation answers for all delta.
  c. Where there are results, `settling` draws their differences again in place of a model.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import inf, isnan, nan, sqrt

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike

from aucbench.errors import (
    DataError,
    ParameterError,
    require_above,
    require_at_least,
    require_whole,
)
from aucbench.kernels.vectors import floats
from aucbench.stats.signed_rank import EXACT, critical, smallest_n
from aucbench.stats.tables import Array
from aucbench.stats.words import LEVEL, require_level

POWER = 0.8  # probability with which a difference shall be found
SIMULATED = 10_000  # draws for the power; their standard error at .8 is .004
MOST = 1000  # data sets, beyond which nobody looks
FAR = 100.0  # standard deviations; any such difference is found
TOGETHER = 500  # draws that are in memory at once


@dataclass(frozen=True, slots=True)
class Spread:
    """How far the differences of two solvers scatter.

    Attributes
    ----------
    sd : float
        Standard deviation over data sets of the difference, each a mean over the splits.
    splits : float
        Number of these splits for each data set.
    split_sd : float
        Standard deviation between the splits of one data set; 0 if it is not known.
    ratio : float
        n_test / n_train of a split.
    """

    sd: float
    splits: float = 1.0
    split_sd: float = 0.0
    ratio: float = 0.0

    def __post_init__(self) -> None:
        require_at_least(0.0, sd=self.sd, split_sd=self.split_sd, ratio=self.ratio)
        require_at_least(1.0, splits=self.splits)

    @staticmethod
    def of(differences: ArrayLike, ratio: float = 0.0) -> Spread:
        """Return the spread of stored differences.

        `differences` (N, J) are by data set and split, NaN where there is none. Data sets without
        any are left out, and fewer than two others are a `DataError`.
        """
        table = floats("differences", differences)
        if table.ndim != 2:
            raise DataError(f"differences must have the shape (N, J), got {table.shape}")
        rows = [row[~np.isnan(row)] for row in table]
        rows = [row for row in rows if row.size]
        if len(rows) < 2:
            raise DataError(
                f"a spread over data sets takes at least two with a difference, got {len(rows)}"
            )
        repeated = [row.var(ddof=1) for row in rows if row.size > 1]
        return Spread(
            float(np.std([row.mean() for row in rows], ddof=1)),
            float(np.mean([row.size for row in rows])),
            sqrt(np.mean(repeated)) if repeated else 0.0,
            ratio,
        )

    @staticmethod
    def typical(values: ArrayLike, ratio: float = 0.0) -> Spread:
        """Return the spread of the pair of solvers in the middle: half of all scatter more.

        `values` (N, k, J) are by data set, solver and split, NaN where there is none. Where no two
        solvers have values on two data sets, it raises `DataError`.
        """
        table = floats("values", values)
        if table.ndim != 3:
            raise DataError(f"values must have the shape (N, k, J), got {table.shape}")
        differences = [a - b for a, b in combinations(table.transpose(1, 0, 2), 2)]
        known = [d for d in differences if np.count_nonzero(~np.isnan(d).all(axis=1)) > 1]
        if not known:
            raise DataError(
                "a spread over data sets takes two solvers that have values on the same two data "
                f"sets; here are {table.shape[1]} solver(s) on {len(table)} data set(s)"
            )
        spreads = sorted((Spread.of(d, ratio) for d in known), key=lambda spread: spread.sd)
        return spreads[len(spreads) // 2]

    def with_splits(self, splits: float) -> float:
        """Return the standard deviation over data sets with another number of splits, or inf.

        It does not fall below split_sd * sqrt(ratio), which no number of splits removes.
        """
        variance = self.sd**2 + self.split_sd**2 * (1.0 / splits - 1.0 / self.splits)
        floor = min(self.sd**2, self.split_sd**2 * self.ratio)
        return sqrt(max(variance, floor))


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """What a comparison can find, before it is run; all its pairs are tested together."""

    data_sets: int
    splits: int
    pairs: int
    sd: float  # of a difference over data sets, with these splits
    level: float  # 1 - level is the size of all tests together
    power: float  # the wanted probability
    least: int  # fewest data sets with which these tests can find anything
    detectable: float  # smallest difference that is found so surely; NaN below `least`
    detectable_by_splits: float | None  # with infinitely many; None: their spread is not known
    difference: float | None  # the wanted one
    needed: int | None  # data sets that it takes; None without one, or above a million
    needed_by_splits: int | None  # with infinitely many splits

    @property
    def sentences(self) -> tuple[str, ...]:
        """The plan in words."""
        sets, difference = f"{self.data_sets} data set(s)", self.difference
        told = [
            f"{sets} x {self.splits} split(s), {self.pairs} pair(s), standard deviation of a "
            f"difference over data sets {self.sd:.3g}."
        ]
        if isnan(self.detectable):
            told.append(
                f"{sets} cannot show any difference at level {self.level:g}; this takes at least "
                f"{self.least}."
            )
        else:
            told.append(
                f"A difference of {self.detectable:.4f} or more is found with a probability of "
                f"{self.power * 100:g} %; a smaller one may well stay unseen."
            )
        if difference is not None:
            told.append(f"A difference of {difference:g} takes {_counted(self.needed)}.")
        splits = "More splits do not replace data sets"
        if self.detectable_by_splits is None:
            splits += ": they only remove the part of the standard deviation that comes from splits"
        elif not isnan(self.detectable):
            splits += f": with any number of splits, {sets} show {self.detectable_by_splits:.4f}"
            if difference is not None:
                splits += f", and {difference:g} takes {_counted(self.needed_by_splits)}"
        return (*told, f"{splits}.")


def power(
    data_sets: int, difference: float, sd: float, *, level: float = LEVEL, pairs: int = 1
) -> float:
    """Probability that the signed-rank test finds a difference, on its right side.

    The differences of n data sets are normal, with the standard deviation `sd` > 0 and the mean
    `difference`, whose sign does not matter. Each test has the size (1 - level)/pairs, the first
    step of Holm's method for the pairs that are tested together; so the power is at least this. It
    raises `ParameterError` when a number makes no sense.
    """
    alpha = _size(data_sets, sd, level, pairs)
    require_above(0.0, sd=sd)
    return _power(data_sets, alpha)(abs(difference) / sd)


def detectable_difference(
    data_sets: int,
    sd: float,
    *,
    level: float = LEVEL,
    pairs: int = 1,
    wanted: float = POWER,
) -> float:
    """Smallest difference that the test finds with the probability `wanted`.

    Parameters are as in `power`, and raise as there; sd may be 0. It is NaN when these data sets
    are too few to show anything; see `smallest_n`.
    """
    alpha = _size(data_sets, sd, level, pairs)
    require_share(wanted)
    if critical(data_sets, alpha) < 0:
        return nan
    if data_sets <= EXACT:
        return sd * float(np.quantile(_thresholds(data_sets, alpha), wanted))
    chance = _power(data_sets, alpha)
    return sd * float(scipy.optimize.brentq(lambda effect: chance(effect) - wanted, 0.0, FAR))


def data_sets_needed(
    difference: float,
    sd: float,
    *,
    level: float = LEVEL,
    pairs: int = 1,
    wanted: float = POWER,
    most: int = 1_000_000,
) -> int | None:
    """Number of data sets with which the test finds `difference` with the probability `wanted`.

    Parameters are as in `power`, and raise as there, as does a difference of 0, which no number
    would find. It is None when it is more than `most`.
    """
    require_above(0.0, difference=abs(difference))
    alpha = _size(1, sd, level, pairs)
    require_share(wanted)
    least = smallest_n(alpha)
    if sd == 0.0:
        return least
    effect = abs(difference) / sd
    return first_from(lambda n: _power(n, alpha)(effect) >= wanted, least, most)


def plan(
    data_sets: int,
    splits: int,
    spread: Spread,
    *,
    difference: float | None = None,
    solvers: int = 2,
    level: float = LEVEL,
    wanted: float = POWER,
) -> PowerPlan:
    """Say what a comparison of all pairs of solvers can find, before it is run.

    Parameters
    ----------
    data_sets, splits, solvers : int
        What is planned.
    spread : Spread
        Assumed, or from an earlier comparison.
    difference : float, optional
        One that shall be found.
    level : float
        1 - level is the size of all tests together.
    wanted : float
        Probability with which a difference shall be found.

    Raises
    ------
    ParameterError
        When a number makes no sense.
    """
    require_whole(1, splits=splits)
    require_whole(2, solvers=solvers)
    pairs = solvers * (solvers - 1) // 2
    alpha = _size(data_sets, spread.sd, level, pairs)
    sd = spread.with_splits(splits)
    limit = spread.with_splits(inf) if spread.split_sd > 0.0 else None

    def shown(sd: float) -> float:
        return detectable_difference(data_sets, sd, level=level, pairs=pairs, wanted=wanted)

    def needed(sd: float | None) -> int | None:
        if difference is None or sd is None:
            return None
        return data_sets_needed(difference, sd, level=level, pairs=pairs, wanted=wanted)

    return PowerPlan(
        data_sets=data_sets,
        splits=splits,
        pairs=pairs,
        sd=sd,
        level=level,
        power=wanted,
        least=smallest_n(alpha),
        detectable=shown(sd),
        detectable_by_splits=None if limit is None else shown(limit),
        difference=difference,
        needed=needed(sd),
        needed_by_splits=needed(limit),
    )


def _power(n: int, alpha: float) -> Callable[[float], float]:
    """Return the power on the right side as a function of the difference in units of sd."""
    c = critical(n, alpha)
    if c < 0:
        return lambda _: 0.0
    if n <= EXACT:
        found_from = _thresholds(n, alpha)
        return lambda effect: float(np.searchsorted(found_from, effect) / found_from.size)
    return lambda effect: _normal_power(n, c, effect)


@lru_cache(maxsize=256)
def _thresholds(n: int, alpha: float) -> Array:
    """Return, sorted, the differences from which simulated data sets show them."""
    c = critical(n, alpha)
    first, second = np.triu_indices(n)
    rng = np.random.default_rng(0)
    thresholds = []
    for _ in range(SIMULATED // TOGETHER):
        g = rng.standard_normal((TOGETHER, n))
        walsh = (g[:, first] + g[:, second]) / 2.0
        thresholds.append(-np.partition(walsh, c, axis=1)[:, c])
    return np.sort(np.concatenate(thresholds))


def _normal_power(n: int, c: int, effect: float) -> float:
    """Power by the mean and the variance of T under N(effect, 1).

    Lehmann (1975), "Nonparametrics: statistical methods based on ranks", section 4.2. p2 and p3
    are the probabilities that X1 + X2 > 0, and that X1 + X3 > 0 too.
    """
    p1, h = scipy.special.ndtr(effect), sqrt(2.0) * effect
    p2 = scipy.special.ndtr(h)
    # Two normals with a correlation of 1/2.
    p3 = p2 - 2.0 * scipy.special.owens_t(h, sqrt(1.0 / 3.0))
    mean = n * p1 + n * (n - 1) / 2.0 * p2
    variance = (
        n * p1 * (1.0 - p1)
        + n * (n - 1) / 2.0 * (2.0 * (p1 - p2) ** 2 + 3.0 * p2 * (1.0 - p2))
        + n * (n - 1) * (n - 2) * (p3 - p2**2)
    )
    beyond = mean - (n * (n + 1) / 2.0 - c - 0.5)
    if variance > 0.0:
        return float(scipy.special.ndtr(beyond / sqrt(variance)))
    return float(beyond > 0.0)


def first_from(holds: Callable[[int], bool], low: int, most: int) -> int | None:
    """Return a number from which a condition holds, which becomes true once; None above `most`."""
    high = low
    while not holds(high):
        if high >= most:
            return None
        low, high = high + 1, min(2 * high, most)
    return low + bisect_left(range(low, high), True, key=holds)


def _counted(data_sets: int | None) -> str:
    return "more than a million data sets" if data_sets is None else f"{data_sets} data set(s)"


def _size(data_sets: int, sd: float, level: float, pairs: int) -> float:
    """Return the size of each test, after checks of what it depends on."""
    require_whole(1, data_sets=data_sets, pairs=pairs)
    require_at_least(0.0, sd=sd)
    require_level(level)
    return (1.0 - level) / pairs


def require_share(wanted: float) -> None:
    """Raise `ParameterError` unless a power is between 0 and 1."""
    if not 0 < wanted < 1:
        raise ParameterError(f"the power must be in (0, 1), got {wanted}; 0.8 is usual")
