"""Exact line searches for the AUM and the AUC, in memory that no number of events makes grow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.aum.path import BITS, Sweep, checked_lines
from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.errors import DataError, require_at_least, require_whole
from aucbench.kernels import aum_sweep

BLOCK = 4_096  # columns that a sweep fills at a time; they stay in the cache
AFTER = 16  # columns of the block after a stop, which double: mostly little is left to see
ROUNDING = 2.0**-49  # of errors that are quotients, as rates are, and of their sums


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Thresholds T_b(η) = intercept_b + η slope_b and the errors they change, as in `aum_path`."""

    intercept: Vector
    slope: Vector
    fp_diff: Vector
    fn_diff: Vector

    @classmethod
    def of(cls, breakpoints: Breakpoints, scores: ArrayLike, direction: ArrayLike) -> Lines:
        """Thresholds of `scores - step * direction`; `DataError` unless both have shape (n,)."""
        s, d = np.asarray(scores, np.float64), np.asarray(direction, np.float64)
        if not s.shape == d.shape == (breakpoints.n,):
            raise DataError(
                f"scores and direction have shapes {s.shape} and {d.shape}; give one number for "
                f"each of {breakpoints.n} examples"
            )
        b = breakpoints
        return cls(b.value - s[b.example], d[b.example], b.fp_diff, b.fn_diff)


@dataclass(frozen=True, slots=True)
class Found:
    """What a line search found."""

    step: float  # the chosen one of those that are equally good,
    step_lo: float
    step_hi: float  # which may be inf
    value: float  # AUM, or AUC, at the step
    events: int  # distinct steps visited for it, not counting step 0


def first_min(lines: Lines, *, max_events: int | None = None, step_limit: float = inf) -> Found:
    """Return the first local minimum of the AUM over steps in [0, step_limit].

    Of an interval on which the AUM is constant and after which it rises, the midpoint is chosen,
    or the beginning when it has no end. A search that ends while the AUM still falls returns the
    least it saw: the last event, or step_limit itself. A slope counts as 0 up to the rounding of
    errors: 2**-49 + B 2**-60 (whole numbers: 2**-80) of Σ |slope_b - mean| (|fp_b| + |fn_b|).
    Time O((B + events) log B), memory O(B), as for all searches here.

    Parameters
    ----------
    lines : Lines
        Thresholds along the line.
    max_events : int, optional
        Visit at most this many distinct steps after step 0. An interval that goes on beyond
        them is returned up to the next event.
    step_limit : float
        Larger steps are not considered.

    Raises
    ------
    DataError
        When the lines are not those of `aum_path`.
    ParameterError
        When `max_events` is not a whole number >= 0, or `step_limit` is not a number >= 0.
    """
    return _first(_valleys(_Walk(lines, aum_sweep.AUM_RISES, max_events, step_limit)))


def best_min(lines: Lines, *, max_events: int | None = None, step_limit: float = inf) -> Found:
    """Return the least AUM of all events visited, and of step_limit; parameters as `first_min`.

    The published "quadratic" search; with max_events the number of lines, "linear".
    """
    walk = _Walk(lines, aum_sweep.NO_STOP, max_events, step_limit)
    return _best(walk, _valleys(walk), -1.0)


def first_max_auc(
    lines: Lines,
    *,
    max_events: int | None = None,
    step_limit: float = inf,
    validation: Lines | None = None,
) -> Found:
    """Return the first local maximum of the AUC; parameters and errors as `first_min`.

    The AUC is constant between events, and its mean of both sides at one, so that a maximum
    is an open interval: its midpoint is chosen, or twice its beginning when it has no end; when
    it is all steps > 0, step 1 if the AUC is larger there than at 0, where thresholds may be
    tied, and else 0. Areas are exact for labels and for whole numbers of errors; else they are
    the same up to 2**-49.

    With `validation`, the AUC is that of these lines, and only steps up to the end of the first
    local minimum of the AUM of `lines` are considered. The two sweeps run one after the other:
    where the first one ends does not depend on the second, hence the result is that of visiting
    the events of both in order. `max_events` holds for each, `events` counts both.
    """
    walk, spent = _walk_of_auc(lines, aum_sweep.AUC_FALLS, max_events, step_limit, validation)
    return _first(_plateaus(walk), spent)


def best_max_auc(
    lines: Lines,
    *,
    max_events: int | None = None,
    step_limit: float = inf,
    validation: Lines | None = None,
) -> Found:
    """Return the largest AUC of all events visited; else as `first_max_auc`."""
    walk, spent = _walk_of_auc(lines, aum_sweep.NO_STOP, max_events, step_limit, validation)
    return _best(walk, _plateaus(walk), 1.0, spent)


def _walk_of_auc(
    lines: Lines, stop: int, max_events: int | None, step_limit: float, validation: Lines | None
) -> tuple[_Walk, int]:
    """The walk whose AUC is asked for, and the events that were spent on its limit."""
    if validation is None:
        return _Walk(lines, stop, max_events, step_limit), 0
    minimum = first_min(lines, max_events=max_events, step_limit=step_limit)
    return _Walk(validation, stop, max_events, minimum.step_hi), minimum.events


class _Walk:
    """The events of a sweep, once; after them, `end` is up to where they tell all."""

    def __init__(self, lines: Lines, stop: int, max_events: int | None, step_limit: float):
        require_whole(0, max_events=max_events)
        require_at_least(0, step_limit=None if step_limit == inf else step_limit)
        self.columns = checked_lines(lines.intercept, lines.slope, lines.fp_diff, lines.fn_diff)
        self.most = inf if max_events is None else 1 + int(max_events)
        self.step_limit = self.end = float(step_limit)
        self.sweep, self.stop, self.visited = Sweep.over(*self.columns), stop, -1

    def blocks(self) -> Iterator[Vector]:
        """Columns (step, AUM, slope after, AUC, AUC after), each block in place of the last."""
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
            if ending == aum_sweep.STOPPED:  # which knows no slack: who has seen enough leaves
                size, stop = AFTER, aum_sweep.NO_STOP
        if left <= 0 and self.sweep.run(room[:5].reshape(5, 1), step_limit=self.step_limit)[0]:
            self.end = float(room[0])


class _Pieces(NamedTuple):  # intervals of equally good steps, in order
    lo: Vector
    hi: Vector
    value: Vector
    optimum: NDArray[np.bool_]  # what follows is worse
    event: NDArray[np.int64]  # which ends it
    unbounded: float = inf  # the choice where hi is inf

    def found(self, k: int, spent: int = 0) -> Found:
        lo, hi = float(self.lo[k]), float(self.hi[k])
        step = lo + (hi - lo) / 2 if hi < inf else float(self.unbounded)
        return Found(step, lo, hi, float(self.value[k]), int(self.event[k]) + spent)


def _last(walk: _Walk, lo: float, value: float, unbounded: float) -> _Pieces:
    """The piece up to the end of a walk."""
    lo_, hi, value_ = np.array([[lo], [walk.end], [value]])
    return _Pieces(lo_, hi, value_, np.array([True]), np.array([walk.visited]), unbounded)


def _valleys(walk: _Walk) -> Iterator[_Pieces]:
    """Events that slopes of 0 connect, or single ones; best if the AUM rises after them."""
    slack = _slacks(*walk.columns[1:])[0]
    row, begun, columns = 0, np.empty((3, 0)), np.empty((3, 0))
    for block in walk.blocks():
        step, aum, slope = columns = np.c_[begun, block[:3]]
        ends = np.flatnonzero(np.abs(slope) > slack)
        starts = np.r_[0, ends + 1]
        if ends.size:
            first, event = starts[:-1], row + ends - begun.shape[1]
            yield _Pieces(step[first], step[ends], aum[first], slope[ends] > 0.0, event)
        row += block.shape[1]
        begun = columns[:, starts[-1] :][:, :1]  # the event that begins a piece, or none
    step, aum, slope = columns[:, -1]
    if begun.size:
        yield _last(walk, begun[0, 0], begun[1, 0], begun[0, 0])
    elif slope < 0.0 and walk.end == walk.step_limit < inf:
        yield _last(walk, walk.end, aum + slope * (walk.end - step), inf)


def _plateaus(walk: _Walk) -> Iterator[_Pieces]:
    """Steps from one event to another, between which the AUC is the same."""
    slack = _slacks(*walk.columns[1:])[1]
    row, lo, now, at_lo, unbounded = 0, 0.0, 0.0, 0.0, 0.0
    for step, _, _, at, after in walk.blocks():
        if row == 0:
            now, at_lo, unbounded = after[0], at[0], float(after[0] > at[0] + slack)
        before = np.r_[now, after[:-1]]
        ends = np.flatnonzero(np.abs(after - before) > slack)
        if ends.size:
            start, value = np.r_[lo, step[ends[:-1]]], before[ends]
            yield _Pieces(start, step[ends], value, after[ends] < value, row + ends)
            lo, at_lo, unbounded = step[ends[-1]], at[ends[-1]], 2.0 * step[ends[-1]]
        row, now = row + step.size, after[-1]
    chosen = walk.end if walk.end < inf else unbounded
    yield _last(walk, lo, now if lo < chosen else at_lo, unbounded)


def _first(pieces: Iterator[_Pieces], spent: int = 0) -> Found:
    """The first optimum; without one, the last piece."""
    for piece in pieces:
        if piece.optimum.any():
            return piece.found(int(piece.optimum.argmax()), spent)
    return piece.found(-1, spent)


def _best(walk: _Walk, pieces: Iterator[_Pieces], sign: float, spent: int = 0) -> Found:
    """The first of the largest sign * value; all events are visited for it."""
    candidates = (piece.found(int(np.argmax(sign * piece.value))) for piece in pieces)
    best = max(candidates, key=lambda found: sign * found.value)
    return replace(best, events=walk.visited + spent)


def _slacks(d: Vector, fp: Vector, fn: Vector) -> tuple[float, float]:
    """What rounding may leave of 0: the largest slope of AUM and difference of AUCs."""
    scale = float(np.abs(d - d.mean()) @ (np.abs(fp) + np.abs(fn))) if d.size else 0.0
    if all(np.array_equal(x, np.rint(x)) for x in (fp, fn)):
        return 2.0**-80 * scale, 0.0
    sizes = (np.abs(x[x != 0.0]) for x in (fp, fn))
    labels = all(bool((x == x[:1]).all()) for x in sizes)
    return (ROUNDING + 2.0**-BITS * d.size) * scale, 0.0 if labels else ROUNDING
