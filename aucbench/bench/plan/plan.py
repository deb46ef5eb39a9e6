"""The plan of a benchmark: a grid of cells, which contains only names and numbers.

Design
  a. This module imports no plugin and reads no data set. A plan can be listed, compared,
     written to a file and sent to another machine before its names are looked up.
  b. Cells are made one at a time, so that a large plan takes no memory.
  c. Cells of one split are neighbours. So its rows are prepared once, and a machine that
     becomes slower slows all solvers alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import prod
from operator import itemgetter
from typing import Any

from aucbench.bench.cell import Cell, Scalar, Tuning, solver_label
from aucbench.bench.plan.checks import (
    PlanError,
    check_plan,
    check_unique,
    checked_spec,
    every,
    with_members,
)
from aucbench.datasets.reading import Reading
from aucbench.ranges import DEFAULT_PASSES, GAP_TOL, Range
from aucbench.registry.specs import Spec, anchored, parse_spec

# Fast, strong and unlike each other on the sets of docs/defaults.md: a loss of rows, one of pairs,
# few features, a kernel, and trees.
DEFAULT_SOLVERS = ("logistic", "svm-or", "sht-auc", "roc-svm-nystrom", "hist-gradient-boosting")
DEFAULT_FEATURES = ("auto",)
DEFAULT_SPLITS = 5
DEFAULT_TIMEOUT = 3600.0  # seconds; far more than a cell takes that makes progress
CHANGEPOINT_SOLVERS = (
    "aum",
    "interval-regression",
    "interval-regression[penalty=l1]",
    "constant",
)


@dataclass(frozen=True, slots=True, init=False)
class Choice:
    """A solver of a plan.

    Parameters
    ----------
    spec : str or Spec
        Such as `sht-auc[k=50]`; text is parsed here, once.
    tune : bool or mapping of str to values or Range
        True: tune over the published grid of the solver. A mapping: tune over this grid. False:
        take the solver with the parameters that `spec` gives.

    Raises
    ------
    PlanError
        When the text is malformed.
    """

    spec: Spec
    tune: Mapping[str, tuple[Scalar, ...] | Range] | bool

    def __init__(
        self,
        spec: str | Spec,
        tune: Mapping[str, tuple[Scalar, ...] | Range] | bool = False,
    ):
        object.__setattr__(self, "spec", checked_spec(spec))
        object.__setattr__(self, "tune", tune)

    @property
    def tuning(self) -> Tuning:
        """`tune` in a form that can be hashed, and that is equal for equal grids."""
        if isinstance(self.tune, bool):
            return self.tune
        axes = ((n, v if isinstance(v, Range) else tuple(v)) for n, v in self.tune.items())
        return tuple(sorted(axes, key=itemgetter(0)))

    @property
    def label(self) -> str:
        """Name of the solver in a table."""
        return solver_label(self.spec, self.tuning)


@dataclass(frozen=True)
class Plan:
    """A grid of cells.

    Attributes
    ----------
    datasets : tuple of str
        Names with their parameters, files, addresses with `#sha256=`, or suites, in place of which
        the plan has their members.
    solvers : tuple of Choice
        The solvers that are compared.
    features : tuple of str
        Feature maps, fitted on the training rows and applied to both parts; `a+b` is b after a.
    objective, projector, reading, gap_tol, tune_evals, inner_splits, repeat_fits :
        See `Cell`.
    splits : int or None
        Number of folds, at least 2. None: 5, or 1 with `holdout` or a test file.
    holdout : float or None
        Share of the rows, in (0, 1), that each repeat draws anew as its test set; no folds then.
    repeats, seeds :
        Repeat r of seed s is shuffled, and its solvers are run, with seed s + r.
    passes, seconds : float or None
        Budget of a fit, the first reached; 50 passes when neither is given.
    timeout : float
        Seconds of wall time after which a cell is killed, tuning included; 0: never.
    memory : float or None
        Megabytes (10**6 bytes) above what an idle cell takes.

    Raises
    ------
    PlanError
        When a field makes no sense, alone or together with the others.
    """

    datasets: tuple[str, ...]
    solvers: tuple[Choice, ...] = field(default_factory=lambda: choices(DEFAULT_SOLVERS))
    features: tuple[str, ...] = DEFAULT_FEATURES
    objective: str | None = None
    projector: str | None = None
    reading: Reading = field(default_factory=Reading)
    splits: int | None = None
    repeats: int = 1
    seeds: tuple[int, ...] = (0,)
    passes: float | None = None
    seconds: float | None = None
    gap_tol: float = GAP_TOL
    tune_evals: int = 20
    inner_splits: int = 3
    repeat_fits: int = 1
    timeout: float = DEFAULT_TIMEOUT
    memory: float | None = None
    holdout: float | None = None

    def __post_init__(self) -> None:
        check_plan(self)
        # What is in files has its whole path, so that a plan means the same in every folder.
        maps = tuple(anchored(spec, joined=True) for spec in self.features)
        object.__setattr__(self, "features", maps)
        object.__setattr__(self, "datasets", tuple(map(anchored, with_members(self.datasets))))
        for name in ("objective", "projector"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, anchored(given))
        check_unique(self)

    def __len__(self) -> int:
        return self.split_count * self.repeats * prod(map(len, self._axes))

    @property
    def split_count(self) -> int:
        """Number of splits of a repeat."""
        if self.splits is not None:
            return int(self.splits)
        return DEFAULT_SPLITS if self.holdout is None and self.reading.test is None else 1

    @property
    def _axes(self) -> tuple[tuple[Any, ...], ...]:
        return self.datasets, self.features, self.seeds, self.solvers

    @property
    def limit_of_passes(self) -> float | None:
        """The passes that a cell gets: those of the plan, or the default.

        A solver that is made for fewer or more has a default of its own, see `Needs.passes`.
        """
        if self.passes is None:
            return DEFAULT_PASSES if self.seconds is None else None
        return float(self.passes)

    def cells(self) -> Iterator[Cell]:
        """Yield every cell: data set, feature map, seed and repeat, split, solver."""
        solvers = [(choice.spec, choice.tuning) for choice in self.solvers]
        shared = self._shared()
        rounds = product(self.datasets, self.features, self.seeds, range(self.repeats))
        for dataset, features, seed, repeat in rounds:
            data = (dataset, features, *shared[0], repeat)
            for split, (spec, tuning) in product(range(self.split_count), solvers):
                yield Cell(*(spec, tuning, *data, split, seed + repeat, *shared[1]))

    def _shared(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the fields that all cells share: those of `Cell` before repeat, and after seed."""
        passes, seconds = (None if v is None else float(v) for v in (self.passes, self.seconds))
        about = (self.objective, self.projector, self.reading)
        budget = (passes, seconds, float(self.gap_tol))
        tuning = (int(self.tune_evals), int(self.inner_splits), int(self.repeat_fits))
        holdout = None if self.holdout is None else float(self.holdout)
        return (*about, self.split_count), (*budget, *tuning, holdout)


def default_solvers(datasets: Sequence[str]) -> tuple[str, ...]:
    """Return the solvers that fit the data sets: if all are changepoint sets, those that do.

    Kinds are told by the names of files. A set that is not there is not missed here.

    Raises
    ------
    ParameterError
        When a name is malformed.
    UnknownNameError
        When there is no suite of a name.
    DataError
        When AUCBENCH_DATA does not name a folder.
    """
    from aucbench.datasets.files import is_changepoint

    names = [parse_spec(text).name for text in with_members(datasets)]
    changepoints = bool(names) and all(map(is_changepoint, names))
    return CHANGEPOINT_SOLVERS if changepoints else DEFAULT_SOLVERS


def choices(specs: Iterable[str | Spec], *, tune: bool = False) -> tuple[Choice, ...]:
    """Return the solvers of a plan from their specifications, all tuned or none.

    Raises
    ------
    PlanError
        When a text is malformed.
    """
    return tuple(every(partial(numbered_choice, *one, tune) for one in enumerate(specs)))


def numbered_choice(number: int, spec: Any, tune: Any) -> Choice:
    """Return a `Choice`; an error says which solver of the plan it is about."""
    try:
        return Choice(spec, tune)
    except PlanError as error:
        place = ("solvers", number, *error.place)
        raise PlanError(str(error), *place, value=error.value) from error
