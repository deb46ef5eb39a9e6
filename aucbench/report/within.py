"""What is found inside one data set: intervals, pairs and curves, by the scores of its test rows.

Design
  a. The scores of one data set are in memory at a time; its ROC curves are made in the same turn.
  b. Where a score of an ok cell or a label is not in the folder, as during a run and with error
     functions, the AUCs of the records are compared by the corrected variance over splits alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import TypeAlias

import numpy as np

from aucbench.errors import DataError
from aucbench.metrics.pairs import measure_of
from aucbench.metrics.roc import Band, bands
from aucbench.metrics.rows import rows_of
from aucbench.report.classes import AgainstRest, against_rest, classes_within
from aucbench.report.frame import Frame
from aucbench.report.times import UntilTimes, times_within
from aucbench.stats.measures import Measure
from aucbench.stats.rows import Fold, Rows
from aucbench.stats.tables import average_ranks_of
from aucbench.stats.within import PairWithin, SolverWithin, SplitTest, WithinDataset

AUC = "auc"
NO_SCORES = (
    "The folder does not hold all scores of this data set with their labels; data of error "
    "functions never have them."
)
ONE_TEST_SET = ("test file", "share of")  # begins of divisions that do not test each row
Folds: TypeAlias = dict[int, dict[tuple[int, int], Rows]]  # by solver and fold


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverFindings:
    """What is found of a solver on a data set, by their numbers."""

    dataset: int
    solver: int
    ok: int  # cells with an AUC
    pending: int  # cells that were not run yet
    planned: int  # all cells
    within: SolverWithin | None  # None when no cell is ok, or no score can be had
    # Of its mean among the solvers whose cells are all ok, 1 is the best and equal means share a
    # rank; NaN when one of its cells is not ok.
    rank: float
    roc: Band | None  # mean curves over the folds
    pr: Band | None

    @property
    def complete(self) -> bool:
        """Whether all cells were run and have an AUC."""
        return 0 < self.planned == self.ok

    @property
    def estimate(self) -> float:
        """Mean over the splits with a value."""
        return self.within.delong.estimate if self.within else nan

    @property
    def leading(self) -> bool:
        """Whether it may be the best, with all its cells ok."""
        return self.within is not None and self.within.not_worse and self.complete

    @property
    def is_partial(self) -> bool:
        """Whether its mean is over fewer splits than those of others, since some failed."""
        return self.within is not None and self.within.missing > self.pending


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetFindings:
    """What is found inside a data set, by its number."""

    dataset: int
    rows: tuple[SolverFindings, ...]  # one for each solver that was planned on it
    within: WithinDataset  # the solvers with a value
    # Numbers of positive and of negative test rows; None when labels cannot be had.
    class_sizes: tuple[int, int] | None = None
    by_class: tuple[AgainstRest, ...] = ()  # three or more classes, each against the rest
    by_time: UntilTimes | None = None  # survival times: C of the events until a time

    @property
    def pairs(self) -> tuple[PairWithin, ...]:
        """Of the solvers with a value, each pair once."""
        return self.within.pairs

    def possible(self, names: Sequence[str], data_sets: int, level: float) -> list[str]:
        """Return who may be the best, with all its cells ok, if asked of so many data sets."""
        possible = self.within.possible(data_sets, level)
        complete = (names[row.solver] for row in self.rows if row.complete)
        return [name for name in complete if name in possible]


def compare_within(
    frame: Frame,
    dataset: int,
    points: int,
    *,
    measure: Measure,
    level: float,
    rope: float,
    pairs: bool = True,
) -> DatasetFindings:
    """Compare the solvers on one data set; each mean curve has `points`, and 0 makes none.

    Without `pairs`, no two solvers are compared, and none is said to lead.

    It raises `DataError` when scores cannot be read, or a measure other than the AUC needs those
    of a damaged file, and errors as `SplitTest.of_rows`.
    """
    measure = of_dataset(measure, frame, dataset)
    planned, ok = frame.counts()[dataset], frame.counts(frame.ok)[dataset]
    pending = frame.counts(frame.pending)[dataset]
    solvers = np.flatnonzero(planned)
    means = np.nan_to_num(frame.means("auc")[dataset, solvers])
    folds = _folds_of(frame, dataset, solvers[np.argsort(-means, kind="stable")].tolist())
    if not folds and not _is_known(measure, frame, dataset):
        _refuse_lost(frame, dataset, measure)
    test = SplitTest(
        ratio=frame.ratio(dataset),
        repeats=frame.repeats(dataset),
        redrawn=frame.redrawn(dataset),
        by=measure,
        level=level,
        rope=rope,
        pairs=pairs,
    )
    compared = _compared(frame, dataset, folds, test)
    number = {name: j for j, name in enumerate(frame.solvers)}
    within = {number[solver.name]: solver for solver in compared.solvers}
    whole = {j: s for j, s in within.items() if frame.complete[dataset, j] and not s.missing}
    sign = 1.0 if measure.smaller else -1.0
    losses = [sign * float(solver.values.mean()) for solver in whole.values()]
    ranks = dict(zip(whole, average_ranks_of(losses).tolist(), strict=True))
    roc, pr = _bands(folds, points) if points else ({}, {})
    rows = tuple(
        SolverFindings(
            dataset=dataset,
            solver=j,
            ok=int(ok[j]),
            pending=int(pending[j]),
            planned=int(planned[j]),
            within=within.get(j),
            rank=ranks.get(j, nan),
            roc=roc.get(j),
            pr=pr.get(j),
        )
        for j in solvers.tolist()
    )
    return DatasetFindings(
        dataset=dataset,
        rows=rows,
        within=compared,
        class_sizes=_class_sizes(folds),
        by_class=classes_within(folds, points),
        by_time=times_within(folds) if points else None,
    )


def _compared(frame: Frame, dataset: int, folds: Folds, test: SplitTest) -> WithinDataset:
    """Compare the solvers by their scores; where there are none, by the AUCs of the records."""
    if folds:
        return test.of_rows({frame.solvers[solver]: of for solver, of in folds.items()})
    values = {
        frame.solvers[solver]: aucs
        for solver, aucs in frame.by_split(dataset).items()
        if frame.rows(dataset, solver, frame.ok).size and _is_known(test.by, frame, dataset)
    }
    return test.of_values(values, NO_SCORES if frame.source.external is None else "")


def of_dataset(measure: Measure, frame: Frame, dataset: int) -> Measure:
    """Return what stands for the AUC where the rows of a data set have another target."""
    return measure_of(frame.standing(dataset)) if measure.name == AUC else measure


def _is_known(measure: Measure, frame: Frame, dataset: int) -> bool:
    """Whether the fits themselves have the values of a measure."""
    return measure.name == frame.standing(dataset) or measure.is_told


def _refuse_lost(frame: Frame, dataset: int, measure: Measure) -> None:
    """Raise where a damaged file, and no solver, is why a data set has no value of a measure."""
    rows = frame.ok & (frame.dataset == dataset)
    files = {*frame.facts["id"][rows], *frame.facts["data"][rows]} - {""}
    for problem in frame.source.problems():
        if any(file in problem for file in files):
            raise DataError(
                f"the measure {measure.name} needs the scores of the test rows of "
                f"{frame.datasets[dataset]} and their labels: {problem}"
            )


def _class_sizes(folds: Folds) -> tuple[int, int] | None:
    """Return the test rows of both classes in the folds of one seed; each row is in one at most."""
    every = [item for of in folds.values() for item in of.items()]
    of_seed = {key: fold for key, fold in every if isinstance(fold, Fold)}
    if not of_seed:
        return None
    first = min(seed for seed, _ in of_seed)
    positive = [fold.positive for (seed, _), fold in of_seed.items() if seed == first]
    count = sum(int(np.count_nonzero(rows)) for rows in positive)
    return count, sum(rows.size for rows in positive) - count


def describe_sizes(frame: Frame, one: DatasetFindings) -> str:
    """Return the rows, positives and features of a data set for people; empty if not known."""
    ok = np.flatnonzero(frame.ok & (frame.dataset == one.dataset))
    n_train, n_test = (frame.numbers[name][ok[:1]].sum() for name in ("n_train", "n_test"))
    facts = []
    if one.class_sizes is not None:
        rows, positive = sum(one.class_sizes), one.class_sizes[0]
        # Folds test each row once; a share, a test file or windows of time do not.
        tested = "rows" if not ok.size or rows == n_train + n_test else "test rows"
        facts.append(f"{rows} {tested}, {positive} positive ({positive / rows:.1%})")
    elif ok.size and not isnan(n_train + n_test):
        only = frame.facts["division"][ok[0]].startswith(ONE_TEST_SET)
        facts.append(f"{n_test:.0f} test rows" if only else f"{n_train + n_test:.0f} rows")
        if one.by_class:
            facts.append(f"{len(one.by_class)} classes")
    widths = np.unique(frame.numbers["d"][ok])
    widths = widths[~np.isnan(widths)]
    if widths.size > 2:  # of a table, whose levels differ between splits
        facts.append(f"{widths[0]:.0f} to {widths[-1]:.0f} features")
    elif widths.size:
        facts.append(f"{' or '.join(f'{d:.0f}' for d in widths)} features")
    return ", ".join(facts)


def means_within(frame: Frame, dataset: int, measure: Measure) -> dict[int, float]:
    """Return the mean of a measure over the splits by solver; empty where scores are missing."""
    solvers = np.flatnonzero(frame.counts(frame.ok)[dataset]).tolist()
    if measure.name in (AUC, frame.standing(dataset)):
        return {solver: float(frame.means("auc")[dataset, solver]) for solver in solvers}
    folds = _folds_of(frame, dataset, solvers)
    values = iter(measure.values([fold for of in folds.values() for fold in of.values()]))
    means = {}
    for solver, of in folds.items():
        known = [value for _, value in zip(of, values, strict=False) if not np.isnan(value)]
        means[solver] = float(np.mean(known)) if known else nan
    return means


def _folds_of(frame: Frame, dataset: int, solvers: Sequence[int]) -> Folds:
    """Return the test rows of all ok fits by solver; empty unless all of them can be had.

    Of a pair, the solver that comes first is named first.
    """
    folds: Folds = {}
    for solver in solvers:
        for row in frame.rows(dataset, solver, frame.ok):
            arrays = frame.scores(row)
            fold = None if arrays is None else rows_of(arrays)
            if fold is None:
                return {}
            key = int(frame.seed[row]), int(frame.split[row])
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
