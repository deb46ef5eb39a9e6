"""How fits ended: in a few words for the row of a table, and in notes below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from aucbench.bench.results.convergence import BUDGET, Convergence, Descent
from aucbench.ranges import ENOUGH, OVERSPENT
from aucbench.records import Stop
from aucbench.report.frame import Frame

MOST_NAMED = 3  # data sets that a note names


@dataclass(frozen=True, slots=True)
class Ends:
    """How the fits of one row of a table ended."""

    ok: int  # number of fits
    by_budget: int  # how many of them the budget ended
    # Certified gaps of those that stalled; infinity where nothing is certified.
    stalled: tuple[float, ...] = ()
    # Of each fit that has not converged: its gap by f(0) − f*, None where it is not known.
    unconverged: tuple[float | None, ...] = ()
    # Of each fit that used more than its budget: how many times the budget it used.
    overspent: tuple[float, ...] = ()
    # Of each fit whose certificate another fit disproves: who does, and both numbers.
    disproved: tuple[str, ...] = ()
    other_pairs: str = ""  # that the fits trained on, where they are not those asked for

    @property
    def main(self) -> str:
        """The most serious end of the fits, in a word or two."""
        if self.disproved:
            return "disproved"
        if self.unconverged:
            return "not converged"
        return "stalled" if self.stalled else "budget" if self.by_budget else ""

    def __str__(self) -> str:
        """Return the most serious end, and whether any fit is over its budget or on other pairs."""
        words = [self.main, *(["other pairs"] if self.other_pairs else [])]
        if self.overspent:
            words[:1] = ["over budget"] if self.main == "budget" else [self.main, "over budget"]
        return ", ".join(filter(None, words))


def ends_of(frame: Frame, dataset: int, solver: int) -> Ends:
    """Return how the ok fits of a solver on a data set ended."""
    rows = frame.rows(dataset, solver, frame.ok)
    descents: list[Descent] = frame.facts["descent"][rows].tolist()
    stalled = [one for one in descents if one.stop == Stop.STALLED.name]
    judged: list[Convergence] = [
        frame.optima.judge(one)
        for one in descents
        if one.start is not None or one.stop == Stop.STALLED.name
    ]
    overspent = frame.numbers["overspent"][rows]
    return Ends(
        rows.size,
        sum(one.stop in BUDGET for one in descents),
        tuple(inf if one.gap is None else one.gap for one in stalled),
        tuple(one.relative_gap for one in judged if one.converged is False),
        tuple(overspent[~np.isnan(overspent)].tolist()),
        tuple(one.disproved for one in judged if one.disproved),
        next(filter(None, frame.facts["pairs"][rows]), ""),
    )


Row = tuple[str, str, Ends]  # solver, data set, and how its fits ended


def end_notes(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the lines below a table: what its words mean, and which fits have not converged."""
    notes = []
    if any(ends.main == "budget" for *_, ends in rows):
        notes.append("budget: fits used up their budget before the method ended")
    others = dict.fromkeys((ends.other_pairs, solver) for solver, _, ends in rows)
    for pairs in dict.fromkeys(pairs for pairs, _ in others if pairs):
        whose = ", ".join(solver for one, solver in others if one == pairs)
        notes.append(f"other pairs: trained on {pairs}, in place of those that count: {whose}")
    for field, heading, describe in NOTES:
        listed = [row for row in rows if getattr(row[2], field)]
        if listed:
            notes += [heading, *_lines(listed, field, describe)]
    return tuple(notes)


def _lines(
    rows: Sequence[Row], field: str, describe: Callable[[Sequence[Any]], str]
) -> Iterator[str]:
    for solver in dict.fromkeys(solver for solver, *_ in rows):
        own = [row for row in rows if row[0] == solver]
        names = [*dict.fromkeys(dataset for _, dataset, _ in own)]
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        values = [value for *_, ends in own for value in getattr(ends, field)]
        count = f"{len(values)} of {sum(ends.ok for *_, ends in own)} fits"
        facts = ", ".join(filter(None, (count, describe(values))))
        yield f"  {solver} on {', '.join(names[:MOST_NAMED])}{more}: {facts}"


def _describe_gaps(gaps: Sequence[float]) -> str:
    worst = max(gaps)
    return f"gap up to {worst:.2g}" if worst < inf else "nothing certified"


def _describe_relative_gaps(gaps: Sequence[float | None]) -> str:
    """Return the largest gap that is known; empty if none is."""
    known = [gap for gap in gaps if gap is not None]
    return f"gap up to {100 * max(known):.3g} %" if known else ""


NOTES: tuple[tuple[str, str, Callable[[Sequence[Any]], str]], ...] = (
    # The field of `Ends`, the heading of its lines, and what describes the values.
    (
        "disproved",
        "disproved: not certified, since another fit disproves the certificate:",
        lambda sentences: str(sentences[0]),
    ),
    ("stalled", "stalled: above the gap tolerance:", _describe_gaps),
    (
        "unconverged",
        f"not converged: gap > {100 * ENOUGH:g} % of f(0) − f*:",
        _describe_relative_gaps,
    ),
    (
        "overspent",
        f"over budget: used more than {OVERSPENT:g} times the budget:",
        lambda times: f"up to {max(times):.3g}x",
    ),
)
