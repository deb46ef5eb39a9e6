"""AUM and AUC along a line: every step at which the order of the thresholds changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import frexp, inf, isfinite, ldexp

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError, require_whole
from aucbench.kernels import aum_sweep
from aucbench.stats.vectors import floats

LARGEST_LINE = 2.0**1000  # limit of thresholds and slopes: no difference or product overflows
ERROR_BITS = 60  # size of a sum of errors in units; the sum of four of them fits in int64
DOUBLES_PER_LINE = 12  # memory asked for per line; the sweep fills half of it
PATH_COLUMNS = 1 << 18  # least size of a block of entries; memory that is not filled is free


@dataclass(frozen=True, slots=True, eq=False)
class AumPath:
    """AUM, its slope and the AUC at each distinct step from 0 on.

    Between two steps the AUM is linear and the AUC is constant.

    Attributes
    ----------
    step : (K,) 0, then the increasing steps at which thresholds meet
    aum : (K,) AUM at the step
    aum_slope_after : (K,) slope of AUM from the step to the next one
    auc : (K,) AUC exactly at the step, where thresholds are tied
    auc_after : (K,) AUC from the step to the next one, both exclusive
    """

    step: Vector
    aum: Vector
    aum_slope_after: Vector
    auc: Vector
    auc_after: Vector


@dataclass(slots=True, eq=False)
class Sweep:
    """The state of a sweep over steps; each call of `run` goes on where the last one ended.

    Memory is O(B): about 110 bytes for each of B lines, and the entries.
    """

    lines: Vector
    levels: NDArray[np.int64]
    tree: Vector
    winner: Index
    state: NDArray[np.int64] = field(default_factory=lambda: np.zeros(aum_sweep.STATE, np.int64))

    @classmethod
    def over(cls, T: Vector, d: Vector, fp: Vector, fn: Vector) -> Sweep:
        """Return a sweep at step 0, over lines that `checked_lines` has checked."""
        n, (fp_units, fn_units, unit) = T.size, in_units(fp, fn)
        sweep = cls(*room_of(n))
        aum_sweep.begin(
            *(T, d, fp_units, fn_units, order_of(T, d), unit),
            *(sweep.lines, sweep.levels, sweep.tree, sweep.winner, sweep.state),
        )
        return sweep

    def run(
        self, out: Vector, *, step_limit: float = inf, stop: int = aum_sweep.NO_STOP
    ) -> tuple[int, int]:
        """Fill columns of `out`, shape (5, >= 1) in C order.

        Returns how many columns were filled, and why the sweep ended (a constant of the kernel).
        """
        arrays = self.lines, self.levels, self.tree, self.winner, self.state
        return aum_sweep.run(*arrays, step_limit, stop, out)


def aum_path(
    intercept: ArrayLike,
    slope: ArrayLike,
    fp_diff: ArrayLike,
    fn_diff: ArrayLike,
    *,
    max_events: int | None = None,
) -> AumPath:
    """Return AUM, its slope and the AUC at every step >= 0 where two thresholds meet.

    The thresholds are T_b(η) = intercept_b + η slope_b at step η. With the thresholds in
    ascending order T_(1) <= T_(2) <= ..., let FP_k be the sum of fp_diff over the first k of
    them, and FN_k the sum of -fn_diff over the others. Then

        AUM(η) = Σ_k (T_(k+1) - T_(k)) min(FP_k, FN_k).

    Equal lines are merged. A step is the exact quotient of the given floats, correctly rounded.
    Events that round to the same step are one entry.

    The AUC is the area under the ROC curve in which the totals of fp_diff and of -fn_diff count
    as 1. It may leave [0, 1] where errors are not monotone. The area that `roc_auc` gives for
    breakpoints is an increasing affine function of it, so both are largest at the same steps.
    They are equal unless there are errors that no threshold changes, or that are possible but
    never made. Tied thresholds are one straight piece of the curve. So the AUC at an event lies
    halfway between the AUC before it and after it. At step 0 it lies halfway between the AUCs of
    both orders of the tie.

    B lines meet in at most B(B - 1) / 2 events. The time is O((B + E) log B) for E events, where
    lines that meet in one point are one event. Memory is 110 bytes per line and 40 bytes per
    entry (80 at the end). All events of 500 lines take 4 MB; all events of 100 000 lines would
    take 400 GB. So give `max_events` when there are many lines.

    Parameters
    ----------
    intercept, slope : arrays of shape (B,)
        Finite numbers of at most 2**1000 in magnitude.
    fp_diff, fn_diff : arrays of shape (B,)
        How the errors change where the threshold is passed upwards, as counts or as rates. The
        sum of fp_diff is positive, the sum of fn_diff is negative. They are rounded to 2**-60
        of their total, so counts are exact.
    max_events : int, optional
        Return at most this many entries after the first one. The default is all.

    Raises
    ------
    DataError
        When the arrays differ in length, or break one of the rules above.
    ParameterError
        When `max_events` is not a whole number >= 0.

    References
    ----------
    Fowler and Hocking, "Efficient line search for optimizing area under the ROC curve in
    gradient descent" (2024).
    """
    require_whole(0, max_events=max_events)
    T, d, fp, fn = checked_lines(intercept, slope, fp_diff, fn_diff)
    blocks = list(_blocks(Sweep.over(T, d, fp, fn), T.size, max_events))
    return AumPath(*(blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)))


def _blocks(sweep: Sweep, lines: int, max_events: int | None) -> Iterator[Vector]:
    """Yield all entries; each block is as large as all blocks before it together."""
    left = 1 + lines * (lines - 1) // 2
    if max_events is not None:
        left = min(left, 1 + int(max_events))
    size, ending = max(PATH_COLUMNS, 2 * lines), aum_sweep.FULL
    while left > 0 and ending == aum_sweep.FULL:
        out = np.empty((5, min(size, left)))
        filled, ending = sweep.run(out)
        yield out[:, :filled]
        left -= filled
        size *= 2


def checked_lines(*columns: ArrayLike) -> list[Vector]:
    """Return intercept, slope, fp_diff and fn_diff as float64 vectors of one length.

    Intercepts and slopes are checked here; `in_units` checks the errors.

    Raises
    ------
    DataError
        When lengths differ, or an intercept or slope is not finite or is too large.
    """
    names = ("intercept", "slope", "fp_diff", "fn_diff")
    arrays = [floats(name, column) for name, column in zip(names, columns, strict=True)]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1 or arrays[0].ndim != 1:
        got = ", ".join(str(array.shape) for array in arrays)
        raise DataError(
            f"intercept, slope, fp_diff and fn_diff must be vectors of one length, got shapes {got}"
        )
    for name, array in zip(("intercept", "slope"), arrays, strict=False):
        if not np.maximum.reduce(np.abs(array), initial=0.0) <= LARGEST_LINE:  # also true for NaN
            raise DataError(
                f"{name} holds a number that is not finite or is above 2**1000 in magnitude; "
                "drop rows with missing values, or divide it by a constant"
            )
    return arrays


def order_of(T: Vector, d: Vector) -> Index:
    """Return the order of the lines by (T, d): ascending thresholds, ties by slope."""
    t, order = argsort(T)
    if (t[1:] == t[:-1]).any():
        by_slope = argsort(d)[1]
        order = by_slope[argsort(T[by_slope])[1]]
    return order


def in_units(fp: Vector, fn: Vector) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
    """Return errors as whole multiples of a unit, and the unit, a power of two.

    Sums of whole numbers are exact, so they do not depend on the order of the lines.

    Raises
    ------
    DataError
        When a sum of errors is not finite, or false positives do not grow in total, or false
        negatives do not fall in total.
    """
    sizes = [float(np.add.reduce(np.abs(x))) for x in (fp, fn)]
    for name, size in zip(("fp_diff", "fn_diff"), sizes, strict=True):
        if not isfinite(size):
            raise DataError(
                f"{name} or the sum of its magnitudes is not finite; drop rows with missing values"
            )
    _, exponent = frexp(max(sizes))
    power = max(exponent - ERROR_BITS, -1000)
    fp_units, fn_units = (np.rint(x * ldexp(1, -power)).astype(np.int64) for x in (fp, fn))
    if not np.add.reduce(fp_units) > 0 > np.add.reduce(fn_units):
        raise DataError(
            f"fp_diff must have a positive sum and fn_diff a negative one, got {fp.sum()} and "
            f"{fn.sum()}; AUC needs errors of both kinds"
        )
    return fp_units, fn_units, ldexp(1, power)


def room_of(n: int) -> tuple[Vector, NDArray[np.int64], Vector, Index]:
    """Return memory for the lines, levels, tree and winners of a sweep over n lines.

    All of it is one piece that is larger than needed. Reason: fresh memory costs as much time as
    the sort, and C libraries keep freed memory for the next call only up to twice the size of
    the largest piece that was freed.
    """
    size, before = aum_sweep.tree_size(n), -(-(4 * n + 2) // 8) * 8
    room = np.empty(max(before + 2 * size, DOUBLES_PER_LINE * n) + 8)
    room = room[
        -(room.ctypes.data // 8) % 8 :
    ]  # align: the eight children of a node fill a cache line
    return (
        room[: 2 * n].reshape(n, 2),
        room[2 * n : 4 * n + 2].view(np.int64).reshape(n + 1, 2),
        room[before : before + size],
        room[before + size :].view(np.int32)[:size],
    )
