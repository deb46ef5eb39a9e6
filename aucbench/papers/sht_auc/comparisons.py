"""How methods are compared with each other: by paired differences over the same runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan, nan

import numpy as np

from aucbench.papers.parts import AUC
from aucbench.papers.reading import Found, Tested
from aucbench.papers.results import mean_of
from aucbench.stats import Difference, corrected_difference
from aucbench.stats.vectors import Vector
from aucbench.stats.words import LEVEL

SHT = "SHT-AUC"
HELD_PER_TRAIN = 0.25  # test rows divided by training rows, of five folds


def above(
    found: Found,
    methods: Sequence[str],
    rivals: Sequence[str] = (),
    rows: Sequence[str] = (),
    measure: str = AUC,
) -> Tested:
    """Decide whether the mean of some methods over some rows is above that of each rival.

    Without rivals these are all other methods, and without rows all rows count.
    """

    def mean(some: Sequence[str]) -> Vector:
        lines = (found.one(method, row) for method in some for row in rows or found.rows)
        return mean_over(found.results.values(line, measure) for line in lines)

    others = rivals or [method for method in found.methods if method not in methods]
    return against(found, mean(methods), {method: mean([method]) for method in others})


def against(found: Found, first: Vector, rivals: Mapping[str, Vector]) -> Tested:
    """Decide whether the first is above every rival, by 95 % intervals of paired differences.

    All have a number for each run; the data sets of a line are independent trials. The rivals are
    by the words of the sentence that gives the differences.
    """
    trials = len(found.lines[0].datasets)
    differences = {name: paired(first, values, trials) for name, values in rivals.items()}
    if lost := {name: d for name, d in differences.items() if isnan(d.low)}:
        why = " ".join(dict.fromkeys(d.note for d in lost.values()))
        return None, f"no comparison with {_listed([*lost])}: {why}"
    below = {name: d for name, d in differences.items() if d.high < 0}
    unclear = {name: d for name, d in differences.items() if d.low <= 0 <= d.high}
    parts = [
        *([f"it is below {_told(below)}"] if below else []),
        *([f"it cannot be told from {_told(unclear)}"] if unclear else []),
    ]
    told = "; ".join(parts) or f"it is above {_told(differences)}"
    return not parts, f"{told}; mean differences with 95 % intervals"


def _told(differences: Mapping[str, Difference]) -> str:
    return _listed(
        [
            f"{name} ({d.estimate:+.3f}, {d.low:+.3f} to {d.high:+.3f})"
            for name, d in differences.items()
        ]
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def paired(a: Vector, b: Vector, trials: int) -> Difference:
    """Return the difference of two measures over the same runs, of so many independent trials."""
    if a.size != b.size:
        return Difference(nan, nan, nan, nan, LEVEL, "", "Some cells were not run.")
    return corrected_difference(a, b, HELD_PER_TRAIN / trials)


def mean_over(columns: Iterable[Vector]) -> Vector:
    """Return the mean of several measures run by run; nothing where a cell was not run."""
    listed = [*columns]
    if len({column.size for column in listed}) != 1:
        return np.empty(0)
    mean: Vector = np.mean(listed, axis=0)
    return mean


def means_along(
    found: Found, axis: str, measure: str, row: str | None = None
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the values of a number of the lines, and the mean of a measure for each, by method."""
    return {
        method: (
            [line.at[axis] for line in lines],
            [mean_of(found.results.values(line, measure)) for line in lines],
        )
        for method in found.methods
        for lines in [found.where(method, row)]
    }
