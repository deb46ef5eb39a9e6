"""A cell: one fit of one solver on one split, as the parent asks a worker for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aucbench.datasets.reading import ReadOptions
from aucbench.errors import UnknownNameError
from aucbench.ranges import Range
from aucbench.registry.specs import FIRST, Spec, SpecChain, short

ALL_PAIRS = "all pairs"  # of labels, on which a solver trains that takes no others
GROUP, COLUMN = "group", "column"  # pairs within groups, and their column
OF_COLUMN = (GROUP, "grade")  # pairs whose first parameter is the column
TARGET_FILE = "target.npz"  # in which a worker hands the target of a data set to the parent
Scalar = str | int | float | bool
Grid = tuple[tuple[str, tuple[Scalar, ...] | Range], ...]
Tuning = bool | Grid


@dataclass(frozen=True, slots=True)
class Choice:
    """A solver of a plan, and how it is tuned.

    Attributes
    ----------
    spec : Spec
        With its fixed parameters. `Plan.of` takes text too, such as `sht-auc[k=50]`.
    tune : bool or grid
        True: tune over the published grid of the solver. A grid: tune over this one; `Plan.of`
        takes a mapping of parameters to values or ranges. False: no tuning.
    """

    spec: Spec
    tune: Tuning = False

    def __str__(self) -> str:
        """Name in a table: `logistic`, `sht-auc (tuned)` or `sht-auc (tuned k=1|5)`.

        It is for people: no program parses it.
        """
        return self.format(str)

    def format(self, named: Callable[[str], str]) -> str:
        """Return a text for people, in which the name of the solver is what `named` makes of it."""
        spec = self.spec.format(named)
        if isinstance(self.tune, bool):
            return f"{spec} (tuned)" if self.tune else spec
        axes = " ".join(f"{name}={_axis(values)}" for name, values in self.tune)
        return f"{spec} (tuned {axes})"


def _axis(values: Any) -> str:
    return str(values) if isinstance(values, Range) else "|".join(map(str, values))


@dataclass(frozen=True, slots=True)
class Cell:
    """One fit (or one tuned fit) of one solver on one split, named as the user did."""

    solver: Spec  # with its fixed parameters
    tune: Tuning  # see `Choice`
    dataset: Spec
    features: SpecChain
    objective: Spec | None  # in place of the solver's own
    projector: Spec | None  # likewise
    reading: ReadOptions  # how the data set is read, if it is a file
    splits: int  # without more, they are stratified folds
    repeat: int  # number of the shuffle
    split: int  # which of the splits it is
    seed: int  # of the shuffle and of the solver
    passes: float | None  # budget of a fit: the first limit that is reached ends it
    seconds: float | None
    gap_tol: float
    tune_evals: int  # points of the grid to try
    inner_splits: int  # folds of the training rows to try them on
    repeat_fits: int = 1  # how often the final fit is done, to measure its time
    holdout: float | None = None  # share of the rows that is drawn as the test set of 1 split
    tune_seconds: float | None = None  # limit of tuning and the fit after it, see `solving.halving`
    tune_work: float | None = None  # likewise, in numbers that are read, alike on every machine
    pairs: Spec | None = None  # which pairs count in training; None: what the target says
    monotone: str | None = None  # the shapes that effects of columns must have

    @property
    def choice(self) -> Choice:
        """The solver, and how it is tuned."""
        return Choice(self.solver, self.tune)

    def __str__(self) -> str:
        where = f"{short(self.dataset)}, {short(self.features)}"
        return f"{short(self.choice)} on {where}, seed {self.seed}, split {self.split}"

    def parts(self) -> Iterator[tuple[str, str, Spec]]:
        """Yield role, kind and specification of each thing that it uses."""
        yield "data", "datasets", self.dataset
        yield "solver", "solvers", self.solver
        for role, spec in (("objective", self.objective), ("projector", self.projector)):
            if spec is not None:
                yield role, f"{role}s", spec
        if self.pairs is not None:
            yield "pairs", "pairs", self.pairs
        for number, part in enumerate(self.features):
            yield f"features {number}" if number else "features", "features", part


def column_of(pairs: Spec) -> Any:
    """Return the column within whose values pairs are; None if they name none."""
    first = pairs.params.get(FIRST) if pairs.name in OF_COLUMN else None
    return pairs.params.get(COLUMN) if first is None else first


def ranks_within_groups(pairs: Spec | None) -> bool:
    """Whether pairs are those of rows of one group."""
    return pairs is not None and (pairs.name == GROUP or column_of(pairs) is not None)


def solver_of(names: Sequence[str], text: str) -> str:
    """Return the solver of this name; or else the only one of which it is the name without options.

    It raises `UnknownNameError` where there is none.
    """
    whole = re.compile(rf"{re.escape(text)}(?![\w-])")
    chosen = [text] if text in names else [name for name in names if whole.match(name)]
    if len(chosen) != 1:
        raise UnknownNameError("solver in this comparison", text, names)
    return chosen[0]
