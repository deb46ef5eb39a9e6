"""Fowler & Hocking, figure 5: how many events a line search visits, and how many steps it takes.

Design
  a. Only scores are kept, because the AUM, its derivatives and the searches need no weights.
  b. All searches descend from the same start. They run in turn on each set of rows, and times are
     those of the processor, so that other load on the machine affects them little and alike.
  c. Errors are counts, as published. The search without a sweep knows rates only, so one search
     with a sweep runs on rates too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from aucbench.aum import Breakpoints, Lines, aum_line_min, aum_loss, best_min, first_min, roc_auc
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Denominator
from aucbench.errors import DataError, require_above, require_whole
from aucbench.features import Standard

SIZES = (10, 32, 100, 316, 1_000, 3_162, 10_000)
FIGURE5_SEEDS = (0, 1, 2, 3)
# Errors of one example times a unit of scores: a step that falls by less is the last one.
FIGURE5_FALL = 1e-3
FIGURE5_STEPS = 10_000  # the limit of steps of a descent
QUADRATIC_TO = 3_162  # rows; with more, it takes too long to visit all events


@dataclass(frozen=True, slots=True)
class Figure5Row:
    """The result of one descent.

    Attributes
    ----------
    errors : "count" or "rate"
    n, rarer : number of rows, and of rows of the rarer class
    seed : decides the rows and the start
    search : a key of `FIGURE5_SEARCHES`
    steps : number of line searches; the last one lowered the AUM by less than the tolerance
    events : mean number of events of a line search; None for a search without events
    most_events : n(n - 1)/2, the largest number of events of n lines
    seconds : processor time of the whole descent
    search_seconds : mean processor time of a line search
    aum_start, aum_end, auc_end : AUM and AUC of the training rows
    ended : True if the tolerance or an AUM of 0 ended the descent, False if the limit of steps did
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


class ScoreLine(NamedTuple):
    """A line of scores s - step v of examples with error functions `breakpoints`."""

    breakpoints: Breakpoints
    s: Vector
    v: Vector

    @property
    def lines(self) -> Lines:
        """The thresholds of the examples along the line."""
        return Lines.of(*self)


ChosenStep = tuple[float, int | None]  # its length, and how many events the search has visited


def by_exact(line: ScoreLine) -> ChosenStep:
    """Step to the middle of the minimisers, without events; errors must be rates of labels."""
    sides = line.breakpoints.sides
    if sides is None or not sides.rates:
        raise DataError(
            "the search 'exact' needs rates of labels; use of_labels(y, 'rate'), or another search"
        )
    return aum_line_min(line.s, line.v, sides.y).step, None


def _swept(line: ScoreLine, search: Callable[..., Any], most: int | None = None) -> ChosenStep:
    minimum = search(line.lines, max_events=most)
    return minimum.step, minimum.events


FIGURE5_SEARCHES: Mapping[str, Callable[[ScoreLine], ChosenStep]] = {
    "first_min": lambda line: _swept(line, first_min),
    "linear": lambda line: _swept(line, best_min, line.breakpoints.n),  # of the first n events
    "quadratic": lambda line: _swept(line, best_min),  # of all events
    "exact": by_exact,
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
    seeds: Sequence[int] = FIGURE5_SEEDS,
    *,
    most: int = FIGURE5_STEPS,
    quadratic_to: int = QUADRATIC_TO,
) -> list[Figure5Row]:
    """Descend with each search from the same starts, and count steps and events.

    For each size, rows are drawn and standardised. Classes keep their shares, with at least two
    rows each. The first weights are N(0, 1). The direction is the published one: minus the mean
    of the left and right derivatives over all rows.

    Parameters
    ----------
    data : Data
        Rows with labels. In the paper, the first of ten classes is the negative one.
    sizes : sequence of int
        Numbers of rows, at least 4 each.
    seeds : sequence of int
        Each seed decides a sample of rows and a start.
    most : int
        The limit of steps of a descent.
    quadratic_to : int
        The search "quadratic" runs up to this number of rows.

    Returns
    -------
    list of Figure5Row
        One row for each size, seed and search.
    """
    require_whole(1, most=most)
    rows = []
    for n in sizes:
        for seed in seeds:
            part, s = _sample_rows(data, n, seed)
            for errors, search in RUNS:
                if search != "quadratic" or n <= quadratic_to:
                    rows.append(_figure5_row(part, s, seed, errors, search, most))
    return rows


def measured(data: Data, *, n: int, seed: int, quadratic_to: int) -> dict[str, Any]:
    """Return the rows of `figure5` for one size and one seed, as a measurement of the harness.

    Each search first does one step that does not count, so that none pays for what is done once.
    """
    figure5(data, [n], [seed], most=1, quadratic_to=quadratic_to)
    return {"rows": [asdict(row) for row in figure5(data, [n], [seed], quadratic_to=quadratic_to)]}


def growth(sizes: Iterable[float], numbers: Iterable[float]) -> float:
    """Return the slope of the least-squares line through the points (log size, log number)."""
    x, y = (np.array(list(values), np.float64) for values in (sizes, numbers))
    require_above(0, size=float(x.min()), number=float(y.min()))
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def _sample_rows(data: Data, n: int, seed: int) -> tuple[Data, Vector]:
    """Return n standardised rows, and their scores at the start."""
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


def _figure5_row(
    part: Data, s: Vector, seed: int, errors: Denominator, search: str, most: int
) -> Figure5Row:
    """Do line searches until one lowers the AUM by less than the tolerance."""
    counts = Breakpoints.of_labels(part.y, errors)
    rarer = min(part.labels.n_pos, part.labels.n_neg)
    least = FIGURE5_FALL if errors == "count" else FIGURE5_FALL / rarer
    begin, searching = process_time(), 0.0
    events: list[int | None] = []
    first = now = aum_loss(counts, s)
    ended = not now.value > 0.0
    while len(events) < most and not ended:
        v = part.scores(part.pullback(now.gradient))
        searching -= process_time()
        length, visited = FIGURE5_SEARCHES[search](ScoreLine(counts, s, v))
        searching += process_time()
        s = s - length * v
        before, now = now, aum_loss(counts, s)
        events.append(visited)
        ended = before.value - now.value < least or not now.value > 0.0
    seconds = process_time() - begin
    known = [count for count in events if count is not None]
    return Figure5Row(
        errors=errors,
        n=part.n,
        rarer=rarer,
        seed=seed,
        search=search,
        steps=len(events),
        events=float(np.mean(known)) if known else None,
        most_events=comb(part.n, 2),
        seconds=seconds,
        search_seconds=searching / max(len(events), 1),
        aum_start=first.value,
        aum_end=now.value,
        auc_end=roc_auc(counts, s),
        ended=ended,
    )
