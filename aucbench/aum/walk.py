"""A walk over the events of a sweep, and the intervals of equally good steps on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aucbench.aum.lines import Found, Lines
from aucbench.aum.path import ERROR_BITS, Sweep, checked_lines
from aucbench.data.arrays import Vector
from aucbench.errors import require_at_least, require_whole
from aucbench.kernels import aum_sweep

BLOCK = 4_096  # events that a sweep fills at a time; this many stay in the cache
AFTER = 16  # events of the first block after a stop, where mostly few are left; then it doubles
ROUNDING = 2.0**-49  # relative rounding of errors that are quotients (rates), and of their sums


class Walk:
    """The events of a sweep, visited once. After them, all is known up to the step `end`."""

    def __init__(self, lines: Lines, stop: int, max_events: int | None, step_limit: float):
        require_whole(0, max_events=max_events)
        require_at_least(0, step_limit=None if step_limit == inf else step_limit)
        self.columns = checked_lines(lines.intercept, lines.slope, lines.fp_diff, lines.fn_diff)
        self.most = inf if max_events is None else 1 + int(max_events)
        self.step_limit = self.end = float(step_limit)
        self.sweep, self.stop, self.visited = Sweep.over(*self.columns), stop, -1

    def blocks(self) -> Iterator[Vector]:
        """Yield columns (step, AUM, slope after, AUC, AUC after); a block overwrites the last."""
        room, left = np.empty(5 * BLOCK), self.most
        size, stop, ending = BLOCK, self.stop, aum_sweep.FULL
        while left > 0 and ending in (aum_sweep.FULL, aum_sweep.STOPPED):
            out = room[: 5 * int(min(size, BLOCK, left))].reshape(5, -1)
            filled, ending = self.sweep.run(out, step_limit=self.step_limit, stop=stop)
            left -= filled
            self.visited += filled  # one of them is step 0, which is no event
            if filled:
                yield out[:, :filled]
            size *= 2
            if ending == aum_sweep.STOPPED:  # without slack: the caller decides whether to go on
                size, stop = AFTER, aum_sweep.NO_STOP
        if left <= 0 and self.sweep.run(room[:5].reshape(5, 1), step_limit=self.step_limit)[0]:
            self.end = float(room[0])


class Pieces(NamedTuple):
    """Intervals of equally good steps, in order."""

    lo: Vector
    hi: Vector
    value: Vector
    optimum: NDArray[np.bool_]  # whether the next interval is worse
    event: NDArray[np.int64]  # the number of the event at which the interval ends
    unbounded: float = inf  # the step to choose where hi is inf

    def found(self, k: int, spent: int = 0) -> Found:
        """Return interval k as the result of a search; `spent` events were visited before."""
        lo, hi = float(self.lo[k]), float(self.hi[k])
        step = lo + (hi - lo) / 2 if hi < inf else float(self.unbounded)
        return Found(step, lo, hi, float(self.value[k]), int(self.event[k]) + spent)


def _last(walk: Walk, lo: float, value: float, unbounded: float) -> Pieces:
    """Return the last interval, which ends where the walk ends."""
    lo_, hi, value_ = np.array([[lo], [walk.end], [value]])
    return Pieces(lo_, hi, value_, np.array([True]), np.array([walk.visited]), unbounded)


def valleys(walk: Walk) -> Iterator[Pieces]:
    """Yield intervals on which the slope is 0, or single events; optimal if the AUM then rises."""
    slack = _slacks(*walk.columns[1:])[0]
    row, begun, columns = 0, np.empty((3, 0)), np.empty((3, 0))
    for block in walk.blocks():
        step, aum, slope = columns = np.c_[begun, block[:3]]
        ends = np.flatnonzero(np.abs(slope) > slack)
        starts = np.r_[0, ends + 1]
        if ends.size:
            first, event = starts[:-1], row + ends - begun.shape[1]
            yield Pieces(step[first], step[ends], aum[first], slope[ends] > 0.0, event)
        row += block.shape[1]
        begun = columns[:, starts[-1] :][:, :1]  # the event at which a piece begins, or none
    step, aum, slope = columns[:, -1]
    if begun.size:
        yield _last(walk, begun[0, 0], begun[1, 0], begun[0, 0])
    elif slope < 0.0 and walk.end == walk.step_limit < inf:
        yield _last(walk, walk.end, aum + slope * (walk.end - step), inf)


def plateaus(walk: Walk) -> Iterator[Pieces]:
    """Yield intervals of steps on which the AUC is constant."""
    slack = _slacks(*walk.columns[1:])[1]
    row, lo, now, at_lo, unbounded = 0, 0.0, 0.0, 0.0, 0.0
    for step, _, _, at, after in walk.blocks():
        if row == 0:
            now, at_lo, unbounded = after[0], at[0], float(after[0] > at[0] + slack)
        before = np.r_[now, after[:-1]]
        ends = np.flatnonzero(np.abs(after - before) > slack)
        if ends.size:
            start, value = np.r_[lo, step[ends[:-1]]], before[ends]
            yield Pieces(start, step[ends], value, after[ends] < value, row + ends)
            lo, at_lo, unbounded = step[ends[-1]], at[ends[-1]], 2.0 * step[ends[-1]]
        row, now = row + step.size, after[-1]
    chosen = walk.end if walk.end < inf else unbounded
    yield _last(walk, lo, now if lo < chosen else at_lo, unbounded)


def first_piece(pieces: Iterator[Pieces], spent: int = 0) -> Found:
    """Return the first optimum, or the last piece when there is no optimum."""
    for piece in pieces:
        if piece.optimum.any():
            return piece.found(int(piece.optimum.argmax()), spent)
    return piece.found(-1, spent)


def best_piece(walk: Walk, pieces: Iterator[Pieces], sign: float, spent: int = 0) -> Found:
    """Return the first piece with the largest sign * value, after all events were visited."""
    candidates = (piece.found(int(np.argmax(sign * piece.value))) for piece in pieces)
    best = max(candidates, key=lambda found: sign * found.value)
    return replace(best, events=walk.visited + spent)


def _slacks(d: Vector, fp: Vector, fn: Vector) -> tuple[float, float]:
    """Return the slope of the AUM and the difference of AUCs up to which rounding explains them."""
    scale = float(np.abs(d - d.mean()) @ (np.abs(fp) + np.abs(fn))) if d.size else 0.0
    if all(np.array_equal(x, np.rint(x)) for x in (fp, fn)):
        return 2.0**-80 * scale, 0.0
    sizes = (np.abs(x[x != 0.0]) for x in (fp, fn))
    labels = all(bool((x == x[:1]).all()) for x in sizes)
    return (ROUNDING + 2.0**-ERROR_BITS * d.size) * scale, 0.0 if labels else ROUNDING
