"""Summaries of records by (data set, feature map, solver), as text or as a rich table."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any

from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.convergence import BUDGET, Descent, Optima
from aucbench.bench.results.record import Record
from aucbench.bench.show.endings import NO_ENDS, Ends, end_notes
from aucbench.bench.text import aligned, shown
from aucbench.records import Stop

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table

HEADER = ("data set", "features", "solver", "AUC", "fit s", "spread s", "non-zeros", "ok", "end")
NUMBER_COLUMNS = HEADER[3:-1]  # these columns are aligned right
MEASURE_COLUMNS = ("auc", "fit_seconds", "fit_seconds_spread", "nnz")
NOTHING = "-"
RowKey = tuple[str, str, str]  # data set, feature map, solver


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of the cells of one group; a value is None when no cell is ok.

    Attributes
    ----------
    auc, spread : float or None
        Mean and sample standard deviation over the test folds; one fold has no spread.
    fit_seconds, fit_seconds_spread : float or None
        Median time of a fit. If fits were repeated: the median difference between the largest
        and the smallest time.
    nnz : float or None
        Mean.
    ok, planned : int
        Cells that count in the numbers above, and all of them.
    ends : Ends
        How the fits of the ok cells ended.
    best : bool
        Highest mean of its data set, among solvers without a failed cell.
    """

    dataset: str
    features: str
    solver: str
    auc: float | None
    spread: float | None
    fit_seconds: float | None
    fit_seconds_spread: float | None
    nnz: float | None
    ok: int
    planned: int
    ends: Ends = NO_ENDS
    best: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the entries of its line in the table, in the order of `HEADER`."""
        mean = NOTHING if self.auc is None else f"{self.auc:.4f}"
        spread = "" if self.spread is None else f" ± {self.spread:.4f}"
        times = (self.fit_seconds, self.fit_seconds_spread)
        seconds = (NOTHING if time is None else f"{time:.3g}" for time in times)
        nnz = NOTHING if self.nnz is None else f"{self.nnz:.1f}".removesuffix(".0")
        names = (self.dataset, self.features, self.solver)
        ok = f"{self.ok}/{self.planned}"
        return *names, mean + spread, *seconds, nnz, ok, self.ends.mark


@dataclass(slots=True)
class _TableGroup:
    """Numbers of the ok cells of a group: 8 bytes each, so that 10^5 cells take 3 MB.

    Descents take more; only fits with an objective have one.
    """

    planned: int = 0
    ok: int = 0
    columns: dict[str, array[float]] = field(
        default_factory=lambda: {name: array("d") for name in MEASURE_COLUMNS}
    )
    by_budget: int = 0
    descents: list[Descent] = field(default_factory=list)  # of which something can be said

    def add(self, record: Record) -> None:
        self.planned += 1
        if not record.ok:
            return
        self.ok += 1
        for name, column in self.columns.items():
            value = getattr(record.measures, name)
            if value is not None:
                column.append(value)
        descent = Descent.of(record)
        self.by_budget += descent.stop in BUDGET
        if descent.start is not None or descent.stop == Stop.STALLED.name:
            self.descents.append(descent)


class Tally:
    """Takes records one at a time, in any order, and forgets them.

    Parameters
    ----------
    plan : Plan, optional
        Gives the order of the table; without it, groups are in the order of their first records.
    """

    def __init__(self, plan: Plan | None = None) -> None:
        self.optima = Optima()
        self._groups: dict[RowKey, _TableGroup] = {}
        self._first: dict[str, tuple[tuple[Any, ...], str]] = {}  # failure of a solver
        self._tried: set[int] = set()  # numbers of points that cells were tuned by
        if plan is not None:
            solvers = [choice.label for choice in plan.solvers]
            keys = product(plan.datasets, plan.features, solvers)
            self._groups = {key: _TableGroup() for key in keys}
        self._order = {key: number for number, key in enumerate(self._groups)}

    def add(self, record: Record) -> None:
        """Take one record."""
        cell = record.cell
        solver = cell.label
        key = (cell.dataset, cell.features, solver)
        self._order.setdefault(key, len(self._order))
        self._groups.setdefault(key, _TableGroup()).add(record)
        self.optima.add(record)
        if record.tuning is not None:
            self._tried.add(len(record.tuning["table"]))
        if not record.ok:
            when = (self._order[key], cell.seed, cell.split)
            line = f"{solver} on {cell.dataset}: {record.status.status}: {record.why}"
            self._first[solver] = min((when, line), self._first.get(solver, (when, line)))

    @property
    def total(self) -> int:
        """Number of records."""
        return sum(group.planned for group in self._groups.values())

    @property
    def failed(self) -> int:
        """How many of them are not ok."""
        return self.total - sum(group.ok for group in self._groups.values())

    @property
    def tried(self) -> tuple[int, int] | None:
        """Fewest and most points that a cell was tuned by; None before the first such cell."""
        return (min(self._tried), max(self._tried)) if self._tried else None

    def summaries(self) -> tuple[Summary, ...]:
        """Summaries of the groups that have a record."""
        found = [
            _summary(key, group, self.optima)
            for key, group in self._groups.items()
            if group.planned
        ]
        return tuple(_marked(summary, found) for summary in found)

    def notes(self) -> tuple[str, ...]:
        """Return what the marks of the table mean, and which fits have not converged."""
        return end_notes([(s.solver, s.dataset, s.ends) for s in self.summaries()])

    def failures(self) -> tuple[str, ...]:
        """Return how many rows have no AUC, and the first reason of each solver; else nothing."""
        if not self.failed:
            return ()
        reasons = (f"  {line}" for _, line in sorted(self._first.values()))
        head = f"{self.failed} of {self.total} rows have no AUC; the first of each solver:"
        return head, *reasons


def _summary(key: RowKey, group: _TableGroup, optima: Optima) -> Summary:
    aucs, seconds, spreads, nnz = group.columns.values()
    judged = [(descent, optima.judge(descent)) for descent in group.descents]
    return Summary(
        *key,
        auc=fmean(aucs) if aucs else None,
        spread=stdev(aucs) if len(aucs) > 1 else None,
        fit_seconds=median(seconds) if seconds else None,
        fit_seconds_spread=median(spreads) if spreads else None,
        nnz=fmean(nnz) if nnz else None,
        ok=group.ok,
        planned=group.planned,
        ends=Ends.of(group.ok, group.by_budget, judged),
    )


def _marked(summary: Summary, among: Iterable[Summary]) -> Summary:
    rivals = [s.auc for s in among if s.dataset == summary.dataset and _complete(s)]
    best = max((a for a in rivals if a is not None), default=None)
    return replace(summary, best=_complete(summary) and summary.auc == best)


def _complete(summary: Summary) -> bool:
    return summary.ok == summary.planned


def _lines(summaries: Sequence[Summary]) -> tuple[list[str], list[list[str]]]:
    """Return header and lines, without columns that have no information."""
    idle = set()
    if len({summary.features for summary in summaries}) < 2:
        idle.add("features")
    if all(summary.fit_seconds_spread is None for summary in summaries):
        idle.add("spread s")
    if not any(summary.ends.mark for summary in summaries):
        idle.add("end")
    kept = [j for j, name in enumerate(HEADER) if name not in idle]
    lines = [[summary.texts[j] for j in kept] for summary in summaries]
    return [HEADER[j] for j in kept], lines


def plain_table(summaries: Sequence[Summary]) -> str:
    """Aligned columns without control characters."""
    header, lines = _lines(summaries)
    return aligned([header, *lines], right=[j for j, h in enumerate(header) if h in NUMBER_COLUMNS])


def rich_table(summaries: Sequence[Summary]) -> Table:
    """The same table for a terminal, the best mean of each data set in bold."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    header, lines = _lines(summaries)
    for name in header:
        number = name in NUMBER_COLUMNS
        justify: JustifyMethod = "right" if number else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=number)
    for summary, texts in zip(summaries, lines, strict=True):
        style = "bold" if summary.best else ""
        table.add_row(*(Text(shown(text), style) for text in texts))
    return table


def protocol(plan: Plan, tried: tuple[int, int] | None = None) -> str:
    """Return the line that says how the numbers of a table came about; `tried` as in `Tally`."""
    limits = ((plan.limit_of_passes, "passes"), (plan.seconds, "seconds"))
    budget = " or ".join(f"{limit:g} {unit}" for limit, unit in limits if limit is not None)
    own = ((plan.objective, "objective"), (plan.projector, "projector"))
    given = "".join(f", {kind} {spec}" for spec, kind in own if spec is not None)
    if any(choice.tune for choice in plan.solvers):
        if tried is None:
            points = f"at most {plan.tune_evals} points"
        else:
            points = f"{' to '.join(map(str, sorted({*tried})))} point(s)"
        given += f", tuned by {points} x {plan.inner_splits} inner splits"
    seeds = ",".join(map(str, plan.seeds))
    return (
        f"test AUC, mean ± standard deviation; {plan.splits} splits x {plan.repeats} "
        f"repeat(s), {','.join(plan.features)}{given}, {budget}, gap {plan.gap_tol:g}, "
        f"seed {seeds}"
    )
