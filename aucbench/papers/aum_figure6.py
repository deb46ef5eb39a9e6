"""Fotouhi & Hocking, figure 6: time and validation AUC of line searches, for changepoints.

Design
  a. All descents begin at the same weights, minimise the same AUM, of rates, and take turns.
  b. The published descent is a loop of its own, plain enough to be read beside the paper.
  c. What is only reported, AUCs and the AUM after each step, is computed beside the clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import NamedTuple

import numpy as np

from aucbench.aum import roc_auc
from aucbench.aum.steps import Line, Steps, search_called
from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import DataError, require_whole
from aucbench.features import Standard
from aucbench.objectives import Aum
from aucbench.papers.interval_regression import best_of_path
from aucbench.protocols import Problem
from aucbench.registry import get_solver
from aucbench.solving.loop import Clock

SEEDS = (0, 1, 2, 3)
FALL = 1e-3  # errors of the rarer kind times a unit of log λ: less is no fall
MOST = 2_000  # steps
MEMORY = 30
STARTS = ("surrogate", "normal")
PUBLISHED = ("first_min", "linear", "quadratic", "max_auc", "grid")
OURS = "ours"  # the solver "aum" with first minima, and subgradients of the last steps


@dataclass(frozen=True, slots=True)
class Figure6Row:
    """One descent.

    Attributes
    ----------
    fold : which is the test set
    seed : of the split of the other folds into subtrain and validation rows
    start : one of `STARTS`
    method : one of `PUBLISHED`, or `OURS`
    steps : line searches
    seconds : inside the solver; the median of the repetitions, of one or more
    valid_auc_start, valid_auc : of the validation rows: at the start, and the largest on the way
    test_auc_start, test_auc : of the test rows: at the start, and with the weights of `valid_auc`
    aum_start, aum_end : of the subtrain rows, with rates
    ended : whether the descent ended, and not at the limit of steps
    """

    fold: int
    seed: int
    start: str
    method: str
    steps: int
    seconds: float
    valid_auc_start: float
    valid_auc: float
    test_auc_start: float
    test_auc: float
    aum_start: float
    aum_end: float
    ended: bool


class Parts(NamedTuple):
    """The rows of one descent, standardised by those of the subtrain set; and where it begins."""

    fold: int
    seed: int
    start: str
    train: Data
    validation: Data
    test: Data
    w0: Vector


class Way(NamedTuple):
    """What a descent came by."""

    steps: int
    seconds: float
    aum_end: float
    best: Vector
    valid_auc: float
    ended: bool


def figure6(
    data: Data,
    folds: Sequence[int] | None = None,
    seeds: Sequence[int] = SEEDS,
    *,
    most: int = MOST,
    repeats: int = 1,
) -> list[Figure6Row]:
    """Descend with each method from the same start on each split, and measure.

    Of each fold the others are halved, by seed, into subtrain and validation rows. It starts
    from the model of `interval_regression` that is best on the validation rows ("surrogate", as
    published), and from N(0, 1) ("normal", which leaves more to do). A descent ends when
    its AUM, in errors of the rarer kind, has fallen by less than `FALL` over as many steps as its
    direction remembers (published: one), or by itself.

    Parameters
    ----------
    data : Data
        With breakpoints and folds.
    folds : sequence of int, optional
        The test sets; by default each in turn.
    seeds : sequence of int
        Of the splits.
    most : int
        Steps after which a descent is given up.
    repeats : int
        Descents behind each median of seconds.

    Raises
    ------
    DataError
        When the rows have no folds.
    """
    require_whole(1, most=most, repeats=repeats)
    found = []
    for parts in _splits(data, folds, seeds):
        methods = (*PUBLISHED, OURS)
        rounds = [[_row(parts, name, most) for name in methods] for _ in range(repeats)]
        found += [
            replace(rows[0], seconds=median(row.seconds for row in rows))
            for rows in zip(*rounds, strict=True)
        ]
    return found


def _splits(data: Data, folds: Sequence[int] | None, seeds: Sequence[int]) -> Iterator[Parts]:
    if data.folds is None:
        raise DataError("the rows have no folds; load a changepoint set with its own")
    for fold in range(int(data.folds.max()) + 1) if folds is None else folds:
        rest, test = (data.take(_where(data.folds, fold, same=same)) for same in (False, True))
        for seed in seeds:
            rng = np.random.default_rng([fold, seed])
            train, validation = rest.split(0.5, rng)
            phi = Standard().fit(train, rng)
            inner, judge, outer = (x.with_rows(phi(x.rows)) for x in (train, validation, test))
            starts = best_of_path(inner, judge).w, rng.standard_normal(inner.d)
            for name, w0 in zip(STARTS, starts, strict=True):
                yield Parts(fold, seed, name, inner, judge, outer, w0)


def _where(folds: Index, fold: int, *, same: bool) -> Index:
    return np.flatnonzero((folds == fold) == same).astype(np.int32)


def _row(parts: Parts, method: str, most: int) -> Figure6Row:
    way = _descend(parts, method, most)
    return Figure6Row(
        fold=parts.fold,
        seed=parts.seed,
        start=parts.start,
        method=method,
        steps=way.steps,
        seconds=way.seconds,
        valid_auc_start=_auc(parts.validation, parts.w0),
        valid_auc=way.valid_auc,
        test_auc_start=_auc(parts.test, parts.w0),
        test_auc=_auc(parts.test, way.best),
        aum_start=Aum(parts.train).value(parts.w0),
        aum_end=way.aum_end,
        ended=way.ended,
    )


def _descend(parts: Parts, method: str, most: int) -> Way:
    f, clock, best, auc = Aum(parts.train), Clock(), parts.w0, _auc(parts.validation, parts.w0)
    weights = _ours(f, parts.w0) if method == OURS else _published(f, parts.w0, method)
    values, memory = [f.value(parts.w0)], MEMORY if method == OURS else 1
    least, ended = FALL / min(parts.train.breakpoints.totals), False
    while len(values) <= most and not ended:
        w = clock.timed(next, weights, None)
        if w is None:
            return Way(len(values) - 1, clock.seconds, values[-1], best, auc, ended=True)
        values.append(f.value(w))
        now = _auc(parts.validation, w)
        best, auc = (w, now) if now > auc else (best, auc)
        ended = len(values) > memory and values[-1 - memory] - values[-1] < least
    return Way(len(values) - 1, clock.seconds, values[-1], best, auc, ended)


def _published(f: Aum, w: Vector, name: str) -> Iterator[Vector]:
    """Weights after each step against the mean of the one-sided derivatives."""
    search, steps = search_called(name), Steps(f)
    s = f.data.scores(w)
    now = f.loss(s)
    while now.value > 0.0:
        p = f.data.pullback(now.gradient)
        w = w - search(steps, Line(w, p, s, f.data.scores(p))) * p
        s = f.data.scores(w)
        now = f.loss(s)
        yield w


def _ours(f: Aum, w: Vector) -> Iterator[Vector]:
    solver = get_solver("aum", line_search="first_min", memory=MEMORY, early_stopping=False)
    for state in solver.iterates(Problem(f, w0=w), np.random.default_rng(0)):
        yield np.array(state.w)


def _auc(data: Data, w: Vector) -> float:
    return roc_auc(data.breakpoints, data.scores(w))
