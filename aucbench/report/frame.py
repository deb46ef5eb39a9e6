"""The fits of some results as one frame: a row for each planned cell, in columns of arrays.

Design
  a. Everything that is shown is computed of this frame: of records that were just computed, of
     results folders, and of tables of values from elsewhere alike.
  b. Rows are in the order of data set, solver, seed and split. A cell that was not run yet has a
     row without numbers.
  c. A cell that failed leaves its solver without a value on that data set. A cell that was not run
     yet, and a solver that was not planned there, leave the whole data set out of what is said
     across data sets, since the solver must not be blamed for it.
  d. Scores of test rows are read when they are asked for, so that those of one data set are in
     memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.results.convergence import Descent, Optima
from aucbench.data.understood import Understood
from aucbench.records import CellStatus

NAN = float("nan")
NOT_YET = "not run yet"
# What stands for the AUC, by what is known of the target of a data set.
STANDING = {"n_events": "cindex", "grades": "grade-auc", "classes": "hand-till"}
FIXED = ("own folds", "times")  # ends of divisions that no seed changes
CURVE = ("passes", "seconds", "objective", "test_auc")  # columns of the curve of a fit

# The columns of numbers; NaN is the value of what is not known. The AUC is known of ok fits only;
# of values from elsewhere it is the measure that they are of. `overspent` says how many times the
# budget a fit has used, if it used more. `groups`, `left_out` and `constant` are as in `Sizes`;
# `collapsed` is 1 where w = 0 is the best in a range of the ROC curve.
NUMBERS = (
    *("auc", "seconds", "spread", "nnz", "n_train", "n_test", "d", "overspent"),
    *("groups", "left_out", "constant", "collapsed"),
)
# The other columns, and the value of what is not known. `data` is the hash of a data set; `log` is
# the end of what a failed process wrote; `chosen` are tuned parameters; `pairs` are those that the
# fit trained on where they are not those asked for; `versions` and `condition` are of what ran it.
# The columns of `curve` are those of `CURVE`, and `info` are the diagnostics along it by name.
FACTS: Mapping[str, Any] = {
    **dict.fromkeys(("id", "data", "why", "log", "division", "pairs", "versions", "folder"), ""),
    **{"status": NOT_YET, "condition": None, "chosen": None, "descent": Descent()},
    **{"curve": np.empty((0, len(CURVE))), "info": {}},
}

Array: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Row: TypeAlias = Mapping[str, Any]  # the columns of a fit; one without a status was not run yet
# As `Store.scores`, of the id of a record and the hash of its data; and as `Store.about`.
Scores: TypeAlias = Callable[[str, str], Mapping[str, NDArray[Any]] | None]
About: TypeAlias = Callable[[str], Mapping[str, Any] | None]


class Place(NamedTuple):
    """The numbers of a data set and of a solver, and the seed and the split of a fit."""

    dataset: int
    solver: int
    seed: int
    split: int


@dataclass(frozen=True, slots=True)
class Condition:
    """What a time depends on besides the solver and the data."""

    host: str
    cpu: str
    threads: int | None  # of aucbench, BLAS and OpenMP in each cell
    concurrency: int  # cells at once on the host

    def __str__(self) -> str:
        """One line for people."""
        return (
            f"{self.host}, {self.cpu}, {self.threads or 'unknown number of'} thread(s), "
            f"{self.concurrency} cell(s) at once"
        )


class KeptPlan(NamedTuple):
    """A plan of a results folder."""

    name: str  # of its file
    folder: str
    text: str


@dataclass(frozen=True, slots=True)
class ExternalResults:
    """What is known of values from elsewhere, whose rows and scores nobody here saw."""

    ratios: Mapping[int, float]  # test rows divided by training rows, by data set
    remarks: tuple[str, ...]  # sentences for the reader of the verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the fits of a frame come from."""

    common: Mapping[str, Any] = field(default_factory=dict)  # the choices that all cells share
    folders: tuple[str, ...] = ()  # of several folders those that have each solver; else empty
    plans: tuple[KeptPlan, ...] = ()
    stale: int = 0  # records left out, because the data, a plugin or aucbench has changed since
    unchecked: str = ""  # why it is not known which records are stale; empty when it is
    scores: Mapping[str, Scores] = field(default_factory=dict)  # by folder, as rows name it
    about: About = lambda _: None
    problems: Callable[[], tuple[str, ...]] = tuple  # about files that could not be used so far
    # For each data set the name of its family, or None. Empty says the same as None for all.
    families: tuple[str | None, ...] = ()
    external: ExternalResults | None = None  # None: all fits are of our own runs


@dataclass(frozen=True, eq=False)
class Frame:
    """The fits of some results, a row for each planned cell.

    Attributes
    ----------
    datasets, solvers : tuple of str
        Names for people, unique.
    dataset, solver, seed, split : array of shape (n,)
        The data set and the solver of each row, by number, and its fold.
    numbers : mapping of str to array of shape (n,)
        The columns of `NUMBERS`.
    facts : mapping of str to array of objects of shape (n,)
        The columns of `FACTS`.
    source : Source
    """

    datasets: tuple[str, ...]
    solvers: tuple[str, ...]
    dataset: Index
    solver: Index
    seed: Index
    split: Index
    numbers: Mapping[str, Array]
    facts: Mapping[str, NDArray[np.object_]]
    source: Source = Source()

    @staticmethod
    def of(
        datasets: Sequence[str],
        solvers: Sequence[str],
        rows: Iterable[tuple[Place, Row]],
        source: Source | None = None,
    ) -> Frame:
        """Return the frame of rows, which may be in any order."""
        ordered = sorted(rows, key=lambda item: item[0])
        places = np.array([place for place, _ in ordered], np.intp).reshape(-1, len(Place._fields))
        columns = {
            name: [row.get(name, default) for _, row in ordered]
            for name, default in (*dict.fromkeys(NUMBERS, NAN).items(), *FACTS.items())
        }
        return Frame.of_columns(datasets, solvers, places, columns, source)

    @staticmethod
    def of_columns(
        datasets: Sequence[str],
        solvers: Sequence[str],
        places: Index,
        columns: Mapping[str, Sequence[Any] | Array],
        source: Source | None = None,
    ) -> Frame:
        """Return the frame of sorted places (n, 4), and of those columns that are known."""
        n = len(places)
        return Frame(
            tuple(datasets),
            tuple(solvers),
            places[:, 0],
            places[:, 1],
            places[:, 2],
            places[:, 3],
            {name: np.array(columns.get(name, [NAN] * n), float) for name in NUMBERS},
            {name: _objects(columns.get(name, [default] * n)) for name, default in FACTS.items()},
            source or Source(),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of data sets and of solvers."""
        return len(self.datasets), len(self.solvers)

    @cached_property
    def ok(self) -> Mask:
        """The rows with an AUC."""
        return np.asarray(self.facts["status"] == CellStatus.OK, bool)

    @cached_property
    def pending(self) -> Mask:
        """The rows of cells that were not run yet."""
        return np.asarray(self.facts["status"] == NOT_YET, bool)

    @property
    def failed(self) -> Mask:
        """The rows of cells that were run and have no AUC."""
        return ~(self.ok | self.pending)

    def counts(self, rows: Mask | None = None) -> Index:
        """Return the number of some rows, or of all, by data set and solver."""
        flat = self._flat if rows is None else self._flat[rows]
        return np.bincount(flat, minlength=self.shape[0] * self.shape[1]).reshape(self.shape)

    @cached_property
    def planned(self) -> Mask:
        """Whether a solver was planned on a data set, by data set and solver."""
        return np.asarray(self.counts() > 0)

    @cached_property
    def complete(self) -> Mask:
        """Whether all planned cells were run and have an AUC, by data set and solver."""
        return np.asarray(self.planned & (self.counts(self.ok) == self.counts()))

    def rows(self, dataset: int, solver: int, among: Mask | None = None) -> Index:
        """Return the numbers of the rows of a solver on a data set, or of those among some."""
        rows = self._rows.get((dataset, solver), np.empty(0, np.intp))
        return rows if among is None else rows[among[rows]]

    def means(self, name: str) -> Array:
        """Mean of a column over the ok fits that know it, by data set and solver; NaN if none."""
        return self._reduced(name, means_of_known)

    def medians(self, name: str) -> Array:
        """Median, likewise."""
        return self._reduced(name, medians_of_known)

    def by_split(self, dataset: int) -> dict[int, Array]:
        """AUC of each split of a data set by solver, NaN where it has none."""
        rows = np.flatnonzero((self.dataset == dataset) & ~self.pending)
        keys = np.column_stack([self.seed[rows], self.split[rows]])
        _, column = np.unique(keys, axis=0, return_inverse=True)
        table = np.full((len(self.solvers), column.max(initial=-1) + 1), NAN)
        table[self.solver[rows], column.ravel()] = self.numbers["auc"][rows]
        return {solver: table[solver] for solver in np.flatnonzero(self.planned[dataset]).tolist()}

    def values(self, name: str) -> Array:
        """Mean of a column for each finished data set and solver; NaN where a cell failed."""
        means = np.where(self.complete, self.means(name), NAN)
        return np.asarray(means[[*self.finished]])

    @cached_property
    def finished(self) -> tuple[int, ...]:
        """The data sets that are used in what is said across data sets.

        All solvers were planned there, and no cell is left to run.
        """
        whole = self.planned.all(axis=1) & ~self.counts(self.pending).any(axis=1)
        return tuple(np.flatnonzero(whole).tolist())

    @property
    def pairs_inside(self) -> int:
        """Number of pairs of solvers inside data sets, over all data sets."""
        solvers = self.planned.sum(axis=1)
        return int((solvers * (solvers - 1) // 2).sum())

    @cached_property
    def optima(self) -> Optima:
        """The least objective that is known of each problem."""
        optima = Optima()
        for descent in self.facts["descent"]:
            optima.add_fit(descent)
        return optima

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The different conditions under which fits with a time were run, the most usual first."""
        conditions = self.facts["condition"][self.ok]
        count = Counter(condition for condition in conditions if condition is not None)
        return tuple(condition for condition, _ in count.most_common())

    @property
    def versions(self) -> Counter[str]:
        """Number of fits that were computed by the packages of each line."""
        return Counter(self.facts["versions"][~self.pending].tolist())

    @property
    def statuses(self) -> Counter[str]:
        """Number of cells by status, those that were not run yet at the end."""
        counts = Counter(map(str, self.facts["status"]))
        waiting = counts.pop(NOT_YET, 0)
        return +Counter({**counts, NOT_YET: waiting})

    def scores(self, row: int) -> Mapping[str, NDArray[Any]] | None:
        """Return the scores of the test rows of a fit, and their target; None without them."""
        scores = self.source.scores.get(self.facts["folder"][row])
        return scores and scores(self.facts["id"][row], self.facts["data"][row])

    def about(self, dataset: int) -> Mapping[str, Any] | None:
        """Return what was kept of a data set; None where nothing was. It is read once."""
        if dataset not in self._about:
            hashes = self.facts["data"][self.dataset == dataset]
            data = next(filter(None, hashes), None)
            self._about[dataset] = None if data is None else self.source.about(data)
        return self._about[dataset]

    def understood(self, dataset: int) -> Understood:
        """Return what was understood of a data set; nothing where that was not kept."""
        known = self.about(dataset)
        return Understood() if known is None else Understood.from_json(known["understood"])

    def standing(self, dataset: int) -> str:
        """Return the measure that the AUC of the fits is: another one where targets are others."""
        known = self.about(dataset) or {}
        return next((own for name, own in STANDING.items() if name in known), "auc")

    def ratio(self, *datasets: int) -> float:
        """Test rows divided by training rows of a split, median over the ok fits; 1 if unknown."""
        external = self.source.external
        if external is not None:
            return float(np.median([external.ratios[one] for one in datasets]))
        train, test = self.numbers["n_train"], self.numbers["n_test"]
        known = self.ok & np.isin(self.dataset, datasets) & (train > 0) & (test > 0)
        return float(np.median(test[known] / train[known])) if known.any() else 1.0

    def repeats(self, dataset: int) -> int:
        """How often the splits of a data set go over the same rows.

        Each seed divides all rows anew into folds. A share h of the rows that is sampled J times
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
        divisions = {*self.facts["division"][self.dataset == dataset]}
        return splits > seeds and not any(one.endswith(FIXED) for one in divisions)

    def _splits(self, dataset: int) -> tuple[int, int]:
        """Return the numbers of splits and of seeds of a data set."""
        rows = (self.dataset == dataset) & ~self.pending
        splits = {*zip(self.seed[rows].tolist(), self.split[rows].tolist(), strict=True)}
        return len(splits), len({seed for seed, _ in splits})

    @cached_property
    def _flat(self) -> Index:
        return np.asarray(self.dataset * len(self.solvers) + self.solver)

    @cached_property
    def _rows(self) -> dict[tuple[int, int], Index]:
        """The numbers of the rows by data set and solver, which are in this order already."""
        starts = np.flatnonzero(np.diff(self._flat, prepend=-1))
        parts = np.split(np.arange(self._flat.size), starts[1:])[: starts.size]
        places = [divmod(int(place), len(self.solvers)) for place in self._flat[starts]]
        return dict(zip(places, parts, strict=True))

    @cached_property
    def _about(self) -> dict[int, Mapping[str, Any] | None]:
        return {}

    def _reduced(self, name: str, reduce: Callable[[Array], Array]) -> Array:
        if (name, reduce) not in self._tables:
            starts = np.flatnonzero(np.diff(self._flat, prepend=-1))
            sizes = np.diff(starts, append=self._flat.size)
            place = np.arange(self._flat.size) - np.repeat(starts, sizes)
            table = np.full((*self.shape, int(sizes.max(initial=1))), NAN)
            numbers = np.where(self.ok, self.numbers[name], NAN)
            table[self.dataset, self.solver, place] = numbers
            self._tables[name, reduce] = reduce(table)
        return self._tables[name, reduce]

    @cached_property
    def _tables(self) -> dict[tuple[str, Callable[[Array], Array]], Array]:
        return {}


def _objects(values: Sequence[Any] | Array) -> NDArray[np.object_]:
    """Return an array of objects, which may be arrays themselves."""
    objects = np.empty(len(values), object)
    for place, value in enumerate(values):
        objects[place] = value
    return objects


def means_of_known(values: Array) -> Array:
    """Mean over the last axis, without NaN; NaN where all are."""
    known = ~np.isnan(values)
    sums = np.where(known, values, 0.0).sum(axis=-1)
    means = np.full(sums.shape, NAN)
    np.divide(sums, known.sum(axis=-1), out=means, where=known.any(axis=-1))
    return means


def medians_of_known(values: Array) -> Array:
    """Median over the last axis, without NaN; NaN where all are."""
    ordered = np.sort(values, axis=-1)  # NaN comes last
    count = np.maximum((~np.isnan(values)).sum(axis=-1, keepdims=True), 1)
    low, high = (np.take_along_axis(ordered, k // 2, axis=-1) for k in (count - 1, count))
    return np.asarray((low + high)[..., 0] / 2)
