"""What the statistics say of the fits in a frame: all that text, page, tables and figures show.

Design
  a. Everything that is shown is computed here by one call of `aucbench.stats` each, when it is
     first asked for, and is kept as the record that the call returns. What shows it only chooses
     digits and places.
  b. Times are compared only when all of them were measured under the same conditions, or when the
     user asks for them anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from aucbench.bench.cell import solver_of
from aucbench.bench.measuring import default_measure, measure_of, supervised
from aucbench.bench.options import ShowOptions
from aucbench.errors import DataError, UnknownNameError
from aucbench.metrics.measures import measure
from aucbench.registry.defaults import defaults
from aucbench.report.curves import MedianCurves, median_curves
from aucbench.report.endings import Ends, end_notes, ends_of
from aucbench.report.frame import NAN, Array, Frame, means_of_known
from aucbench.report.within import (
    AUC,
    DatasetFindings,
    SolverFindings,
    compare_within,
    means_within,
)
from aucbench.stats.advice import Advice
from aucbench.stats.measures import Measure
from aucbench.stats.pairs import PairTable, PairTest
from aucbench.stats.ranking import Bootstrap
from aucbench.stats.tables import ResultTable, Scale
from aucbench.stats.words import Interval

TITLES = {
    **{"auc": "AUC", "ap": "AP", "brier": "Brier score", "pauc": "pAUC", "gauc": "grouped AUC"},
    **{"cindex": "C-index", "grade-auc": "grade AUC", "hand-till": "Hand–Till M"},
    **{"one-vs-rest": "one-vs-rest AUC", "gpauc": "grouped pAUC"},
}
# Of how many pairs of solvers inside data sets, over all of these, each is compared; of more, none.
MOST_PAIRS = 5_000
POINTS = 40  # of each curve


@dataclass(frozen=True, slots=True)
class Means:
    """The means of a measure over the splits, without what else can be found of it."""

    measure: str  # its name for people
    values: Mapping[tuple[int, int], float]  # by data set and solver, if it has one
    failures: tuple[str, ...] = ()  # why a metric of a plugin has no value somewhere


@dataclass(frozen=True)
class Findings:
    """All that is shown of the fits in a frame.

    Attributes
    ----------
    frame : Frame
    settings : ShowOptions
    chosen : Measure
        The measure that the findings are about.
    datasets : tuple of DatasetFindings
        What is found inside each data set, in the order of the frame.
    compared : frozenset of int
        The data sets inside which each pair of solvers is compared.
    points : int
        Points of each curve.
    others : tuple of Means
        Of the further metrics that were asked for.
    missing : tuple of str
        Why a metric that was asked for is missing, a sentence each.
    """

    frame: Frame
    settings: ShowOptions
    chosen: Measure
    datasets: tuple[DatasetFindings, ...]
    compared: frozenset[int]
    points: int
    others: tuple[Means, ...] = ()
    missing: tuple[str, ...] = ()

    @cached_property
    def measure(self) -> str:
        """Name of the measure for people."""
        return title_of(self.chosen, self.frame)

    @cached_property
    def quality(self) -> str:
        """Name for people of what is measured along each fit: the AUC, or what stands for it."""
        return title_of(measure(AUC), self.frame)

    @property
    def row_test(self) -> str:
        """The test of differences over test rows, for people; empty if there is none."""
        if self.frame.source.external is not None:
            return ""
        if self.measure == TITLES[AUC]:
            return "DeLong's test with room for rows that nobody saw"
        known = self.chosen.name == AUC or self.chosen.has_variance
        return "a t-test by the influence of rows" if known else ""

    @property
    def range(self) -> tuple[float, float, float, float] | None:
        """The part of the ROC curve that is measured: rates from and to, first the false ones."""
        rates = self.chosen.params
        if not self.chosen.name.startswith("pauc"):
            return None
        low, high, least = (float(rates[x] or 0.0) for x in ("min_fpr", "max_fpr", "min_tpr"))
        return low, high, least, 1.0

    @property
    def smaller(self) -> bool:
        """Whether a smaller value of it is better."""
        return self.chosen.smaller

    @property
    def asked_reference(self) -> str | None:
        """The solver that was asked for; on one data set only this one is compared."""
        asked = self.settings.reference
        return None if asked is None else solver_of(self.frame.solvers, asked)

    @property
    def reference(self) -> str | None:
        """The solver with which the others are compared: the one asked for, or the default one."""
        if self.asked_reference is not None:
            return self.asked_reference
        try:
            return solver_of(self.frame.solvers, defaults()["reference"])
        except UnknownNameError:  # it does not take part, or more than once
            return None

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """Why metrics of plugins have no value on some fits."""
        return tuple(chain(self.chosen.failures, *(other.failures for other in self.others)))

    @cached_property
    def partial(self) -> frozenset[int]:
        """The solvers whose means are over fewer data sets than those of others."""
        return frozenset(np.flatnonzero(np.isnan(self.values).any(axis=0)).tolist())

    def interval(self, row: SolverFindings) -> Interval | None:
        """Return the interval that is shown first: DeLong's, or else the one over splits."""
        if row.within is None or np.isnan(row.within.delong.low):
            return self.over_splits(row)
        return row.within.delong

    def over_splits(self, row: SolverFindings) -> Interval | None:
        """Return the interval over splits; that of a share ends at 0 and at 1."""
        if row.within is None:
            return None
        whole = row.within.resampled
        if not (self.chosen.share or self.chosen.name in TITLES):
            return whole
        low, high = np.clip([whole.low, whole.high], 0.0, 1.0)
        return replace(whole, low=float(low), high=float(high))

    @cached_property
    def rows(self) -> tuple[SolverFindings, ...]:
        """All rows, by data set."""
        return tuple(row for one in self.datasets for row in one.rows)

    @property
    def not_compared(self) -> str:
        """In a sentence, what was left out since it takes long; empty if nothing was."""
        frame = self.frame
        single = frame.source.external is not None and self.folds.shape[2] == 1
        if len(self.compared) == len(frame.datasets) or single:
            return ""
        others = "".join(f" but {frame.datasets[i]}" for i in self.compared)
        return (
            f"Left out, since it takes long: the comparisons of {frame.pairs_inside} pairs of "
            f"solvers inside single data sets{others}, and the stars that follow from them."
        )

    @property
    def grouped(self) -> str:
        """What intervals and verdicts count where rows have groups; empty where they have none."""
        groups = {row.within.groups for row in self.rows if row.within} - {0}
        if not groups:
            return ""
        count = " or ".join(map(str, sorted(groups)[:2]))
        return (
            f"intervals and verdicts of the {self.measure} count {count} groups, not rows, because "
            "rows of one group may be alike"
        )

    @property
    def state(self) -> str:
        """In a sentence, why there are no more results; empty if the run has ended."""
        waiting = int(self.frame.pending.sum())
        if not waiting:
            return ""
        total = self.frame.pending.size
        return f"Interim: the run has not ended, and {waiting} of {total} cells were not run yet."

    @property
    def left_out(self) -> str:
        """Which data sets are not used in what is said across data sets; empty if all are."""
        waiting = int(self.frame.counts(self.frame.pending).any(axis=1).sum())
        count, sentences = len(self.datasets), []
        if waiting:
            sentences.append(
                f"{waiting} of {count} data sets have cells that were not run yet, and are "
                "left out of what is said across data sets."
            )
        if others := count - len(self.frame.finished) - waiting:
            sentences.append(
                f"On {others} of {count} data sets some solvers were not planned; these data sets "
                "are left out of what is said across data sets."
            )
        return " ".join(sentences)

    @cached_property
    def ends(self) -> Mapping[tuple[int, int], Ends]:
        """How the ok fits ended, by data set and solver."""
        places = ((row.dataset, row.solver) for row in self.rows)
        return {place: ends_of(self.frame, *place) for place in places}

    @property
    def end_notes(self) -> tuple[str, ...]:
        """What the words for the ends of fits mean, and which have not converged, a line each."""
        names, solvers = self.frame.datasets, self.frame.solvers
        return end_notes([(solvers[j], names[i], ends) for (i, j), ends in self.ends.items()])

    def curves(self, row: SolverFindings, unit: str) -> MedianCurves | None:
        """Return the median learning curves of a row against seconds or passes; None: no curve."""
        rows = self.frame.rows(row.dataset, row.solver, self.frame.ok)
        return median_curves(self.frame, rows, unit, self.points)

    @property
    def times(self) -> str:
        """Why times are not compared; empty when they are."""
        count = len(self.frame.conditions)
        if count < 2 or self.settings.mixed:
            return ""
        return (
            f"Times were measured under {count} different conditions and are not compared; "
            "`aucbench report --mixed` compares them anyway."
        )

    @cached_property
    def folds(self) -> Array:
        """The values of the finished data sets by split, shape (N, k, J).

        NaN where a solver has none, and everywhere where one of its cells failed. J is the largest
        number of splits of a data set.
        """
        finished = [self.datasets[dataset] for dataset in self.frame.finished]
        known = [
            (i, row.solver, row.within.values)
            for i, one in enumerate(finished)
            for row in one.rows
            if row.within is not None and row.complete
        ]
        sizes = (r.within.values.size for one in finished for r in one.rows if r.within)
        shape = (len(finished), len(self.frame.solvers), max(sizes, default=1))
        folds = np.full(shape, NAN)
        for i, solver, values in known:
            folds[i, solver, : values.size] = values
        return folds

    @cached_property
    def values(self) -> Array:
        """Means over the splits of each finished data set and solver; NaN where a cell failed."""
        return means_of_known(self.folds)

    @cached_property
    def seconds(self) -> Array:
        """Likewise; all are NaN when they are not compared."""
        return np.full(self.values.shape, NAN) if self.times else self.frame.values("seconds")

    @cached_property
    def nonzeros(self) -> Array:
        """Likewise, the non-zero weights."""
        return self.frame.values("nnz")

    @cached_property
    def mean_seconds(self) -> tuple[float, ...]:
        """Shifted geometric mean exp(mean log(t + 1)) − 1 of the seconds t of a fit.

        It is over the data sets with a value. A factor counts, and a blink does not.
        """
        known = (column[~np.isnan(column)] for column in self.seconds.T)
        return tuple(float(np.exp(np.log(t + 1.0).mean()) - 1.0) if t.size else NAN for t in known)

    @property
    def families(self) -> list[str | None] | None:
        """The families of the finished data sets; None where no plan has families."""
        known = self.frame.source.families
        return [known[i] for i in self.frame.finished] if any(known) else None

    @cached_property
    def table(self) -> ResultTable:
        """The values of the finished data sets, and how they are compared."""
        scale = Scale.SHARES if self.chosen.share else Scale.LARGER
        return ResultTable(
            self.values,
            self.frame.solvers,
            [self.frame.datasets[i] for i in self.frame.finished],
            self.families,
            Scale.SMALLER if self.smaller else scale,
        )

    @property
    def pairs(self) -> PairTable:
        """All pairs of solvers over the finished data sets."""
        return self.advice.pairs

    @cached_property
    def means(self) -> tuple[Interval, ...]:
        """Mean values in the order of the solvers."""
        return Bootstrap(level=self.settings.level).means(self.table)

    @cached_property
    def ranks(self) -> tuple[Interval, ...]:
        """Average ranks in the order of the solvers."""
        return Bootstrap(level=self.settings.level).ranks(self.table)

    @cached_property
    def advice(self) -> Advice:
        """The recommendation in words."""
        frame, s = self.frame, self.settings
        finished = [self.datasets[i] for i in frame.finished]
        stars = [one.possible(frame.solvers, len(finished), s.level) for one in finished]
        return Advice(
            table=self.table,
            test=PairTest(rope=s.rope, level=s.level),
            against=self.reference if len(finished) > 1 else self.asked_reference,
            seconds=self.seconds,
            nonzeros=self.nonzeros,
            folds=self.folds,
            ratio=frame.ratio(*frame.finished),
            within=finished[0].within if len(finished) == 1 else None,
            stars=stars if self.compared.issuperset(frame.finished) else None,
            measure=self.measure,
        )

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The solvers: the one with the best mean, and then by how far each is behind.

        That is `BestSet.s`; where it is not tested, and where it is equal, the average rank.
        """
        means = np.nan_to_num(means_of_known(self.table.unit_gains.T), nan=-np.inf)
        ranks = np.nan_to_num([one.estimate for one in self.ranks], nan=np.inf)
        after = np.array([name != self.advice.leader for name in self.frame.solvers])
        best = self.advice.best
        behind = np.nan_to_num(best.s) if best else np.zeros(ranks.size)
        return tuple(np.lexsort((-means, ranks, behind, after)).tolist())

    @property
    def only(self) -> int | None:
        """The data set that the findings are about; None if they are about several."""
        if len(self.frame.finished) == 1:
            return self.frame.finished[0]
        return 0 if len(self.frame.datasets) == 1 else None

    @cached_property
    def leading(self) -> frozenset[int]:
        """The solvers that may be the best, on a typical data set or on the only one."""
        if self.advice.leader is None:
            return frozenset()
        if len(self.frame.finished) == 1:
            [only] = self.frame.finished
            return frozenset(row.solver for row in self.datasets[only].rows if row.leading)
        names = self.frame.solvers
        best = self.advice.best
        possible = {self.advice.leader} if best is None else {*best.of(best.possible)}
        return frozenset(j for j, name in enumerate(names) if name in possible)


def means_of(frame: Frame, metric: str) -> Means:
    """Return the means of a metric; it costs a part of `findings_of`.

    Raises
    ------
    DataError
        When there is no value, or scores cannot be read.
    """
    chosen = measure_of(metric)
    with supervised():
        values = {
            (dataset, solver): value
            for dataset in range(len(frame.datasets))
            for solver, value in means_within(frame, dataset, chosen).items()
        }
    if not chosen.failures:  # else the column stays empty, and the failures say why
        _require_values(chosen, frame, np.array([*values.values()]))
    return Means(title_of(chosen, frame), values, chosen.failures)


def findings_of(
    frame: Frame,
    settings: ShowOptions | None = None,
    *,
    chosen: Measure | None = None,
    curves: bool = True,
    most_pairs: int = MOST_PAIRS,
) -> Findings:
    """Ask the statistics about every data set; the scores are read here, one data set at a time.

    Parameters
    ----------
    frame : Frame
    settings : ShowOptions, optional
        The findings are about the first of its metrics that can be had, or else about the AUC.
        Without a metric they are about that of the pairs which all cells share.
    chosen : Measure, optional
        What the values of the frame are, if they come from elsewhere.
    curves : bool
        Whether ROC and precision-recall curves are made.
    most_pairs : int
        Of how many pairs inside data sets, over all of these, each is compared; of more, none is.
        If the verdict is about one data set, they are compared there in any case.

    Raises
    ------
    UnknownNameError
        When no solver has the name of the reference.
    DataError
        When scores cannot be read, or there is no AUC either.
    AucbenchError
        When a setting makes no sense.
    """
    settings = settings or ShowOptions()
    if settings.reference is not None:
        solver_of(frame.solvers, settings.reference)
    usual = default_measure(frame.source.common.get("pairs")) if chosen is None else ""
    metrics = settings.metrics or (usual,)
    missing: list[str] = []
    for metric in dict.fromkeys((*metrics, AUC)):
        try:
            findings = _findings(frame, settings, chosen or measure_of(metric), curves, most_pairs)
            break
        except DataError as error:
            if chosen is not None or metric in (usual, AUC):
                raise
            missing.append(f"{metric} is missing: {error}")
    others: list[Means] = []
    for metric in metrics[len(missing) + 1 :]:
        try:
            others.append(means_of(frame, metric))
        except DataError as error:
            missing.append(f"{metric} is missing: {error}")
    return replace(findings, others=tuple(others), missing=tuple(missing))


def _findings(
    frame: Frame, settings: ShowOptions, chosen: Measure, curves: bool, most_pairs: int
) -> Findings:
    """Return the findings of a measure; raises `DataError` without a value of it."""
    points = POINTS if curves else 0
    compared = _compared_within(frame, most_pairs)
    with supervised():
        datasets = tuple(
            compare_within(
                frame,
                dataset,
                points,
                measure=chosen,
                level=settings.level,
                rope=settings.rope,
                pairs=dataset in compared,
            )
            for dataset in range(len(frame.datasets))
        )
    findings = Findings(frame, settings, chosen, datasets, compared, points)
    _require_values(chosen, frame, findings.values)
    return findings


def _compared_within(frame: Frame, most: int) -> frozenset[int]:
    """Return the data sets inside which each pair of solvers is compared.

    Of more than `most` pairs it is the one that the verdict is about, if that is about one.
    """
    if frame.pairs_inside <= most:
        return frozenset(range(len(frame.datasets)))
    only = frame.finished if len(frame.finished) == 1 else ()
    return frozenset(only or ((0,) if len(frame.datasets) == 1 else ()))


def title_of(measure: Measure, frame: Frame) -> str:
    """Return the name of a measure for people: AUC, AP, pAUC[max_fpr=.1], C-index."""
    name = measure.name
    if name == AUC and frame.datasets:
        standing = {frame.standing(i) for i in range(len(frame.datasets))}
        if len(standing) > 1:
            return "AUC, C or M"
        [name] = standing
    return titled(name)


def titled(spec: str) -> str:
    """Return the specification of a measure for people."""
    own, bracket, rest = spec.partition("[")
    return f"{TITLES.get(own, own)}{bracket}{rest}"


def _require_values(chosen: Measure, frame: Frame, values: Array) -> None:
    if chosen.name != AUC and frame.finished and np.isnan(values).all():
        if chosen.failures:
            raise DataError("; ".join(chosen.failures))
        if not frame.ok.any():
            raise DataError(f"the measure {chosen.name} has no value, since no fit has ended well")
        raise DataError(
            f"the measure {chosen.name} needs the scores of the test rows and their labels, and "
            "the folder has none for which it can be computed; use auc, or run the plan again"
        )
