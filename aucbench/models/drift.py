"""Windows of time: does one model with one threshold do the same in each of them?

Design
  a. A model is fitted to the first half of the rows in time, and judges the windows after it. It is
     one model, so that the windows differ by what the rows do, and not by the scales of fits.
  b. Its threshold flags the same share of these rows as the final model's does of the rows held
     out. Without drift, the flags are then spread over the windows by chance. Shares have
     exact tests: rows dealt anew to the windows. Scores have tests by ranks, since a threshold in
     their tail moves with their height and their spread, and few flags show that late. Calibration
     has a test by likelihoods.
  c. The p-values are adjusted (Holm), so that without drift a warning comes in at most 5 % of
     the cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are imported when they are used: a saved model needs none
from numpy.typing import NDArray

from aucbench.data.arrays import Index
from aucbench.kernels.vectors import Mask, Vector
from aucbench.metrics import Cuts
from aucbench.stats import LEVEL, Fold, Interval, auc_interval, wilson
from aucbench.stats.calibration import least_log_loss
from aucbench.stats.words import holm

MOST, FEWEST = 5, 10  # windows; expected flags and positives of a window
DEALT = 4_999  # times that rows are dealt anew
SIGNIFICANT = 0.05
SHARES = ("flags", "positives", "sensitivity", "precision")
OF_SCORES = ("score", "spread")
WORDS = {
    "flags": "flagged rows",
    "positives": "positives",
    "sensitivity": "sensitivity",
    "precision": "precision",
    "score": "mean score",
    "spread": "standard deviation of the scores",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A window of time, and what the threshold does in it.

    Attributes
    ----------
    rows, positives : int
    flagged, right : int
        Rows that reach the threshold, and those of them that are positive.
    auc : Interval
        Of the rows of the window.
    score, spread : float
        Mean and standard deviation of the scores.
    """

    rows: int
    positives: int
    flagged: int
    right: int
    auc: Interval
    score: float
    spread: float

    def share(self, name: str) -> Interval:
        """Return "flags", "positives", "sensitivity" or "precision" with Wilson's interval."""
        count, of = {
            "flags": (self.flagged, self.rows),
            "positives": (self.positives, self.rows),
            "sensitivity": (self.right, self.positives),
            "precision": (self.right, self.flagged),
        }[name]
        return wilson(count, of, LEVEL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What the windows of time show.

    Attributes
    ----------
    learnt : int
        Rows that trained the model which judges the windows.
    windows : tuple of Window
        In the order of time.
    p : dict of str to float
        Adjusted p-value of "all windows are alike" for flags, positives, sensitivity, precision,
        score and spread; of "the last window has the same calibration as those before it" for
        calibration.
    probability : float
        Mean probability in the last window by the calibration of the windows before it.
    """

    learnt: int
    windows: tuple[Window, ...]
    p: dict[str, float]
    probability: float

    @staticmethod
    def of(learnt: int, positive: Mask, scores: Vector, times: Index, flags: float) -> Drift | None:
        """Compare windows with about as many rows each; equal times are in one window.

        Parameters
        ----------
        learnt : int
            Rows that trained the model.
        positive, scores, times : arrays of shape (n,)
            Of rows that are later than these.
        flags : float
            Share of the rows that the threshold flags.

        Returns
        -------
        Drift or None
            None when two windows would have fewer than 10 flags, positives or negatives.
        """
        n_pos = int(positive.sum())
        rarest = min(flags * positive.size, n_pos, positive.size - n_pos)
        starts = _starts(times, min(MOST, int(rarest / FEWEST)))
        if len(starts) < 2:
            return None
        number = np.searchsorted(starts, times, side="right") - 1
        return _judged(learnt, positive, scores, number, flags)

    def warnings(self) -> Iterator[str]:
        """Yield a sentence for the shares, and one for the calibration."""
        if changed := [name for name in WORDS if self.p[name] < SIGNIFICANT]:
            listed = "; ".join(f"{WORDS[name]}: {self._listed(name)}" for name in changed)
            yield (
                f"windows of time differ by more than chance (p = "
                f"{min(self.p[name] for name in changed):.2g}): {listed}. What the threshold did "
                "may not hold for the next rows"
            )
        if self.p["calibration"] < SIGNIFICANT:
            yield (
                f"calibration is off in the last window of time (p = {self.p['calibration']:.2g}): "
                f"by the windows before it, the mean probability is {self.probability:.3g}, and "
                f"{self.windows[-1].share('positives').estimate:.3g} are positive"
            )

    def _listed(self, name: str) -> str:
        if name in OF_SCORES:
            return ", ".join(f"{getattr(window, name):.3g}" for window in self.windows)
        shares = (window.share(name).estimate for window in self.windows)
        return ", ".join("-" if np.isnan(share) else f"{100 * share:.3g} %" for share in shares)


def _judged(
    learnt: int, positive: Mask, scores: Vector, number: NDArray[np.intp], flags: float
) -> Drift:
    cuts = Cuts.of(positive, scores)
    true, false = cuts.counts()
    at = int(np.argmin(np.abs(true + false - flags * positive.size)))
    flagged = np.zeros(positive.size, np.bool_)
    flagged[cuts.order[: cuts.ends[at]]] = True
    count = int(number.max()) + 1
    p_of = {
        "flags": differ(flagged, number, count),
        "positives": differ(positive, number, count),
        "sensitivity": differ(flagged[positive], number[positive], count),
        "precision": differ(positive[flagged], number[flagged], count),
    }
    p_of |= dict(zip(OF_SCORES, _score_tests(scores, number, count), strict=True))
    p_of["calibration"], probability = _calibration(positive, scores, number == count - 1)
    adjusted = holm(np.array([*p_of.values()]))
    windows = tuple(
        Window(
            rows=int(inside.sum()),
            positives=int((positive & inside).sum()),
            flagged=int((flagged & inside).sum()),
            right=int((flagged & positive & inside).sum()),
            auc=auc_interval([Fold(positive[inside], scores[inside])]),
            score=float(scores[inside].mean()),
            spread=float(scores[inside].std()),
        )
        for inside in (number == k for k in range(count))
    )
    return Drift(
        learnt=learnt,
        windows=windows,
        p=dict(zip(p_of, map(float, adjusted), strict=True)),
        probability=probability,
    )


def _starts(times: Index, count: int) -> list[int]:
    """Return the first time of each window."""
    if count < 2:
        return []
    return sorted({int(part[0]) for part in np.array_split(np.sort(times), count)})


def differ(yes: Mask, number: NDArray[np.intp], count: int, seed: int = 0) -> float:
    """Return the p-value of "each window has the same share of yes".

    Two statistics tell windows that differ in any way, and a share that rises or falls: Pearson's
    χ², and |Σ_k (k − mean) (count_k − expected_k)|. The smaller p-value of both is compared with
    what it is when the same rows are dealt anew to windows of the same sizes (Monte Carlo; the
    smallest p-value is 1/5000).
    """
    sizes, known = np.bincount(number, minlength=count), int(yes.sum())
    if not 0 < known < yes.size:
        return 1.0
    seen = np.bincount(number[yes], minlength=count)
    rng = np.random.default_rng(seed)
    dealt = rng.multivariate_hypergeometric(sizes, known, size=DEALT, method="marginals")
    expected = sizes * (known / yes.size)
    excess = np.vstack([seen, dealt]) - expected
    any_way = (excess**2 / np.maximum(expected, 1e-300)).sum(axis=1)
    trend = np.abs(excess @ (np.arange(count) - (count - 1) / 2))
    smaller = np.minimum(
        *(scipy.stats.rankdata(-statistic, "max") for statistic in (any_way, trend))
    )
    return float(np.mean(smaller <= smaller[0]))


def _score_tests(scores: Vector, number: NDArray[np.intp], count: int) -> list[float]:
    """Return p-values of "windows have scores of the same height", and "of the same spread"."""
    apart = np.abs(scores - np.median(scores))
    return [
        float(scipy.stats.kruskal(*(values[number == k] for k in range(count))).pvalue)
        if np.ptp(values) > 0
        else 1.0
        for values in (scores, apart)
    ]


def _calibration(positive: Mask, scores: Vector, last: Mask) -> tuple[float, float]:
    """Return the p-value of one calibration for all windows, and the mean probability in the last.

    Twice the log of the ratio of likelihoods is compared with χ² of two degrees of freedom: slope
    and intercept of the last window may differ from those of the windows before it.
    """
    spread = float(scores.std()) or 1.0
    z = (scores - scores.mean()) / spread
    if any(np.unique(positive[part]).size < 2 for part in (last, ~last)):
        return 1.0, float("nan")

    def loss(rows: Mask) -> tuple[float, float, float]:
        slope, intercept = least_log_loss(
            z[rows], positive[rows].astype(np.float64), np.ones(int(rows.sum()))
        )
        margin = slope * z[rows] + intercept
        total = float(np.sum(np.logaddexp(0.0, margin) - positive[rows] * margin))
        return total, slope, intercept

    before, slope, intercept = loss(~last)
    gain = loss(np.ones(last.size, np.bool_))[0] - before - loss(last)[0]
    probability = float(scipy.special.expit(slope * z[last] + intercept).mean())
    return float(scipy.stats.chi2.sf(2.0 * max(gain, 0.0), 2)), probability
