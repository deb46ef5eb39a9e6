"""All solvers in one order: mean values, average ranks, Bradley–Terry ratings.

Design
  a. The data sets are the units. An interval says how far a number would move with other data
     sets of the same kind, so that the bootstrap draws data sets, with all their solvers.
  b. Ranks and ratings depend on the pool: a solver that is added can change the order of two
     others. `pairwise` does not have this fault, and is to be read first.
"""

from __future__ import annotations

from math import log, nan

import numpy as np

from aucbench.errors import require_at_least, require_whole
from aucbench.stats.tables import Array, ResultTable, Rule, average_ranks_of, drawn_counts, filled
from aucbench.stats.words import LEVEL, ROPE, Interval, require_level

DRAWS = 2000  # of the bootstrap
ELO = 400.0 / log(10.0)  # points in a unit of the logit: 400 points are odds of 10 to 1
CENTRE = 1000.0  # mean of all ratings
NEWTON_STEPS = 100
PRECISION = 1e-9  # of a rating, in logits
BLOCK = 40  # draws whose matrices are made together; they stay in the cache of a core
ONE_DATA_SET = "One data set says nothing about others; an interval takes at least two."
NO_DATA_SET = "No data set has a value of every solver."


def average_values(
    table: ResultTable, *, level: float = LEVEL, draws: int = DRAWS
) -> tuple[Interval, ...]:
    """Mean value of each solver over the data sets on which it has one, in the order of `names`.

    Its interval says how far the mean would move with other data sets. Most of that is the same
    for all solvers, so that two intervals may overlap where one solver is ahead on every data set.

    Parameters
    ----------
    table, level, draws :
        As in `average_ranks`.

    Raises
    ------
    ParameterError
        When a number makes no sense.
    """
    values = table.units
    known = ~np.isnan(values)
    counts = np.vstack([np.ones(len(values)), _resampled(len(values), draws)])
    having = counts @ known
    means = np.full(having.shape, nan)
    np.divide(counts @ np.where(known, values, 0.0), having, out=means, where=having > 0.0)
    each = known.sum(axis=0).tolist()
    return tuple(
        _interval(means[0, j], means[1:, j], each[j], level, "mean") for j in range(len(each))
    )


def average_ranks(
    table: ResultTable, *, level: float = LEVEL, draws: int = DRAWS
) -> tuple[Interval, ...]:
    """Average rank of each solver over the data sets, in the order of `names`.

    1 is the best, and equal values share a rank.

    Parameters
    ----------
    table : ResultTable
        A solver without a value is the last. A family of data sets counts as one, by its mean.
    level : float
        Of the intervals, percentiles of the bootstrap over data sets.
    draws : int
        Of the bootstrap.

    Raises
    ------
    ParameterError
        When a number makes no sense.
    """
    ranks, n = average_ranks_of(-filled(table.unit_gains, Rule.WORST_RANK)), len(table.units)
    drawn = _resampled(n, draws) @ ranks / max(1, n)
    estimates = ranks.mean(axis=0) if n else np.full(len(table.names), nan)
    return _intervals(estimates, drawn, n, level, "average rank")


def bradley_terry(
    table: ResultTable,
    *,
    rope: float = ROPE,
    level: float = LEVEL,
    draws: int = DRAWS,
) -> tuple[Interval, ...]:
    """Ratings theta on the scale of Elo, so that a wins against b with the probability

        P(a ahead of b) = 1 / (1 + 10^((theta_b - theta_a)/400)).

    Each data set counts once for each pair: a win, or half a win for both where the values differ
    by at most the rope. One further data set on which all tie is added. So the rating of a solver
    that always wins is finite, and the odds of two solvers are (wins + 1/2)/(losses + 1/2). The
    mean of all ratings is 1000. They are in the order of `names`.

    Parameters
    ----------
    table, level, draws :
        As in `average_ranks`.
    rope : float
        Differences of at most this size are ties.

    Raises
    ------
    ParameterError
        When a number makes no sense.

    Notes
    -----
    Bradley and Terry (1952), "Rank analysis of incomplete block designs: the method of paired
    comparisons", Biometrika 39.
    """
    require_at_least(0.0, rope=rope)
    gains, k = filled(table.unit_gains, Rule.WORST_RANK), len(table.names)
    n = len(gains)
    with np.errstate(invalid="ignore"):  # -inf less -inf, where both failed: a tie
        ahead = gains[:, :, None] - gains[:, None, :]
    won = (1.0 + (ahead > rope) - (ahead < -rope)) / 2.0
    counts = np.vstack([np.ones(n), _resampled(n, draws)])
    wins = (counts @ won.reshape(n, k * k)).reshape(-1, k, k) + 0.5
    observed = _fitted(wins[:1])  # near which the draws are, so that they take few steps from it
    ratings = CENTRE + ELO * np.vstack([observed, _fitted(wins[1:], observed[0])])
    return _intervals(ratings[0], ratings[1:], n, level, "Bradley–Terry")


def _resampled(n: int, draws: int) -> Array:
    """How often each data set is in each draw of n of them, shape (draws, n)."""
    require_whole(1, draws=draws)
    return drawn_counts(n, n, draws, seed=0)


def _intervals(
    estimates: Array, drawn: Array, n: int, level: float, method: str
) -> tuple[Interval, ...]:
    """Return the estimates over n data sets with the percentiles of the draws, (draws, k)."""
    return tuple(
        _interval(estimates[j] if n else nan, drawn[:, j], n, level, method)
        for j in range(drawn.shape[1])
    )


def _interval(estimate: float, drawn: Array, n: int, level: float, method: str) -> Interval:
    """Return an estimate over n data sets with the percentiles of its draws."""
    require_level(level)
    note = "" if n > 1 else ONE_DATA_SET if n else NO_DATA_SET
    tail = (1.0 - level) / 2.0
    ends = np.nanquantile(drawn, [tail, 1.0 - tail]) if n > 1 else (nan, nan)
    low, high = map(float, ends)
    full = f"{method}, bootstrap over data sets"
    return Interval(float(estimate), low, high, level, full, note)


def _fitted(wins: Array, start: Array | None = None) -> Array:
    """Return the likeliest logits of each matrix of wins, shape (m, k, k) -> (m, k), of mean 0.

    They are looked for from `start` on, of shape (k,), or from 0.

    Newton's method. A step whose coordinates span b is shortened to log(1 + b)/b of it, with which
    a sum of logistic losses falls in every step (Sun and Tran-Dinh, 2019, "Generalized
    self-concordant functions", Mathematical Programming 178).
    """
    m, k, _ = wins.shape
    games = wins + wins.transpose(0, 2, 1)
    games[:, range(k), range(k)] = 0.0
    theta = np.zeros((m, k)) if start is None else np.tile(start, (m, 1))
    blocks = [slice(first, first + BLOCK) for first in range(0, m, BLOCK)]
    for _ in range(NEWTON_STEPS):
        spans = [_step(theta[some], games[some], wins[some]) for some in blocks]
        if max(spans, default=0.0) < PRECISION:
            return np.asarray(theta - theta.mean(axis=1, keepdims=True))
    raise ArithmeticError(f"the ratings have not converged in {NEWTON_STEPS} steps")


def _step(theta: Array, games: Array, wins: Array) -> float:
    """Change logits by a step of Newton's method; return the largest span of its coordinates."""
    k = theta.shape[1]
    expected = 1.0 / (1.0 + np.exp(theta[:, None, :] - theta[:, :, None]))
    gradient = np.sum(games * expected - wins, axis=2) + wins[:, range(k), range(k)]
    curvature = -games * expected * (1.0 - expected)
    curvature[:, range(k), range(k)] -= curvature.sum(axis=2)
    curvature += 1.0 / k  # along (1, ..., 1), where it is flat
    step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
    span = np.maximum(np.ptp(step, axis=1, keepdims=True), PRECISION / 2)
    theta -= step * np.log1p(span) / span
    return float(span.max(initial=0.0))
