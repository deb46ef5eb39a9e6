"""The tuner: trials of solvers on folds of training rows, along paths of warm starts.

Design
  a. Folds are the outer loop, so that the rows of one fold are in memory at a time, and all
     trials see the same folds.
  b. A fit starts from the weights of the one before only along the path that the solver names
     (`Needs.path`). On other parameters the weights after a given budget would depend on the
     grid.
  c. A trial that failed on one fold is not tried on the folds that follow.
  d. The highest mean AUC wins, or of the measure of the pairs that count. Among equal means the
     first trial wins.
  e. Within a limit of work or of time, `halving` tries the points on few rows first.

The worker of a benchmark gives it the grid of a cell with its limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np

from aucbench.contract import Problem, Solver
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.tally import counting
from aucbench.metrics import auc_of
from aucbench.metrics.pairs import quality_of
from aucbench.ranges import DIVERGED
from aucbench.records import Run, Stop
from aucbench.solving.values import contains, objective_at
from aucbench.solving.wrappers import WithProblems, WithStart

NO_SCORES = "Scores of held rows are NaN."
FIT_WORK, TREE_ROWS = 2e6, 5_000  # numbers that any fit costs; rows that the bins of a tree cost
PAIRED = 50  # times the work of trees, where each step weighs all pairs
Solve = Callable[[Solver, Data], Run]


@dataclass(slots=True, eq=False)
class Trial:
    """A solver with values of its parameters, and the results of its fits so far.

    Attributes
    ----------
    values : mapping of str to value
        The values that are tried.
    build : function (values) -> Solver
        Called for each fold; what it raises is a failure of the trial.
    aucs : list of float
        AUC of the rows held out, or the measure of their pairs, for each fold until one failed.
    seconds : float
        Of all its fits.
    work : float
        Numbers that all its fits have read, see `work_of`.
    error : exception or None
        What a fit raised.
    fault : str or None
        Why weights or scores could not be used.
    levels : list of lists of float
        In a search by `halving`: the AUCs at each rung that it has climbed.
    costs : dict of int to float
        Work or seconds of the last fit there, by its training rows.
    """

    values: Mapping[str, Any]
    build: Callable[[Mapping[str, Any]], Solver]
    aucs: list[float] = field(default_factory=list)
    seconds: float = 0.0
    work: float = 0.0
    error: BaseException | None = None
    fault: str | None = None
    levels: list[list[float]] = field(default_factory=list)
    costs: dict[int, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether no fit has failed so far."""
        return self.error is None and self.fault is None

    @property
    def auc(self) -> float | None:
        """Mean over the folds; None where a fit failed, or none was tried."""
        return fmean(self.aucs) if self.ok and self.aucs else None

    def on(self, rest: Data, held: Data, solve: Solve, w0: Vector | None) -> Vector | None:
        """Fit to the rest of the rows, keep the AUC of those held; return valid weights."""
        begin = perf_counter()
        try:
            observed = WithProblems(WithStart(self.build(self.values), w0))
            with counting() as tally:
                run = solve(observed, rest)
            self.work += work_of(run, rest, tally.numbers)
            fits = zip(run.parts or (run,), observed.problems, strict=True)
            faults = (fault_of(*fit) or why_diverged(*fit) for fit in fits)
            self.fault = next(filter(None, faults), None)
            score = None if self.fault else quality_or_none(held, run.decision_function(held.rows))
        except MemoryError:  # a limit of memory holds for all trials
            raise
        except (Exception, SystemExit) as error:
            self.seconds += perf_counter() - begin
            self.work += FIT_WORK
            self.error = error
            return None
        self.seconds += run.seconds
        if score is None:
            self.fault = self.fault or NO_SCORES
            return None
        self.aucs.append(score)
        return weights_of(run)


def try_on_folds(
    chains: Sequence[Sequence[Trial]], folds: Iterable[tuple[Data, Data]], solve: Solve
) -> None:
    """Fit all trials on all folds.

    Parameters
    ----------
    chains : sequence of sequences of Trial
        Within one, each fit starts from the weights of the one before it.
    folds : iterable of (rest, held)
    solve : function (solver, data) -> Run
        `aucbench.solve` with the budget of a fit.
    """
    for rest, held in folds:
        for chain in chains:
            w: Vector | None = None
            for trial in chain:
                if trial.ok:
                    w = trial.on(rest, held, solve, w)


def first_best(trials: Iterable[Trial]) -> Trial | None:
    """Return the first trial with the highest mean AUC; None where all failed.

    A trial that no fold has tried counts with the AUC 0.
    """
    return max((t for t in trials if t.ok), key=lambda trial: trial.auc or 0.0, default=None)


def work_of(run: Run, data: Data, numbers: float) -> float:
    """Return how much work a fit was, alike on every machine: about the numbers that it read.

    A number takes about 5 ns. A fit to few rows costs something anyway; and a tree that is added
    looks at the bins of each column, however few the rows are.

    Parameters
    ----------
    numbers : float
        That were read for products with weights, see `Tally`; a wrapped method shows none of them,
        and its passes stand for them.
    """
    rows = max(data.n, TREE_ROWS) if run.model is not None else data.n
    stored = data.rows.stored.size / data.n * rows
    passes = sum(part.points[-1].passes for part in run.parts or (run,))
    read = passes * stored * (PAIRED if run.model is not None and data.pairs is not None else 1)
    return float(FIT_WORK + max(numbers, read))


def weights_of(run: Run) -> Vector | None:
    """Return the weights of a run, (d,); of K classes (K, d); None without weights."""
    if not run.parts:
        return run.w
    each = [part.w for part in run.parts if part.w is not None]
    same = len(each) == len(run.parts) and len({w.size for w in each}) == 1
    return np.array(each) if same else None


def fault_of(run: Run, problem: Problem) -> str | None:
    """Return why the weights of a run cannot be used; None when they can."""
    if run.stop is Stop.INVALID:
        return str(run.stop.value)
    if run.w is not None and not contains(problem.project, run.w):
        return f"The weights are not in the set of {type(problem.project).__name__}."
    return None


def why_diverged(run: Run, problem: Problem) -> str | None:
    """Return a sentence when the objective is far above that at w = 0; its AUC would be chance."""
    end = run.points[-1].objective
    if run.w is None or end is None:
        return None
    start = objective_at(problem, np.zeros_like(run.w))
    if start is not None and isfinite(start) and end > DIVERGED * start > 0.0:
        return f"The objective is {end / start:.3g} times its value at w = 0."
    return None


def quality_or_none(data: Data, scores: Vector) -> float | None:
    """Return the measure of the pairs that count; None when a score is NaN."""
    return None if np.isnan(scores).any() else quality_of(data, scores)


def auc_or_none(data: Data, scores: Vector) -> float | None:
    """Return the AUC; None when a score is NaN, which overflow can cause with finite weights."""
    return None if np.isnan(scores).any() else auc_of(data.target, scores)
