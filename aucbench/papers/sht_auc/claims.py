"""Statements of the paper about tables I and II, and the paired differences that decide them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan, nan
from typing import Any

import numpy as np

from aucbench.papers.parts import Claim, Line
from aucbench.papers.results import Results, Vector
from aucbench.papers.sht_auc.methods import (
    FOR_AUC,
    HELD_PER_TRAIN,
    HSG,
    SHT,
    STO,
    support_measure,
)
from aucbench.papers.sht_auc.published import SPARSITIES
from aucbench.stats import Difference, corrected_difference
from aucbench.stats.words import LEVEL

Lines = Mapping[tuple[str, int], Line]


def best_auc(lines: Lines, results: Results) -> list[Claim]:
    """Test what section IV-A says of table I."""
    larger, dense = (40, 60, 80), ("SPAM-ℓ2", "SOLAM")
    sparse = tuple(method for method in FOR_AUC if method not in dense)

    def mean(methods: Sequence[str], ks: Sequence[int] = SPARSITIES) -> Vector:
        return mean_over(results.values(lines[method, k]) for method in methods for k in ks)

    return [
        against(
            "SHT-AUC has the highest AUC for k* = 40, 60 and 80 (section IV-A, of table I)",
            mean([SHT], larger),
            {m: mean([m], larger) for m in methods_of(lines) if m != SHT},
            trials(lines),
        ),
        against(
            "StoIHT and HSG-HT, which are not for AUC, have a lower AUC than SHT-AUC "
            "(section IV-A, of table I)",
            mean([SHT]),
            {m: mean([m]) for m in (STO, HSG)},
            trials(lines),
        ),
        against(
            "SPAM-ℓ2 and SOLAM, which are not sparse, have a lower AUC than SHT-AUC, SPAM-ℓ1 and "
            "FSAUC have in the mean (section IV-A, of table I)",
            mean(sparse),
            {m: mean([m]) for m in dense},
            trials(lines),
        ),
    ]


def best_support(lines: Lines, results: Results) -> list[Claim]:
    """Test what section IV-A says of table II."""

    def means(measure: str, method: str) -> Vector:
        own = support_measure(measure, method)
        return mean_over(results.values(lines[method, k], own) for k in SPARSITIES)

    return [
        against(
            f"SHT-AUC has the highest {title} of all methods (section IV-A, of table II)",
            means(measure, SHT),
            {m: means(measure, m) for m in methods_of(lines) if m != SHT},
            trials(lines),
        )
        for measure, title in (("support-f1", "F1"), ("support-jaccard", "Jaccard index"))
    ]


def against(statement: str, first: Vector, rivals: Mapping[str, Vector], count: int) -> Claim:
    """Decide whether the first is above every rival, by 95 % intervals of paired differences.

    Parameters
    ----------
    first : array of shape (J,)
        A number for each run, in the order of `Results.values`.
    rivals : mapping of str to array of shape (J,)
        By the words of the sentence that gives the differences.
    count : int
        Number of independent trials among the runs.
    """
    found = {name: paired(first, values, count) for name, values in rivals.items()}
    if lost := {name: d for name, d in found.items() if isnan(d.low)}:
        why = " ".join(dict.fromkeys(d.note for d in lost.values()))
        return Claim(statement, None, f"no comparison with {_listed([*lost])}: {why}")
    below = {name: d for name, d in found.items() if d.high < 0}
    unclear = {name: d for name, d in found.items() if d.low <= 0 <= d.high}
    parts = [
        *([f"it is below {_told(below)}"] if below else []),
        *([f"it cannot be told from {_told(unclear)}"] if unclear else []),
    ]
    told = "; ".join(parts) or f"it is above {_told(found)}"
    return Claim(statement, not parts, f"{told}; mean differences with 95 % intervals")


def _told(found: Mapping[str, Difference]) -> str:
    return _listed(
        [f"{name} ({d.effect:+.3f}, {d.low:+.3f} to {d.high:+.3f})" for name, d in found.items()]
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
