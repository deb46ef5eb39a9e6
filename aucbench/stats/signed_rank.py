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
  e. The rows of a table are tested together, one for each pair of solvers. The counts of the sign
     flips with a small statistic are whole numbers below 2^53, and so they are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import inf, isnan, nan, sqrt
from typing import Any

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
NUMBERS = 2**21  # of an array that is made anew for each block of rows
FEW = 8  # rows whose null distributions are kept
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
    d = vector_of(differences)
    return signed_rank_rows(d[None], level)[0]


def signed_rank_rows(differences: Array, level: float = LEVEL) -> list[Difference]:
    """Do as `signed_rank` for each row of differences (P, n) without NaN.

    Time: O(P n² log n), memory for a block of rows at a time.
    """
    require_level(level)
    count, n = differences.shape
    if n == 0:
        note = "No data set has a value of either solver."
        return [Difference(nan, nan, nan, nan, level, METHOD, note)] * count
    p, pick, found = p_values(differences), np.triu_indices(n), []
    for some in blocks(count, n * n):
        d = differences[some] + 0.0  # no -0.0, which would be printed
        ordered = np.sort(walsh_averages(d)[:, *pick], axis=-1)
        read = _read(ordered.T, n, p[some], level)
        found += [_without_0(row, one) for row, one in zip(d, read, strict=True)]
    return found


def blocks(count: int, size: int) -> Iterator[slice]:
    """Yield slices of so many rows that need an array of this size each."""
    step = max(1, NUMBERS // size)
    return (slice(start, start + step) for start in range(0, count, step))


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

    others = d[np.nonzero(~np.eye(n, dtype=bool))[1].reshape(n, n - 1)]
    p, each = p_values(others), []
    for i in range(n):
        rest = _Rest(ordered, gone[i])
        [one] = _read(rest, n - 1, p[i : i + 1], level)
        each.append(_without_0(others[i], one))
    return tuple(each)


@dataclass(frozen=True, slots=True, eq=False)
class _Rest:
    """Ordered Walsh averages but for some of them, by their places; `rest[k]` is the k-th one."""

    ordered: Array
    gone: NDArray[np.intp]

    def __getitem__(self, k: int) -> Array:
        return self.ordered[k + np.count_nonzero(self.gone <= k), None]


def vector_of(differences: ArrayLike) -> Array:
    """Return differences as float64; raise `DataError` where they are no vector without NaN."""
    d = floats("differences", differences)
    if d.ndim != 1 or np.isnan(d).any():
        raise DataError(f"differences must be a vector without NaN, got {differences!r}")
    return np.asarray(d + 0.0)  # no -0.0, which would be printed


def _read(ordered: Any, n: int, p: Array, level: float) -> list[Difference]:
    """Return what the ordered Walsh averages of n differences say; `ordered[k]` has the k-th ones.

    Each of them and p have an entry for each row of differences.
    """
    m = n * (n + 1) // 2
    low, high = ordered[(m - 1) // 2], ordered[m // 2]
    with np.errstate(invalid="ignore"):  # either may be infinite
        middle = np.where(low == -high, 0.0, (low + high) / 2.0)
    effects, c, note = np.where(low == high, low, middle), critical(n, 1 - level), ""
    if c >= 0:
        bounds = [ordered[c].tolist(), ordered[m - 1 - c].tolist()]
    else:
        bounds = [[nan] * len(p)] * 2
        least = smallest_n(1 - level)
        note = f"An interval of level {level:g} takes at least {least} data sets; here are {n}."
    rows = zip(effects.tolist(), *bounds, p.tolist(), strict=True)
    return [Difference(d, low, high, own, level, METHOD, note) for d, low, high, own in rows]


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
    """Return (d_i + d_j)/2 of rows (…, n), shape (…, n, n); that of inf and -inf is 0."""
    finite = np.isfinite(d)
    most = np.max(np.abs(d), axis=-1, keepdims=True, where=finite, initial=0.0)
    if finite.all():
        return np.asarray((d[..., :, None] + d[..., None, :]) / 2.0)
    far = 4.0 * np.maximum(1.0, most)  # so far out that the finite ones cannot pull it back
    z = np.clip(d, -far, far)
    walsh = (z[..., :, None] + z[..., None, :]) / 2.0
    return np.where(np.abs(walsh) > most[..., None], np.copysign(inf, walsh), walsh)


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
    return np.minimum(1.0, 2.0 * _tails(doubled, np.rint(lower).astype(np.int64)))


def _tails(ranks: NDArray[np.int64], at: NDArray[np.int64]) -> Array:
    """Return P(sum of a random half of the ranks <= at) for ascending ranks (P, n) and at (P,)."""
    if len(ranks) <= FEW:
        own = zip(ranks, at.tolist(), strict=True)
        return np.array([_flips(row.tobytes())[k] for row, k in own])
    rows, which = np.unique(ranks, axis=0, return_inverse=True)
    most = np.zeros(len(rows), np.int64)
    np.maximum.at(most, which.ravel(), at)
    order = np.argsort(most, kind="stable")  # the cheap ones first
    place = np.empty(len(rows), np.intp)
    place[order] = np.arange(len(rows))
    places, tails = place[which.ravel()], np.empty(at.size)
    for some in blocks(len(rows), int(most.max()) + 1):
        ways = np.cumsum(_ways(rows[order[some]], int(most[order[some]].max())), axis=1)
        pairs = np.flatnonzero((places >= some.start) & (places < some.stop))
        tails[pairs] = ways[places[pairs] - some.start, at[pairs]]
    return np.asarray(tails / 2.0 ** ranks.shape[1])


@lru_cache(maxsize=4096)
def _flips(ranks: bytes) -> Array:
    """Return P(sum of a random half of these ranks <= t), t = 0, 1, ...; int64 as bytes."""
    row = np.frombuffer(ranks, dtype=np.int64)
    return np.asarray(np.cumsum(_ways(row[None], int(row.sum()))[0]) / 2.0**row.size)


def _ways(ranks: NDArray[np.int64], most: int) -> Array:
    """Return how many subsets of the ranks (P, n) have the sum 0, 1, ..., `most`, (P, most + 1)."""
    ways = np.zeros((len(ranks), most + 1))
    ways[:, 0] = 1.0
    for column in ranks.T:
        low, high = int(column.min()), int(column.max())
        if low == high:
            ways[:, low:] += ways[:, : max(0, most + 1 - low)]
            continue
        for rank in np.unique(column[column <= most]).tolist():
            rows = np.flatnonzero(column == rank)
            ways[rows, rank:] += ways[rows, : most + 1 - rank]
    return ways


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
