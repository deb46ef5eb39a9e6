"""What the statements of the three tables have in common: runs in pairs, intervals, a decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isnan, log

import numpy as np

from aucbench.papers.parts import AUC, Claim, Line
from aucbench.papers.ranges import Range, range_of
from aucbench.papers.results import Results
from aucbench.papers.roc_svm.protocol import SECONDS

Runs = Mapping[int, float]  # a measure by the number of its run
FEW = "it takes two runs of each of its lines"
OPEN = "the interval of these runs does not decide it"


def runs_of(results: Results, line: Line, measure: str = AUC) -> Runs:
    """Return a measure of a line by the number of the data set, or of the split of the only one."""
    place = {name: number for number, name in enumerate(line.datasets)}
    found = zip(results.of(line), results.values(line, measure), strict=True)
    return {
        place[record.cell.dataset] + record.cell.repeat: float(value)
        for record, value in found
        if not isnan(value)
    }


def difference(results: Results, a: Line, b: Line, ratio: float = 0.0) -> Range:
    """Return the mean of AUC a − AUC b over the runs that both have; `ratio` as in `range_of`."""
    of_a, of_b = runs_of(results, a), runs_of(results, b)
    return range_of([of_a[run] - of_b[run] for run in sorted(of_a.keys() & of_b.keys())], ratio)


def times(results: Results, a: Line, b: Line, ratio: float = 0.0) -> Range:
    """Return how many times as long a takes as b: the geometric mean over the runs of both."""
    of_a, of_b = (runs_of(results, line, SECONDS) for line in (a, b))
    common = sorted(of_a.keys() & of_b.keys())
    return range_of([log(of_a[run] / of_b[run]) for run in common], ratio).exp()


def exponent(results: Results, lines: Mapping[int, Line]) -> Range:
    """Return the exponent by which seconds grow with the rows, over the runs that all sizes have.

    Parameters
    ----------
    lines : mapping of int to Line
        By the number of rows.
    """
    by_size = {n: runs_of(results, line, SECONDS) for n, line in lines.items()}
    if len(by_size) < 2:
        return range_of([])
    common = set.intersection(*(set(found) for found in by_size.values()))
    sizes = np.log([*by_size])
    return range_of(
        [
            float(np.polyfit(sizes, np.log([found[run] for found in by_size.values()]), 1)[0])
            for run in sorted(common)
        ]
    )


def decided(
    statement: str,
    found: Mapping[str, Range],
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
    if not found or any(isnan(r.low) for r in found.values()):
        return Claim(statement, None, FEW)
    told = f"{what}: {', '.join(f'{r} {name}' for name, r in found.items())}"
    if all(map(holds, found.values())):
        return Claim(statement, True, told)
    if any(map(fails, found.values())):
        return Claim(statement, False, "; ".join(filter(None, (told, why))))
    return Claim(statement, None, f"{OPEN}: {told}")
