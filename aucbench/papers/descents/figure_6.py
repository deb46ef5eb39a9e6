"""Fowler & Hocking, figure 6: time and validation AUC of line searches, for changepoints.

Design
  a. All descents start from the same weights and minimise the same AUM of rates. They run in
     turn.
  b. The published descent is a loop of its own here, so that it can be compared with the paper.
  c. Times are those of the processor. The clock stops while AUCs and the AUM after each step are
     computed, because they are only reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from aucbench.aum import best_min, roc_auc
from aucbench.aum.search import SEARCHES, Search, balanced_lines
from aucbench.contract import Budget, Problem
from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.summaries import breakpoints_of
from aucbench.errors import DataError, require_whole
from aucbench.features import AppendOne, Standard
from aucbench.objectives import Aum, IntervalHinge
from aucbench.optim.proximal_newton import minimiser
from aucbench.projectors import ElasticNet
from aucbench.registry import get_solver

FALL = 1e-3  # tolerance, in errors of the rarer kind times a unit of log λ
MOST = 2_000  # steps of a descent
MEMORY = 30  # steps whose subgradients our solver remembers
STARTS = ("surrogate", "normal")
PUBLISHED: Mapping[str, Search] = {  # those of the solver, and two that only the paper compares
    "first_min": SEARCHES["first_min"],
    "linear": lambda errors, s, v: (
        best_min(balanced_lines(errors, s, v), max_events=errors.value.size).step
    ),
    "quadratic": lambda errors, s, v: best_min(balanced_lines(errors, s, v)).step,
    "max_auc": SEARCHES["max_auc"],
    "grid": SEARCHES["grid"],
}
# Of interval regression, from whose models the published descents start.
NO_WEIGHTS = 1e300  # a penalty at which all weights but the intercept are 0
PATH = 10.0 ** np.arange(0.0, -3.25, -0.25)  # times the least penalty that makes all weights 0
OURS = "ours"  # the solver "aum" with the search "first_min" and a memory of subgradients
METHODS = (*PUBLISHED, OURS)


class Parts(NamedTuple):
    """The rows of one descent, standardised by the subtrain rows, and the first weights."""

    start: str
    train: Data
    validation: Data
    test: Data
    w0: Vector


def measure_descents(data: Data, *, fold: int, seed: int, repeats: int) -> dict[str, Any]:
    """Descend with each method from the same start on one split, and measure.

    The fold is the test set. The other folds are divided at random into two halves: subtrain and
    validation rows. There are two starts. "surrogate", as published, is the model of interval
    regression that is best on the validation rows. "normal" is N(0, 1), from which the way is
    longer. A descent ends by itself, or when its AUM has fallen by less than `FALL` over the last
    steps. That number of steps is one for the published methods, and `MEMORY` for ours. Each method
    first does one step that does not count, so that none pays for what is done once.

    Parameters
    ----------
    data : Data
        Rows with breakpoints and folds.
    fold : int
        The fold that is the test set.
    seed : int
        Decides the division into halves.
    repeats : int
        How often each descent runs; its seconds are the median.

    Returns
    -------
    dict
        Its "rows" have, for each start and method, the number of steps, the processor time inside
        the solver, the largest AUC of the validation rows, the AUC of the test rows for that one,
        and the AUM of the subtrain rows, with rates, at the end. The method "at the start" has the
        numbers before the first step.

    Raises
    ------
    DataError
        When the rows have no folds.
    """
    require_whole(1, repeats=repeats)
    found = []
    for parts in _parts(data, fold, seed):
        for name in METHODS:
            _descent(parts, name, 1)
        rounds = [[_descent(parts, name, MOST) for name in METHODS] for _ in range(repeats)]
        found.append({"start": parts.start, "method": "at the start", **_descent(parts, OURS, 0)})
        found += [
            {
                **{"start": parts.start, "method": name},
                **rows[0],
                "seconds": median(row["seconds"] for row in rows) if rows[0]["steps"] else None,
            }
            for name, rows in zip(METHODS, zip(*rounds, strict=True), strict=True)
        ]
    return {"rows": found}


def _parts(data: Data, fold: int, seed: int) -> Iterator[Parts]:
    """Yield the rows of a split with each start."""
    if data.folds is None:
        raise DataError("the rows have no folds; load a changepoint set that has some")
    rest, test = (data.take(_rows_of_fold(data.folds, fold, same=same)) for same in (False, True))
    rng = np.random.default_rng([fold, seed])
    train, validation = rest.split(0.5, rng)
    phi = Standard().fit(train, rng)
    inner, judge, outer = (x.with_rows(phi(x.rows)) for x in (train, validation, test))
    starts = best_of_path(inner, judge), rng.standard_normal(inner.d)
    for name, w0 in zip(STARTS, starts, strict=True):
        yield Parts(name, inner, judge, outer, w0)


def _rows_of_fold(folds: Index, fold: int, *, same: bool) -> Index:
    return np.flatnonzero((folds == fold) == same).astype(np.int32)


def _descent(parts: Parts, method: str, most: int) -> dict[str, Any]:
    f, best = Aum(parts.train), parts.w0
    auc = _auc_of_weights(parts.validation, parts.w0)
    weights = _ours(f, parts.w0) if method == OURS else _published(f, parts.w0, method)
    values, memory = [f.value(parts.w0)], MEMORY if method == OURS else 1
    least, ended, seconds = FALL / min(breakpoints_of(parts.train).totals), False, 0.0
    while len(values) <= most and not ended:
        seconds -= process_time()
        w = next(weights, None)
        seconds += process_time()
        if w is None:
            break
        values.append(f.value(w))
        now = _auc_of_weights(parts.validation, w)
        best, auc = (w, now) if now > auc else (best, auc)
        ended = len(values) > memory and values[-1 - memory] - values[-1] < least
    return {
        "steps": len(values) - 1 or None,
        "seconds": seconds or None,
        "valid_auc": auc,
        "test_auc": _auc_of_weights(parts.test, best),
        "aum": values[-1],
    }


def _published(f: Aum, w: Vector, name: str) -> Iterator[Vector]:
    """Yield the weights after each step; the direction is the mean of one-sided derivatives."""
    search, errors, s = PUBLISHED[name], breakpoints_of(f.data), f.data.scores(w)
    now = f.loss(s)
    while now.value > 0.0:
        p = f.data.pullback(now.gradient)
        w = w - search(errors, s, f.data.scores(p)) * p
        s = f.data.scores(w)
        now = f.loss(s)
        yield w


def _ours(f: Aum, w: Vector) -> Iterator[Vector]:
    solver = get_solver("aum", line_search="first_min", memory=MEMORY, early_stopping=False)
    states = solver.iterates(Problem(f), w, np.random.default_rng(0), Budget())
    assert isinstance(states, Iterator)
    for state in states:
        yield np.array(state.w)


def _auc_of_weights(data: Data, w: Vector) -> float:
    return roc_auc(breakpoints_of(data), data.scores(w))


def best_of_path(train: Data, validation: Data) -> Vector:
    """Return the weights of the path with the least loss on the validation rows, (d,).

    The intercept is left out, because it changes neither the AUM nor the AUC.
    """
    judge = _hinge(validation)
    return min(l1_path(_hinge(train)), key=judge.value)[:-1]


def l1_path(f: IntervalHinge) -> Iterator[Vector]:
    """Yield minimisers of the loss + t |w|₁ for falling t, (d + 1,); the last is the intercept.

    Each starts from the last one.
    """
    w = _minimiser(f, NO_WEIGHTS, np.zeros(f.data.d))
    largest = float(np.abs(f.grad(w)[:-1]).max())
    for share in PATH:
        w = _minimiser(f, share * largest, w)
        yield w


def _hinge(data: Data) -> IntervalHinge:
    return IntervalHinge(data.with_rows(AppendOne()(data.rows)))


def _minimiser(f: IntervalHinge, l1: float, w: Vector) -> Vector:
    return minimiser(f, ElasticNet(l1, 0.0, free=1), w)
