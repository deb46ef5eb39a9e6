"""How fits ended: in a few words for the row of a table, and in notes below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from aucbench.bench.results.convergence import BUDGET
from aucbench.ranges import ENOUGH, OVERSPENT
from aucbench.records import Stop
from aucbench.report.frame import Frame

MOST_NAMED = 3  # data sets that a note names
# How a fit may end, the most serious one first, and what a note says of it.
DISPROVED, UNCONVERGED, STALLED, BY_BUDGET = "disproved", "not converged", "stalled", "budget"
OVERSPENDING, OTHER_PAIRS = "over budget", "other pairs"
HEADINGS = {
    DISPROVED: "not certified, since another fit disproves the certificate",
    STALLED: "above the gap tolerance",
    UNCONVERGED: f"gap > {100 * ENOUGH:g} % of f(0) − f*",
    OVERSPENDING: f"used more than {OVERSPENT:g} times the budget",
}


@dataclass(frozen=True, slots=True)
class Ends:
    """How the fits of one row of a table ended.

    Attributes
    ----------
    ok : int
        Number of fits.
    values : mapping of str to sequence
        By the word for an end, a value of each fit that ended so: the sentence that disproves its
        certificate; its relative gap, None if it is not known; its certified gap, infinity if
        nothing is certified; how many times the budget it used.
    other_pairs : str
        The pairs that the fits trained on, if they are not those asked for.
    """

    ok: int
    values: Mapping[str, Sequence[Any]]
    other_pairs: str = ""

    def __str__(self) -> str:
        """Return the most serious end, and whether any fit is over its budget or on other pairs."""
        order = (DISPROVED, UNCONVERGED, STALLED, BY_BUDGET)
        main = next((word for word in order if self.values[word]), "")
        over = OVERSPENDING if self.values[OVERSPENDING] else ""
        main = "" if over and main == BY_BUDGET else main
        return ", ".join(filter(None, (main, over, OTHER_PAIRS if self.other_pairs else "")))


def ends_of(frame: Frame, dataset: int, solver: int) -> Ends:
    """Return how the ok fits of a solver on a data set ended."""
    rows = frame.rows(dataset, solver, frame.ok)
    descents = frame.facts["descent"][rows].tolist()
    judged = [frame.optima.judge(descent) for descent in descents]
    gaps = [one.gap for one in descents if one.stop == Stop.STALLED.name]
    overspent = frame.numbers["overspent"][rows]
    values = {
        DISPROVED: [one.disproved for one in judged if one.disproved],
        UNCONVERGED: [one.relative_gap for one in judged if one.converged is False],
        STALLED: [inf if gap is None else gap for gap in gaps],
        BY_BUDGET: [one.stop for one in descents if one.stop in BUDGET],
        OVERSPENDING: overspent[~np.isnan(overspent)].tolist(),
    }
    return Ends(rows.size, values, next(filter(None, frame.facts["pairs"][rows]), ""))


Row = tuple[str, str, Ends]  # solver, data set, and how its fits ended


def end_notes(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the lines below a table: what its words mean, and which fits have not converged."""
    notes = []
    if any(str(ends).startswith(BY_BUDGET) for *_, ends in rows):
        notes.append(f"{BY_BUDGET}: fits used up their budget before the method ended")
    solvers: dict[str, dict[str, None]] = {}
    for solver, _, ends in rows:
        solvers.setdefault(ends.other_pairs, {})[solver] = None
    for pairs in filter(None, solvers):
        names = ", ".join(solvers[pairs])
        notes.append(f"{OTHER_PAIRS}: trained on {pairs}, in place of those that count: {names}")
    for word, heading in HEADINGS.items():
        if listed := [row for row in rows if row[2].values[word]]:
            notes += [f"{word}: {heading}:", *_lines(listed, word)]
    return tuple(notes)


def _lines(rows: Sequence[Row], word: str) -> Iterator[str]:
    for solver in dict.fromkeys(solver for solver, *_ in rows):
        own = [row for row in rows if row[0] == solver]
        names = [*dict.fromkeys(dataset for _, dataset, _ in own)]
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        values = [value for *_, ends in own for value in ends.values[word]]
        count = f"{len(values)} of {sum(ends.ok for *_, ends in own)} fits"
        facts = ", ".join(filter(None, (count, DESCRIBE[word](values))))
        yield f"  {solver} on {', '.join(names[:MOST_NAMED])}{more}: {facts}"


def _describe_gaps(gaps: Sequence[float]) -> str:
    return f"gap up to {max(gaps):.2g}" if max(gaps) < inf else "nothing certified"


def _describe_relative_gaps(gaps: Sequence[float | None]) -> str:
    known = [gap for gap in gaps if gap is not None]
    return f"gap up to {100 * max(known):.3g} %" if known else ""


DESCRIBE: Mapping[str, Callable[[Sequence[Any]], str]] = {
    DISPROVED: lambda sentences: str(sentences[0]),
    STALLED: _describe_gaps,
    UNCONVERGED: _describe_relative_gaps,
    OVERSPENDING: lambda times: f"up to {max(times):.3g}x",
}
