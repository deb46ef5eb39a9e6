"""A trial of the tuner: a point is fitted by `solve`, and judged by the rows held out.

The measure is the AUC, or that of the pairs that count. The worker of a benchmark gives the tuner
the grid of a cell with its limits, see `aucbench.optim.trials` and `halving`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, nan
from time import perf_counter
from typing import Any

import numpy as np

from aucbench.contract import Problem, Solver
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.tally import counting
from aucbench.metrics.pairs import quality_of
from aucbench.optim.trials import Failure, Fit
from aucbench.ranges import DIVERGED
from aucbench.records import Run, Stop
from aucbench.solving.values import contains, objective_at
from aucbench.solving.wrappers import WithProblems

NO_SCORES = "Scores of held rows are NaN."
FIT_WORK, TREE_ROWS = 2e6, 5_000  # numbers that any fit costs; rows that the bins of a tree cost
PAIRED = 50  # times the work of trees, where each step weighs all pairs
Values = Mapping[str, Any]


def fit_and_judge(
    build: Callable[[Values], Solver],
    solve: Callable[..., Run],
    values: Values,
    fold: tuple[Data, Data],
    w0: Vector | None,
) -> tuple[Fit | Failure, Vector | None]:
    """Fit to the rest of the rows and score those held out; return the result and valid weights.

    Parameters
    ----------
    build : function (values) -> Solver
        What it raises is a failure of the trial.
    solve : function (solver, data, w0=...) -> Run
        `aucbench.solve` with the budget of a fit.
    values : mapping of str to value
        The point.
    fold : (rest, held)
    w0 : array of shape (d,) or None
        From which the fit starts if the solver can.
    """
    rest, held = fold
    begin = perf_counter()
    work = 0.0
    try:
        observed = WithProblems(build(values))
        warm = "warm-start" in observed.needs.capabilities
        with counting() as tally:
            run = solve(observed, rest, w0=w0 if warm else None)
        work = work_of(run, rest, tally.numbers)
        fits = zip(run.parts or (run,), observed.problems, strict=True)
        faults = (fault_of(*fit) or why_diverged(*fit) for fit in fits)
        fault = next(filter(None, faults), None)
        if fault is None:
            scores = run.decision_function(held.rows)
            fault = NO_SCORES if np.isnan(scores).any() else None
        score = quality_of(held, scores) if fault is None else nan
    except MemoryError:  # a limit of memory holds for all trials
        raise
    except (Exception, SystemExit) as error:
        seconds = perf_counter() - begin
        return Failure(reason=error, work=work + FIT_WORK, seconds=seconds), None
    if fault is not None:
        return Failure(reason=fault, work=work, seconds=run.seconds), None
    return Fit(score=score, work=work, seconds=run.seconds), weights_of(run)


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
