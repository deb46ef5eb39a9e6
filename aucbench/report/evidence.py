"""What a results folder holds, as arrays for `aucbench.stats` and as text for people.

Design
  a. Records are read once, one at a time, and only numbers are kept of them. Scores are read when
     they are asked for, so that those of one data set are in memory.
  b. Two cells belong to the same solver when they agree in all that a user chooses about a solver,
     feature map and budget included. A choice that is the same in the whole folder is left out
     of the names; so a name is never longer than it must be, and never ambiguous.
  c. Folds are known by the seed of their shuffle and their number. Cells that ask for the same fit
     twice, which two seeds with several repeats do, count once.
  d. A cell that failed leaves its solver without a value on that data set. A cell that was not run
     yet, and a solver that was not planned there, leave the whole data set out of what is said
     across data sets, since the solver must not be blamed for it.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, isnan
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.answers import OF_TUNING, Wanted
from aucbench.bench.cell import Cell, solver_of
from aucbench.bench.plan.families import family_of
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.convergence import BUDGET, Optima
from aucbench.bench.results.record import Record
from aucbench.bench.show.endings import Ends, end_notes
from aucbench.data.understood import Understood
from aucbench.errors import DataError
from aucbench.records import CellStatus, Stop
from aucbench.report.fits import NAN, Array, Condition, Fit, Key, names_of, shared

OF_DATA = ("dataset", "reading", "splits", "holdout")
OF_CHOICE = (
    *("choice", "features", "objective", "projector", "passes", "seconds", "gap_tol"),
    *("tune_evals", "inner_splits", "tune_seconds", "tune_work", "repeat_fits"),
    *("pairs", "monotone"),
)
OF_SOLVER = (*OF_CHOICE, "folder")  # only where folders have other results of one choice
NOT_YET = "not run yet"
UNKNOWN = Wanted()

# What stands for the AUC, by what is known of the target of a data set.
STANDING = {"n_events": "cindex", "grades": "grade-auc", "classes": "hand-till"}
FIXED = ("own folds", "times")  # ends of divisions that no seed changes

Place = tuple[int, int]  # numbers of a data set and a solver
_data_key, _solver_key = attrgetter(*OF_DATA), attrgetter(*OF_CHOICE)


class FoldKey(NamedTuple):
    """A test fold of a data set."""

    seed: int
    split: int


@dataclass(frozen=True, slots=True)
class Group:
    """The fits of one solver on one data set."""

    fits: Mapping[FoldKey, Fit]  # those that were run, in the order of the folds
    pending: int = 0  # number of cells that are planned and were not run yet

    @property
    def ok(self) -> list[Fit]:
        """Those with an AUC."""
        return [fit for fit in self.fits.values() if fit.ok]

    @property
    def failed(self) -> list[Fit]:
        """Those without."""
        return [fit for fit in self.fits.values() if not fit.ok]

    @property
    def planned(self) -> int:
        """Number of cells that were run or will be."""
        return len(self.fits) + self.pending

    @property
    def complete(self) -> bool:
        """Whether all planned cells were run and have an AUC."""
        return not self.pending and bool(self.fits) and all(fit.ok for fit in self.fits.values())

    def mean(self, name: str) -> float:
        """Mean of a measure over the ok fits that know it; NaN when none does."""
        known = self._known(name)
        return float(np.add.reduce(known) / known.size) if known.size else NAN

    def median(self, name: str) -> float:
        """Median, likewise."""
        known = self._known(name)
        return float(statistics.median(known.tolist())) if known.size else NAN

    def _known(self, name: str) -> Array:
        values = np.array([getattr(fit, name) for fit in self.ok], np.float64)
        return values[~np.isnan(values)]


NOTHING = Group({})
Scores = Callable[[Fit], Mapping[str, NDArray[Any]] | None]
About = Callable[[str], Mapping[str, Any] | None]


class KeptPlan(NamedTuple):
    """A plan of a results folder."""

    name: str  # of its file
    folder: str
    text: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What is known of values that come from elsewhere, whose rows and scores nobody here saw."""

    ratios: Mapping[int, float]  # test rows divided by training rows, by data set
    remarks: tuple[str, ...]  # sentences for the reader of the verdict


@dataclass(frozen=True)
class Evidence:
    """The results of a folder, sorted by data set and solver."""

    datasets: tuple[str, ...]  # names for people, unique
    solvers: tuple[str, ...]
    groups: Mapping[Place, Group]  # a pair that is in no plan and has no record is not there
    optima: Optima = field(default_factory=Optima)  # the least objective known of each problem
    common: Mapping[str, Any] = field(default_factory=dict)  # the choices that all cells share
    folders: tuple[str, ...] = ()  # of several folders those that have each solver; else empty
    plans: tuple[KeptPlan, ...] = ()
    versions: Mapping[str, int] = field(default_factory=dict)  # how many records have which
    stale: int = 0  # records left out, because the data, a plugin or aucbench has changed since
    unchecked: str = ""  # why it is not known which records are stale; empty when it is
    scores: Scores = lambda _: None  # as `Store.scores`
    about: About = lambda _: None  # as `Store.about`
    problems: Callable[[], tuple[str, ...]] = tuple  # about files that could not be used so far
    elsewhere: Elsewhere | None = None  # None: all are records of our own runs
    # For each data set the name of its family, or None. Empty says the same as None for all.
    families: tuple[str | None, ...] = ()

    def group(self, dataset: int, solver: int) -> Group:
        """Return the fits of a solver on a data set; an empty group when there are none."""
        return self.groups.get((dataset, solver), NOTHING)

    def row(self, dataset: int) -> Iterator[tuple[int, Group]]:
        """Yield the solvers that were planned on a data set, and their fits."""
        for solver in range(len(self.solvers)):
            if (dataset, solver) in self.groups:
                yield solver, self.groups[dataset, solver]

    def _told_of(self, dataset: int) -> Mapping[str, Any] | None:
        """Return what was kept of a data set; None where nothing was. It is read once."""
        if dataset not in self._told:
            fits = (fit for _, group in self.row(dataset) for fit in group.fits.values())
            data = next((fit.data for fit in fits if fit.data), None)
            self._told[dataset] = None if data is None else self.about(data)
        return self._told[dataset]

    @cached_property
    def _told(self) -> dict[int, Mapping[str, Any] | None]:
        return {}

    def understood(self, dataset: int) -> Understood:
        """Return what was understood of a data set; nothing where that was not kept."""
        known = self._told_of(dataset)
        return Understood() if known is None else Understood.from_json(known["understood"])

    def standing(self, dataset: int) -> str:
        """Return the measure that the AUC of the fits is: another one where targets are others."""
        known = self._told_of(dataset) or {}
        return next((own for name, own in STANDING.items() if name in known), "auc")

    @cached_property
    def finished(self) -> tuple[int, ...]:
        """The data sets that are used in what is said across data sets.

        All solvers were planned there, and no cell is left to run.
        """
        done = [0] * len(self.datasets)
        for (dataset, _), group in self.groups.items():
            done[dataset] += not group.pending
        return tuple(i for i, count in enumerate(done) if count == len(self.solvers))

    @property
    def pairs_inside(self) -> int:
        """Number of pairs of solvers inside data sets, over all data sets."""
        solvers = Counter(dataset for dataset, _ in self.groups)
        return sum(k * (k - 1) // 2 for k in solvers.values())

    @cached_property
    def pending(self) -> int:
        """Number of cells that are left to run."""
        return sum(group.pending for group in self.groups.values())

    @property
    def state(self) -> str:
        """In a sentence, why there are no more results; empty if the run has ended."""
        if not self.pending:
            return ""
        total = sum(group.planned for group in self.groups.values())
        return (
            f"Interim: the run has not ended, and {self.pending} of {total} cells were not run yet."
        )

    @property
    def left_out(self) -> str:
        """Which data sets are not used in what is said across data sets; empty if all are."""
        waiting = {dataset for (dataset, _), group in self.groups.items() if group.pending}
        count, sentences = len(self.datasets), []
        if waiting:
            sentences.append(
                f"{len(waiting)} of {count} data sets have cells that were not run yet, and are "
                "left out of what is said across data sets."
            )
        if others := count - len(self.finished) - len(waiting):
            sentences.append(
                f"On {others} of {count} data sets some solvers were not planned; these data sets "
                "are left out of what is said across data sets."
            )
        return " ".join(sentences)

    def values(self, name: str) -> Array:
        """Mean of a measure for each finished data set and solver; NaN where a cell failed."""
        table = np.full((len(self.finished), len(self.solvers)), NAN)
        for row, dataset in enumerate(self.finished):
            for solver, group in self.row(dataset):
                if group.complete:
                    table[row, solver] = group.mean(name)
        return table

    def by_split(self, dataset: int) -> dict[int, Array]:
        """AUC of each split of a data set by solver, NaN where it has none."""
        groups = dict(self.row(dataset))
        keys = sorted({key for group in groups.values() for key in group.fits})
        return {
            solver: np.array(
                [group.fits[key].auc if key in group.fits else NAN for key in keys], np.float64
            )
            for solver, group in groups.items()
        }

    def ratio(self, *datasets: int) -> float:
        """Test rows divided by training rows of a split, median over the ok fits; 1 if unknown."""
        if self.elsewhere is not None:
            return float(np.median([self.elsewhere.ratios[one] for one in datasets]))
        ratios = [
            fit.n_test / fit.n_train
            for dataset in datasets
            for _, group in self.row(dataset)
            for fit in group.ok
            if fit.n_train > 0 and fit.n_test > 0
        ]
        return float(np.median(ratios)) if ratios else 1.0

    def repeats(self, dataset: int) -> int:
        """How often the splits of a data set go over the same rows.

        Each seed divides all rows anew into folds. A share h of the rows that is drawn J times
        has the variance of 1 / (h + (1 - h) / J) shares without a common row, so that a seed
        counts as a repeat by h only.
        """
        splits, seeds = self._splits(dataset)
        if splits > seeds:
            return seeds
        ratio = self.ratio(dataset)
        return ceil(1.0 + (seeds - 1) * ratio / (1.0 + ratio))

    def redrawn(self, dataset: int) -> bool:
        """Whether further seeds would divide the rows of a data set into other folds."""
        splits, seeds = self._splits(dataset)
        fits = (fit for _, group in self.row(dataset) for fit in group.fits.values())
        return splits > seeds and not any(fit.division.endswith(FIXED) for fit in fits)

    def _splits(self, dataset: int) -> tuple[int, int]:
        """Return the numbers of splits and of seeds of a data set."""
        splits = {key for _, group in self.row(dataset) for key in group.fits}
        return len(splits), len({key.seed for key in splits})

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The different conditions under which fits with a time were run, the most usual first."""
        count = Counter(
            fit.condition
            for group in self.groups.values()
            for fit in group.ok
            if fit.condition is not None
        )
        return tuple(condition for condition, _ in count.most_common())

    @property
    def counts(self) -> Counter[str]:
        """Number of cells by status, "not run yet" included."""
        counts: Counter[str] = Counter()
        for group in self.groups.values():
            counts.update(str(fit.status) for fit in group.fits.values())
        counts[NOT_YET] = self.pending
        return +counts

    @property
    def failed(self) -> dict[str, int]:
        """Number of cells that were run and are not ok, by status."""
        fits = (fit for group in self.groups.values() for fit in group.fits.values())
        return dict(Counter(str(fit.status) for fit in fits if fit.status != CellStatus.OK))

    def ends(self, dataset: int, solver: int) -> Ends:
        """How the ok fits of a solver on a data set ended."""
        ok = self.group(dataset, solver).ok
        judged = [
            (fit.descent, self.optima.judge(fit.descent))
            for fit in ok
            if fit.descent.start is not None or fit.descent.stop == Stop.STALLED.name
        ]
        by_budget = sum(fit.descent.stop in BUDGET for fit in ok)
        overspent = [fit.overspent for fit in ok if not isnan(fit.overspent)]
        ends = Ends.of(len(ok), by_budget, judged, overspent)
        return replace(ends, other_pairs=next((f.other_pairs for f in ok if f.other_pairs), ""))

    @property
    def end_notes(self) -> tuple[str, ...]:
        """What the marks of fits that did not end at their optimum mean, a line each."""
        places = sorted(self.groups)
        return end_notes([(self.solvers[j], self.datasets[i], self.ends(i, j)) for i, j in places])


def evidence_of(
    records: Iterable[Record],
    plans: Sequence[Plan] = (),
    *,
    scores: Scores = lambda _: None,
    about: About = lambda _: None,
) -> Evidence:
    """Sort records, which are read once, by data set and solver.

    Cells of plans that have no record count as not run yet. No record is stale.

    It raises `DataError` when a cell has two records, plans contradict each other, or there is
    nothing to report.
    """
    kept = kept_of(records, plans)
    return evidence_from(kept, plans, scores=scores, about=about)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of the records and of the plans of a results folder, by data set and solver."""

    run: Mapping[tuple[Key, Key], Mapping[FoldKey, Fit]]
    planned: Mapping[tuple[Key, Key], Mapping[FoldKey, None]]
    stale: int  # as `Evidence.stale`


def kept_of(
    records: Iterable[Record],
    plans: Sequence[Plan],
    wanted: Wanted = UNKNOWN,
    folder: str = "",
) -> Kept:
    """Sort the records of a folder; raises as `evidence_of`.

    `wanted` has the ids of the planned cells for the present data, plugins and aucbench: a record
    of such a cell with another id is stale.
    """
    present = {number: cell for cell, number in wanted.ids.items()}
    run: dict[tuple[Key, Key], dict[FoldKey, Fit]] = {}
    whose: dict[tuple[Key, Key, FoldKey], Cell] = {}
    stale = 0
    for stored in records:
        # The files of a cell may have been elsewhere when it was computed.
        record = replace(stored, cell=present.get(stored.id, stored.cell))
        known = wanted.ids.get(record.cell)
        if known is not None and known != record.id:
            stale += 1
            continue
        asked = wanted.spelled(record.cell)
        data, solver, fold = _keys(asked)
        cell = whose.setdefault((data, solver, fold), asked)
        if cell != asked:
            continue  # the same fit was asked for by another seed and repeat
        fits = run.setdefault((data, solver), {})
        if fold in fits:
            raise DataError(
                f"the folder has two results of {record.cell}, computed with different data or "
                "code, and it cannot be looked up which one counts; delete one of "
                f"{fits[fold].id} and {record.id}, or repair what its plan names"
            )
        fits[fold] = Fit.of(record, folder)
    return Kept(run, _planned(plans, wanted), stale)


def evidence_from(
    kept: Kept,
    plans: Sequence[Plan],
    *,
    scores: Scores,
    about: About,
    homes: Mapping[Key, str] | None = None,
) -> Evidence:
    """Return the evidence of what is kept; `homes` has the folders of each solver, if several."""
    optima, versions, families = Optima(), Counter[str](), family_of(plans)
    for fits in kept.run.values():
        for fit in fits.values():
            optima.add_fit(fit.descent)
            versions[fit.versions] += 1
    places = [*dict.fromkeys((*kept.planned, *kept.run))]
    if not places:
        raise DataError("the folder holds no result and no plan, so there is nothing to report")
    data, solvers = (
        {key: number for number, key in enumerate(dict.fromkeys(place[part] for place in places))}
        for part in (0, 1)
    )
    groups = {}
    for key in places:
        fits = kept.run.get(key, {})
        pending = sum(fold not in fits for fold in kept.planned.get(key, ()))
        place = (data[key[0]], solvers[key[1]])
        groups[place] = Group({fold: fits[fold] for fold in sorted(fits)}, pending)
    return Evidence(
        names_of([*data], OF_DATA),
        names_of([*solvers], OF_SOLVER),
        groups,
        optima,
        {**shared([*data], OF_DATA), **shared([*solvers], OF_SOLVER)},
        folders=() if homes is None else tuple(homes[key] for key in solvers),
        versions=dict(versions),
        stale=kept.stale,
        scores=scores,
        about=about,
        families=tuple(families.get(key[0]) for key in data),
    )


def require_planned(plan: Plan, solver: str | None) -> None:
    """Raise `UnknownNameError` where a solver is named, and the plan has none of this name."""
    if solver is not None:
        solver_of(evidence_of((), [plan]).solvers, solver)


def _planned(plans: Iterable[Plan], wanted: Wanted) -> dict[tuple[Key, Key], dict[FoldKey, None]]:
    """Return the folds of the cells of plans, in their order."""
    folds: dict[tuple[Key, Key], dict[FoldKey, None]] = {}
    for plan in plans:
        for cell in plan.cells():
            data, solver, fold = _keys(wanted.spelled(cell))
            folds.setdefault((data, solver), {})[fold] = None
    return folds


def _keys(cell: Cell) -> tuple[Key, Key, FoldKey]:
    solver = _solver_key(cell)
    if not cell.tune:
        solver = tuple(
            None if name in OF_TUNING else value
            for name, value in zip(OF_CHOICE, solver, strict=True)
        )
    return _data_key(cell), (*solver, None), FoldKey(cell.seed, cell.split)
