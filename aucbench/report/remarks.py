"""The remarks below the tables of a run: how its numbers came about, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from aucbench.bench.cell import Choice, ranks_within_groups
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.ranges import DEFAULT_PASSES
from aucbench.records import CellStatus
from aucbench.registry.specs import short


def remarks_on(plan: Plan, records: Sequence[Record], folder: Path | None = None) -> Iterator[str]:
    """Yield what a run could not promise, and the failures; nothing if there are none.

    The records are in the order of the plan.
    """
    total = len(records)
    if unpinned := sum(map(_is_unpinned, records)):
        yield (
            f"{unpinned} of {total} timed rows ran on cores that others may use too: "
            "there are fewer cores than threads, or the system does not let a process keep to "
            "some"
        )
    if failed := [record for record in records if not record.ok]:
        yield f"{len(failed)} of {total} rows have no AUC; the first of each solver:"
        yield from _first_failures(plan, failed)
        if any(record.status.status != CellStatus.SKIPPED for record in failed):
            where = "DIR" if folder is None else quote(str(folder))
            after = " after a run with --out DIR" if folder is None else ""
            yield (
                f"`aucbench status {where} --cells` lists them{after}, --log CELL has a traceback"
            )


def _is_unpinned(record: Record) -> bool:
    """Whether a row of a run for times has a process that was not kept to its cores."""
    return record.conditions.timing and bool(record.machine) and not record.machine.get("pinned")


def _first_failures(plan: Plan, failed: Iterable[Record]) -> Iterator[str]:
    """Yield the reason of the first failure of each solver, in the order of the plan."""
    first: dict[Choice, Record] = {}
    for record in failed:
        first.setdefault(record.cell.choice, record)

    def place(record: Record) -> tuple[int, ...]:
        cell = record.cell
        axes: tuple[tuple[tuple[Any, ...], Any], ...] = (
            (plan.data, cell.dataset),
            (plan.features, cell.features),
            (plan.solvers, cell.choice),
        )
        return tuple(axis.index(value) for axis, value in axes)

    for record in sorted(first.values(), key=place):
        where = f"{short(record.cell.choice)} on {short(record.cell.dataset)}"
        yield f"  {where}: {record.status.status}: {record.why}"


def format_protocol(plan: Plan, records: Iterable[Record]) -> str:
    """Return the line that says how the numbers of a table came about."""
    limits = ((plan.passes, "passes"), (plan.seconds, "seconds"))
    given = [f"{limit:g} {unit}" for limit, unit in limits if limit is not None]
    budget = " or ".join(given) or f"{DEFAULT_PASSES:g} passes or the solver's own"
    named = ((plan.objective, "objective"), (plan.projector, "projector"), (plan.pairs, "pairs"))
    asked = "".join(f", {kind} {short(spec)}" for spec, kind in named if spec is not None)
    if any(choice.tune for choice in plan.solvers):
        points = f"at most {plan.tune_evals} points"
        if tried := {len(one.tuning["table"]) for one in records if one.tuning is not None}:
            points = f"{' to '.join(map(str, sorted({min(tried), max(tried)})))} point(s)"
        asked += f", tuned by {points} x {plan.inner_splits} inner splits"
        asked += f" within {plan.tune_seconds:g} s" if plan.tune_seconds is not None else ""
    maps = map(short, plan.features)
    seeds = ",".join(map(str, plan.seed))
    return (
        f"{_division(plan)}, {','.join(maps)}{asked}, {budget}, gap {plan.gap_tol:g}, seed {seeds}"
    )


def _division(plan: Plan) -> str:
    how = plan.reading
    if how.test is not None:
        parts = [f"tested on {how.test}"]
    elif plan.holdout is not None:
        parts = [f"{plan.holdout:g} of the rows held out x {plan.repeats} repeat(s)"]
    else:
        parts = [f"{plan.split_count} splits x {plan.repeats} repeat(s)"]
    known = how.test is not None and ranks_within_groups(plan.pairs)
    words = (
        ("ranked within known groups: {}" if known else "no group divided: {}", how.groups),
        ("training before test: {}", how.time),
        ("weighted by {}", how.weights),
    )
    return ", ".join(parts + [text.format(value) for text, value in words if value is not None])
