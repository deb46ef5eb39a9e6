"""Fotouhi & Hocking, figure 5: how many events a line search visits, and how many steps it takes.

Design
  a. Only scores are kept: the AUM, its derivatives and the search need no weights.
  b. Every search descends from the same start; the searches take turns on one set of rows, so
     that what else the machine does meets all of them.
  c. Counts, as published; the search without a sweep knows rates only and has a partner there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from time import perf_counter
from typing import NamedTuple

import numpy as np

from aucbench.aum import Breakpoints, Lines, aum_line_min, aum_loss, best_min, first_min, roc_auc
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Denominator
from aucbench.errors import DataError, require_above, require_whole
from aucbench.features import Standard
from aucbench.solving.loop import Clock

SIZES = (10, 32, 100, 316, 1_000, 3_162, 10_000)
SEEDS = (0, 1, 2, 3)
FALL = 1e-3  # errors of one example times a unit of scores: a step that falls by less is the last
MOST = 10_000  # steps
QUADRATIC_TO = 3_162  # rows; beyond them all events are too many


@dataclass(frozen=True, slots=True)
class Figure5Row:
    """One descent.

    Attributes
    ----------
    errors : "count" or "rate"
    n, rarer : rows, and those of the rarer class
    seed : of the rows and of the start
    search : one of `SEARCHES`
    steps : line searches, the last of which fell by less than the tolerance
    events : distinct steps visited in a line search, on average; None where there are none
    most_events : n(n - 1)/2, how often n lines can meet
    seconds : of the whole descent
    search_seconds : of a line search, on average
    aum_start, aum_end, auc_end : of the training rows
    ended : whether it was the tolerance that ended it, or that the AUM is 0, not the limit
    """

    errors: Denominator
    n: int
    rarer: int
    seed: int
    search: str
    steps: int
    events: float | None
    most_events: int
    seconds: float
    search_seconds: float
    aum_start: float
    aum_end: float
    auc_end: float
    ended: bool


class Line(NamedTuple):
    """Scores s - step v of examples whose errors are `breakpoints`."""

    breakpoints: Breakpoints
    s: Vector
    v: Vector

    @property
    def lines(self) -> Lines:
        """Their thresholds."""
        return Lines.of(*self)


class Step(NamedTuple):
    """What a search chose, and how many events it visited."""

    length: float
    events: int | None


def by_first_min(line: Line) -> Step:
    """First local minimum."""
    found = first_min(line.lines)
    return Step(found.step, found.events)


def by_linear(line: Line) -> Step:
    """Least AUM among the first n events."""
    found = best_min(line.lines, max_events=line.breakpoints.n)
    return Step(found.step, found.events)


def by_quadratic(line: Line) -> Step:
    """Least AUM among all events."""
    found = best_min(line.lines)
    return Step(found.step, found.events)


def by_selection(line: Line) -> Step:
    """Middle of the minimisers, without events; errors must be rates of labels."""
    sides = line.breakpoints.sides
    if sides is None or not sides.rates:
        raise DataError("this search is for rates of labels; use of_labels(y, 'rate'), or a sweep")
    return Step(aum_line_min(line.s, line.v, sides.y).step, None)


SEARCHES: Mapping[str, Callable[[Line], Step]] = {
    "first_min": by_first_min,
    "linear": by_linear,
    "quadratic": by_quadratic,
    "exact": by_selection,
}
RUNS: tuple[tuple[Denominator, str], ...] = (
    ("count", "first_min"),
    ("count", "linear"),
    ("count", "quadratic"),
    ("rate", "first_min"),
    ("rate", "exact"),
)


def figure5(
    data: Data,
    sizes: Sequence[int] = SIZES,
    seeds: Sequence[int] = SEEDS,
    *,
    most: int = MOST,
    quadratic_to: int = QUADRATIC_TO,
) -> list[Figure5Row]:
    """Descend with each search from the same starts, and count.

    Rows of each size are drawn so that the classes keep their shares, with two of each or more,
    and standardised; weights begin as N(0, 1). The direction is the published one: minus the
    mean of the one-sided derivatives of all rows.

    Parameters
    ----------
    data : Data
        With labels; in the paper the first of ten classes is the negative one.
    sizes : sequence of int
        Numbers of rows, 4 or more.
    seeds : sequence of int
        A sample and a start each.
    most : int
        Steps after which a descent is given up.
    quadratic_to : int
        Rows up to which "quadratic" takes part.
    """
    require_whole(1, most=most)
    found = []
    for n in sizes:
        for seed in seeds:
            part, s = _sample(data, n, seed)
            for errors, search in RUNS:
                if search != "quadratic" or n <= quadratic_to:
                    found.append(_row(part, s, seed, errors, search, most))
    return found


def growth(sizes: Iterable[float], numbers: Iterable[float]) -> float:
    """Slope of the least-squares line through (log size, log number)."""
    x, y = (np.array(list(values), np.float64) for values in (sizes, numbers))
    require_above(0, size=float(x.min()), number=float(y.min()))
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def _sample(data: Data, n: int, seed: int) -> tuple[Data, Vector]:
    """Standardised rows, and their scores at the start."""
    require_whole(4, n=n)
    rng = np.random.default_rng([n, seed])
    share = data.labels.n_neg / data.n
    negatives = min(max(2, round(share * n)), n - 2)
    drawn = [
        rng.choice(np.flatnonzero(data.y == side), count, replace=False)
        for side, count in ((-1, negatives), (1, n - negatives))
    ]
    part = data.take(np.sort(np.concatenate(drawn)).astype(np.int32))
    part = part.with_rows(Standard().fit(part, rng)(part.rows))
    return part, part.scores(rng.standard_normal(part.d))


def _row(
    part: Data, s: Vector, seed: int, errors: Denominator, search: str, most: int
) -> Figure5Row:
    counts = Breakpoints.of_labels(part.y, errors)
    rarer = min(part.labels.n_pos, part.labels.n_neg)
    way = _descend(part, counts, s, search, FALL if errors == "count" else FALL / rarer, most)
    return Figure5Row(
        errors=errors,
        n=part.n,
        rarer=rarer,
        seed=seed,
        search=search,
        steps=len(way.events),
        events=_mean(way.events),
        most_events=comb(part.n, 2),
        seconds=way.seconds,
        search_seconds=way.search_seconds / max(len(way.events), 1),
        aum_start=aum_loss(counts, s).value,
        aum_end=aum_loss(counts, way.s).value,
        auc_end=roc_auc(counts, way.s),
        ended=way.ended,
    )


class _Way(NamedTuple):
    s: Vector
    events: list[int | None]
    seconds: float
    search_seconds: float
    ended: bool


def _descend(
    part: Data, counts: Breakpoints, s: Vector, search: str, least: float, most: int
) -> _Way:
    """Search by search, until one lowers the AUM by less than `least`."""
    clock, begin = Clock(), perf_counter()
    events: list[int | None] = []
    now = aum_loss(counts, s)
    ended = not now.value > 0.0
    while len(events) < most and not ended:
        v = part.scores(part.pullback(now.gradient))
        step = clock.timed(SEARCHES[search], Line(counts, s, v))
        s = s - step.length * v
        before, now = now, aum_loss(counts, s)
        events.append(step.events)
        ended = before.value - now.value < least or not now.value > 0.0
    return _Way(s, events, perf_counter() - begin, clock.seconds, ended)


def _mean(events: Sequence[int | None]) -> float | None:
    seen = [count for count in events if count is not None]
    return float(np.mean(seen)) if seen else None
