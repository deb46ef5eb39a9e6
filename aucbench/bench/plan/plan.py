"""The plan of a benchmark: a grid of cells, which contains only names and numbers.

No plugin is imported here and no data set read, so that a plan can be sent to another machine.
Cells are made one at a time, and those of one split are neighbours: its rows are prepared once, and
a machine that becomes slower slows all solvers alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import chain, product
from math import prod
from typing import TYPE_CHECKING, Any

from aucbench.datasets.reading import ReadOptions
from aucbench.options import option_group
from aucbench.ranges import DEFAULT_PASSES, DEFAULT_SPLITS, DEFAULT_TIMEOUT, GAP_TOL, MEGABYTE

if TYPE_CHECKING:  # a command starts faster without them
    from aucbench.bench.cell import Cell, Choice, Tuning
    from aucbench.registry.specs import Spec, SpecChain

# Fields that are no options of a comparison: `RunOptions` has limits of cells and --timing.
NOT_OF_COMPARE = ("families", "timeout", "memory", "repeat_fits")
WHOLE = {"whole": True}  # texts that are not divided at each comma


def _in_table(table: str, key: str) -> dict[str, str]:
    """Return the metadata of a field: its table in a file of TOML, and its key there."""
    return {"table": table, "key": key}


@dataclass(frozen=True)
class Plan:
    """What is computed: a grid of cells.

    `Plan.of` makes one of options as users give them. Its fields are the options of a command, the
    keywords of `aucbench.compare` and, most of them in tables, the keys of a file of TOML.

    Attributes
    ----------
    solvers : tuple of Choice
        Such as sht-auc[k=50,blocks=4],logistic, or ./mine.py:Class for a class in a file;
        repeatable. [default: logistic,svm-or,additive,roc-svm-nystrom,hist-gradient-boosting; for
        changepoint sets aum,interval-regression,interval-regression[penalty=l1],constant]
    data : tuple of Spec
        Names, suite:NAME, files, or https://...#sha256=HEX; repeatable. A name that `data list`
        shows as a download is downloaded.
    features : tuple of SpecChain
        auto, maxabs, min-max, standard, unit, unit-centred or none; maxabs+nystroem[rank=50]
        applies one after the other; repeatable. [default: auto, which is standard for dense rows
        and maxabs for sparse ones]
    tune : bool
        Tune each solver over its published grid.
    objective : Spec, optional
        In place of the solvers' own.
    projector : Spec, optional
        In place of the solvers' own.
    pairs : Spec, optional
        Which pairs count, in training and in the measure: group[column=user],
        fpr[max=0.1,rest=0.5], top, or what `list pairs` shows. [default: what the target says, all
        pairs of labels]
    monotone : str, optional
        Constraints on the effects of columns: increasing (+1), decreasing (-1), convex or concave,
        as in income=+1,age=-1,dose=increasing-convex.
    reading : ReadOptions
        How files are read.
    splits : int, optional
        Number of stratified folds. [default: 5]
    holdout : float, optional
        Share of the rows, between 0 and 1, that each repeat draws as its test set, in place of
        folds.
    repeats : int
        Number of times the rows are split, each time at random: repeat r of a seed adds r to it.
    seed : tuple of int
        Seed of the folds and of the solvers; repeatable.
    passes : float, optional
        Limit of a fit, in passes over the data. [default: 50, or the solver's own]
    seconds : float, optional
        Limit of a fit, in seconds; the first limit that is reached ends it.
    gap_tol : float
        Certified gap, relative to the objective, at which a fit ends.
    tune_evals : int
        Points of a grid that are tried.
    inner_splits : int
        Folds of the training rows on which points of a grid are tried.
    tune_seconds : float, optional
        Limit of tuning and of the fit after it, in seconds.
    tune_work : float, optional
        The same limit in numbers of the rows that are read, so that the same seed tries the same
        points on every machine; tune_seconds is used in place of it if both are given.
    repeat_fits : int
        Number of times the last fit of a cell is done, to measure its time.
    timeout : float
        Seconds of wall time after which a cell is killed, tuning included; 0: never.
    memory : float, optional
        Megabytes that a cell may take beyond an idle one.
    families : mapping of str to tuple of Spec
        Groups of related data sets, such as the variants of one source, which count as one across
        data sets. No part of the id of a cell.
    """

    solvers: tuple[Choice, ...] = field(default=(), metadata=WHOLE)
    data: tuple[Spec, ...] = field(default=(), metadata=WHOLE)
    features: tuple[SpecChain, ...] = field(default=(), metadata=WHOLE)
    tune: bool = False
    objective: Spec | None = None
    projector: Spec | None = None
    pairs: Spec | None = None
    monotone: str | None = None
    reading: ReadOptions = option_group(
        ReadOptions, "How files are read", first=("target", "positive")
    )
    splits: int | None = None
    holdout: float | None = None
    repeats: int = 1
    seed: tuple[int, ...] = (0,)
    passes: float | None = field(default=None, metadata=_in_table("budget", "passes"))
    seconds: float | None = field(default=None, metadata=_in_table("budget", "seconds"))
    gap_tol: float = field(default=GAP_TOL, metadata=_in_table("budget", "gap_tol"))
    tune_evals: int = field(default=20, metadata=_in_table("tuning", "evals"))
    inner_splits: int = field(default=3, metadata=_in_table("tuning", "inner_splits"))
    tune_seconds: float | None = field(default=None, metadata=_in_table("tuning", "seconds"))
    tune_work: float | None = field(default=None, metadata=_in_table("tuning", "work"))
    repeat_fits: int = 1
    timeout: float = field(default=DEFAULT_TIMEOUT, metadata=_in_table("limits", "timeout"))
    memory: float | None = field(default=None, metadata=_in_table("limits", "memory"))
    families: Mapping[str, tuple[Spec, ...]] = field(
        default_factory=dict, hash=False, metadata=_in_table("suite", "families")
    )

    @staticmethod
    def of(raw: Mapping[str, Any]) -> Plan:
        """Return the plan of options as users give them, by name.

        Names are read and get whole paths, members stand in place of their suites, and solvers are
        those that fit the data if none are given. The fields of `ReadOptions` are options too.

        Raises
        ------
        PlanError
            When an option is unknown, or makes no sense alone or together with the others.
        """
        from aucbench.bench.plan.values import read_values

        defaults = {f.name: f.default for f in fields(Plan) if f.name != "families"}
        return Plan(**read_values(raw, defaults))

    def __len__(self) -> int:
        axes = (self.data, self.features, self.seed, self.solvers)
        return self.split_count * self.repeats * prod(map(len, axes))

    @property
    def split_count(self) -> int:
        """Number of splits of a repeat."""
        if self.splits is not None:
            return self.splits
        return DEFAULT_SPLITS if self.holdout is None and self.reading.test is None else 1

    @property
    def limit_of_passes(self) -> float | None:
        """The passes that a cell gets: those of the plan, or the default.

        A solver that is made for fewer or more has a default of its own, see `Needs.passes`.
        """
        if self.passes is None:
            return DEFAULT_PASSES if self.seconds is None else None
        return self.passes

    @property
    def memory_bytes(self) -> int | None:
        """`memory` in bytes."""
        return None if self.memory is None else int(self.memory * MEGABYTE)

    def parts(self) -> Iterator[tuple[str, Spec, Tuning]]:
        """Yield kind, specification and tuning of each thing that it names, in its order."""
        for choice in self.solvers:
            yield "solvers", choice.spec, choice.tune
        own = (("objectives", self.objective), ("projectors", self.projector))
        for kind, spec in (*own, ("pairs", self.pairs)):
            if spec is not None:
                yield kind, spec, False
        for part in chain.from_iterable(self.features):
            yield "features", part, False
        for dataset in self.data:
            yield "datasets", dataset, False

    def cells(self) -> Iterator[Cell]:
        """Yield every cell: data set, feature map, seed and repeat, split, solver."""
        from aucbench.bench.cell import Cell

        axes = ("features", "seed", "tune")
        own = {f.name: getattr(self, f.name) for f in fields(Cell) if f.name in _NAMES}
        own = {name: value for name, value in own.items() if name not in axes}
        own["splits"] = self.split_count
        rounds = product(self.data, self.features, self.seed, range(self.repeats))
        for dataset, features, seed, repeat in rounds:
            own |= {"dataset": dataset, "features": features, "repeat": repeat}
            own["seed"] = seed + repeat
            for split, choice in product(range(self.split_count), self.solvers):
                yield Cell(solver=choice.spec, tune=choice.tune, split=split, **own)

    def without_places(self) -> Plan:
        """Return the plan without the paths of files of Python, and without families.

        By it plans are known as the same, wherever their files are.
        """
        from aucbench.registry.specs import SpecChain, without_place

        own = {name: getattr(self, name) for name in ("objective", "projector", "pairs")}
        plain: dict[str, Any] = {name: spec and without_place(spec) for name, spec in own.items()}

        return replace(
            self,
            solvers=tuple(replace(one, spec=without_place(one.spec)) for one in self.solvers),
            data=tuple(map(without_place, self.data)),
            features=tuple(SpecChain(map(without_place, one)) for one in self.features),
            families={},
            **plain,
        )


_NAMES = {f.name for f in fields(Plan)}
