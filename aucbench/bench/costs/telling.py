"""An estimate as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aucbench.bench.costs.estimate import LEVEL, Cost, Estimate, Span
from aucbench.bench.text import aligned, lasting
from aucbench.registry.specs import short

CROWDED = 1.2  # times as long as alone, from which on it is said
HEAD = ("cells", "time", f"within {LEVEL:g}", "share", "longest cell", "on")


def between(span: Span) -> str:
    """Return the ends of an interval."""
    return f"{lasting(span.low)} to {lasting(span.high)}"


def short_of(estimate: Estimate) -> str:
    """Return the whole in one line, as it is known after some of the pilots."""
    total = estimate.total
    pilots = f"{estimate.pilots} pilots in {lasting(estimate.pilot_seconds)}"
    return f"{pilots}: {lasting(total.middle)} on one core, {between(total)}"


def told(estimate: Estimate, most: int) -> Iterator[str]:
    """Yield the lines of an estimate, with at most so many solvers and data sets."""
    there = estimate.cells - estimate.left
    yield (
        f"{estimate.left} of {estimate.cells} cells are left, {there} have a result or cannot be "
        f"run; {estimate.pilots} pilots took {lasting(estimate.pilot_seconds)}"
    )
    if not estimate.left:
        return
    total = estimate.total
    yield (
        f"{lasting(total.middle)} on one core, {between(total)} with probability {LEVEL:g}; "
        "by cores:"
    )
    rows = [(str(n), lasting(s.middle), between(s)) for n, s in estimate.wall.items()]
    yield from _indented(rows, right=(0, 1))
    yield from _notes(estimate)
    yield ""
    yield from _table("solver", estimate.solvers, total.middle, most)
    yield ""
    yield from _table("data set", estimate.datasets, total.middle, most, estimate)


def _notes(estimate: Estimate) -> Iterator[str]:
    unknown = [_name(cost) for cost in estimate.solvers if cost.cells and not cost.pilots]
    if unknown:
        names = ", ".join(unknown)
        yield f"guessed from the others, since none of its pilots has ended: {names}"
    if estimate.slow > CROWDED:
        alone = lasting(estimate.total.middle / estimate.slow)
        yield (
            f"other programs ran too, and cells took {estimate.slow:.1f} times as long as they "
            f"would alone; if that ends, it is {alone} on one core"
        )
    if estimate.late:
        yield f"{estimate.late} cells are expected to reach their limit of time, and end there"


def _table(
    kind: str, costs: Sequence[Cost], whole: float, most: int, estimate: Estimate | None = None
) -> Iterator[str]:
    """Yield the lines of a table; that of data sets has their sizes, which an estimate knows."""
    sizes = () if estimate is None else ("rows x features",)
    rows = [(kind, *sizes, *HEAD)]
    for cost in costs[:most]:
        size = () if estimate is None else (_size(*estimate.sizes[cost.name]),)
        span = cost.seconds
        share = f"{span.middle / whole:.1%}" if whole else ""
        times = (lasting(span.middle), between(span), share, lasting(cost.longest))
        rows.append((_name(cost), *size, str(cost.cells), *times, short(cost.on)))
    right = range(1, len(rows[0]) - 1)
    yield from aligned(rows, right=right).split("\n")
    if len(costs) > most:
        rest = sum(cost.seconds.middle for cost in costs[most:])
        yield f"... and {len(costs) - most} more, {lasting(rest)} together; pipe them to see all"


def _name(cost: Cost) -> str:
    return short(cost.name)


def _size(rows: int, features: int) -> str:
    return f"{rows} x {features}"


def _indented(rows: Sequence[Sequence[str]], right: Sequence[int]) -> Iterator[str]:
    return (f"  {line}" for line in aligned(rows, right=right).split("\n"))
