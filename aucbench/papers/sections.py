"""A reproduction as a section: text, tables and charts, which every output shows alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isnan

from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Protocol, Scale
from aucbench.papers.results import MEASURES, Results
from aucbench.papers.verdict import Agreement, Compared, compared
from aucbench.report.sections import Chart, Section, Table

HEADER = ("row", "column", "ours (runs)", "published", "difference, 95 %", "in sd", "verdict")
PLURALS = {Agreement.AGREES: "agree"}
RUN_IN = {Scale.QUICK: "a quick run, smaller than that of the paper", Scale.FULL: "a full run"}


def section_of(experiment: Experiment, results: Results) -> Section:
    """Return a table or a figure of a paper: ours beside theirs, drawings, claims and notes."""
    numbers = [compared(entry, results) for entry in experiment.entries]
    clean = experiment.protocol is Protocol.CLEAN
    protocol = "" if clean else ", with the protocol of the published code"
    parts: list[str | Table | Chart] = [
        f"This is {RUN_IN[experiment.scale]}{protocol}.",
        *_missing(experiment, results),
        *_tables(numbers),
        *experiment.shown(results),
        *map(str, experiment.claims(results)),
        *_failed(results),
        *experiment.notes,
    ]
    return Section(f"{experiment.paper}, {experiment.place}: {experiment.title}", parts)


def _missing(experiment: Experiment, results: Results) -> Iterator[str]:
    """Say how much was not run, and how much failed."""
    cells = [cell for plan in experiment.plans for cell in plan.cells()]
    absent = sum(cell not in results.records for cell in cells)
    failed = sum(not results.records[cell].ok for cell in cells if cell in results.records)
    if absent:
        yield f"{absent} of {len(cells)} cells were not run; the numbers are those of the others."
    if failed:
        yield f"{failed} of {len(cells)} cells failed; `aucbench status DIR --cells` lists them."
    names = [one.name for one in experiment.measurements]
    if absent := sum(name not in results.measured for name in names):
        yield f"{absent} of {len(names)} measurements were not run."


def _failed(results: Results) -> Iterator[str]:
    """Yield a sentence about the measurements without a result, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for name, why in results.failures.items():
        by_reason.setdefault(why, []).append(name)
    if by_reason:
        told = [f"{'; '.join(names)} ({why})" for why, names in by_reason.items()]
        yield f"No result: {', '.join(told)}."


def _tables(numbers: Sequence[Compared]) -> Iterator[str | Table]:
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
        yield Table(HEADER, rows)


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


def spread(mean: float, sd: float | None, digits: int = 4) -> str:
    """Return "0.8275 ± 0.0302"; so many decimals of what is at most 1, else significant digits."""
    if isnan(mean):
        return "–"
    form = f".{digits}{'f' if abs(mean) <= 1 else 'g'}"
    return f"{mean:{form}}" if sd is None or isnan(sd) else f"{mean:{form}} ± {sd:{form}}"


def _signed(value: float, digits: int) -> str:
    return "–" if isnan(value) else f"{value:+.{digits}f}"
