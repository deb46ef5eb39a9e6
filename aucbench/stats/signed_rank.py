"""Wilcoxon's signed-rank test of paired differences, with the interval that belongs to it.

Design
  a. All of it follows from the Walsh averages (d_i + d_j)/2, i <= j. The statistic T counts those
     above 0, and half of those that are 0. The estimate is their median (Hodges and Lehmann). The
     interval lies between two of them.
  b. A difference may be infinite: a solver that failed has lost by more than any other. All of
     this depends on order only, so that nothing needs to be imputed.
  c. The p-value is that of all 2^n sign flips, with midranks, up to `EXACT` differences, and of
     their normal limit above. Differences of 0 take part in the ranking and are not flipped
     (Pratt). (Rejected: to drop them. Solvers that are equal on many data sets would then differ.)
  d. Where differences are 0 or tied, that interval may hold 0 though the test rejects it. The
     p-value is constant between two neighbouring Walsh averages, and may jump at one. So the end on
     the side of 0 is looked for by the test itself, from 0 on. Where all values beside 0 are
     accepted and 0 is not, the interval ends at 0 and is open there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import inf, isnan, nan, sqrt

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError
from aucbench.stats.tables import Array, average_ranks_of
from aucbench.stats.vectors import floats
from aucbench.stats.words import LEVEL, Difference, require_level

EXACT = 50  # differences up to which the null distribution is computed; SciPy has the same bound
METHOD = "signed-rank test over data sets"
ROUNDING = 1e-12  # relative to the largest difference
SLACK = 1e-9  # relative; sums of probabilities are compared with a level up to rounding


def signed_rank(differences: ArrayLike, level: float = LEVEL) -> Difference:
    """Median of the Walsh averages of n differences, its interval, and the two-sided p-value.

    Parameters
    ----------
    differences : array of shape (n,)
        One for each data set; infinite ones are larger than all others.
    level : float
        Of the interval, in (0, 1).

    Returns
    -------
    Difference
        The coverage of the interval is at least `level` if the differences are symmetric about
        their median. Where p <= 1 - level, it does not hold 0; it may end there, see
        `Difference.open`. Where n is too small for any such interval, `low` and `high` are NaN.

    Raises
    ------
    DataError
        When a difference is NaN.
    ParameterError
        When the level is not in (0, 1).

    Notes
    -----
    Wilcoxon (1945), "Individual comparisons by ranking methods"; Pratt (1959), "Remarks on zeros
    and ties in the Wilcoxon signed rank procedures"; Hodges and Lehmann (1963), "Estimates of
    location based on rank tests".
    """
    require_level(level)
    d = vector_of(differences)
    if d.size == 0:
        note = "No data set has a value of either solver."
        return Difference(nan, nan, nan, nan, level, METHOD, note)
    ordered = np.sort(walsh_averages(d)[np.triu_indices(d.size)])
    return _without_0(d, _read(ordered.__getitem__, d.size, p_values(d[None])[0], level))


def without_each(differences: ArrayLike, level: float = LEVEL) -> tuple[Difference, ...]:
    """Return `signed_rank` of two or more differences without the first, the second, and so on.

    Time: O(n^2 log n) for all of them, since the Walsh averages are sorted once.
    """
    d = vector_of(differences)
    n = d.size
    first, second = np.triu_indices(n)
    walsh = walsh_averages(d)[first, second]
    order = np.argsort(walsh, kind="stable")
    ordered, first, second = walsh[order], first[order], second[order]
    place = np.empty((n, n), dtype=np.int64)  # of the Walsh average of each pair in `ordered`
    place[first, second] = place[second, first] = np.arange(walsh.size)
    gone = np.sort(place, axis=1) - np.arange(n)  # row i: those that leave with i

    def pick(i: int) -> Callable[[int], float]:
        return lambda k: ordered[k + np.count_nonzero(gone[i] <= k)]

    others = d[np.nonzero(~np.eye(n, dtype=bool))[1].reshape(n, n - 1)]
    told = (_read(pick(i), n - 1, p, level) for i, p in enumerate(p_values(others)))
    return tuple(map(_without_0, others, told))


def vector_of(differences: ArrayLike) -> Array:
    """Return differences as float64; raise `DataError` where they are no vector without NaN."""
    d = floats("differences", differences)
    if d.ndim != 1 or np.isnan(d).any():
        raise DataError(f"differences must be a vector without NaN, got {differences!r}")
    return np.asarray(d + 0.0)  # no -0.0, which would be printed


def _read(pick: Callable[[int], float], n: int, p: float, level: float) -> Difference:
    """Return what the ordered Walsh averages of n differences say; `pick(k)` is the k-th of m."""
    m = n * (n + 1) // 2
    low, high = float(pick((m - 1) // 2)), float(pick(m // 2))
    # Either may be infinite.
    effect = low if low == high else 0.0 if low == -high else (low + high) / 2.0
    c = critical(n, 1 - level)
    if c >= 0:
        low, high = float(pick(c)), float(pick(m - 1 - c))
        return Difference(effect, low, high, float(p), level, METHOD)
    least = smallest_n(1 - level)
    note = f"An interval of level {level:g} takes at least {least} data sets; here are {n}."
    return Difference(effect, nan, nan, float(p), level, METHOD, note)


def _without_0(d: Array, told: Difference) -> Difference:
    """Return what is said of differences, with an interval that does not hold a rejected 0."""
    if not (told.low <= 0.0 <= told.high and told.p <= 1.0 - told.level):
        return told
    side = float(np.sign(statistic(d)[0] - d.size * (d.size + 1) / 4.0))
    bound = _nearest(d, side, 1.0 - told.level)
    if isnan(bound):
        return told
    if side < 0:
        return replace(told, low=min(told.low, bound), high=bound, open=bound == 0.0)
    return replace(told, low=bound, high=max(told.high, bound), open=bound == 0.0)


def _nearest(d: Array, side: float, alpha: float) -> float:
    """Return where the test begins to accept, from 0 on to one side; NaN if it does nowhere."""
    averages = np.unique(np.append(side * walsh_averages(d), 0.0))
    least = ROUNDING * np.abs(d[np.isfinite(d)]).max(initial=1e-300)

    def accepts(shift: float) -> bool:
        """Whether the test accepts a value; what is tied but for rounding is tied."""
        return bool(p_values(np.rint((d - side * shift) / least)[None])[0] > alpha)

    for near, far in pairwise(averages[averages >= 0.0]):
        if accepts(near + 1.0 if far == inf else (near + far) / 2.0):
            return side * float(near) + 0.0
        if far == inf or accepts(far):
            return side * float(far)
    return nan


def walsh_averages(d: Array) -> Array:
    """Return (d_i + d_j)/2 in an array of shape (n, n); that of inf and -inf is 0."""
    finite = np.abs(d[np.isfinite(d)])
    far = 4.0 * finite.max(initial=1.0)  # so far out that the finite ones cannot pull it back
    z = np.clip(d, -far, far)
    walsh = (z[:, None] + z) / 2.0
    beyond = np.abs(walsh) > finite.max(initial=0.0)
    walsh[beyond] = np.copysign(inf, walsh[beyond])
    return walsh


def statistic(d: Array) -> tuple[Array, Array]:
    """Return T and the ranks of |d| along the last axis: sums of midranks where d > 0.

    A difference of 0 counts half, so that T = n(n + 1)/4 says that neither side is ahead.
    """
    ranks = average_ranks_of(np.abs(d))
    return np.sum(ranks * (np.sign(d) + 1.0) / 2.0, axis=-1), ranks


def p_values(d: Array) -> Array:
    """Two-sided p-values of the rows of `d`, shape (m, n) -> (m,)."""
    n = d.shape[-1]
    t, ranks = statistic(d)
    flipped = np.where(d == 0.0, 0.0, ranks)
    away = np.abs(t - n * (n + 1) / 4.0)
    if n > EXACT:
        spread = np.sqrt(np.sum(flipped**2, axis=-1)) / 2.0
        z = np.divide(away, spread, out=np.zeros_like(away), where=spread > 0.0)
        return np.asarray(2.0 * scipy.special.ndtr(-z))
    doubled = np.sort((2.0 * flipped).astype(np.int64), axis=-1)  # midranks are halves
    lower = (doubled.sum(axis=-1) - 4.0 * away) / 2.0  # the smaller sum of doubled ranks
    at = np.rint(lower).astype(np.int64)
    tails = [_flips(row.tobytes())[k] for row, k in zip(doubled, at, strict=True)]
    return np.minimum(1.0, 2.0 * np.array(tails))


@lru_cache(maxsize=4096)
def _flips(ranks: bytes) -> Array:
    """Return P(sum of a random half of these ranks <= t), t = 0, 1, ...; int64 as bytes."""
    density = np.ones(1)
    for rank in np.frombuffer(ranks, dtype=np.int64):
        longer = np.zeros(density.size + rank)
        longer[: density.size] += density / 2.0
        longer[rank:] += density / 2.0
        density = longer
    return np.asarray(np.cumsum(density))


@lru_cache(maxsize=4096)
def critical(n: int, alpha: float) -> int:
    """Largest c with P(T <= c) <= alpha/2 for n differences without ties; -1 if there is none."""
    if n > EXACT:
        return int(
            n * (n + 1) / 4.0
            + scipy.special.ndtri(alpha / 2.0) * sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
        )
    ranks: NDArray[np.int64] = np.arange(1, n + 1)
    return int(np.count_nonzero(_flips(ranks.tobytes()) <= alpha / 2.0 * (1.0 + SLACK))) - 1


def smallest_n(alpha: float) -> int:
    """Smallest number of differences with which a two-sided test of size alpha can reject."""
    n = 1
    while critical(n, alpha) < 0:
        n += 1
    return n
