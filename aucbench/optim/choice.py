"""A parameter that a solver chooses itself, by rows that it holds out of its training rows.

A trial takes a few steps of the iterates by itself. `solve` would evaluate the objective and the
gap, and give the solver another budget: a fit with `auto` would take longer, and choose otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any, Final

import numpy as np

from aucbench.contract import Budget
from aucbench.data import Data, uncounted
from aucbench.data import scores as scored
from aucbench.data.arrays import Vector
from aucbench.data.concordance import weighted_concordance
from aucbench.data.tally import counting
from aucbench.errors import ParameterError, UnsupportedError, require_above, require_count
from aucbench.optim.scale import concentration, default_ridge
from aucbench.optim.trials import Fit, Trial, try_on_folds
from aucbench.pairs import concordance, members_of, pairs_of
from aucbench.pairs.range import Ranged
from aucbench.scale import ChunkedData

AUTO: Final = "auto"
HELD = 0.2  # share of each class that is held out
FEWEST = 30  # rows of a class from which a choice is worth its noise
EXPONENTS = (1.0, 0.5, -2.0, -1.5, -1.0, -0.5, 0.0)  # of λ / `default_ridge`, safest last
TRIAL_PASSES = 10.0  # of a trial fit; mostly the order of the values shows long before the optimum


def chosen(
    solver: Any,
    name: str,
    values: Sequence[Any],
    data: Data,
    rng: np.random.Generator,
    budget: Budget,
    *,
    splits: int = 1,
    passes: float = TRIAL_PASSES,
) -> Any:
    """Return the value of a parameter with which the solver ranks held-out rows best.

    A fifth of each class is held out, see `Data.split`. For each value, the solver is fitted to the
    other rows for a few passes, or for as many as the budget has. Of values with the same AUC the
    first one is taken, so put the preferred ones first.
    The clock of `solve` counts all of this, because `problem` calls it. Passes do not: it is
    tuning, whose passes `solve` does not count either where the caller tunes.
    With fewer than 30 rows of a class, no trial is worth its noise, and the last value is taken. Of
    other pairs (`Data.pairs`), the share in order is what ranks, of those in the range where there
    is one.

    Parameters
    ----------
    solver : Solver
        A frozen dataclass.
    name : str
        The parameter.
    values : sequence
        Its values, the preferred ones first, the safest one last.
    data : Data
        Training rows with labels.
    rng : Generator
        Draws the held rows and the seed of the trials.
    budget : Budget
        Of the fit; a trial gets no more passes.
    splits : int
        How often a fifth is held out. The mean of the AUC over the splits counts, and the last
        value is taken unless another is better by more than the standard error of the difference.
    passes : float
        Of a trial, at most.
    """
    if len(values) == 1 or too_few(data):
        return values[-1]
    most = min(passes, budget.passes or inf)

    def opened(_: int) -> tuple[Data, Data, int]:
        rest, held = data.split(HELD, rng)
        return rest, held, int(rng.integers(2**31))

    def fitted(value: Any, fold: tuple[Data, Data, int], _: Any) -> tuple[Fit, None]:
        return Fit(score=_quality(replace(solver, **{name: value}), *fold, most)), None

    trials = [Trial[Any, Fit](value) for value in values]
    with uncounted():
        try_on_folds([trials], range(splits), opened, fitted)
    table = np.column_stack([trial.scores for trial in trials])
    return values[_best(table)]


def _quality(trial: Any, rest: Data, held: Data, seed: int, most: float) -> float:
    """Return how well a fit of `most` passes ranks the held rows; -inf if a score is not finite."""
    problem_rng, iterates_rng = np.random.default_rng(seed).spawn(2)
    with counting() as read:
        problem = trial.problem(rest, problem_rng, Budget())
        w0 = np.zeros(problem.data.d)
        for state in trial.iterates(problem, w0, iterates_rng, Budget()):
            last = state
            if read.rows >= most * rest.n:
                break
    scores = scored(problem.features(held.rows), last.w)
    return in_order(held, scores) if np.isfinite(scores).all() else -inf


def _best(table: Vector) -> int:
    """Return the column with the highest mean; the last where it is not clearly behind that.

    Clearly is by more than the standard error of the difference over the rows. One row has none.
    """
    best = int(table.mean(axis=0).argmax())
    if len(table) == 1 or not np.isfinite(table[:, [best, -1]]).all():
        return best
    ahead = table[:, best] - table[:, -1]
    error = ahead.std(ddof=1) / np.sqrt(len(ahead))
    return best if ahead.mean() > error else table.shape[1] - 1


def too_few(data: Data) -> bool:
    """Return whether a trial is not worth its noise."""
    if pairs_of(data) is None:
        return min(data.labels.n_pos, data.labels.n_neg) < FEWEST
    return concentration(data) > 2.0 / FEWEST


def in_order(held: Data, scores: Vector) -> float:
    """Return the share of pairs in order."""
    pairs = pairs_of(held)
    if pairs is None:
        return weighted_concordance(held.y > 0, scores, held.weights)
    members = members_of(held)
    if isinstance(pairs, Ranged):
        members = pairs.within(members.blocks, scores)
    return concordance(members, scores)[0]


def ridge(
    solver: Any,
    data: Data,
    rng: np.random.Generator,
    budget: Budget,
) -> float:
    """Return the λ of a solver: the number given, or that of `default_ridge` for None.

    "auto" is chosen by held-out rows, see `chosen`, among that times 10^{1}, 10^{1/2},
    10^{-2}, 10^{-3/2}, 10^{-1}, 10^{-1/2} and 1. It takes several times as long, and on most sets
    of docs/defaults.md it is no better than None: one fold of held rows is a noisy judge.

    Parameters
    ----------
    solver : Solver
        A frozen dataclass with a parameter lam.
    data : Data
        Training rows with labels.
    rng : Generator
        Draws the held rows.
    budget : Budget
        Of the fit; a trial gets no more passes.
    """
    if solver.lam is not None and solver.lam != AUTO:
        return float(solver.lam)
    derived = default_ridge(data)
    if solver.lam is None:
        return derived
    if isinstance(data, ChunkedData):
        raise UnsupportedError(
            "lam=auto holds out rows in memory, and the rows are read in chunks; give a number, or "
            "tune by chunks that are held out, as `fit --tune` does"
        )
    return float(chosen(solver, "lam", [derived * 10.0**e for e in EXPONENTS], data, rng, budget))


def require_above_or_auto(low: float, **values: float | str | None) -> None:
    """Raise `ParameterError` unless each named value is above `low`, "auto", or None."""
    require_above(low, **{name: _number(name, value) for name, value in values.items()})


def require_whole_or_auto(low: int, **values: int | str | None) -> None:
    """Raise `ParameterError` unless each named value is an integer ≥ `low`, "auto", or None."""
    require_count(low, **{name: _number(name, value) for name, value in values.items()})


def _number(name: str, value: Any) -> Any:
    if isinstance(value, str) and value != AUTO:
        raise ParameterError(f"{name} is {value!r}; give a number, or auto")
    return None if isinstance(value, str) else value
