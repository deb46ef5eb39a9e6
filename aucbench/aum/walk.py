"""A walk along the line of a search, from crossing to crossing, and the best steps on it.

After a step η the scores are s − ηv, so the threshold of a breakpoint is a line: T_b + η d_b. Two
lines that meet change places. Only there can the errors between neighbouring thresholds change, so
that the AUM is linear and the AUC is constant up to the next crossing. This is one walk over the
thresholds of two negatives a and c, and of a positive b:

    T
    3   c                                   a      a  negative  T = 0 + η
    2.5       .                       .            b  positive  T = 1
    2               .           .                  c  negative  T = 3 − η
    1.5                   X
    1   b-----------X-----------X-----------b      X  a crossing
    0.5       .                       .
    0   a                                   c
        +-----------+-----+-----+-----------+
    η = 0           1    1.5    2           3

Between two neighbours, FP counts the negatives below, and FN the positives above. So FP, FN and
their minimum M have a value before each line, and

    AUM = Σ_q (T_(q+1) − T_(q)) M_(q+1),       slope = Σ_q (d_(q+1) − d_(q)) M_(q+1).

The queue has one slot for each two neighbours: the step at which they meet, or ∞ if they move
apart. The walk takes the first of these steps again and again:

    step          0            1            1.5          2
    order after   a b c        b a c        b c a        c b a
    M before 2, 3 1, 0         0, 0         0, 0         1, 0
    AUM           1            0            0            0
    slope after   −1           0            0            1
    AUC after     1/2          1            1            1/2
    queue after   ab 1, bc 2   ba ∞, ac 1.5 bc 2, ca ∞   cb ∞, ba ∞

What changes at a crossing, here at step 1:

    a, b → b, a   the lines change places, at the positions q = 1 and q + 1 = 2
    FP, FN        at q + 1 only: before a there is now no negative below, and no positive above
    M             at q + 1 only: 1 → 0
    slope         by (d_a − d_b)(M_(q+1) + M'_(q+1) − M_q − M_(q+2)) = 1 · (1 + 0 − 0 − 0) = 1
    AUC           by 1/(n₊ n₋), as the negative a was below the positive b, and is above it now
    queue         the slot of (a, b) is ∞, as they move apart; that of (b, c) is now of (a, c)

So a crossing costs O(1), and O(log B) for the queue. The searches read the walk: here the first
valley of the AUM is [1, 2], and `first_min` returns its middle 1.5. The AUC has the plateaus
(0, 1), (1, 2) and (2, ∞); `best_max_auc` returns 1.5 too, the middle of the best one.

`reference_path` in `path.py` is this walk in plain Python, equation by equation of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aucbench.aum.lines import Found, Lines
from aucbench.aum.path import ERROR_BITS, Sweep
from aucbench.data.arrays import Vector
from aucbench.errors import require_at_least, require_whole
from aucbench.kernels import aum_sweep

BLOCK = 4_096  # events that a sweep fills at a time; this many stay in the cache
AFTER = 16  # events of the first block after a stop, where mostly few are left; then it doubles
ROUNDING = 2.0**-49  # relative rounding of errors that are quotients (rates), and of their sums


def first_min(lines: Lines) -> Found:
    """Return the first local minimum of the AUM over steps ≥ 0, the published "first min".

    A minimum may be an interval on which the AUM is constant and after which it rises. Its
    midpoint is chosen, or its beginning when it has no end. If the AUM falls up to the last
    event, the search returns the AUM of that event.

    A slope counts as 0 when its magnitude is at most c Σ_b |slope_b - mean| (|fp_b| + |fn_b|),
    which bounds the rounding. Here c = 2**-80 if all errors are whole numbers, and
    c = 2**-49 + B 2**-60 otherwise.

    As for all searches here, time is O((B + events) log B) and memory is O(B).

    Raises
    ------
    DataError
        When the lines break a rule of `aum_path`.
    """
    for pieces in find_valleys(Walk(lines, until_aum_rises=True)):
        if pieces.optimum.any():
            return pieces.found(int(pieces.optimum.argmax()))
    return pieces.found(-1)


def best_min(lines: Lines, *, max_events: int | None = None) -> Found:
    """Return the least AUM of all visited events, the published "quadratic" search.

    With max_events equal to the number of lines it is the published "linear" search. All else is
    as in `first_min`.

    Parameters
    ----------
    lines : Lines
        Thresholds along the line.
    max_events : int, optional
        Visit at most this many distinct steps after step 0. An interval that goes on after
        them is returned up to the next event.

    Raises
    ------
    ParameterError
        When `max_events` is not a whole number >= 0.
    """
    walk = Walk(lines, max_events=max_events)
    return _best(walk, find_valleys(walk), -1.0)


def best_max_auc(lines: Lines, *, step_limit: float = inf) -> Found:
    """Return the largest AUC over steps in [0, step_limit].

    The AUC is constant between events. At an event it is the mean of the AUCs before and after
    it. So a maximum is an open interval, and its midpoint is chosen. If the interval has no end,
    twice its beginning is chosen. If it is all steps > 0, step 1 is chosen when the AUC is
    larger there than at step 0 (where thresholds may be tied), and step 0 otherwise. AUCs are
    exact for labels and for whole numbers of errors. Other AUCs count as equal when they differ
    by at most 2**-49.

    Parameters
    ----------
    lines : Lines
        Thresholds along the line.
    step_limit : float
        Larger steps are not considered.

    Raises
    ------
    ParameterError
        When `step_limit` is not a number >= 0.
    """
    walk = Walk(lines, step_limit=step_limit)
    return _best(walk, find_plateaus(walk), 1.0)


class Walk:
    """The events of a sweep, visited once. After them, all is known up to the step `end`."""

    def __init__(
        self,
        lines: Lines,
        *,
        until_aum_rises: bool = False,
        max_events: int | None = None,
        step_limit: float = inf,
    ) -> None:
        require_whole(0, max_events=max_events)
        require_at_least(0, step_limit=None if step_limit == inf else step_limit)
        columns = lines.intercept, lines.slope, lines.fp_diff, lines.fn_diff
        self.lines = Lines.checked(*columns)
        self.most = inf if max_events is None else 1 + int(max_events)
        self.step_limit = self.end = float(step_limit)
        self.until_aum_rises = until_aum_rises
        self.sweep, self.visited = Sweep.over(self.lines), -1

    def blocks(self) -> Iterator[Vector]:
        """Yield columns (step, AUM, slope after, AUC, AUC after); a block overwrites the last."""
        room, left = np.empty(5 * BLOCK), self.most
        size, stop, ending = BLOCK, self.until_aum_rises, aum_sweep.FULL
        while left > 0 and ending in (aum_sweep.FULL, aum_sweep.STOPPED):
            out = room[: 5 * int(min(size, BLOCK, left))].reshape(5, -1)
            filled, ending = self.sweep.run(out, step_limit=self.step_limit, until_aum_rises=stop)
            left -= filled
            self.visited += filled  # one of them is step 0, which is no event
            if filled:
                yield out[:, :filled]
            size *= 2
            if ending == aum_sweep.STOPPED:  # without slack: the caller decides whether to go on
                size, stop = AFTER, False
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

    def found(self, k: int) -> Found:
        """Return interval k as the result of a search."""
        lo, hi = float(self.lo[k]), float(self.hi[k])
        step = lo + (hi - lo) / 2 if hi < inf else float(self.unbounded)
        return Found(step, lo, hi, float(self.value[k]), int(self.event[k]))


def find_valleys(walk: Walk) -> Iterator[Pieces]:
    """Yield intervals on which the slope is 0, or single events; optimal if the AUM then rises."""
    slack = _slacks(walk.lines)[0]
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


def find_plateaus(walk: Walk) -> Iterator[Pieces]:
    """Yield intervals of steps on which the AUC is constant."""
    slack = _slacks(walk.lines)[1]
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


def _last(walk: Walk, lo: float, value: float, unbounded: float) -> Pieces:
    """Return the last interval, which ends where the walk ends."""
    lo_, hi, value_ = np.array([[lo], [walk.end], [value]])
    return Pieces(lo_, hi, value_, np.array([True]), np.array([walk.visited]), unbounded)


def _best(walk: Walk, pieces: Iterator[Pieces], sign: float) -> Found:
    """Return the first piece with the largest sign * value, after all events were visited."""
    candidates = (piece.found(int(np.argmax(sign * piece.value))) for piece in pieces)
    best = max(candidates, key=lambda found: sign * found.value)
    return replace(best, events=walk.visited)


def _slacks(lines: Lines) -> tuple[float, float]:
    """Return the slope of the AUM and the difference of AUCs up to which rounding explains them."""
    d, fp, fn = lines.slope, lines.fp_diff, lines.fn_diff
    scale = float(np.abs(d - d.mean()) @ (np.abs(fp) + np.abs(fn))) if d.size else 0.0
    if all(np.array_equal(x, np.rint(x)) for x in (fp, fn)):
        return 2.0**-80 * scale, 0.0
    sizes = (np.abs(x[x != 0.0]) for x in (fp, fn))
    labels = all(bool((x == x[:1]).all()) for x in sizes)
    return (ROUNDING + 2.0**-ERROR_BITS * d.size) * scale, 0.0 if labels else ROUNDING
