"""What the three tables share: grids, budget, printed numbers, and how claims are decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan, log
from typing import Any, Final

import numpy as np

from aucbench.bench.plan.fields import Choice
from aucbench.papers.parts import AUC, Claim, Line, Published
from aucbench.papers.ranges import Range, difference, growth, in_pairs, range_of
from aucbench.papers.results import SECONDS, Results
from aucbench.report.sections import Table

FOLDS: Final = 3  # of the cross-validation that chooses λ
# The certified optimum ends most fits earlier.
BUDGET: Final[Mapping[str, Any]] = {"passes": 500, "gap_tol": 1e-4, "inner_splits": FOLDS}
# What the paper prints: the mean and the number in parentheses, of an AUC in % and in 1e-3.
Cell = tuple[float, float]
Runs = Mapping[int, float]  # a measure by the number of its run
FEW = "it takes two runs of each of its lines"
OPEN = "the interval of these runs does not decide it"

TIMES_NOTE = (
    "Times are those of the last fit, with the λ that was chosen, as those of the paper. Two fits "
    "may run at once on two cores. They are not comparable as numbers, because the machine and the "
    "language differ; how they grow with the rows is."
)
BUDGET_NOTE = (
    "The paper prints neither the step nor the number of steps of AdaMax. Here the step is 1/D, "
    "where D² is the mean square distance of a pair of rows, and a fit ends at a certified gap of "
    f"{BUDGET['gap_tol']:g}, or after {BUDGET['passes']} steps."
)


def grid_note(lams: Sequence[float]) -> str:
    """Return what is said of λ."""
    shown = ", ".join(f"{lam:g}" for lam in lams)
    return (
        f"λ is chosen among {shown} by {FOLDS}-fold cross-validation inside the training rows of "
        "each run; the paper says that it does so, but prints neither its grid nor its folds."
    )


def tuned(spec: str, lams: Sequence[float]) -> Choice:
    """Return a solver whose λ is chosen by cross-validation inside the training rows."""
    return Choice(spec, tune={"lam": tuple(lams)})


def auc_printed(cell: Cell, runs: int) -> Published:
    """Return "90.370 (0.88)" as a mean of 0.90370 with a deviation of 0.00088."""
    percent, thousandths = cell
    return Published(round(percent / 100, 6), round(thousandths / 1000, 6), runs)


def times_table(header: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> list[Table | str]:
    """Return our mean seconds beside theirs; rows end with our runs and their mean."""
    lines = [
        (*place, ours, theirs, theirs / ours)
        for *place, runs, theirs in rows
        if runs
        for ours in [float(np.mean([*runs.values()]))]
    ]
    title = "Mean seconds of a fit, and how many times as long the paper's took on its machine"
    header = (*header, "ours", "published", "published / ours")
    return [title, Table(header, lines)] if lines else []


def runs_of(results: Results, line: Line, measure: str = AUC) -> Runs:
    """Return a measure of a line by the number of the data set, or of the split of the only one."""
    place = {name: number for number, name in enumerate(line.datasets)}
    values = zip(results.of(line), results.values(line, measure), strict=True)
    return {
        place[record.cell.dataset] + record.cell.repeat: float(value)
        for record, value in values
        if not isnan(value)
    }


def gain(results: Results, a: Line, b: Line, ratio: float = 0.0) -> Range:
    """Return the mean of AUC a − AUC b over the runs that both have; `ratio` as in `range_of`."""
    return difference(runs_of(results, a), runs_of(results, b), ratio)


def times(results: Results, a: Line, b: Line, ratio: float = 0.0) -> Range:
    """Return how many times as long a takes as b: the geometric mean over the runs of both."""
    pairs = in_pairs(runs_of(results, a, SECONDS), runs_of(results, b, SECONDS))
    return range_of([log(x / y) for x, y in pairs], ratio).exp()


def exponent(results: Results, lines: Mapping[int, Line]) -> Range:
    """Return the exponent by which seconds grow with the rows, over the runs that all sizes have.

    The lines are by the number of rows.
    """
    by_size = {n: runs_of(results, line, SECONDS) for n, line in lines.items()}
    if len(by_size) < 2:
        return range_of([])
    common = set.intersection(*map(set, by_size.values()))
    seconds = [[runs[run] for runs in by_size.values()] for run in sorted(common)]
    return range_of([growth([*by_size], some) for some in seconds])


def decided(
    statement: str,
    ranges: Mapping[str, Range],
    what: str,
    *,
    holds: Callable[[Range], bool],
    fails: Callable[[Range], bool],
    why: str = "",
) -> Claim:
    """Decide a statement by its ranges, which have the words for what each is of as names.

    It holds when it does for all of them, and fails when it does for one of them; `why` is said
    then. Else these runs leave it open.
    """
    if not ranges or any(isnan(r.low) for r in ranges.values()):
        return Claim(statement, None, FEW)
    told = f"{what}: {', '.join(f'{r} {name}' for name, r in ranges.items())}"
    if all(map(holds, ranges.values())):
        return Claim(statement, True, told)
    if any(map(fails, ranges.values())):
        return Claim(statement, False, "; ".join(filter(None, (told, why))))
    return Claim(statement, None, f"{OPEN}: {told}")
