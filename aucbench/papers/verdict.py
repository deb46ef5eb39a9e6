"""Ours beside theirs: the difference of two means, in words.

Design
  a. Two means differ when the interval of their difference leaves out 0, and when the difference
     is larger than the rope of the measure. So a difference by chance agrees, and one that nobody
     would notice.
  b. The standard error of a mean over splits of the same rows is s sqrt(1/J + ratio), as in
     `aucbench.stats.resampled`; over runs with fresh rows it is s / sqrt(J). Theirs is taken in the
     same way, from the printed deviation. Where T trials are data sets of their own, splits
     share rows within a trial only: s sqrt(1/J + ratio/T).
  c. A number that stands on another ground is said to be so, whatever the difference is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isnan, nan, sqrt

import numpy as np
from scipy.special import stdtrit

from aucbench.papers.parts import Entry, Line
from aucbench.papers.results import MEASURES, Results
from aucbench.stats.resampled import standard_error
from aucbench.stats.words import LEVEL


class Agreement(StrEnum):
    """How our number stands to the published one."""

    AGREES = "agrees"
    BETTER = "better"
    WORSE = "worse"
    INCOMPARABLE = "not comparable"
    UNMEASURED = "not measured"
    NEW = "not in the paper"


@dataclass(frozen=True, slots=True)
class Compared:
    """One number, ours and theirs.

    Attributes
    ----------
    entry : Entry
    mean, sd : float
        Ours, over the runs that have a value; NaN where there are too few.
    runs, planned : int
        Runs with a value, and all that were planned.
    difference : float
        Ours minus theirs; NaN without theirs.
    half : float
        Half the length of the 95 % interval of the difference; NaN when it is not known.
    agreement : Agreement
    why : str
        Why the two are not comparable, or why ours was not measured.
    """

    entry: Entry
    mean: float
    sd: float
    runs: int
    planned: int
    difference: float
    half: float
    agreement: Agreement
    why: str = ""

    @property
    def in_sd(self) -> float:
        """The difference in published standard deviations; NaN when none is printed."""
        theirs = self.entry.published
        if theirs is None or not theirs.sd:
            return nan
        return self.difference / theirs.sd

    @property
    def said(self) -> str:
        """The verdict in words."""
        return f"{self.agreement}: {self.why}" if self.why else str(self.agreement)


def compared(entry: Entry, results: Results) -> Compared:
    """Compare a number of ours with the published one."""
    if entry.rivals:
        entry = replace(entry, line=_best(entry, results), rivals=())
    records = results.of(entry.line)
    values = results.values(entry.line, entry.measure)
    known = values[~np.isnan(values)]
    mean = float(known.mean()) if known.size else nan
    sd = float(known.std(ddof=1)) if known.size > 1 else nan
    theirs = entry.published
    difference = nan if theirs is None else mean - theirs.mean
    ratio = 0.0 if entry.fresh else results.ratio(entry.line) / len(entry.line.datasets)
    half = _half(entry, sd, known.size, ratio)
    agreement, why = _agreement(entry, difference, half)
    if not known.size:
        agreement, why = Agreement.UNMEASURED, _missing(results, entry, len(records))
    elif known.size < values.size:
        why = "; ".join(filter(None, [why, f"{values.size - known.size} run(s) failed"]))
    return Compared(entry, mean, sd, known.size, values.size, difference, half, agreement, why)


def _best(entry: Entry, results: Results) -> Line:
    """Return the line with the best mean."""
    sign = -1.0 if MEASURES[entry.measure].smaller else 1.0

    def mean(line: Line) -> float:
        values = results.values(line, entry.measure)
        known = values[~np.isnan(values)]
        return sign * float(known.mean()) if known.size else -inf

    return max((entry.line, *entry.rivals), key=mean)


def _half(entry: Entry, sd: float, runs: int, ratio: float) -> float:
    """Half of the interval of the difference, by Welch's t with the smaller degrees of freedom."""
    theirs = entry.published
    if theirs is None or theirs.sd is None or theirs.runs is None or isnan(sd):
        return nan
    ours = standard_error(sd, runs, ratio)
    other = standard_error(theirs.sd, theirs.runs, ratio)
    freedom = min(runs, theirs.runs) - 1
    if freedom < 1:
        return nan
    return float(stdtrit(freedom, (1 + LEVEL) / 2)) * sqrt(ours**2 + other**2)


def _agreement(entry: Entry, difference: float, half: float) -> tuple[Agreement, str]:
    measure = MEASURES[entry.measure]
    if entry.published is None:
        return Agreement.NEW, ""
    if why := entry.why or measure.elsewhere:
        return Agreement.INCOMPARABLE, why
    if abs(difference) <= measure.rope or abs(difference) <= half:
        return Agreement.AGREES, ""
    if isnan(half):
        return Agreement.INCOMPARABLE, "the paper does not print how much its number varies"
    gain = -difference if measure.smaller else difference
    return (Agreement.BETTER if gain > 0 else Agreement.WORSE), ""


def _missing(results: Results, entry: Entry, count: int) -> str:
    if not count:
        return entry.left_out or "its cells were not run"
    reasons = {record.why for record in results.of(entry.line) if not record.ok}
    return "; ".join(sorted(reasons)[:3]) or "its cells have no such measure"
