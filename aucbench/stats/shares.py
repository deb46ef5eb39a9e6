"""Intervals of shares, such as a sensitivity."""

from __future__ import annotations

from math import nan, sqrt

import scipy  # its parts are imported when they are used

from aucbench.errors import DataError, require_whole
from aucbench.stats.words import LEVEL, Interval, require_level


def wilson(count: int, n: int, level: float = LEVEL) -> Interval:
    """Wilson's interval of a share p = count / n of independent rows.

    It holds all p₀ with |p − p₀| ≤ z √(p₀(1 − p₀)/n), where z is the normal quantile. It stays in
    [0, 1], and it has a width for shares of 0 and 1 too.

    Parameters
    ----------
    count, n : int
        Rows that have the property, of n rows.
    level : float
        Of the interval.

    Returns
    -------
    Interval
        NaN, with a note, when n = 0.

    Raises
    ------
    DataError
        When `count` is not from 0 to n.
    ParameterError
        When a number is not whole, or the level is not in (0, 1).

    References
    ----------
    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
    """
    require_level(level)
    require_whole(0, count=count, n=n)
    if count > n:
        raise DataError(f"{count} of {n} rows is no share; give a count from 0 to {n}")
    if not n:
        return Interval(nan, nan, nan, level, "Wilson", "There is no row.")
    z2, p = float(scipy.special.ndtri((1 + level) / 2)) ** 2, count / n
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == n else middle + half
    return Interval(p, low, high, level, "Wilson")
