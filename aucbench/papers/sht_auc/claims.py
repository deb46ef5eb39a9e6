"""Paired differences over the runs, which decide statements of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan, nan
from typing import Any

import numpy as np

from aucbench.kernels.vectors import Vector
from aucbench.papers.parts import Claim, Line
from aucbench.stats import Difference, corrected_difference
from aucbench.stats.words import LEVEL

HELD_PER_TRAIN = 0.25  # test rows divided by training rows, of five folds


def against(statement: str, first: Vector, rivals: Mapping[str, Vector], count: int) -> Claim:
    """Decide whether the first is above every rival, by 95 % intervals of paired differences.

    All have a number for each run, of `count` independent trials. The rivals are by the words of
    the sentence that gives the differences.
    """
    differences = {name: paired(first, values, count) for name, values in rivals.items()}
    if lost := {name: d for name, d in differences.items() if isnan(d.low)}:
        why = " ".join(dict.fromkeys(d.note for d in lost.values()))
        return Claim(statement, None, f"no comparison with {_listed([*lost])}: {why}")
    below = {name: d for name, d in differences.items() if d.high < 0}
    unclear = {name: d for name, d in differences.items() if d.low <= 0 <= d.high}
    parts = [
        *([f"it is below {_told(below)}"] if below else []),
        *([f"it cannot be told from {_told(unclear)}"] if unclear else []),
    ]
    told = "; ".join(parts) or f"it is above {_told(differences)}"
    return Claim(statement, not parts, f"{told}; mean differences with 95 % intervals")


def _told(differences: Mapping[str, Difference]) -> str:
    return _listed(
        [
            f"{name} ({d.effect:+.3f}, {d.low:+.3f} to {d.high:+.3f})"
            for name, d in differences.items()
        ]
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def paired(a: Vector, b: Vector, count: int) -> Difference:
    """Return the difference of two measures over the same runs, of so many independent trials."""
    if a.size != b.size:
        return Difference(nan, nan, nan, nan, LEVEL, "", "Some cells were not run.")
    return corrected_difference(a, b, HELD_PER_TRAIN / count)


def mean_over(columns: Iterable[Vector]) -> Vector:
    """Return the mean of several measures run by run; nothing where a cell was not run."""
    listed = [*columns]
    if len({column.size for column in listed}) != 1:
        return np.empty(0)
    mean: Vector = np.mean(listed, axis=0)
    return mean


def methods_of(lines: Mapping[tuple[str, Any], Line]) -> Sequence[str]:
    """Return the methods of the lines in their order."""
    return tuple(dict.fromkeys(method for method, _ in lines))


def trials(lines: Mapping[Any, Line]) -> int:
    """Return the number of data sets of a line, of which each is a trial."""
    return len(next(iter(lines.values())).datasets)
