"""The tables of text, one for each data set and of several one over all; and what results show.

Results show themselves as text, and in a notebook as the answer and tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucbench.data.showing import folded, heading, paragraphs
from aucbench.report import terminal
from aucbench.report.document import Grid, fragment, text
from aucbench.report.findings import Findings, Means
from aucbench.report.leaderboard import leaderboard
from aucbench.report.terminal import tables

MOST_SETS, MOST_LINES = 10, 60  # data sets in HTML, lines of text


def grids(findings: Findings, others: Sequence[Means] = ()) -> list[Grid]:
    """Return the tables of the data sets, and of several finished ones that over all at the end."""
    frame = findings.frame
    several = len(frame.finished) > 1 and len(frame.solvers) > 1
    return [*tables(findings, others), *([leaderboard(findings)] if several else [])]


def as_text(findings: Findings, others: Sequence[Means]) -> str:
    """Return the tables and the answer, as the command prints them, up to some lines."""
    lines = text(grids(findings, others)).splitlines()
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES} more lines: print(.table())"]
    return "\n".join([*lines, "", *terminal.answer(findings).splitlines()])


def as_html(findings: Findings, others: Sequence[Means]) -> str:
    """Return the answer, and a table for each data set."""
    first, *further = terminal.sentences(findings) or ["There is nothing to say yet."]
    tables = grids(findings, others)
    count = len(findings.datasets)
    over_all, shown = tables[count:], tables[: min(count, MOST_SETS)]
    parts = [f"<br/>{fragment([one])}" for one in (*over_all, *shown)]
    left = count - len(shown)
    more = paragraphs([f"{left} more data sets: print(.table())"] if left else [])
    notes = folded("Notes", paragraphs(terminal.notes(findings)))
    return "".join([heading(first), paragraphs(further), *parts, more, notes])
