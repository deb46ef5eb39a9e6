"""Grid 3: test AUC of eight methods on eleven data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from aucbench.papers.parts import Line
from aucbench.papers.reading import Answers, Found, Tested
from aucbench.papers.spdam.figures import at
from aucbench.report.grid import Grid
from aucbench.stats.resampled import corrected_difference
from aucbench.stats.words import ROPE

SPDAM, EXACT = "SPDAM", "B-LS-SVM"


def _shown(found: Found) -> list[Grid | str]:
    """Return the AUC of SPDAM after fewer passes, and that of usps for random halves."""
    numbers = found.told["numbers"]["auc"]
    published = {
        name: dict(zip(numbers["columns"], row, strict=False))
        for name, row in numbers["printed"].items()
    }
    budgets = [
        [
            line.row,
            *(
                _mean([at(curve, passes) for curve in found.results.curves(line)])
                for passes in found.told["passes"]
            ),
            f"{published[line.row][SPDAM][0]:.4f}",
        ]
        for line in _measured(found, SPDAM)
    ]
    halves = []
    for line, method in zip(found.where(EXACT, aside=True), (EXACT, SPDAM), strict=True):
        parts = (replace(line, datasets=(name,)) for name in line.datasets)
        values = map(found.results.values, parts)
        means = [float(np.nanmean(some)) for some in values if some.size]
        ends = [f"{f(means):.4f}" if means else "–" for f in (min, np.median, max)]
        number = f"{published['usps'][method][0]:.4f}"
        halves.append([str(line.features), str(len(means)), *ends, method, number])
    columns = [f"{passes:g} passes" for passes in found.told["passes"]]
    return [
        "SPDAM by its budget: mean test AUC after so many passes of the fit with the chosen λ",
        Grid(("data set", *columns, "published"), budgets),
        "usps by the classes that are positive: mean test AUC of the exact minimiser of the "
        "pairwise square on random halves of the digits, and the published number that has "
        "these features",
        Grid(("features", "halves", "lowest", "median", "highest", "method", "published"), halves),
    ]


def _measured(found: Found, method: str) -> list[Line]:
    return [line for line in found.where(method, aside=None) if not line.at.get("left_out")]


def _mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.4f}" if values else "–"


def _similar(found: Found, method: str) -> Tested:
    """Test whether a method differs by more than the rope from the exact minimiser."""
    results, differences = found.results, {}
    for line in _measured(found, method):
        a, b = results.values(line), results.values(found.one(EXACT, line.row))
        if a.size == b.size > 0:
            one = corrected_difference(a, b, results.ratio(line), repeats=results.repeats(line))
            if not isnan(one.low):
                differences[line.row] = one
    if not differences:
        return None, f"there are no two runs of {method} and {EXACT}"
    other = {name: d for name, d in differences.items() if d.low > ROPE or d.high < -ROPE}
    told = ", ".join(
        f"{name} {d.estimate:+.4f} ({d.low:+.4f} to {d.high:+.4f})"
        for name, d in (other or differences).items()
    )
    where = "some differences lie" if other else "no difference lies"
    return not other, f"{where} outside ±{ROPE} with the whole 95 % interval: {told}"


TABLE_3 = Answers(shown=_shown, tests={"similar": _similar, "open": lambda _, why: (None, why)})
