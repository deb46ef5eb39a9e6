"""One data set of the evidence: intervals, pairs and curves, by the scores of its test rows.

Design
  a. The scores of one data set are in memory at a time; its ROC curves are made in the same turn.
  b. Where a score of an ok cell or a label is not in the folder, as during a run and with error
     functions, the AUCs of the records are compared by the corrected variance over splits alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from aucbench.report.evidence import Evidence, Group
from aucbench.stats.delong import Fold
from aucbench.stats.resampled import corrected_difference, corrected_interval
from aucbench.stats.roc import Band, Corners, pr_band, roc_band
from aucbench.stats.within import PairWithin, SolverWithin, WithinDataset, within
from aucbench.stats.words import Difference, Interval, Word, holm

AUC = "auc"
NO_SCORES = "The folder does not hold all scores of this data set with their labels."
Array: TypeAlias = NDArray[np.float64]
Folds: TypeAlias = dict[int, dict[tuple[int, int], Fold]]  # by solver and fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A solver on a data set.

    Attributes
    ----------
    dataset, solver : int
        Their numbers.
    group : Group
        Its fits.
    known : SolverWithin or None
        Its values and intervals; None when no cell is ok, or no score can be had.
    rank : float
        Of its mean among the solvers whose cells are all ok, 1 is the best and equal means share
        a rank; NaN when one of its cells is not ok.
    roc, pr : Band or None
        Mean curves over the folds.
    """

    dataset: int
    solver: int
    group: Group
    known: SolverWithin | None
    rank: float
    roc: Band | None
    pr: Band | None

    @property
    def estimate(self) -> float:
        """Mean over the splits with a value."""
        return self.known.delong.estimate if self.known else nan

    @property
    def leading(self) -> bool:
        """Whether it is not worse than the best, with all its cells ok."""
        return self.known is not None and self.known.not_worse and self.group.complete

    @property
    def note(self) -> str:
        """What is missing, and by which rule the interval was made; empty if it is the usual one.

        The usual one is DeLong's.
        """
        parts = []
        if failed := len(self.group.failed):
            parts.append(f"{failed} of {self.group.planned} cells failed.")
        if self.group.pending:
            parts.append(f"{self.group.pending} of {self.group.planned} cells were not run yet.")
        if self.known:
            parts.append(self.known.delong.note)
        return " ".join(filter(None, parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """What is known of one data set.

    Attributes
    ----------
    dataset : int
        Its number.
    rows : tuple of Row
        One for each solver that was planned on it.
    pairs : tuple of PairWithin
        Of the solvers with a value.
    classes : tuple of (int, int), or None
        Numbers of positive and of negative rows; None when labels cannot be had.
    """

    dataset: int
    rows: tuple[Row, ...]
    pairs: tuple[PairWithin, ...]
    classes: tuple[int, int] | None = None


def inside(
    evidence: Evidence, dataset: int, points: int, *, measure: str, level: float, rope: float
) -> Inside:
    """Compare the solvers on one data set.

    Parameters
    ----------
    points : int
        Of each mean curve; 0 for none.
    measure, level, rope :
        As in `aucbench.stats.within`.

    Raises
    ------
    DataError
        When scores cannot be read.
    AucbenchError
        As `within`.
    """
    groups = dict(evidence.row(dataset))
    means = {solver: np.nan_to_num(group.mean("auc")) for solver, group in groups.items()}
    best_first = sorted(groups, key=means.__getitem__, reverse=True)
    folds = _folds(evidence, {solver: groups[solver] for solver in best_first})
    repeats = len({fold.seed for group in groups.values() for fold in group.fits})
    ratio = evidence.ratio(dataset)
    if folds:
        named = {evidence.solvers[solver]: of for solver, of in folds.items()}
        found = within(named, ratio, repeats=repeats, by=measure, level=level, rope=rope)
    else:
        values = _values(evidence.solvers, groups) if measure == AUC else {}
        found = _by_splits(values, ratio, measure, level, rope)
    known = {evidence.solvers.index(solver.name): solver for solver in found.solvers}
    ranks = _ranks({j: s for j, s in known.items() if groups[j].complete and not s.missing})
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
    return Inside(dataset=dataset, rows=rows, pairs=found.pairs, classes=_classes(folds))


def _classes(folds: Folds) -> tuple[int, int] | None:
    """Return the rows of both classes in the test folds of one seed, which hold each row once."""
    if not folds:
        return None
    of_seed = {key: fold for of in folds.values() for key, fold in of.items()}
    first = min(seed for seed, _ in of_seed)
    positive = [fold.positive for (seed, _), fold in of_seed.items() if seed == first]
    count = sum(int(np.count_nonzero(rows)) for rows in positive)
    return count, sum(rows.size for rows in positive) - count


def _ranks(known: Mapping[int, SolverWithin]) -> dict[int, float]:
    means = [-float(solver.values.mean()) for solver in known.values()]
    return dict(zip(known, rankdata(means).tolist(), strict=True))


def _folds(evidence: Evidence, groups: Mapping[int, Group]) -> Folds:
    """Return the test rows of all ok fits by solver; empty unless all of them can be had.

    Of a pair, the solver that comes first is named first.
    """
    found: Folds = {}
    for solver, group in groups.items():
        for key, fit in group.fits.items():
            if not fit.ok:
                continue
            arrays = evidence.scores(fit)
            if arrays is None or "y" not in arrays:
                return {}
            fold = Fold(arrays["y"], arrays["scores"])
            found.setdefault(solver, {})[key] = fold
    return found


def _values(names: Sequence[str], groups: Mapping[int, Group]) -> dict[str, Array]:
    """Return the AUC of each split by solver, NaN where it has none."""
    keys = sorted({key for group in groups.values() for key in group.fits})
    return {
        names[solver]: np.array(
            [group.fits[key].auc if key in group.fits else nan for key in keys], dtype=np.float64
        )
        for solver, group in groups.items()
        if group.ok
    }


def _by_splits(
    values: Mapping[str, Array], ratio: float, measure: str, level: float, rope: float
) -> WithinDataset:
    """Do as `within` without scores: by the corrected variance over splits."""
    none = Difference(nan, nan, nan, nan, level, "DeLong, paired", NO_SCORES)
    compared = [
        (a, b, corrected_difference(values[a], values[b], ratio, level))
        for a, b in combinations(values, 2)
    ]
    adjusted = holm([difference.p for *_, difference in compared])
    pairs = tuple(
        PairWithin(a, b, replace(none, effect=d.effect), d, d, float(p), d.word(rope, float(p)))
        for (a, b, d), p in zip(compared, adjusted, strict=True)
    )
    missing = {name: int(np.isnan(v).sum()) for name, v in values.items()}
    mean = {name: float(np.nanmean(v)) for name, v in values.items()}
    best = min(values, key=lambda name: (missing[name], -mean[name]), default=None)
    beaten = {pair.b for pair in pairs if pair.a == best and pair.word is Word.BETTER}
    beaten |= {pair.a for pair in pairs if pair.b == best and pair.word is Word.WORSE}
    solvers = tuple(
        SolverWithin(
            name,
            v,
            Interval(mean[name], nan, nan, level, "none", NO_SCORES),
            corrected_interval(v, ratio, level),
            missing[name],
            name not in beaten,
        )
        for name, v in values.items()
    )
    return WithinDataset(measure, (), solvers, pairs, best)


def _bands(folds: Folds, points: int) -> tuple[dict[int, Band], dict[int, Band]]:
    """Return the mean ROC and precision-recall curves of the solvers that have one."""
    roc, pr = {}, {}
    for solver, of in folds.items():
        corners = [Corners.of(fold.positive, fold.scores) for fold in of.values()]
        known = [corner for corner in corners if corner.has_both_classes]
        if known:
            roc[solver], pr[solver] = roc_band(known, points), pr_band(known, points)
    return roc, pr
