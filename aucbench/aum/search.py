"""Exact line searches for the AUM and the AUC; their memory does not grow with the events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.aum.path import ERROR_BITS, Sweep, checked_lines
from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.errors import DataError, require_at_least, require_whole
from aucbench.kernels import aum_sweep

BLOCK = 4_096  # events that a sweep fills at a time; this many stay in the cache
AFTER = 16  # events of the first block after a stop, where mostly few are left; then it doubles
ROUNDING = 2.0**-49  # relative rounding of errors that are quotients (rates), and of their sums


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Thresholds T_b(η) = intercept_b + η slope_b, and how the errors change at them.

    Attributes
    ----------
    intercept, slope, fp_diff, fn_diff : arrays of shape (B,)
        As in `aum_path`.
    """

    intercept: Vector
    slope: Vector
    fp_diff: Vector
    fn_diff: Vector

    @classmethod
    def of(cls, breakpoints: Breakpoints, scores: ArrayLike, direction: ArrayLike) -> Lines:
        """Return the thresholds of the scores `scores - step * direction`.

        Raises
        ------
        DataError
            Unless scores and direction have shape (n,).
        """
        s, d = np.asarray(scores, np.float64), np.asarray(direction, np.float64)
        if not s.shape == d.shape == (breakpoints.n,):
            raise DataError(
                f"scores and direction have shapes {s.shape} and {d.shape}; give one number in "
                f"each for every one of the {breakpoints.n} examples"
            )
        b = breakpoints
        return cls(b.value - s[b.example], d[b.example], b.fp_diff, b.fn_diff)


@dataclass(frozen=True, slots=True)
class Found:
    """What a line search found.

    Attributes
    ----------
    step : float
        The chosen step, in [step_lo, step_hi].
    step_lo, step_hi : float
        The interval of equally good steps; step_hi may be inf.
    value : float
        AUM, or AUC, at the step.
    events : int
        Distinct steps that were visited, without step 0.
    """

    step: float
    step_lo: float
    step_hi: float
    value: float
    events: int


def first_min(lines: Lines, *, max_events: int | None = None, step_limit: float = inf) -> Found:
    """Return the first local minimum of the AUM over steps in [0, step_limit].

    A minimum may be an interval on which the AUM is constant and after which it rises. Its
    midpoint is chosen, or its beginning when it has no end. If the search ends while the AUM
    still falls, it returns the least AUM it saw: that of the last event, or of step_limit.

    A slope counts as 0 when its magnitude is at most c Σ_b |slope_b - mean| (|fp_b| + |fn_b|),
    which bounds the rounding. Here c = 2**-80 if all errors are whole numbers, and
    c = 2**-49 + B 2**-60 otherwise.

    As for all searches here, time is O((B + events) log B) and memory is O(B).

    Parameters
    ----------
    lines : Lines
        Thresholds along the line.
    max_events : int, optional
        Visit at most this many distinct steps after step 0. An interval that goes on after
        them is returned up to the next event.
    step_limit : float
        Larger steps are not considered.

    Raises
    ------
    DataError
        When the lines break a rule of `aum_path`.
    ParameterError
        When `max_events` is not a whole number >= 0, or `step_limit` is not a number >= 0.
    """
    return _first(_valleys(_Walk(lines, aum_sweep.AUM_RISES, max_events, step_limit)))


def best_min(lines: Lines, *, max_events: int | None = None, step_limit: float = inf) -> Found:
    """Return the least AUM of all visited events and of step_limit.

    This is the published "quadratic" search. With max_events equal to the number of lines it is
    the published "linear" search. Parameters and errors are those of `first_min`.
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
    """Return the first local maximum of the AUC.

    The AUC is constant between events. At an event it is the mean of the AUCs before and after
    it. So a maximum is an open interval, and its midpoint is chosen. If the interval has no end,
    twice its beginning is chosen. If it is all steps > 0, step 1 is chosen when the AUC is
    larger there than at step 0 (where thresholds may be tied), and step 0 otherwise. AUCs are
    exact for labels and for whole numbers of errors. Other AUCs count as equal when they differ
    by at most 2**-49.

    With `validation`, the AUC is that of the lines `validation`. Then only steps up to the end
    of the first local minimum of the AUM of `lines` are considered. Two sweeps run one after the
    other. The end of the first does not depend on the second, so the result is the same as if
    the events of both were visited in order. `max_events` holds for each sweep, and `events`
    counts the events of both. The other parameters and the errors are those of `first_min`.
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
    """Return the largest AUC of all visited events; all else is as in `first_max_auc`."""
    walk, spent = _walk_of_auc(lines, aum_sweep.NO_STOP, max_events, step_limit, validation)
    return _best(walk, _plateaus(walk), 1.0, spent)


def _walk_of_auc(
    lines: Lines, stop: int, max_events: int | None, step_limit: float, validation: Lines | None
) -> tuple[_Walk, int]:
    """Return the walk that has the AUC, and how many events were spent to find its limit."""
    if validation is None:
        return _Walk(lines, stop, max_events, step_limit), 0
    minimum = first_min(lines, max_events=max_events, step_limit=step_limit)
    return _Walk(validation, stop, max_events, minimum.step_hi), minimum.events


class _Walk:
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


class _Pieces(NamedTuple):
    """Intervals of equally good steps, in order."""

    lo: Vector
    hi: Vector
    value: Vector
    optimum: NDArray[np.bool_]  # whether the next interval is worse
    event: NDArray[np.int64]  # the number of the event at which the interval ends
    unbounded: float = inf  # the step to choose where hi is inf

    def found(self, k: int, spent: int = 0) -> Found:
        lo, hi = float(self.lo[k]), float(self.hi[k])
        step = lo + (hi - lo) / 2 if hi < inf else float(self.unbounded)
        return Found(step, lo, hi, float(self.value[k]), int(self.event[k]) + spent)


def _last(walk: _Walk, lo: float, value: float, unbounded: float) -> _Pieces:
    """Return the last interval, which ends where the walk ends."""
    lo_, hi, value_ = np.array([[lo], [walk.end], [value]])
    return _Pieces(lo_, hi, value_, np.array([True]), np.array([walk.visited]), unbounded)


def _valleys(walk: _Walk) -> Iterator[_Pieces]:
    """Yield intervals on which the slope is 0, or single events; optimal if the AUM then rises."""
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
        begun = columns[:, starts[-1] :][:, :1]  # the event at which a piece begins, or none
    step, aum, slope = columns[:, -1]
    if begun.size:
        yield _last(walk, begun[0, 0], begun[1, 0], begun[0, 0])
    elif slope < 0.0 and walk.end == walk.step_limit < inf:
        yield _last(walk, walk.end, aum + slope * (walk.end - step), inf)


def _plateaus(walk: _Walk) -> Iterator[_Pieces]:
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
            yield _Pieces(start, step[ends], value, after[ends] < value, row + ends)
            lo, at_lo, unbounded = step[ends[-1]], at[ends[-1]], 2.0 * step[ends[-1]]
        row, now = row + step.size, after[-1]
    chosen = walk.end if walk.end < inf else unbounded
    yield _last(walk, lo, now if lo < chosen else at_lo, unbounded)


def _first(pieces: Iterator[_Pieces], spent: int = 0) -> Found:
    """Return the first optimum, or the last piece when there is no optimum."""
    for piece in pieces:
        if piece.optimum.any():
            return piece.found(int(piece.optimum.argmax()), spent)
    return piece.found(-1, spent)


def _best(walk: _Walk, pieces: Iterator[_Pieces], sign: float, spent: int = 0) -> Found:
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
