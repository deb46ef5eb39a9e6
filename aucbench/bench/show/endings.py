"""How fits ended: a mark for the row of a table, and notes below it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from aucbench.bench.results.convergence import Convergence, Descent
from aucbench.ranges import ENOUGH, OVERSPENT
from aucbench.records import Stop

BUDGET_MARK, STALLED_MARK, OPEN_MARK, OVER_MARK, FALSE_MARK = "b", "s", "N", "o", "x"
PAIRS_MARK = "p"
NAMED = 3  # data sets that a note names


@dataclass(frozen=True, slots=True)
class Ends:
    """How the fits of one row of a table ended."""

    ok: int  # number of fits
    by_budget: int  # how many of them the budget ended
    # Certified gaps of those that stalled; infinity where nothing is certified.
    stalled: tuple[float, ...]
    # Of each fit that has not converged: its gap by f(0) − f*, None where it is not known.
    unconverged: tuple[float | None, ...]
    # Of each fit that used more than its budget: how many times the budget it used.
    overspent: tuple[float, ...] = ()
    # Of each fit whose certificate another fit disproves: who does, and both numbers.
    disproved: tuple[str, ...] = ()
    other_pairs: str = ""  # that the fits trained on, where they are not those asked for

    @staticmethod
    def of(
        ok: int,
        by_budget: int,
        judged: Iterable[tuple[Descent, Convergence]],
        overspent: Iterable[float] = (),
    ) -> Ends:
        """Return how fits ended; `judged` has those of which something can be said."""
        known = [*judged]
        gaps = [d.gap for d, _ in known if d.stop == Stop.STALLED.name]
        stalled = tuple(inf if gap is None else gap for gap in gaps)
        unconverged = tuple(c.relative_gap for _, c in known if c.converged is False)
        disproved = tuple(c.disproved for _, c in known if c.disproved)
        return Ends(ok, by_budget, stalled, unconverged, tuple(overspent), disproved)

    @property
    def mark(self) -> str:
        """Mark in a table: the most serious end of the fits, any overspent, or on other pairs."""
        over = OVER_MARK if self.overspent else ""
        return self.end + over + (PAIRS_MARK if self.other_pairs else "")

    @property
    def end(self) -> str:
        """Mark of the most serious end of the fits."""
        if self.disproved:
            return FALSE_MARK
        if self.unconverged:
            return OPEN_MARK
        return STALLED_MARK if self.stalled else BUDGET_MARK if self.by_budget else ""


Row = tuple[str, str, Ends]  # solver, data set, and how its fits ended


def end_notes(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the lines below a table: what its marks mean, and which fits have not converged."""
    notes = []
    if any(ends.end == BUDGET_MARK for *_, ends in rows):
        notes.append(f"{BUDGET_MARK}: fits used up their budget before the method ended")
    others = dict.fromkeys((ends.other_pairs, solver) for solver, _, ends in rows)
    for pairs in dict.fromkeys(pairs for pairs, _ in others if pairs):
        whose = ", ".join(solver for one, solver in others if one == pairs)
        notes.append(f"{PAIRS_MARK}: trained on {pairs}, in place of those that count: {whose}")
    for field, head, said in NOTES:
        own = [row for row in rows if getattr(row[2], field)]
        if own:
            notes += [head, *_lines(own, field, said)]
    return tuple(notes)


def _lines(rows: Sequence[Row], field: str, said: Callable[[Sequence[Any]], str]) -> Iterator[str]:
    for solver in dict.fromkeys(solver for solver, *_ in rows):
        own = [row for row in rows if row[0] == solver]
        names = [*dict.fromkeys(dataset for _, dataset, _ in own)]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        values = [value for *_, ends in own for value in getattr(ends, field)]
        count = f"{len(values)} of {sum(ends.ok for *_, ends in own)} fits"
        parts = (count, said(values))
        yield f"  {solver} on {', '.join(names[:NAMED])}{more}: {', '.join(filter(None, parts))}"


def _gaps(gaps: Sequence[float | None]) -> str:
    worst = max(gap for gap in gaps if gap is not None)
    return f"gap up to {worst:.2g}" if worst < inf else "nothing certified"


def _times(times: Sequence[float | None]) -> str:
    return f"up to {max(filter(None, times)):.3g}x"


def _relative_gaps(gaps: Sequence[float | None]) -> str:
    """Return the largest gap that is known; empty if none is."""
    known = [gap for gap in gaps if gap is not None]
    return f"gap up to {100 * max(known):.3g} %" if known else ""


NOTES = (  # the field of `Ends`, the head of its lines, and what they say of the values
    (
        "disproved",
        f"{FALSE_MARK}: not certified, since another fit disproves the certificate:",
        lambda told: str(told[0]),
    ),
    ("stalled", f"{STALLED_MARK}: stalled above the gap tolerance:", _gaps),
    (
        "unconverged",
        f"{OPEN_MARK}: not converged, gap > {100 * ENOUGH:g} % of f(0) − f*:",
        _relative_gaps,
    ),
    ("overspent", f"{OVER_MARK}: used more than {OVERSPENT:g} times the budget:", _times),
)
