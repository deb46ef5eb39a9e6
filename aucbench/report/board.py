"""All solvers over all data sets as one table of text: the leaderboard of the page."""

from __future__ import annotations

from aucbench.report.document import Grid
from aucbench.report.findings import Findings
from aucbench.report.page import page_of
from aucbench.report.terminal import LEADING, SOLVER
from aucbench.stats.telling import counted


def board(findings: Findings) -> Grid:
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
    header = ("", SOLVER, *page.columns)
    count = len(findings.evidence.finished)
    return Grid(
        header,
        tuple(lines),
        range(2, len(header)),
        title=f"{counted(count)}; {LEADING} may be the best on a typical one",
        names=1,
    )
