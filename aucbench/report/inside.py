"""One data set of the evidence: intervals, pairs and curves, by the scores of its test rows.

Design
  a. The scores of one data set are in memory at a time; its ROC curves are made in the same turn.
  b. Where a score of an ok cell or a label is not in the folder, as during a run and with error
     functions, the AUCs of the records are compared by the corrected variance over splits alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import TypeAlias

import numpy as np

from aucbench.errors import DataError
from aucbench.metrics.pairs import measure_of
from aucbench.metrics.roc import Band, bands
from aucbench.metrics.rows import rows_of
from aucbench.report.classes import ClassInside, against_rest, classes_inside
from aucbench.report.evidence import Evidence, Group
from aucbench.report.times import TimesInside, times_inside
from aucbench.stats.measures import Measure
from aucbench.stats.rows import Fold, Rows
from aucbench.stats.tables import average_ranks_of
from aucbench.stats.within import PairWithin, SolverWithin, SplitTest, WithinDataset

AUC = "auc"
NO_SCORES = "The folder does not hold all scores of this data set with their labels."
ONE_TEST_SET = ("test file", "share of")  # begins of divisions that do not test each row
Folds: TypeAlias = dict[int, dict[tuple[int, int], Rows]]  # by solver and fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A solver on a data set, by their numbers."""

    dataset: int
    solver: int
    group: Group
    known: SolverWithin | None  # None when no cell is ok, or no score can be had
    # Of its mean among the solvers whose cells are all ok, 1 is the best and equal means share a
    # rank; NaN when one of its cells is not ok.
    rank: float
    roc: Band | None  # mean curves over the folds
    pr: Band | None

    @property
    def estimate(self) -> float:
        """Mean over the splits with a value."""
        return self.known.delong.estimate if self.known else nan

    @property
    def leading(self) -> bool:
        """Whether it may be the best, with all its cells ok."""
        return self.known is not None and self.known.not_worse and self.group.complete

    @property
    def is_partial(self) -> bool:
        """Whether its mean is over fewer splits than those of others, since some failed."""
        return self.known is not None and self.known.missing > self.group.pending

    @property
    def note(self) -> str:
        """What is missing, and by which rule the interval was made; empty for DeLong's."""
        parts = []
        if failed := len(self.group.failed):
            parts.append(f"{failed} of {self.group.planned} cells failed.")
        if self.group.pending:
            parts.append(f"{self.group.pending} of {self.group.planned} cells were not run yet.")
        if self.known:
            if unmeasured := max(0, self.known.missing - failed):
                parts.append(f"{unmeasured} of {self.group.planned} fits have no value.")
            parts.append(self.known.delong.note)
        return " ".join(filter(None, parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """What is known of one data set, by its number."""

    dataset: int
    rows: tuple[Row, ...]  # one for each solver that was planned on it
    compared: WithinDataset  # the solvers with a value
    # Numbers of positive and of negative test rows; None when labels cannot be had.
    classes: tuple[int, int] | None = None
    each: tuple[ClassInside, ...] = ()  # three or more classes, each against the rest
    until: TimesInside | None = None  # survival times: C of the events until a time

    @property
    def pairs(self) -> tuple[PairWithin, ...]:
        """Of the solvers with a value, each pair once."""
        return self.compared.pairs

    def possible(self, names: Sequence[str], data_sets: int, level: float) -> list[str]:
        """Return who may be the best, said of so many data sets at once, with all its cells ok."""
        possible = self.compared.possible(data_sets, level)
        complete = (names[row.solver] for row in self.rows if row.group.complete)
        return [name for name in complete if name in possible]


def inside(
    evidence: Evidence,
    dataset: int,
    points: int,
    *,
    measure: Measure,
    level: float,
    rope: float,
    pairs: bool = True,
) -> Inside:
    """Compare the solvers on one data set; each mean curve has `points`, and 0 makes none.

    Without `pairs`, no two solvers are compared, and none is said to lead.

    It raises `DataError` when scores cannot be read, or a measure other than the AUC needs those
    of a damaged file, and errors as `SplitTest.of_rows`.
    """
    measure = of_dataset(measure, evidence, dataset)
    groups = dict(evidence.row(dataset))
    means = {solver: np.nan_to_num(group.mean("auc")) for solver, group in groups.items()}
    best_first = sorted(groups, key=means.__getitem__, reverse=True)
    folds = _folds_of(evidence, {solver: groups[solver] for solver in best_first})
    if not folds and not _is_told(measure, evidence, dataset):
        _refuse_lost(evidence, dataset, measure)
    test = SplitTest(
        ratio=evidence.ratio(dataset),
        repeats=evidence.repeats(dataset),
        redrawn=evidence.redrawn(dataset),
        by=measure,
        level=level,
        rope=rope,
        pairs=pairs,
    )
    compared = _compared(evidence, dataset, folds, test)
    known = {evidence.solvers.index(solver.name): solver for solver in compared.solvers}
    whole = {j: s for j, s in known.items() if groups[j].complete and not s.missing}
    sign = 1.0 if measure.smaller else -1.0
    losses = [sign * float(solver.values.mean()) for solver in whole.values()]
    ranks = dict(zip(whole, average_ranks_of(losses).tolist(), strict=True))
    roc, pr = _bands(folds, points) if points else ({}, {})
    rows = tuple(
        Row(
            dataset=dataset,
            solver=j,
            group=group,
            known=known.get(j),
            rank=ranks.get(j, nan),
            roc=roc.get(j),
            pr=pr.get(j),
        )
        for j, group in groups.items()
    )
    return Inside(
        dataset=dataset,
        rows=rows,
        compared=compared,
        classes=_classes(folds),
        each=classes_inside(folds, points),
        until=times_inside(folds) if points else None,
    )


def _compared(evidence: Evidence, dataset: int, folds: Folds, test: SplitTest) -> WithinDataset:
    """Compare the solvers by their scores; where there are none, by the AUCs of the records."""
    if folds:
        return test.of_rows({evidence.solvers[solver]: of for solver, of in folds.items()})
    values = {
        evidence.solvers[solver]: aucs
        for solver, aucs in evidence.by_split(dataset).items()
        if evidence.group(dataset, solver).ok and _is_told(test.by, evidence, dataset)
    }
    return test.of_values(values, NO_SCORES if evidence.elsewhere is None else "")


def of_dataset(measure: Measure, evidence: Evidence, dataset: int) -> Measure:
    """Return what stands for the AUC where the rows of a data set have another target."""
    return measure_of(evidence.standing(dataset)) if measure.name == AUC else measure


def _is_told(measure: Measure, evidence: Evidence, dataset: int) -> bool:
    """Whether the fits themselves have the values of a measure."""
    return measure.name == evidence.standing(dataset) or measure.is_told


def _refuse_lost(evidence: Evidence, dataset: int, measure: Measure) -> None:
    """Raise where a damaged file, and no solver, is why a data set has no value of a measure."""
    fits = [fit for _, group in evidence.row(dataset) for fit in group.ok]
    for problem in evidence.problems():
        if any(fit.id in problem or (fit.data and fit.data in problem) for fit in fits):
            raise DataError(
                f"the measure {measure.name} needs the scores of the test rows of "
                f"{evidence.datasets[dataset]} and their labels: {problem}"
            )


def _classes(folds: Folds) -> tuple[int, int] | None:
    """Return the test rows of both classes in the folds of one seed; each row is in one at most."""
    every = [item for of in folds.values() for item in of.items()]
    of_seed = {key: fold for key, fold in every if isinstance(fold, Fold)}
    if not of_seed:
        return None
    first = min(seed for seed, _ in of_seed)
    positive = [fold.positive for (seed, _), fold in of_seed.items() if seed == first]
    count = sum(int(np.count_nonzero(rows)) for rows in positive)
    return count, sum(rows.size for rows in positive) - count


def sizes(one: Inside) -> str:
    """Return the rows, positives and features of a data set for people; empty if not known."""
    fit = next((fit for row in one.rows for fit in row.group.ok), None)
    facts = []
    if one.classes is not None:
        rows = sum(one.classes)
        # Folds test each row once; a share, a test file or windows of time do not.
        tested = "rows" if fit is None or rows == fit.n_train + fit.n_test else "test rows"
        facts.append(f"{rows} {tested}, {one.classes[0]} positive ({one.classes[0] / rows:.1%})")
    elif fit is not None and not isnan(fit.n_train + fit.n_test):
        only = fit.division.startswith(ONE_TEST_SET)
        facts.append(
            f"{fit.n_test:.0f} test rows" if only else f"{fit.n_train + fit.n_test:.0f} rows"
        )
        if one.each:
            facts.append(f"{len(one.each)} classes")
    widths = sorted({fit.d for row in one.rows for fit in row.group.ok if not isnan(fit.d)})
    if len(widths) > 2:  # of a table, whose levels differ between splits
        facts.append(f"{widths[0]:.0f} to {widths[-1]:.0f} features")
    elif widths:
        facts.append(f"{' or '.join(f'{d:.0f}' for d in widths)} features")
    return ", ".join(facts)


def means_inside(evidence: Evidence, dataset: int, measure: Measure) -> dict[int, float]:
    """Return the mean of a measure over the splits by solver; empty where scores are missing."""
    groups = dict(evidence.row(dataset))
    if measure.name in (AUC, evidence.standing(dataset)):
        return {solver: group.mean("auc") for solver, group in groups.items() if group.ok}
    folds = _folds_of(evidence, groups)
    values = iter(measure.values([fold for of in folds.values() for fold in of.values()]))
    means = {}
    for solver, of in folds.items():
        known = [value for _, value in zip(of, values, strict=False) if not np.isnan(value)]
        means[solver] = float(np.mean(known)) if known else nan
    return means


def _folds_of(evidence: Evidence, groups: Mapping[int, Group]) -> Folds:
    """Return the test rows of all ok fits by solver; empty unless all of them can be had.

    Of a pair, the solver that comes first is named first.
    """
    folds: Folds = {}
    for solver, group in groups.items():
        for key, fit in group.fits.items():
            if not fit.ok:
                continue
            arrays = evidence.scores(fit)
            fold = None if arrays is None else rows_of(arrays)
            if fold is None:
                return {}
            folds.setdefault(solver, {})[key] = fold
    return folds


def _bands(folds: Folds, points: int) -> tuple[dict[int, Band], dict[int, Band]]:
    """Return the mean ROC and precision-recall curves of the solvers that have one."""
    roc, pr = {}, {}
    for solver, of in folds.items():
        splits = [[*against_rest(rows)] for rows in of.values()]
        whole = [sides for sides in splits if sides and all(f.has_both_classes for f in sides)]
        if known := [fold for sides in whole for fold in sides]:
            roc[solver], pr[solver] = bands(known, points, len(whole[0]))
    return roc, pr
