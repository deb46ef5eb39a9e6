"""Trials: points of a search, fitted to folds of the training rows and judged by the rows held out.

All tuners share this loop: a solver that chooses a parameter itself (`choice`), the worker of a
benchmark (`aucbench.solving.tuning`), and a fit that compares solvers (`aucbench.models.trials`).
A tuner says how a fold is opened, and how a point is fitted to it.

Design
  a. There are two strategies: all points on all folds, `try_on_folds`; and few rows first,
     `aucbench.solving.halving`.
  b. Folds are the outer loop, so that the rows of one fold are in memory at a time, and all
     trials see the same folds.
  c. A trial that failed on one fold is not tried on the folds that follow.
  d. The highest mean wins. Among equal means the first trial wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from math import nan
from statistics import fmean
from typing import Generic, TypeAlias, TypeVar

from aucbench.data.arrays import Vector

F = TypeVar("F", bound="Fit")
G = TypeVar("G")  # an opened fold
H = TypeVar("H")  # a fold
P = TypeVar("P")  # a point
S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """A fit that could be judged.

    Attributes
    ----------
    score : float
        How well it ranks the rows held out; NaN if the caller judges it later.
    work : float
        Numbers that it has read, see `aucbench.solving.tuning.work_of`.
    seconds : float
    """

    score: float = nan
    work: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Failure:
    """Why a fit could not be used: a sentence, or what it raised; with what it took."""

    reason: str | BaseException
    work: float = 0.0
    seconds: float = 0.0


@dataclass(slots=True, eq=False)
class Trial(Generic[P, F]):
    """A point of a search, and its fits so far.

    Attributes
    ----------
    point : what is tried, such as values of parameters
    fits : list of Fit
        One for each fold, in their order, until one failed; by `Halving`, those of its last rung.
    failure : str, exception or None
        Why the fit to a fold could not be used.
    work, seconds : float
        Of all its fits.
    levels : list of lists of float
        Of `Halving`: the scores at each rung that it has climbed.
    """

    point: P
    fits: list[F] = field(default_factory=list)
    failure: str | BaseException | None = None
    work: float = 0.0
    seconds: float = 0.0
    levels: list[list[float]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no fit has failed so far."""
        return self.failure is None

    @property
    def scores(self) -> list[float]:
        """Scores of the fits."""
        return [fit.score for fit in self.fits]

    @property
    def mean(self) -> float | None:
        """Mean of the scores; None where a fit failed, or none was tried."""
        return fmean(self.scores) if self.ok and self.fits else None

    def add(self, result: F | Failure) -> None:
        """Keep the result of a fit."""
        self.work += result.work
        self.seconds += result.seconds
        if isinstance(result, Failure):
            self.failure = result.reason
        else:
            self.fits.append(result)


# (point, opened fold, start) -> the result, and the weights from which the next fit may start.
Fitting: TypeAlias = Callable[[P, G, Vector | None], tuple[F | Failure, Vector | None]]


def try_on_folds(
    chains: Sequence[Sequence[Trial[P, F]]],
    folds: Sequence[H],
    opened: Callable[[H], G],
    fitted: Fitting[P, G, F],
    jobs: int = 1,
) -> None:
    """Fit all trials on all folds.

    Parameters
    ----------
    chains : sequence of sequences of Trial
        Within one, each fit starts from the weights of the one before it.
    folds : sequence
    opened : function (fold)
        Returns what is fitted and judged by. It is called once for each fold.
    fitted : function (point, opened fold, start)
        Returns a `Fit` or a `Failure`, and weights or None.
    jobs : int
        Threads, each with a fold; with a chain if there is one fold.
    """
    alone = len(folds) == 1

    def on(fold: H) -> list[list[tuple[Trial[P, F], F | Failure]]]:
        rows = opened(fold)
        along = partial(_along, rows=rows, fitted=fitted)
        return [*_map(along, chains, jobs if alone else 1)]

    for results in _map(on, folds, 1 if alone else jobs):
        for trial, result in chain.from_iterable(results):
            if trial.ok:  # else an earlier fold has failed in another thread
                trial.add(result)


def _along(
    trials: Sequence[Trial[P, F]], *, rows: G, fitted: Fitting[P, G, F]
) -> list[tuple[Trial[P, F], F | Failure]]:
    """Return the results of the trials of a chain on a fold."""
    results: list[tuple[Trial[P, F], F | Failure]] = []
    w: Vector | None = None
    for trial in trials:
        if trial.ok:
            result, w = fitted(trial.point, rows, w)
            results.append((trial, result))
    return results


def first_best(trials: Iterable[Trial[P, F]]) -> Trial[P, F] | None:
    """Return the first trial with the highest mean on the highest rung; None where all failed.

    A trial that no fold has tried counts with the mean 0.
    """
    fine = [trial for trial in trials if trial.ok]
    top = max((len(trial.levels) for trial in fine), default=0)
    there = (trial for trial in fine if len(trial.levels) == top)
    return max(there, key=lambda trial: trial.mean or 0.0, default=None)


def _map(function: Callable[[S], T], items: Sequence[S], jobs: int) -> Iterator[T]:
    """Yield the results in the order of the items, of so many threads."""
    if min(jobs, len(items)) < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(min(jobs, len(items))) as pool:
        yield from pool.map(function, items)
