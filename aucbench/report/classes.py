"""Data sets with three or more classes: each class against the rest, by the scores of test rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aucbench.data import Categories
from aucbench.data.arrays import Index, Vector
from aucbench.metrics.classes import class_aucs
from aucbench.metrics.roc import Band, bands
from aucbench.metrics.rows import TargetRows
from aucbench.report.chart import Chart
from aucbench.report.document import Section
from aucbench.report.grid import Grid
from aucbench.stats.rows import Fold, Rows

if TYPE_CHECKING:
    from aucbench.report.findings import Findings

MOST_LINES = 30  # of a chart


@dataclass(frozen=True, slots=True, eq=False)
class AgainstRest:
    """One class against the rest, on one data set.

    Attributes
    ----------
    label : str
    rows : int
        Test rows of the class, in the splits of one solver.
    aucs : mapping of int to float
        The mean over the splits of the AUC of the class against the rest, by solver.
    roc : mapping of int to Band
        The mean ROC curve over the splits, by solver; empty without curves.
    """

    label: str
    rows: int
    aucs: Mapping[int, float]
    roc: Mapping[int, Band]


def against_rest(rows: Rows) -> Iterator[Fold]:
    """Yield the test rows as labels of two classes: for each class, the class and the rest.

    Labels of two classes are themselves; a target without classes yields nothing.
    """
    if isinstance(rows, Fold):
        yield rows
    elif isinstance(rows, TargetRows) and isinstance(target := rows.data.target, Categories):
        for k in range(target.k):
            scores = np.ascontiguousarray(rows.scores[:, k])
            yield Fold(target.y == k, scores, target.weights, rows.groups)


def classes_within(
    folds: Mapping[int, Mapping[tuple[int, int], Rows]], points: int
) -> tuple[AgainstRest, ...]:
    """Return each class against the rest, by solver; none where rows have another target."""
    whole = {
        solver: [rows for rows in of.values() if isinstance(rows, TargetRows)]
        for solver, of in folds.items()
    }
    first = next((rows[0].data.target for rows in whole.values() if rows), None)
    if not isinstance(first, Categories):
        return ()
    each = {solver: _aucs(rows) for solver, rows in whole.items() if rows}
    splits = next(rows for rows in whole.values() if rows)
    counts = np.sum([np.bincount(_y(rows), minlength=first.k) for rows in splits], axis=0)
    curves: dict[int, list[Band]] = {s: _curves(whole[s], points) for s in each} if points else {}
    return tuple(
        AgainstRest(
            label,
            int(counts[k]),
            {solver: float(aucs[k]) for solver, aucs in each.items()},
            {solver: of_each[k] for solver, of_each in curves.items()},
        )
        for k, label in enumerate(first.names.tolist())
    )


def _y(rows: TargetRows) -> Index:
    assert isinstance(rows.data.target, Categories)
    return rows.data.target.y


def _aucs(splits: Sequence[TargetRows]) -> Vector:
    """Return the mean over splits of the AUC of each class against the rest, (K,)."""
    own = [
        class_aucs(rows.data.target, rows.scores, rows.data.target.weights)
        for rows in splits
        if isinstance(rows.data.target, Categories)
    ]
    return np.asarray(np.mean(own, axis=0))


def _curves(splits: Sequence[TargetRows], points: int) -> list[Band]:
    """Return the mean ROC curve over splits of each class."""
    by_class = zip(*(against_rest(rows) for rows in splits), strict=True)
    return [bands(folds, points)[0] for folds in by_class]


def class_sections(findings: Findings) -> Iterator[Section]:
    """Yield a chapter for each data set with three or more classes."""
    frame = findings.frame
    for one in findings.datasets:
        if one.by_class:
            parts = [*_parts(findings, one.by_class)]
            title = f"Classes of {frame.datasets[one.dataset]}"
            yield Section(title, "", tuple(parts))


def _parts(findings: Findings, each: Sequence[AgainstRest]) -> Iterator[str | Grid | Chart]:
    order = [j for j in findings.order if j in each[0].aucs]
    names = findings.frame.solvers
    yield (
        "Each class against the rest: the mean over the splits of its AUC. The largest one in a "
        "line may be so by chance."
    )
    yield Grid(
        ("class", "test rows", *(names[j] for j in order)),
        [[one.label, one.rows, *(one.aucs[j] for j in order)] for one in each],
        ("", "d", *[".4f"] * len(order)),
    )
    best = order[0]
    if best in each[0].roc:
        curves = {
            one.label: ([0.0, *one.roc[best].x.tolist()], [0.0, *one.roc[best].mean.tolist()])
            for one in each[:MOST_LINES]
        }
        title = f"ROC curves of {names[best]}, each class against the rest"
        yield Chart(title, "false positive rate", "true positive rate", curves, diagonal=True)
