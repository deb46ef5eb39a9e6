"""Rows to a summary per (data set, solver), and the summary to text or a rich table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING

from aucbench.bench.cell import Row
from aucbench.bench.plan import Settings
from aucbench.bench.text import aligned, shown
from aucbench.loop import DEFAULT_PASSES
from aucbench.records import CellStatus

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table

HEADER = ("data set", "solver", "AUC", "fit s", "non-zeros", "ok")
NUMBERS = (2, 3, 4, 5)  # columns of the table set flush right
NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Summary:
    """What the cells of one (data set, solver) say together; None where none is ok.

    Attributes
    ----------
    auc, spread : float or None
        Mean and sample standard deviation over the test folds; no spread of one fold.
    fit_seconds : float or None
        Median.
    nnz : float or None
        Mean.
    ok, planned : int
        Cells that count in the numbers above, and all of them.
    best : bool
        Highest mean of its data set, among solvers without a failed cell.
    """

    dataset: str
    solver: str
    auc: float | None
    spread: float | None
    fit_seconds: float | None
    nnz: float | None
    ok: int
    planned: int
    best: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the entries of its line in the table, in the order of `HEADER`."""
        mean = NOTHING if self.auc is None else f"{self.auc:.4f}"
        spread = "" if self.spread is None else f" ± {self.spread:.4f}"
        seconds = NOTHING if self.fit_seconds is None else f"{self.fit_seconds:.3g}"
        nnz = NOTHING if self.nnz is None else f"{self.nnz:.1f}".removesuffix(".0")
        ok = f"{self.ok}/{self.planned}"
        return self.dataset, self.solver, mean + spread, seconds, nnz, ok


def summarise(rows: Iterable[Row]) -> tuple[Summary, ...]:
    """Summaries in the order in which data sets and solvers first appear."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.dataset, row.solver), []).append(row)
    found = [_summary(*key, group) for key, group in groups.items()]
    return tuple(_marked(summary, found) for summary in found)


def _summary(dataset: str, solver: str, rows: Sequence[Row]) -> Summary:
    ok = [row for row in rows if row.status is CellStatus.OK]
    aucs, seconds, nnz = (
        [value for row in ok if (value := getattr(row, name)) is not None]
        for name in ("auc", "fit_seconds", "nnz")
    )
    return Summary(
        dataset,
        solver,
        auc=fmean(aucs) if aucs else None,
        spread=stdev(aucs) if len(aucs) > 1 else None,
        fit_seconds=median(seconds) if seconds else None,
        nnz=fmean(nnz) if nnz else None,
        ok=len(ok),
        planned=len(rows),
    )


def _marked(summary: Summary, among: Iterable[Summary]) -> Summary:
    rivals = [s.auc for s in among if s.dataset == summary.dataset and _complete(s)]
    best = max((a for a in rivals if a is not None), default=None)
    return replace(summary, best=_complete(summary) and summary.auc == best)


def _complete(summary: Summary) -> bool:
    return summary.ok == summary.planned


def plain_table(summaries: Iterable[Summary]) -> str:
    """Aligned columns without control characters."""
    return aligned([HEADER, *(s.texts for s in summaries)], right=NUMBERS)


def rich_table(summaries: Iterable[Summary]) -> Table:
    """The same table for a terminal, the best mean of each data set in bold."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for j, name in enumerate(HEADER):
        number = j in NUMBERS
        justify: JustifyMethod = "right" if number else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=number)
    for summary in summaries:
        style = "bold" if summary.best else ""
        table.add_row(*(Text(shown(text), style) for text in summary.texts))
    return table


def failures(rows: Sequence[Row]) -> tuple[str, ...]:
    """How many rows failed, and the first reason of each solver; nothing when none did."""
    failed = [row for row in rows if row.status is not CellStatus.OK]
    if not failed:
        return ()
    first: dict[str, Row] = {}
    for row in failed:
        first.setdefault(row.solver, row)
    reasons = (f"  {r.solver} on {r.dataset}: {r.status}: {r.reason}" for r in first.values())
    return f"{len(failed)} of {len(rows)} rows failed; the first of each solver:", *reasons


def protocol(settings: Settings) -> str:
    """Return the line that says how the numbers of a table came about."""
    passes = settings.passes
    if passes is None and settings.seconds is None:
        passes = DEFAULT_PASSES
    limits = ((passes, "passes"), (settings.seconds, "seconds"))
    budget = " or ".join(f"{limit:g} {unit}" for limit, unit in limits if limit is not None)
    own = ((settings.objective, "objective"), (settings.projector, "projector"))
    given = "".join(f", {kind} {spec}" for spec, kind in own if spec is not None)
    return (
        f"test AUC, mean ± standard deviation; {settings.splits} splits x {settings.repeats} "
        f"repeat(s), {settings.preprocess}{given}, {budget}, gap {settings.gap_tol:g}, "
        f"seed {settings.seed}"
    )
