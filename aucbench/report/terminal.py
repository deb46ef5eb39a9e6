"""What `compare` and `run` print: a table for each data set, and the answer in words.

A table has one line for each solver, and a column only when it says something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from textwrap import TextWrapper

import numpy as np

from aucbench.errors import shown
from aucbench.pairs.range import COLLAPSED
from aucbench.report.document import NOTHING, Grid
from aucbench.report.findings import Findings, Means
from aucbench.report.frame import Array, Frame
from aucbench.report.within import DatasetFindings, SolverFindings, describe_sizes
from aucbench.stats.words import Interval

LEADING = "*"
SOLVER, END, FOLDER = "solver", "end", "folder"
WORDS = ("", SOLVER, END, FOLDER)  # columns that hold no numbers
SHOWN_CHOICES = 2  # points of a tuned solver that are named


def tables(findings: Findings, others: Sequence[Means] = ()) -> list[Grid]:
    """Return one table for each data set, with a column for each further measure."""
    columns = _columns(findings, others)
    texts = [[[c.text(row) for c in columns] for row in one.rows] for one in findings.datasets]
    lines = [line for some in texts for line in some]
    told = [j for j, c in enumerate(columns) if any(line[j] not in c.idle for line in lines)]
    header = tuple(columns[j].name for j in told)
    right = [j for j, name in enumerate(header) if name not in WORDS]
    return [
        Grid(
            header,
            tuple(tuple(line[j] for j in told) for line in some),
            right,
            title=_title(findings, one),
            facts=tuple(findings.frame.understood(one.dataset).lines()),
            best=_best(one.rows),
            names=header.index(SOLVER),
        )
        for one, some in zip(findings.datasets, texts, strict=True)
    ]


def _best(rows: Sequence[SolverFindings]) -> tuple[bool, ...]:
    first = min((row.rank for row in rows if not isnan(row.rank)), default=None)
    return tuple(row.rank == first for row in rows)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: its text for a row, and the texts that say nothing when all rows have them."""

    name: str
    text: Callable[[SolverFindings], str]
    idle: tuple[str, ...] = ()


def _columns(findings: Findings, others: Sequence[Means]) -> list[_Column]:
    frame = findings.frame
    level = f"{100 * findings.settings.level:g} % interval"

    def nonzeros(row: SolverFindings) -> str:
        return _number(frame.means("nnz")[row.dataset, row.solver], ".1f").removesuffix(".0")

    def median(name: str) -> Callable[[SolverFindings], str]:
        table = frame.medians(name)
        return lambda row: _number(table[row.dataset, row.solver], ".3g")

    def estimate(row: SolverFindings) -> str:
        text = _number(row.estimate, ".4f")
        return f"({text})" if row.is_partial and text != NOTHING else text

    def folders(row: SolverFindings) -> str:
        return frame.source.folders[row.solver] if frame.source.folders else ""

    def mean_of(other: Means) -> Callable[[SolverFindings], str]:
        return lambda row: _number(other.values.get((row.dataset, row.solver), nan), ".4f")

    return [
        _Column("", lambda row: LEADING if row.leading else ""),
        _Column(SOLVER, lambda row: frame.solvers[row.solver]),
        _Column(findings.measure, estimate),
        _Column(level, lambda row: _interval(findings.interval(row)), (NOTHING,)),
        *(_Column(other.measure, mean_of(other)) for other in others),
        _Column("rank", lambda row: _number(row.rank, "g")),
        _Column("fit s", median("seconds"), (NOTHING,)),
        _Column("spread s", median("spread"), (NOTHING,)),
        _Column("non-zeros", nonzeros, (NOTHING,)),
        _Column("ok", lambda row: f"{row.ok}/{row.planned}"),
        _Column(END, lambda row: str(findings.ends[row.dataset, row.solver]), ("",)),
        _Column(FOLDER, folders, ("",)),
    ]


def _number(value: float, form: str) -> str:
    return NOTHING if isnan(value) else format(value, form)


def _interval(interval: Interval | None) -> str:
    if interval is None or isnan(interval.low):
        return NOTHING
    return f"{interval.low:.3f}–{interval.high:.3f}"


def _title(findings: Findings, one: DatasetFindings) -> str:
    """Return the name of a data set with its sizes; "interim" stands at it until the run ends."""
    name, facts = findings.frame.datasets[one.dataset], describe_sizes(findings.frame, one)
    name = f"{name} (interim)" if findings.state else name
    return f"{name}: {facts}" if facts else name


def notes(findings: Findings, *, by_set: bool = True) -> Iterator[str]:
    """Yield the lines below the tables: what the marks mean, and which points were chosen.

    `by_set` says whether the tables of the data sets are there.
    """
    rows, frame = findings.rows, findings.frame
    methods = Counter(
        x.method for row in rows if (x := findings.interval(row)) and not isnan(x.low)
    )
    if by_set and any(row.leading for row in rows):
        yield f"{LEADING} may be the best of its data set: none of the others is shown to be better"
    if by_set and any(row.is_partial for row in rows):
        yield "(…) is over fewer splits: the solver has no value on the others"
    if findings.smaller:
        yield f"a smaller {findings.measure} is better"
    if by_set and methods:
        yield f"intervals: {', '.join(method for method, _ in methods.most_common())}"
    if by_set and findings.row_test:
        known = [row.within.delong for row in rows if row.within is not None]
        reasons = dict.fromkeys(one.note for one in known if isnan(one.low) and one.note)
        yield from (f"no interval over test rows: {reason}" for reason in reasons)
    if findings.grouped:
        yield findings.grouped
    yield from pair_notes(frame)
    if frame.source.external is not None:
        yield from frame.source.external.remarks
    yield from findings.end_notes
    for row in rows:
        if chosen := chosen_of(frame, row):
            solver, dataset = frame.solvers[row.solver], frame.datasets[row.dataset]
            yield f"{solver} on {dataset} chose {chosen}"


def chosen_of(frame: Frame, row: SolverFindings) -> str:
    """Return the points that a tuned solver chose most often; empty if it was not tuned."""
    points = Counter(
        ",".join(f"{name}={value}" for name, value in chosen.items()) or "its defaults"
        for chosen in frame.facts["chosen"][frame.rows(row.dataset, row.solver, frame.ok)]
        if chosen is not None
    )
    some = points.most_common(SHOWN_CHOICES)
    rest = f", and {len(points) - len(some)} other point(s)" if len(points) > len(some) else ""
    return ", ".join(f"{point} ({n}x)" for point, n in some) + rest


def folder_lines(frame: Frame) -> Iterator[str]:
    """Yield which solvers come from which folder, where several were read."""
    for folders in dict.fromkeys(frame.source.folders):
        solvers = (
            name
            for name, own in zip(frame.solvers, frame.source.folders, strict=True)
            if own == folders
        )
        yield f"from {folders}: {', '.join(solvers)}"


def answer(findings: Findings, width: int = 80) -> str:
    """Return the recommendation, a line for each sentence or more."""
    form = TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False)  # names stay whole
    lines = map(form.wrap, sentences(findings))
    return "\n".join(line for some in lines for line in some)


def sentences(findings: Findings) -> list[str]:
    """Return the recommendation, and what to know about it."""
    said = (findings.state, *findings.advice.sentences, findings.times, findings.left_out)
    said += (findings.untold,)
    return [shown(sentence) for sentence in said if sentence]


def pair_notes(frame: Frame) -> Iterator[str]:
    """Yield what is left out of training, what cannot help, and which fits are at w = 0."""
    several = len(frame.datasets) > 1
    one = "grade" if str(frame.source.common.get("pairs")).startswith("grade") else "class"
    for number, name in enumerate(frame.datasets):
        fits = frame.ok & (frame.dataset == number)
        groups, left, constant = (
            frame.numbers[column][fits] for column in ("groups", "left_out", "constant")
        )
        of = f"{name}: " if several else ""
        yield from (
            f"{of}{line}" for line in (*_left_out(groups, left, one), *_constant(groups, constant))
        )
        collapsed = frame.solver[fits & (frame.numbers["collapsed"] > 0)]
        yield from (f"{of}{frame.solvers[solver]}: {COLLAPSED}" for solver in np.unique(collapsed))


def _left_out(groups: Array, left_out: Array, one: str) -> Iterator[str]:
    known = ~np.isnan(left_out)
    if left_out[known].any():
        left, total = _span(left_out[known]), _span((left_out + groups)[known])
        yield f"training rows: {left} of {total} groups hold one {one} and are left out"


def _constant(groups: Array, constant: Array) -> Iterator[str]:
    counts = constant[(constant > 0) & ~np.isnan(groups)]
    if counts.size:
        yield f"{_span(counts)} feature(s) have one value in each group, and cannot help inside one"


def _span(values: Iterable[float]) -> str:
    numbers = sorted({int(value) for value in values})
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
