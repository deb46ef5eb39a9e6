"""What the pages of a board show; the sentences stand in `html/board.html` and beside it.

Digits and words are those of `aucbench.report.page`, whose columns and entries these tables have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isnan
from typing import Any, NamedTuple

from aucbench.bench.results.origins import Origin
from aucbench.bench.show.endings import end_notes
from aucbench.bench.text import shown
from aucbench.report.fits import Fit
from aucbench.report.inside import Row
from aucbench.report.page import Column, Entry, Line, Page
from aucbench.report.site.entrants import Entrant, counted, fits_of, machine_of, software_of
from aucbench.report.site.provenance import Provenance
from aucbench.report.site.publishing import Publishing
from aucbench.report.site.tasks import KINDS, ROWS, SHARES, Task
from aucbench.report.terminal import chosen_of, sentences

RANK, CHOSE, FROM, VERIFIED = "rank", "chose", "from", "verified"
FILTERS = (("rows", ROWS), ("share", SHARES), ("kind", tuple((kind, kind) for kind in KINDS)))
LONGEST = 500  # characters of a reason


class Option(NamedTuple):
    """A choice of a filter."""

    value: int
    text: str
    tasks: int  # that have it


class Failed(NamedTuple):
    """Cells that failed for one reason."""

    number: int  # of their solver, or of their task
    status: str
    cells: int
    why: str


class TaskLine(NamedTuple):
    """A line of a solver's table: one of its tasks."""

    task: Task
    entries: list[Entry]


@dataclass(frozen=True)
class Board:
    """A board: what all its pages show."""

    page: Page
    published: Publishing
    tasks: tuple[Task, ...]
    entrants: tuple[Entrant, ...]
    provenance: Provenance
    date: str

    @property
    def title(self) -> str:
        """Of the board."""
        return self.published.title or self.page.folder

    @property
    def answer(self) -> list[str]:
        """The verdict in words, as the command `report` says it."""
        return sentences(self.page.findings)

    @property
    def numbers(self) -> list[str]:
        """The name of the measure and of the columns that a filter computes anew."""
        return [column.name for column in self.page.columns]

    @cached_property
    def filters(self) -> dict[str, list[Option]]:
        """The choices of each filter that at least one task has, and not all of them."""
        told: dict[str, list[Option]] = {}
        for place, (name, bins) in enumerate(FILTERS):
            count = Counter(task.bins[place] for task in self.counting)
            options = [Option(k, text, count[k]) for k, (_, text) in enumerate(bins) if count[k]]
            if len(count) > 1:
                told[name] = options
        return told

    @property
    def counting(self) -> list[Task]:
        """The tasks that count in what is said across data sets."""
        return [task for task in self.tasks if task.counts]

    @property
    def data(self) -> dict[str, Any]:
        """What the script of the index draws and filters: values by task and solver.

        A value that does not count is null: a cell has failed there.
        """
        findings, evidence = self.page.findings, self.page.findings.evidence
        families = [*dict.fromkeys(task.family or f"\0{task.number}" for task in self.counting)]
        groups = [
            [evidence.group(task.number, j) for j in range(len(evidence.solvers))]
            for task in self.counting
        ]
        return {
            "solvers": [shown(name) for name in evidence.solvers],
            "measure": findings.measure,
            "smaller": findings.smaller,
            "columns": self.numbers,
            "tasks": {
                "number": [task.number for task in self.counting],
                "family": [
                    families.index(task.family or f"\0{task.number}") for task in self.counting
                ],
                **{
                    name: [task.bins[place] for task in self.counting]
                    for place, (name, _) in enumerate(FILTERS)
                },
            },
            "values": [[_number(x) for x in line] for line in findings.values.tolist()],
            "seconds": [[_number(x, 4) for x in line] for line in findings.seconds.tolist()],
            "ok": [[len(group.ok) for group in line] for line in groups],
            "planned": [[group.planned for group in line] for line in groups],
            "points": [
                [j, _number(findings.mean_seconds[j], 6), _number(one.value.estimate, 6)]
                for j, one in enumerate(findings.means)
            ],
        }

    def task_data(self, task: Task) -> dict[str, Any]:
        """Return what the script of the page of a task draws."""
        findings = self.page.findings
        return {
            "solvers": [shown(name) for name in findings.evidence.solvers],
            "measure": findings.measure,
            "smaller": findings.smaller,
            "points": [
                [row.solver, _number(self._seconds(row), 6), _number(row.estimate, 6)]
                for row in findings.insides[task.number].rows
            ],
        }

    def _seconds(self, row: Row) -> float:
        return float("nan") if self.page.findings.times else row.group.median("seconds")

    @property
    def _marks(self) -> tuple[Column, ...]:
        """The columns about origins, where there are any."""
        return (Column(FROM, number=False), Column(VERIFIED)) if self.provenance.origins else ()

    def _marks_of(self, fits: Iterable[Fit]) -> list[Entry]:
        if not self.provenance.origins:
            return []
        known = [*fits]
        again = self.provenance.again(known)
        where = self.provenance.called(known)
        told = f"{again}/{len(known)}" if again else "no"
        return [Entry(where, where or "–"), Entry(str(again), told if known else "–")]

    def task_columns(self, task: Task) -> tuple[Column, ...]:
        """Return the columns of the table of solvers on a task."""
        return (Column(RANK), *self.page.columns_inside(task.number), *self._marks)

    def task_lines(self, task: Task) -> list[Line]:
        """Return the solvers on a task, the best mean first."""
        names = self.page.findings.evidence.solvers
        rows = self.page.findings.insides[task.number].rows
        return [
            Line(row.solver, names[row.solver], row.leading, self._entries(row))
            for row in sorted(rows, key=_order)
        ]

    def solver_columns(self, entrant: Entrant) -> tuple[Column, ...]:
        """Return the columns of the table of tasks of a solver."""
        chose = (Column(CHOSE, number=False),) if entrant.tuning else ()
        measure = self.page.findings.measure
        names = (RANK, measure, "over splits", *self.page.costs, "ok")
        return (*map(Column, names), *chose, *self._marks)

    def solver_lines(self, entrant: Entrant) -> list[TaskLine]:
        """Return the tasks on which a solver was planned."""
        return [
            TaskLine(self.tasks[row.dataset], self._entries(row, entrant))
            for row in self.page.findings.rows
            if row.solver == entrant.number
        ]

    def _entries(self, row: Row, entrant: Entrant | None = None) -> list[Entry]:
        """Return the entries of a solver on a task; of the page of the solver with its choice."""
        rank = Entry("", "–") if isnan(row.rank) else Entry(repr(row.rank), f"{row.rank:g}")
        shared = self.page.entries_inside(row.dataset, row.solver)
        if entrant is not None:  # which has no column of ends
            shared = shared[: 3 + len(self.page.costs)]
        chose = [_chose(row)] if entrant and entrant.tuning else []
        return [rank, *shared, *chose, *self._marks_of(row.group.fits.values())]

    def end_notes(self, task: Task) -> str:
        """Return what the marks in the column of ends mean, and which fits have not converged."""
        evidence = self.page.findings.evidence
        names = evidence.solvers, evidence.datasets
        return "\n".join(
            end_notes(
                [
                    (names[0][j], names[1][task.number], evidence.ends(task.number, j))
                    for j, group in evidence.row(task.number)
                    if group.ok
                ]
            )
        )

    def task_failures(self, task: Task) -> list[Failed]:
        """Return why cells on a task failed, by solver."""
        rows = self.page.findings.insides[task.number].rows
        return _failed((row.solver, row.group.failed) for row in rows)

    def solver_failures(self, entrant: Entrant) -> list[Failed]:
        """Return why cells of a solver failed, by task."""
        rows = (row for row in self.page.findings.rows if row.solver == entrant.number)
        return _failed((row.dataset, row.group.failed) for row in rows)

    def best(self, task: Task) -> Row | None:
        """Return the solver with the best mean on a task, among those without a failed cell."""
        rows = self.page.findings.insides[task.number].rows
        ranked = [row for row in rows if not isnan(row.rank)]
        return min(ranked, key=_order, default=None)

    def standing(self, entrant: Entrant) -> list[tuple[Column, Entry]]:
        """Return what the table of the index says of a solver, where it is about several tasks."""
        page = self.page
        if page.only is not None:
            return []
        return [*zip(page.columns, page.entries(entrant.number), strict=True)]

    def origins_of(self, entrant: Entrant) -> tuple[Origin, ...]:
        """Return the origins of the cells of a solver."""
        return self.provenance.origins_of(self._fits(entrant))

    def again(self, entrant: Entrant) -> int:
        """Return how many cells of a solver are verified."""
        return self.provenance.again(self._fits(entrant))

    def cells(self, entrant: Entrant) -> int:
        """Return how many cells of a solver were run."""
        return len([*self._fits(entrant)])

    def _fits(self, entrant: Entrant) -> Iterator[Fit]:
        return fits_of(self.page.findings.evidence, entrant.number)

    @property
    def software(self) -> tuple[str, ...]:
        """The versions with which cells ran, the most frequent first."""
        return counted(software_of(fit.machine) for fit in self._all if fit.machine)

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines, likewise."""
        return counted(machine_of(fit.machine) for fit in self._all if fit.machine)

    @property
    def _all(self) -> Iterator[Fit]:
        groups = self.page.findings.evidence.groups.values()
        return (fit for group in groups for fit in group.fits.values())

    @property
    def verified(self) -> int:
        """Number of cells that were run again with the same scores."""
        return len(self.provenance.verified & self.page.findings.evidence.ids)


def _failed(groups: Iterable[tuple[int, list[Fit]]]) -> list[Failed]:
    count = Counter(
        (number, str(fit.status), fit.why or "No reason is known.")
        for number, fits in groups
        for fit in fits
    )
    return [Failed(n, status, many, why[:LONGEST]) for (n, status, why), many in count.items()]


def _chose(row: Row) -> Entry:
    text = chosen_of(row.group)
    return Entry(text, text or "–")


def _order(row: Row) -> tuple[bool, float, bool, float]:
    """Order by rank; those without one, since a cell failed, are last."""
    rank, loss = row.rank, row.loss
    return (isnan(rank), 0.0 if isnan(rank) else rank, isnan(loss), 0.0 if isnan(loss) else loss)


def _number(value: float, digits: int | None = None) -> float | None:
    """Return a number with some significant digits, or all; None where it is not known."""
    if not isfinite(value):
        return None
    return float(value) if digits is None else float(f"{value:.{digits}g}")
