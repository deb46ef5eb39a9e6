"""AUM and AUC along a line of thresholds: every step at which the order of thresholds changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import frexp, inf, isfinite, ldexp

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.aum.order import in_order
from aucbench.data.arrays import Index, Vector
from aucbench.errors import DataError, require_whole
from aucbench.kernels import aum_sweep

LARGEST = 2.0**1000  # thresholds and slopes: differences and products of two must not overflow
BITS = 60  # of a sum of errors in units; a sum of four fits in 64 bits with its sign
ROOM = 12  # doubles asked for per line, of which the sweep fills half
ENTRIES = 1 << 18  # columns of a block, at the least; memory that is not filled costs nothing


@dataclass(frozen=True, slots=True, eq=False)
class AumPath:
    """AUM, its slope and the AUC at each distinct step from 0 on; between, AUM is linear.

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
    """The state of a sweep: `run` goes on where it ended.

    Memory is O(B): about 110 bytes for each of B lines, besides the entries.
    """

    lines: Vector
    levels: NDArray[np.int64]
    tree: Vector
    winner: Index
    state: NDArray[np.int64] = field(default_factory=lambda: np.zeros(aum_sweep.STATE, np.int64))

    @classmethod
    def over(cls, T: Vector, d: Vector, fp: Vector, fn: Vector) -> Sweep:
        """Return the start of a sweep over checked lines."""
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
        """Fill columns of `out`, C order (5, at least one); return how many, and why it ended."""
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

    The thresholds are T_b(η) = intercept_b + η slope_b. Sorted, with FP and FN the sums of
    fp_diff below a threshold and of -fn_diff from it on,

        AUM(η) = Σ_k (T_(k+1) - T_(k)) min(FP_k, FN_k).

    Lines that are equal are merged. Steps are exact quotients of the given floats, correctly
    rounded; events that round to one step are one entry. AUC is the area under the ROC curve
    with the totals of fp_diff and -fn_diff for 1; where errors are not monotone it may leave
    [0, 1]. Tied thresholds are one straight piece of the curve, so that the AUC at an event
    lies halfway between those before and after it (at step 0, between both orders of the tie).

    B lines meet in up to B(B - 1) / 2 events. Time O((B + E) log B) for E events, lines that
    meet in one point being one; memory 110 bytes per line and 40 (80 at the end) per entry:
    4 MB for all of 500 lines, 400 GB for all of 100 000, so give `max_events` for long lists.

    Parameters
    ----------
    intercept, slope : arrays of shape (B,)
        Finite, at most 2**1000 in magnitude.
    fp_diff, fn_diff : arrays of shape (B,)
        Changes of the errors where the threshold is passed upwards, counts or rates; their
        sums are positive and negative. They are rounded to 2**-60 of their total: counts are
        exact.
    max_events : int, optional
        At most this many entries after the first one; default: all.

    Raises
    ------
    DataError
        When the arrays are not of one length, or hold what is said above they must not.
    ParameterError
        When `max_events` is not a whole number >= 0.

    References
    ----------
    Fotouhi and Hocking, "Efficient line search for optimizing area under the ROC curve in
    gradient descent" (2024).
    """
    require_whole(0, max_events=max_events)
    T, d, fp, fn = checked_lines(intercept, slope, fp_diff, fn_diff)
    blocks = list(_blocks(Sweep.over(T, d, fp, fn), T.size, max_events))
    return AumPath(*(blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)))


def _blocks(sweep: Sweep, lines: int, max_events: int | None) -> Iterator[Vector]:
    """All entries, each block of columns as large as those before it together."""
    left = 1 + lines * (lines - 1) // 2
    if max_events is not None:
        left = min(left, 1 + int(max_events))
    size, ending = max(ENTRIES, 2 * lines), aum_sweep.FULL
    while left > 0 and ending == aum_sweep.FULL:
        out = np.empty((5, min(size, left)))
        filled, ending = sweep.run(out)
        yield out[:, :filled]
        left -= filled
        size *= 2


def checked_lines(*columns: ArrayLike) -> list[Vector]:
    """Return the four columns as float64, or say what is wrong with them; errors: `in_units`."""
    arrays = [np.ascontiguousarray(column, np.float64) for column in columns]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1 or arrays[0].ndim != 1:
        got = ", ".join(str(array.shape) for array in arrays)
        raise DataError(
            f"intercept, slope, fp_diff and fn_diff must be vectors of one length, got shapes {got}"
        )
    for name, array in zip(("intercept", "slope"), arrays, strict=False):
        if not np.maximum.reduce(np.abs(array), initial=0.0) <= LARGEST:  # NaN is not either
            raise DataError(
                f"{name} must be finite and at most 2**1000 in magnitude; "
                "drop rows with missing values, or divide it by a constant"
            )
    return arrays


def order_of(T: Vector, d: Vector) -> Index:
    """Order by (T, d)."""
    keys, rows = in_order(T.copy(), np.arange(T.size, dtype=np.int32))
    if (keys[1:] == keys[:-1]).any():
        _, rows = in_order(d.copy(), np.arange(T.size, dtype=np.int32))
        _, rows = in_order(T[rows], rows)
    return rows


def in_units(fp: Vector, fn: Vector) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
    """Errors in whole numbers of a power of two, so that sums are the same in any order."""
    sizes = [float(np.add.reduce(np.abs(x))) for x in (fp, fn)]
    for name, size in zip(("fp_diff", "fn_diff"), sizes, strict=True):
        if not isfinite(size):
            raise DataError(f"{name} must be finite, its sum too; drop rows with missing values")
    _, exponent = frexp(max(sizes))
    power = max(exponent - BITS, -1000)
    fp_units, fn_units = (np.rint(x * ldexp(1, -power)).astype(np.int64) for x in (fp, fn))
    if not np.add.reduce(fp_units) > 0 > np.add.reduce(fn_units):
        raise DataError(
            f"fp_diff must have a positive sum and fn_diff a negative one, got {fp.sum()} and "
            f"{fn.sum()}; AUC needs errors of both kinds"
        )
    return fp_units, fn_units, ldexp(1, power)


def room_of(n: int) -> tuple[Vector, NDArray[np.int64], Vector, Index]:
    """Lines, levels, tree and winners of a sweep over n lines, in one piece.

    C libraries keep memory for the next call up to twice the largest piece that they were
    given back, and fresh memory costs as much as the sort: hence one piece, larger than needed.
    """
    size, before = aum_sweep.tree_size(n), -(-(4 * n + 2) // 8) * 8
    room = np.empty(max(before + 2 * size, ROOM * n) + 8)
    room = room[-(room.ctypes.data // 8) % 8 :]  # the eight children of a node are a cache line
    return (
        room[: 2 * n].reshape(n, 2),
        room[2 * n : 4 * n + 2].view(np.int64).reshape(n + 1, 2),
        room[before : before + size],
        room[before + size :].view(np.int32)[:size],
    )
