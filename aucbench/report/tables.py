"""The tables of text: one for each data set, and of several one over all, that of the page."""

from __future__ import annotations

from collections.abc import Sequence

from aucbench.report.document import Grid
from aucbench.report.findings import Findings, Means
from aucbench.report.page import page_of
from aucbench.report.terminal import LEADING, SOLVER, tables
from aucbench.stats.telling import counted


def grids(findings: Findings, others: Sequence[Means] = ()) -> list[Grid]:
    """Return the tables of the data sets, and of several finished ones that over all at the end."""
    evidence = findings.evidence
    several = len(evidence.finished) > 1 and len(evidence.solvers) > 1
    return [*tables(findings, others), *([across(findings)] if several else [])]


def across(findings: Findings) -> Grid:
    """Return a line for each solver, the recommended one first, with the columns of the page."""
    page = page_of(findings, folder="")
    names = findings.evidence.solvers
    lines = [
        (
            LEADING if number in findings.leading else "",
            names[number],
            *(entry.text for entry in page.entries(number)),
        )
        for number in findings.order
    ]
    header = ("", SOLVER, *(column.name for column in page.columns))
    count = counted(len(findings.evidence.finished))
    some = f"{count} (interim)" if findings.evidence.pending else count
    return Grid(
        header,
        tuple(lines),
        [number for number, column in enumerate(page.columns, 2) if column.number],
        title=f"{some}; {LEADING} may be the best on a typical one",
        names=1,
    )
