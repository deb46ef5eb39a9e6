"""What a report says in words: the answer, and the notes below its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import isnan
from textwrap import TextWrapper

import numpy as np

from aucbench.errors import shown
from aucbench.pairs.range import COLLAPSED
from aucbench.report.findings import Findings
from aucbench.report.frame import Array, Frame
from aucbench.report.tables import LEADING
from aucbench.report.within import SolverFindings

SHOWN_CHOICES = 2  # points of a tuned solver that are named


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
    said += (findings.not_compared, *findings.missing)
    return [shown(sentence) for sentence in said if sentence]


def pair_notes(frame: Frame) -> Iterator[str]:
    """Yield what is left out of training, what cannot help, and which fits are at w = 0."""
    if frame.source.external is not None:
        return  # nobody saw how the methods were trained
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
