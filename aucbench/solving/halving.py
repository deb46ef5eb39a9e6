"""The second strategy of the tuner: within a limit, few rows first, by halving.

Design
  a. A rung is a number of training rows and of folds. Every point is tried at the lowest rung, and
     of those tried at a rung the best third go on to the next. A point that may go on is tried
     before a new one, so that the search can end at any moment (Li et al., "A system for massively
     parallel hyperparameter tuning", MLSys 2020).
  b. The first point, which is the default of the solver, climbs all rungs before the others. So it
     can be compared with every point that has come to the top.
  c. The rows of a rung are the first ones of an order that one seed draws, in which every
     beginning has the shares of the classes. So a rung has the rows of the one below, and others.
  d. The limit is of work, which is counted (`work_of`), so that a seed decides what is tried on
     every machine; or of seconds, where the user gives a time. Before a fit, its cost is predicted
     by the fits so far, and that of the last fit to all rows is set aside. The search ends where
     they would not fit in, and `Search` says why. After a limit of seconds, what was tried is also
     a matter of how far the clock let it come.
  e. Fits start from their own weights. (Rejected: from those of a neighbour. It would be another
     one whenever the clock lets the search come further.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter
from typing import Any, Final

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Index
from aucbench.errors import UnsupportedError
from aucbench.optim.trials import Fit, Fitting, Trial

THIRD: Final = (
    3  # of the points of a rung, one in so many goes on; a rung has as many times the rows
)
SIZES: Final = 3  # numbers of rows, at most
FEWEST: Final = 1000  # rows of the lowest rung
RAREST: Final = 50  # rows of the rarer class that it has, if there are so many
MOST_ROWS: Final = 30_000  # of the highest rung
MOST_NUMBERS: Final = 10_000_000  # of its rows, since all folds stay in memory
TINY: Final = 1e-9  # of a cost
OVERDRAWN: Final = 3  # times its limit of work: what a first fit may take
ALL_POINTS, TIME, WORK = "all points were tried", "the time was up", "the planned work was done"
Folded = Callable[[int, int], tuple[Data, Data]]  # (fold, rows) -> rest, held


@dataclass(frozen=True, slots=True)
class Rung:
    """How much is spent on a point: training rows of each fit, and folds."""

    rows: int
    folds: int


@dataclass(frozen=True, slots=True)
class Search:
    """How a search went.

    Attributes
    ----------
    limit : float
        Seconds of wall time, or numbers that are read, the last fit included.
    spent : float
        The same, without the last fit.
    ended : str
        `ALL_POINTS`, `WORK` or `TIME`. After `TIME`, the same seed may choose another point.
    tried, points : int
        Points that were tried, and all that there were.
    rungs : tuple of Rung
    """

    limit: float
    spent: float
    ended: str
    tried: int
    points: int
    rungs: tuple[Rung, ...]


def rungs_of(n: int, d: int, rare: int, folds: int) -> tuple[Rung, ...]:
    """Return the rungs for folds that leave n rows of d numbers, `rare` ones of the rarer class."""
    top = min(n, MOST_ROWS, max(FEWEST, MOST_NUMBERS // max(1, d)))
    least = max(FEWEST, RAREST * n // max(1, rare))
    sizes = [top]
    while len(sizes) < SIZES and sizes[0] // THIRD >= least:
        sizes.insert(0, sizes[0] // THIRD)
    return (*(Rung(rows, 1) for rows in sizes), Rung(top, folds))


def in_order(y: Any, seed: int) -> Index:
    """Return the numbers of rows in an order whose beginnings have the shares of the classes."""
    rng = np.random.default_rng(seed)
    place = np.empty(y.size)
    for side in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == side))
        place[rows] = (np.arange(rows.size) + rng.random()) / rows.size
    return np.argsort(place, kind="stable").astype(np.int32)


@dataclass
class Halving:
    """A search that is going on.

    Attributes
    ----------
    trials : sequence of Trial
        The default first.
    rungs : sequence of Rung
    folded : function (fold, rows) -> (rest, held)
        Called once for each pair.
    fitted : function (point, (rest, held), start)
        As of `try_on_folds`.
    limit : float
        Of the search and of a fit to `n` rows after it: numbers that are read, or seconds.
    timed : bool
        Whether the limit is of seconds.
    """

    trials: Sequence[Trial[Any, Fit]]
    rungs: Sequence[Rung]
    folded: Folded
    fitted: Fitting[Any, tuple[Data, Data], Fit]
    limit: float
    n: int
    timed: bool = False
    _parts: dict[tuple[int, int], tuple[Data, Data]] = field(default_factory=dict)
    _steps_of: dict[int, list[float]] = field(default_factory=dict)  # costs of steps, by rung
    # Costs of the last fit of each trial, by its training rows.
    _costs: defaultdict[Trial[Any, Fit], dict[int, float]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def search(self) -> Search:
        """Try points until all are tried or the limit is reached.

        Raises
        ------
        UnsupportedError
            When one fit to the fewest rows takes more than three times the work of the search.
        """
        self._begin, ended, first = perf_counter(), ALL_POINTS, True
        for trial, number in self._steps():
            if not first and self._predicted(trial, number) > self.limit:
                ended = TIME if self.timed else WORK
                break
            self._climb(trial, number)
            if first and not self.timed and self._spent() > OVERDRAWN * self.limit:
                raise UnsupportedError(
                    f"one fit to {self.rungs[0].rows} of {self.n} rows takes "
                    f"{self._spent() / self.limit:.1f} times the work that its search may take; "
                    "limit the search by time in place of work (--minutes), or leave the solver out"
                )
            first = False
        tried = sum(bool(trial.levels) or not trial.ok for trial in self.trials)
        rungs = tuple(self.rungs)
        return Search(self.limit, self._spent(), ended, tried, len(self.trials), rungs)

    def _spent(self) -> float:
        """Return the work or the seconds since the begin."""
        if self.timed:
            return perf_counter() - self._begin
        return sum(trial.work for trial in self.trials)

    def _steps(self) -> Iterator[tuple[Trial[Any, Fit], int]]:
        """Yield the next trial and its rung; the default climbs first."""
        for number in range(len(self.rungs)):
            if self.trials[0].ok:
                yield self.trials[0], number
        fresh = iter(self.trials[1:])
        while True:
            step = self._promoted()
            if step is None:
                trial = next(fresh, None)
                if trial is None:
                    return
                step = trial, 0
            yield step

    def _promoted(self) -> tuple[Trial[Any, Fit], int] | None:
        """Return a trial among the best third of its rung, the highest rung first."""
        for number in range(len(self.rungs) - 2, -1, -1):
            there = [t for t in self.trials if t.ok and len(t.levels) > number]
            there.sort(key=lambda trial: -fmean(trial.levels[number]))
            for trial in there[: len(there) // THIRD]:
                if len(trial.levels) == number + 1:
                    return trial, number + 1
        return None

    def _climb(self, trial: Trial[Any, Fit], number: int) -> None:
        rung = self.rungs[number]
        below = self.rungs[number - 1] if number else None
        if below and below.rows != rung.rows:
            trial.fits.clear()
        folds, begin = range(len(trial.fits), rung.folds), self._spent()
        for fold in folds:
            if (fold, rung.rows) not in self._parts:
                self._parts[fold, rung.rows] = self.folded(fold, rung.rows)
            before = trial.seconds if self.timed else trial.work
            trial.add(self.fitted(trial.point, self._parts[fold, rung.rows], None)[0])
            self._costs[trial][rung.rows] = (trial.seconds if self.timed else trial.work) - before
            if not trial.ok:
                return
        trial.levels.append(trial.scores)
        self._steps_of.setdefault(number, []).append(self._spent() - begin)

    def _predicted(self, trial: Trial[Any, Fit], number: int) -> float:
        """Return what is spent after this step, and the last fit."""
        rung, known = self.rungs[number], self._steps_of.get(number)
        if known:
            step = fmean(known)
        else:
            rows, cost = max(self._costs[trial].items(), default=(1, 0.0))
            step = cost * rung.rows / rows * rung.folds
        return self._spent() + step + self._last_fit()

    def _last_fit(self) -> float:
        """Return the cost of a fit to all rows, by the line through the two largest sizes.

        It is for the slowest trial of the largest size. Nothing is predicted from one small size.
        """
        costs = self._costs[self.trials[0]]
        if not costs or (len(costs) == 1 < len({rung.rows for rung in self.rungs})):
            return 0.0
        low, high = sorted([0, *costs])[-2:]
        slope = max(0.0, costs[high] - costs.get(low, 0.0)) / (high - low)
        slowest = max(self._costs[trial].get(high, 0.0) for trial in self.trials)
        return slowest + slope * (self.n - high) * slowest / max(costs[high], TINY)
