"""Ours beside theirs as a section: text, tables and charts, which every output shows alike.

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

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isnan, nan, sqrt

import numpy as np
from scipy.special import stdtrit

from aucbench.papers.claims import evaluate_claims
from aucbench.papers.drawings import draw, spread
from aucbench.papers.parts import Entry, Line, Protocol, Scale
from aucbench.papers.results import MEASURES, Results, mean_of
from aucbench.report.chart import Chart
from aucbench.report.grid import Grid
from aucbench.stats.resampled import standard_error
from aucbench.stats.words import LEVEL

HEADER = ("row", "column", "ours (runs)", "published", "difference, 95 %", "in sd", "verdict")
RUN_IN = {Scale.QUICK: "a quick run, smaller than that of the paper", Scale.FULL: "a full run"}


class Agreement(StrEnum):
    """How our number stands to the published one."""

    AGREES = "agrees"
    BETTER = "better"
    WORSE = "worse"
    INCOMPARABLE = "not comparable"
    UNMEASURED = "not measured"
    NEW = "not in the paper"


PLURALS = {Agreement.AGREES: "agree"}


@dataclass(frozen=True, slots=True)
class Compared:
    """One number, ours and theirs; NaN where there is none."""

    entry: Entry
    mean: float  # ours, over the runs that have a value
    sd: float
    runs: int  # with a value
    difference: float  # ours minus theirs
    half: float  # of the length of the 95 % interval of the difference
    agreement: Agreement
    why: str = ""  # the two are not comparable, or ours was not measured

    @property
    def in_sd(self) -> float:
        """The difference in published standard deviations; NaN when none is printed."""
        theirs = self.entry.published
        return self.difference / theirs.sd if theirs and theirs.sd else nan

    @property
    def words(self) -> str:
        """The verdict in words."""
        return f"{self.agreement}: {self.why}" if self.why else str(self.agreement)


def compare_number(entry: Entry, results: Results) -> Compared:
    """Compare a number of ours with the published one."""
    if entry.rivals:
        entry = replace(entry, line=_best(entry, results), rivals=())
    values = results.values(entry.line, entry.measure)
    known = values[~np.isnan(values)]
    mean, theirs = mean_of(values), entry.published
    sd = float(known.std(ddof=1)) if known.size > 1 else nan
    difference = nan if theirs is None else mean - theirs.mean
    ratio = 0.0 if entry.fresh else results.ratio(entry.line) / len(entry.line.datasets)
    half = _half(entry, sd, known.size, ratio)
    agreement, why = _agreement(entry, difference, half)
    if not known.size:
        agreement, why = Agreement.UNMEASURED, _unmeasured(results, entry)
    elif known.size < values.size:
        why = "; ".join(filter(None, [why, f"{values.size - known.size} run(s) failed"]))
    return Compared(entry, mean, sd, known.size, difference, half, agreement, why)


def _best(entry: Entry, results: Results) -> Line:
    """Return the line with the best mean."""
    sign = -1.0 if MEASURES[entry.measure].smaller else 1.0

    def gain(line: Line) -> float:
        mean = mean_of(results.values(line, entry.measure))
        return -inf if isnan(mean) else sign * mean

    return max((entry.line, *entry.rivals), key=gain)


def _half(entry: Entry, sd: float, runs: int, ratio: float) -> float:
    """Half of the interval of the difference, by Welch's t with the smaller degrees of freedom."""
    theirs = entry.published
    if theirs is None or theirs.sd is None or theirs.runs is None or isnan(sd):
        return nan
    if (freedom := min(runs, theirs.runs) - 1) < 1:
        return nan
    ours, other = standard_error(sd, runs, ratio), standard_error(theirs.sd, theirs.runs, ratio)
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


def _unmeasured(results: Results, entry: Entry) -> str:
    records = results.of(entry.line)
    if not records:
        return entry.left_out or "its cells were not run"
    reasons = {record.why for record in records if not record.ok}
    return "; ".join(sorted(reasons)[:3]) or "its cells have no such measure"


def compare(results: Results) -> tuple[str | Grid | Chart, ...]:
    """Return a table or a figure of a paper: ours beside theirs, drawings, claims and notes."""
    experiment = results.experiment
    numbers = [compare_number(entry, results) for entry in experiment.entries]
    clean = experiment.protocol is Protocol.CLEAN
    protocol = "" if clean else ", with the protocol of the published code"
    return (
        f"This is {RUN_IN[experiment.scale]}{protocol}.",
        *_missing(results),
        *_tables(numbers),
        *draw(results),
        *map(str, evaluate_claims(results)),
        *_failed(results),
        *experiment.notes,
    )


def _missing(results: Results) -> Iterator[str]:
    """Say how much was not run, and how much failed."""
    cells = [cell for plan in results.experiment.plans for cell in plan.cells()]
    absent = sum(cell not in results.records for cell in cells)
    failed = sum(not results.records[cell].ok for cell in cells if cell in results.records)
    if absent:
        yield f"{absent} of {len(cells)} cells were not run; the numbers are those of the others."
    if failed:
        yield f"{failed} of {len(cells)} cells failed; `aucbench status DIR --cells` lists them."
    names = [one.name for one in results.experiment.measurements]
    if absent := sum(name not in results.measured for name in names):
        yield f"{absent} of {len(names)} measurements were not run."


def _failed(results: Results) -> Iterator[str]:
    """Yield a sentence about the measurements without a result, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for name, one in results.measured.items():
        if one.result is None:
            by_reason.setdefault(f"{one.status}: {one.why}", []).append(name)
    if by_reason:
        failures = [f"{'; '.join(names)} ({why})" for why, names in by_reason.items()]
        yield f"No result: {', '.join(failures)}."


def _tables(numbers: Sequence[Compared]) -> Iterator[str | Grid]:
    """Yield how many agree, and a table by measure; two ways to take one have one table."""
    if numbers:
        counts = Counter(one.agreement for one in numbers)
        words = (
            f"{counts[word]} {word if counts[word] == 1 else PLURALS.get(word, word)}"
            for word in Agreement
            if counts[word]
        )
        yield f"Of {len(numbers)} numbers: {', '.join(words)}."
    by_title: dict[str, list[tuple[str, ...]]] = {}
    for one in numbers:
        by_title.setdefault(MEASURES[one.entry.measure].title, []).append(_row(one))
    for title, rows in by_title.items():
        yield (
            f"{title}: mean ± standard deviation over the runs; the difference with its 95 % "
            "interval, and in published standard deviations"
        )
        yield Grid(HEADER, rows)


def _row(one: Compared) -> tuple[str, ...]:
    theirs, digits = one.entry.published, MEASURES[one.entry.measure].digits
    half = "" if isnan(one.half) else f" ± {one.half:.{digits}f}"
    return (
        one.entry.row,
        one.entry.column,
        f"{spread(one.mean, one.sd, digits)} ({one.runs})",
        "–" if theirs is None else spread(theirs.mean, theirs.sd, digits),
        f"{_signed(one.difference, digits)}{half}",
        _signed(one.in_sd, 1),
        one.words,
    )


def _signed(value: float, digits: int) -> str:
    return "–" if isnan(value) else f"{value:+.{digits}f}"
