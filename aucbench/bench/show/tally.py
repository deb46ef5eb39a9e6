"""What a run counts while it goes on: rows, failures and their reasons, points that were tried."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from shlex import quote
from typing import Any

from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.convergence import Optima
from aucbench.bench.results.record import Record
from aucbench.processes.supervisor import PORTABLE
from aucbench.ranges import DEFAULT_PASSES
from aucbench.records import CellStatus
from aucbench.registry.specs import short


class Tally:
    """Takes records one at a time, in any order, and forgets them."""

    def __init__(self, plan: Plan | None = None) -> None:
        self.optima = Optima()
        self.total = self.failed = 0  # records, and those that are not ok
        self.unpinned = 0  # records of a run for times whose process was not kept to its cores
        self.portable = 0  # those of the portable supervisor
        self.skipped = 0  # those that were not run, and so wrote nothing
        self._order: dict[tuple[str, str, str], int] = {}
        self._first: dict[str, tuple[tuple[Any, ...], str]] = {}  # failure of a solver
        self._tried: set[int] = set()  # numbers of points that cells were tuned by
        if plan is not None:
            solvers = [choice.label for choice in plan.solvers]
            keys = product(plan.datasets, plan.features, solvers)
            self._order = {key: number for number, key in enumerate(keys)}

    def add(self, record: Record) -> None:
        """Take one record."""
        cell = record.cell
        solver = cell.label
        key = (cell.dataset, cell.features, solver)
        place = self._order.setdefault(key, len(self._order))
        self.optima.add(record)
        self.total += 1
        self.portable += record.conditions.supervisor == PORTABLE
        if record.conditions.timing and record.machine and not record.machine.get("pinned"):
            self.unpinned += 1
        if record.tuning is not None:
            self._tried.add(len(record.tuning["table"]))
        if not record.ok:
            self.failed += 1
            self.skipped += record.status.status == CellStatus.SKIPPED
            when = (place, cell.seed, cell.split)
            line = f"{short(solver)} on {short(cell.dataset)}: {record.status.status}: {record.why}"
            self._first[solver] = min((when, line), self._first.get(solver, (when, line)))

    @property
    def tried(self) -> tuple[int, int] | None:
        """Fewest and most points that a cell was tuned by; None before the first such cell."""
        return (min(self._tried), max(self._tried)) if self._tried else None

    def remarks(self, folder: Path | None = None) -> tuple[str, ...]:
        """Return what the run could not promise, and the failures; else nothing."""
        lines: list[str] = []
        if self.unpinned:
            lines.append(
                f"{self.unpinned} of {self.total} timed rows ran on cores that others may use too: "
                "there are fewer cores than threads, or the system does not let a process keep to "
                "some"
            )
        if self.portable:
            lines.append(
                f"{self.portable} of {self.total} rows were run by the portable supervisor, which "
                "looks at memory instead of limiting it, and closes no file to plugins"
            )
        return *lines, *self.failures(folder)

    def failures(self, folder: Path | None = None) -> tuple[str, ...]:
        """Return how many rows have no AUC, and the first reason of each solver; else nothing.

        The last line says how to see what failed fits wrote, which the results folder keeps.
        """
        if not self.failed:
            return ()
        reasons = (f"  {line}" for _, line in sorted(self._first.values()))
        head = f"{self.failed} of {self.total} rows have no AUC; the first of each solver:"
        where = "DIR" if folder is None else quote(str(folder))
        after = " after a run with --out DIR" if folder is None else ""
        more = (f"`aucbench status {where} --cells` lists them{after}, --log CELL has a traceback",)
        return head, *reasons, *(more if self.failed > self.skipped else ())


def protocol(plan: Plan, tried: tuple[int, int] | None = None) -> str:
    """Return the line that says how the numbers of a table came about; `tried` as in `Tally`."""
    limits = ((plan.passes, "passes"), (plan.seconds, "seconds"))
    told = [f"{limit:g} {unit}" for limit, unit in limits if limit is not None]
    budget = " or ".join(told) or f"{DEFAULT_PASSES:g} passes or the solver's own"
    own = ((plan.objective, "objective"), (plan.projector, "projector"), (plan.pairs, "pairs"))
    asked = "".join(f", {kind} {short(spec)}" for spec, kind in own if spec is not None)
    if any(choice.tune for choice in plan.solvers):
        points = f"at most {plan.tune_evals} points"
        if tried is not None:
            points = f"{' to '.join(map(str, sorted({*tried})))} point(s)"
        asked += f", tuned by {points} x {plan.inner_splits} inner splits"
        asked += f" within {plan.tune_seconds:g} s" if plan.tune_seconds is not None else ""
    maps = (short(spec, joined=True) for spec in plan.features)
    seeds = ",".join(map(str, plan.seeds))
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
    words = (
        ("no group divided: {}", how.groups),
        ("training before test: {}", how.time),
        ("weighted by {}", how.weights),
    )
    return ", ".join(parts + [text.format(value) for text, value in words if value is not None])
