"""Time against quality: performance profiles, time to a target, anytime scores, mean times.

A failure is a time of infinity. NaN is read as one too: no time was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, nan

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError, require_above
from aucbench.kernels.vectors import floats
from aucbench.stats.tables import Array

CHANCE = 0.5  # the AUC before the first model: that of scores which are all equal


@dataclass(frozen=True, slots=True)
class Profile:
    """Performance profile of a solver: rho(tau) = |{i : t_i <= tau * (best t_i)}| / N."""

    name: str
    ratios: tuple[float, ...]  # its finite ratios of time to the best time, sorted
    data_sets: int  # N, failures included; so rho stays below 1 where it failed

    def share(self, tau: ArrayLike) -> Array:
        """Share of the data sets on which it takes at most tau times the best time."""
        if not self.data_sets:
            return np.full(np.shape(tau), nan)
        return np.asarray(np.searchsorted(self.ratios, tau, side="right") / self.data_sets)


def performance_profiles(times: ArrayLike, names: Sequence[str]) -> tuple[Profile, ...]:
    """Performance profiles of all solvers.

    Parameters
    ----------
    times : array of shape (N, k)
        Seconds, or passes, of each solver (columns) on each data set (rows); inf or NaN where it
        failed. Where the best time is 0, the ratio is 1 for those that took 0, else infinite.
    names : sequence of str
        Of the k solvers.

    Raises
    ------
    DataError
        When the shape is another one, or a time is negative.

    Notes
    -----
    Dolan and Moré (2002), "Benchmarking optimization software with performance profiles",
    Mathematical Programming 91. As with ranks, the best time depends on the pool: two curves say
    nothing certain about the order of two solvers if a third one is the best.
    """
    t = _times(times)
    if t.ndim != 2 or t.shape[1] != len(names):
        raise DataError(f"times must have a column for each of {len(names)} names, got {t.shape}")
    best = t.min(axis=1, keepdims=True, initial=inf)
    ratios = np.full(t.shape, inf)
    np.divide(t, best, out=ratios, where=np.isfinite(t) & (best > 0.0))
    ratios[(t == 0.0) & (best == 0.0)] = 1.0
    return tuple(
        Profile(name, tuple(np.sort(column[np.isfinite(column)]).tolist()), len(t))
        for name, column in zip(names, ratios.T, strict=True)
    )


def times_to_targets(x: ArrayLike, values: ArrayLike, targets: ArrayLike) -> Array:
    """First x at which a curve is at or above each of its targets; inf if it never is.

    Only measured points count, without interpolation, so that the answer is late by up to one
    interval. A result without a curve is a curve of one point, its end.

    Parameters
    ----------
    x : array of shape (m,)
        Seconds or passes of the points, in any order.
    values : array of shape (m,)
        Such as the AUC; a NaN does not reach a target.
    targets : array of shape (k,)
        Such as .99 of the best AUC of the data set.

    Raises
    ------
    DataError
        When the shapes differ, or an x is negative or no number.
    """
    at, value = _curve(x, values)
    reached = value >= floats("targets", targets)[:, None]
    return np.asarray(np.where(reached, at, inf).min(axis=1, initial=inf))


def anytime_score(x: ArrayLike, values: ArrayLike, start: float, end: float) -> float:
    """Mean of a curve over the logarithm of time,

        1/(log end - log start) * integral of v(x) d(log x) from start to end.

    v(x) is the value of the last point up to x: what a user has who stops there. Before the first
    point, and of a solver that failed and has none, it is 0.5. A factor of 10 in time counts the
    same whether it is from .1 to 1 s or from 10 to 100 s.

    Parameters
    ----------
    x, values : arrays of shape (m,)
        As in `times_to_targets`; points with NaN are left out.
    start, end : float
        0 < start < end, the same for all solvers that are compared.

    Raises
    ------
    DataError
        As `times_to_targets`.
    ParameterError
        When not 0 < start < end < inf.
    """
    require_above(0.0, start=start)
    require_above(start, end=end)
    at, value = _curve(x, values)
    known = ~np.isnan(value)
    order = np.argsort(at[known], kind="stable")
    at, value = at[known][order], value[known][order]
    ends = np.log(np.clip(np.concatenate([[start], at, [end]]), start, end))
    whole = np.concatenate([[CHANCE], value]) @ (ends[1:] - ends[:-1])
    return float(whole / (log(end) - log(start)))


def shifted_geometric_mean(times: ArrayLike) -> float:
    """Return exp(mean of log(t + 1)) - 1, in which a factor counts and a blink does not.

    Parameters
    ----------
    times : array of shape (m,)
        Seconds; those far below 1 hardly count. Where a solver failed they are inf or NaN, and one
        failure makes the mean infinite.

    Raises
    ------
    DataError
        When there is no time, or one is negative.
    """
    t = _times(times)
    if t.ndim != 1 or t.size == 0:
        raise DataError(f"times must be a vector with at least one number, got shape {t.shape}")
    return float(np.exp(np.log(t + 1.0).mean()) - 1.0)


def _times(times: ArrayLike) -> Array:
    t = floats("times", times)
    if (t < 0).any():
        raise DataError("a time is negative; give inf or NaN where a solver failed")
    return np.where(np.isnan(t), inf, t)


def _curve(x: ArrayLike, values: ArrayLike) -> tuple[Array, Array]:
    at, value = floats("x", x), floats("values", values)
    if at.ndim != 1 or at.shape != value.shape:
        raise DataError(f"a curve is two vectors of one length, got {at.shape} and {value.shape}")
    if np.isnan(at).any() or (at < 0).any():
        raise DataError("the seconds or passes of a curve must be numbers that are not negative")
    return at, value
