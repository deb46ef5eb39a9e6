"""The operating point of a model: its threshold, and what it does at it, with intervals.

Design
  a. The scores are those of rows that did not train the model. Who calls this sees to it, and says
     in `rows` where they come from.
  b. Two things are random: which rows judge the threshold, and which rows choose it. Wilson's
     interval is of the first. The second makes a threshold look better than it is, because the
     same rows choose and judge it: in each bootstrap resample the threshold is chosen anew, and
     its share in the resample is compared with its share in all rows. The interval that is given
     reaches as far as either of both on each side. Its coverage is tested by simulation.
  c. Rows of one group may be alike. With groups, Wilson's interval has the variance between groups,
     and a resample draws groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from aucbench.data.arrays import Index
from aucbench.errors import DataError
from aucbench.metrics import Aim, Cuts, best_cut
from aucbench.stats import LEVEL, Interval, effective_size, wilson, wilson_of_groups

RESAMPLES = 1000
FEWEST_NEW = 30  # rows that can surprise
METHOD = "Wilson, and bootstrap of the choice"
MANY, BINS = 100_000, 4096  # rows that are drawn one by one, at most; bins of more
SHARES = ("sensitivity", "specificity", "precision", "flags")

Confusion = tuple[NDArray[np.int64], NDArray[np.int64]]  # true and false positives of each cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Operating:
    """A threshold and its confusion on rows that did not train the model.

    Attributes
    ----------
    threshold : float
        Score from which a row is predicted positive.
    aim : Aim
        What it was chosen for.
    tp, fp, fn, tn : int
        Rows by prediction and label.
    sensitivity, specificity, precision, flags : Interval
        tp/(tp + fn), tn/(tn + fp), tp/(tp + fp), and (tp + fp)/n.
    rows : str
        Which rows these are.
    design_effect : float
        Variance of the flags over that of independent rows; 1 without groups.
    """

    threshold: float
    aim: Aim
    tp: int
    fp: int
    fn: int
    tn: int
    sensitivity: Interval
    specificity: Interval
    precision: Interval
    flags: Interval
    rows: str
    design_effect: float = 1.0

    @staticmethod
    def of(
        y: ArrayLike,
        scores: ArrayLike,
        aim: Aim,
        rows: str,
        *,
        groups: Index | None = None,
        seed: int = 0,
    ) -> Operating:
        """Choose a threshold by rows that did not train the model, and judge it by them.

        Parameters
        ----------
        y, scores : arrays of shape (n,)
            As in `auc`.
        rows : str
            Which rows they are, for people.
        groups : array of shape (n,), optional
            Rows of one group may be alike: intervals and resamples then count groups.
        seed : int
            Of the resamples.

        Raises
        ------
        DataError
            As `intercept_at`.
        """
        cuts = Cuts.of(y, scores)
        true, false = cuts.counts()
        k = best_cut(aim, true, false)
        tp, fp = int(true[k]), int(false[k])
        fn, tn = int(true[-1]) - tp, int(false[-1]) - fp
        whole = ((tp, tp + fn), (tn, tn + fp), (tp, tp + fp), (tp + fp, cuts.scores.size))
        effect, rng = 1.0, np.random.default_rng(seed)
        if groups is None:
            simple = [wilson(count, n, LEVEL) for count, n in whole]
            resamples = _resamples(cuts, rng)
        else:
            number = np.unique(groups, return_inverse=True)[1].astype(np.int32)[cuts.order]
            flagged = number >= 0
            flagged[cuts.ends[k] :] = False
            simple = _intervals_of_groups(cuts.positive, flagged, number)
            effect = flagged.size / effective_size(flagged, number)
            resamples = _of_units(cuts, number, rng)
        errors = _errors_of_choice(aim, resamples)
        shares = {
            name: _widened(interval, error)
            for name, interval, error in zip(SHARES, simple, errors.T, strict=True)
        }
        return Operating(
            threshold=cuts.threshold(k),
            aim=aim,
            tp=tp,
            fp=fp,
            fn=fn,
            tn=tn,
            rows=rows,
            design_effect=effect,
            **shares,
        )

    def expected(self, n: int) -> Interval:
        """Return how many of the next `n` rows are flagged, where these are like those before.

        The error of the share, as far as its interval reaches, and that of a count,
        z √(n q (1 − q) D) with the design effect D, are independent: their squares are added on
        each side.
        """
        q, level = self.flags.estimate, self.flags.level
        own = float(ndtri((1 + level) / 2)) ** 2 * n * q * (1 - q) * self.design_effect
        below, above = (
            math.sqrt((n * (q - end)) ** 2 + own) for end in (self.flags.low, self.flags.high)
        )
        low, high = max(0.0, n * q - below), min(float(n), n * q + above)
        return Interval(n * q, low, high, level, f"{METHOD}, and the next rows")

    def surprise(self, flagged: int, n: int) -> str:
        """Return a sentence when `n` new rows have other flags than `expected`, else no text."""
        share = self.expected(n)
        if n < FEWEST_NEW or share.low <= flagged <= share.high:
            return ""
        return (
            f"{flagged} of {n} rows are flagged, and {share.low:.0f} to {share.high:.0f} were "
            f"expected ({100 * share.level:g} %)"
        )

    def to_json(self) -> dict[str, Any]:
        """Return its fields as JSON holds them."""
        plain = asdict(self)
        return {**plain, "aim": self.aim.given()}


def _intervals_of_groups(
    positive: NDArray[np.bool_], flagged: NDArray[np.bool_], groups: Index
) -> list[Interval]:
    every = np.ones(flagged.size, np.bool_)
    parts = ((flagged, positive), (~flagged, ~positive), (positive, flagged), (flagged, every))
    return [wilson_of_groups(yes, of, groups, LEVEL) for yes, of in parts]


Drawn = tuple[Confusion, Confusion]  # counts of all rows and of a resample at the same cuts


def _resamples(cuts: Cuts, rng: np.random.Generator) -> Iterator[Drawn]:
    """Yield resamples of rows that are independent."""
    n = cuts.scores.size
    if n <= MANY:
        return _of_units(cuts, np.arange(n, dtype=np.int32), rng)
    return _of_bins(cuts, rng)


def _of_units(cuts: Cuts, units: Index, rng: np.random.Generator) -> Iterator[Drawn]:
    """Yield resamples of units (n,), such as groups, with all their rows."""
    n, whole = int(units.max()) + 1, cuts.counts()
    for _ in range(RESAMPLES):
        times = np.bincount(rng.integers(n, size=n), minlength=n)
        yield whole, cuts.counts(times[units])


def _of_bins(cuts: Cuts, rng: np.random.Generator) -> Iterator[Drawn]:
    """Yield resamples of many rows, at the edges of bins of about equal size.

    How often each bin and class is drawn has a multinomial law. A resample changes the cut by far
    more than the width of a bin.
    """
    true, false = cuts.counts()
    at = np.unique(np.searchsorted(true + false, np.linspace(0, true[-1] + false[-1], BINS + 1)))
    whole = true[at], false[at]
    rows = np.concatenate([np.diff(counts, prepend=0) for counts in whole])
    for _ in range(RESAMPLES):
        drawn = rng.multinomial(rows.sum(), rows / rows.sum()).reshape(2, at.size).cumsum(axis=1)
        yield whole, (drawn[0], drawn[1])


def _errors_of_choice(aim: Aim, resamples: Iterator[Drawn]) -> NDArray[np.float64]:
    """Return (resamples, 4): the shares of all rows less those of the resample, at its cut."""
    out = np.full((RESAMPLES, len(SHARES)), np.nan)
    for b, (whole, drawn) in enumerate(resamples):
        if not drawn[0][-1] or not drawn[1][-1]:  # a resample of one class has no threshold
            continue
        try:
            k = best_cut(aim, *drawn)
        except DataError:  # the aim cannot be reached in this resample
            continue
        out[b] = _shares(*whole, k) - _shares(*drawn, k)
    return out


def _shares(tp: NDArray[np.int64], fp: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    flagged, n = tp[k] + fp[k], tp[-1] + fp[-1]
    precision = tp[k] / flagged if flagged else np.nan
    return np.array([tp[k] / tp[-1], 1 - fp[k] / fp[-1], precision, flagged / n])


def _widened(simple: Interval, errors: NDArray[np.float64]) -> Interval:
    """Return the interval that reaches as far as Wilson's and as that of the bootstrap."""
    known = errors[~np.isnan(errors)]
    if not known.size or np.isnan(simple.estimate):
        return simple
    tail = (1 - simple.level) / 2
    low, high = simple.estimate + np.quantile(known, [tail, 1 - tail])
    return Interval(
        simple.estimate,
        max(0.0, min(simple.low, float(low))),
        min(1.0, max(simple.high, float(high))),
        simple.level,
        METHOD,
    )
