"""The published line search: AUM and AUC at every step at which thresholds cross.

`reference_path` is the search as the paper states it, in exact numbers. `aum_path` does the same
by a kernel, and a test holds them together. `walk.py` has a picture of one walk, and chooses steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import frexp, inf, isfinite, ldexp
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.aum.lines import Lines
from aucbench.data.arrays import Index, Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError, require_whole
from aucbench.kernels import aum_sweep

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


class Event(NamedTuple):
    """AUM, its slope and the AUC at one step, as the columns of `AumPath`."""

    step: Fraction
    aum: Fraction
    slope_after: Fraction
    auc: Fraction
    auc_after: Fraction


def reference_path(lines: Lines) -> Iterator[Event]:
    """Yield the events of the published search, in exact rational numbers.

    The lines T_b + η d_b are kept in ascending order; the line at position q changes the errors
    by Δfp_q and Δfn_q. FP_q and FN_q are the errors before it, and M_q is the smaller one. The
    numbers in brackets are those of the equations in the paper. Only neighbours meet, and all
    crossings at one step are one event. So lines through one point need no group of their own:
    their neighbours change places one after the other, until no two of them are left to do so.

    References
    ----------
    Fowler and Hocking, "Efficient line search for optimizing area under the ROC curve in
    gradient descent" (2024), section 4.
    """
    T, d, fp, fn = _sorted_rationals(lines)
    B = len(T)
    FP = [sum(fp[:q], Fraction(0)) for q in range(B + 1)]  # (3)
    FN = [-sum(fn[q:], Fraction(0)) for q in range(B + 1)]
    M = [min(errors) for errors in zip(FP, FN, strict=True)]
    area = FP[B] * FN[0]
    AUC = sum(fp[q] * (2 * FN[0] - FN[q] - FN[q + 1]) for q in range(B)) / (2 * area)  # (4)
    AUM = sum((T[q] * (M[q] - M[q + 1]) for q in range(B)), Fraction(0))  # (5)
    slope = sum((d[q] * (M[q] - M[q + 1]) for q in range(B)), Fraction(0))  # (6)

    def crossing(q: int) -> list[tuple[Fraction, int]]:
        """Return the step at which the lines q and q + 1 meet, and q; nothing if they never do."""
        meet = 0 <= q < B - 1 and d[q] > d[q + 1]
        return [((T[q + 1] - T[q]) / (d[q] - d[q + 1]), q)] if meet else []

    ties = [(q, r) for r in range(B) for q in range(r) if T[q] == T[r]]
    tied = sum((fp[r] * fn[q] - fp[q] * fn[r] for q, r in ties), Fraction(0))
    yield Event(Fraction(0), AUM, slope, AUC + tied / (2 * area), AUC)
    queue = [meeting for q in range(B) for meeting in crossing(q)]  # section 4.4
    heapify(queue)
    eta = Fraction(0)
    while queue:
        step, before = queue[0][0], AUC
        AUM += (step - eta) * slope  # (9)
        eta = step
        while queue and queue[0][0] == eta:
            q = heappop(queue)[1]
            if (eta, q) not in crossing(q):
                continue  # other lines are at this position now
            FP[q + 1], FN[q + 1] = FP[q] + fp[q + 1], FN[q] + fn[q + 1]  # (10), (11)
            m = min(FP[q + 1], FN[q + 1])  # (12)
            slope += (d[q] - d[q + 1]) * (M[q + 1] + m - M[q] - M[q + 2])  # Theorem 1
            AUC += (fp[q + 1] * fn[q] - fp[q] * fn[q + 1]) / area  # Theorem 2, (16) to (18)
            M[q + 1] = m
            for column in (T, d, fp, fn):
                column[q], column[q + 1] = column[q + 1], column[q]  # (7)
            for meeting in crossing(q - 1) + crossing(q + 1):
                heappush(queue, meeting)
        yield Event(eta, AUM, slope, (before + AUC) / 2, AUC)


def _sorted_rationals(lines: Lines) -> list[list[Fraction]]:
    """Return T, d, Δfp and Δfn of the lines in ascending order by (T, d); equal ones are merged."""
    merged: dict[tuple[float, float], list[Fraction]] = {}
    for T, d, *errors in zip(
        lines.intercept, lines.slope, lines.fp_diff, lines.fn_diff, strict=True
    ):
        before = merged.get((T, d), [Fraction(0)] * 2)
        merged[T, d] = [x + Fraction(e) for x, e in zip(before, errors, strict=True)]
    rows = sorted([Fraction(T), Fraction(d), *errors] for (T, d), errors in merged.items())
    return [list(column) for column in zip(*rows, strict=True)]


@dataclass(slots=True, eq=False)
class Sweep:
    """The state of a sweep over steps; each call of `run` goes on where the last one ended.

    Memory is O(B): about 110 bytes for each of B lines, and the entries.
    """

    room: Vector  # which only the kernel reads

    @classmethod
    def over(cls, lines: Lines) -> Sweep:
        """Return a sweep at step 0, over lines that `Lines.checked` has returned.

        Its memory is larger than needed. Reason: fresh memory costs as much time as the sort, and
        C libraries keep freed memory for the next call only up to twice the size of the largest
        piece that was freed.
        """
        T, d = lines.intercept, lines.slope
        fp_units, fn_units, unit = round_errors(lines.fp_diff, lines.fn_diff)
        sweep = cls(np.empty(max(aum_sweep.room_size(T.size), DOUBLES_PER_LINE * T.size)))
        aum_sweep.begin(T, d, fp_units, fn_units, sort_lines(T, d), unit, sweep.room)
        return sweep

    def run(
        self, out: Vector, *, step_limit: float = inf, until_aum_rises: bool = False
    ) -> tuple[int, int]:
        """Fill columns of `out`, shape (5, >= 1) in C order.

        Returns how many columns were filled, and why the sweep ended (a constant of the kernel).
        """
        return aum_sweep.run(self.room, step_limit, until_aum_rises, out)


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
    lines = Lines.checked(intercept, slope, fp_diff, fn_diff)
    blocks = list(_blocks(Sweep.over(lines), lines.slope.size, max_events))
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


def sort_lines(T: Vector, d: Vector) -> Index:
    """Return the order of the lines by (T, d): ascending thresholds, ties by slope."""
    t, order = argsort(T)
    if (t[1:] == t[:-1]).any():
        by_slope = argsort(d)[1]
        order = by_slope[argsort(T[by_slope])[1]]
    return order


def round_errors(fp: Vector, fn: Vector) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
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
