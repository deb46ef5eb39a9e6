"""The seconds of cells that nobody has run, from those of some that were run.

The work of a cell, which is its seconds without those that any cell takes, grows with the rows n
and the features d of its data set. Of each solver (with its tuning and its map, an *arm*)

    log work = a + b log n + c log d + e + noise,

where e is of the data set, and noise is of the split. All five are normal; what the arms share,
the means of b and c and the size of e, is chosen by its likelihood. So one pilot gives the level,
three give the growth, and the prediction for a data set that was run is near what it took. An arm
without a pilot has the level of its untuned twin times the fits of its tuning, or that of all.

The formulas are those of Gaussian processes: Rasmussen and Williams, Gaussian Processes for Machine
Learning, 2006, sections 2.2 and 2.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, log

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import ParameterError

Array = NDArray[np.float64]
GROWTH_N, GROWTH_D = (0.5, 0.8, 1.1, 1.4), (0.2, 0.5, 0.8, 1.1)  # means of b and c that are tried
OF_SETS = (0.25, 0.4, 0.6, 0.9)  # standard deviations of e that are tried
LIKELY = (0.9, 0.7, 0.6)  # before there is any pilot, and how far the means may lie from these
FAR = (0.3, 0.3, 0.4)  # the last of the logarithm
GROWTH = 0.3  # standard deviation of b and c over arms
LEVEL, TWIN, NONE = 3.0, 0.7, 1.5  # of a: with a pilot, with that of a twin, with none of either
OF_SPLITS = 0.15  # standard deviation of the noise
SHARED = 0.5  # correlation of the errors of two arms: the same data set may be slow for all
MACHINE = 0.1  # standard deviation of what a machine takes at another time, in logarithm
LEAST = 1e-3  # seconds of work; less is not told from the start of a process
DRAWS = 1000  # of all seconds


@dataclass(frozen=True, slots=True)
class Arm:
    """What is known of the cells of a solver.

    Attributes
    ----------
    left : Array, shape (m,)
        Cells that are to be run on each data set.
    seen : tuple of (int, float, float)
        Number of a data set, mean log seconds of work, and their variance about the truth.
    idle : float
        Seconds that each cell takes beside its work.
    slow : float
        How many times as long both take now, since other programs run too.
    most : float
        Seconds after which a cell is ended.
    twin : int or None
        Number of the arm that does a part of this one's work, and `times` how often.
    times : float
    """

    left: Array
    seen: tuple[tuple[int, float, float], ...] = ()
    idle: float = 0.0
    slow: float = 1.0
    most: float = inf
    twin: int | None = None
    times: float = 1.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is to be expected of the cells of an arm.

    Attributes
    ----------
    mean, cov : Array, shapes (m,) and (m, m)
        Of log work on each data set.
    arm : Arm
    """

    mean: Array
    cov: Array
    arm: Arm

    @property
    def seconds(self) -> Array:
        """Median seconds of a cell on each data set."""
        return _ended(np.exp(self.mean), self.arm)

    def gains(self) -> Array:
        """How far the spread of the total would shrink by a pilot on each data set, in seconds."""
        grows = self.arm.left * np.exp(self.mean) * (self.seconds < self.arm.most)
        shared = self.cov @ grows
        gains: Array = self.arm.slow * np.abs(shared) / np.sqrt(np.diag(self.cov) + OF_SPLITS**2)
        return gains

    def drawn(self, noise: Array, more: Array) -> Array:
        """Seconds of one cell on each data set, by draws.

        `noise` is normal, of shape (draws, m), and `more` is added to the logarithm.
        """
        # The eigenvectors serve a matrix that is singular up to rounding, as this one is.
        values, vectors = np.linalg.eigh(self.cov)
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        return _ended(np.exp(self.mean + noise @ root + more), self.arm)


def forecasts(sizes: Array, arms: Sequence[Arm]) -> list[Forecast]:
    """Return what is to be expected of each arm.

    Parameters
    ----------
    sizes : Array, shape (m, 2)
        Rows and features of the data sets, at least 1.
    arms : sequence of Arm

    Raises
    ------
    ParameterError
        When the sizes are not such.
    """
    if sizes.ndim != 2 or sizes.shape[1] != 2 or not (sizes >= 1).all():
        raise ParameterError("sizes are rows and features of data sets, each at least 1")
    logs = np.log(sizes)
    logs = logs - logs.mean(axis=0)
    shared = max(product(GROWTH_N, GROWTH_D, OF_SETS), key=lambda s: _likelihood(logs, arms, s))
    levels = [_level(logs, arm, shared) if arm.seen else None for arm in arms]
    known = [level for level in levels if level is not None]
    usual = float(np.median(known)) if known else log(0.1)

    def start(arm: Arm) -> tuple[float, float]:
        if arm.seen:
            return usual, LEVEL
        twin = None if arm.twin is None else levels[arm.twin]
        return (usual, NONE) if twin is None else (twin + log(arm.times), TWIN)

    return [_forecast(logs, arm, shared, *start(arm)) for arm in arms]


def total_draws(
    forecasts: Sequence[Forecast], draws: int = DRAWS, seed: int = 0
) -> Iterator[tuple[Forecast, Array]]:
    """Yield each forecast with draws of the seconds of all its cells, shape (draws, m).

    The errors of the arms go together by `SHARED`, so that those of a sum do not vanish.
    """
    if not forecasts:
        return
    rng = np.random.default_rng(seed)
    shape = (draws, forecasts[0].mean.size)
    common = rng.standard_normal(shape) * SHARED**0.5
    machine = rng.standard_normal((draws, 1)) * MACHINE
    for one in forecasts:
        own = rng.standard_normal(shape) * (1 - SHARED) ** 0.5
        yield one, one.drawn(common + own, machine) * one.arm.left


def _ended(work: Array, arm: Arm) -> Array:
    return np.minimum(arm.slow * (work + arm.idle), arm.most)


def _forecast(
    logs: Array, arm: Arm, shared: tuple[float, float, float], level: float, spread: float
) -> Forecast:
    """Condition the prior of an arm on what was seen of it."""
    mean, cov = _prior(logs, shared, level, spread)
    if not arm.seen:
        return Forecast(mean, cov, arm)
    at, seen, noise = _observed(arm)
    gain = np.linalg.solve(cov[np.ix_(at, at)] + np.diag(noise), cov[at]).T
    return Forecast(mean + gain @ (seen - mean[at]), cov - gain @ cov[at], arm)


def _prior(
    logs: Array, shared: tuple[float, float, float], level: float, spread: float
) -> tuple[Array, Array]:
    by_n, by_d, of_sets = shared
    design = np.column_stack([np.ones(len(logs)), logs])
    variances = np.array([spread**2, GROWTH**2, GROWTH**2])
    cov = (design * variances) @ design.T + of_sets**2 * np.eye(len(logs))
    return design @ np.array([level, by_n, by_d]), cov


def _observed(arm: Arm) -> tuple[NDArray[np.intp], Array, Array]:
    at, seen, noise = zip(*arm.seen, strict=True)
    return np.array(at), np.array(seen), np.array(noise)


def _level(logs: Array, arm: Arm, shared: tuple[float, float, float]) -> float:
    """Level of an arm at the mean of the sizes, by weighted least squares."""
    at, seen, noise = _observed(arm)
    mean, cov = _prior(logs, shared, 0.0, 0.0)
    weights = np.linalg.solve(cov[np.ix_(at, at)] + np.diag(noise), np.ones(len(at)))
    return float(weights @ (seen - mean[at]) / weights.sum())


def _likelihood(logs: Array, arms: Sequence[Arm], shared: tuple[float, float, float]) -> float:
    """Log likelihood of what the arms share, its prior included; levels are fitted."""
    tried = np.array([*shared[:2], log(shared[2])])
    likely = np.array([*LIKELY[:2], log(LIKELY[2])])
    total = float(-0.5 * (((tried - likely) / FAR) ** 2).sum())
    for arm in arms:
        if len(arm.seen) < 2:
            continue
        at, seen, noise = _observed(arm)
        mean, cov = _prior(logs, shared, _level(logs, arm, shared), 0.0)
        cov = cov[np.ix_(at, at)] + np.diag(noise)
        rest = seen - mean[at]
        total -= 0.5 * float(rest @ np.linalg.solve(cov, rest) + np.linalg.slogdet(cov)[1])
    return total
