"""A cell: one fit of one solver on one split, as the parent asks a worker for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter
from typing import Any

from aucbench.datasets.reading import ReadOptions
from aucbench.errors import UnknownNameError
from aucbench.ranges import Range
from aucbench.registry.specs import TUNED_MARK, Spec, joined_specs, parse_spec, short

ALL_PAIRS = "all pairs"  # of labels, on which a solver trains that takes no others
GROUP, COLUMN = "group", "column"  # pairs within groups, and their column
FIRST = (GROUP, "grade")  # pairs whose first parameter is the column
TARGET_FILE = "target.npz"  # in which a worker hands the target of a data set to the parent
Scalar = str | int | float | bool
Grid = tuple[tuple[str, tuple[Scalar, ...] | Range], ...]
Tuning = bool | Grid


@dataclass(frozen=True, slots=True)
class Cell:
    """One fit (or one tuned fit) of one solver on one split, named as the user did."""

    solver: Spec  # with its fixed parameters
    tune: Tuning  # see `Choice`
    dataset: str
    features: str
    objective: str | None  # in place of the solver's own
    projector: str | None  # likewise
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
    pairs: str | None = None  # which pairs count in training; None: what the target says
    monotone: str | None = None  # the shapes that effects of columns must have

    @property
    def label(self) -> str:
        """Name of the solver in a table, such as `logistic` or `sht-auc (tuned)`."""
        return solver_label(self.solver, self.tune)

    def __str__(self) -> str:
        where = f"{short(self.dataset)}, {short(self.features, joined=True)}"
        return f"{short(self.label)} on {where}, seed {self.seed}, split {self.split}"

    def to_json(self) -> dict[str, Any]:
        """Its fields as JSON holds them: the solver as text, lists in place of tuples."""
        plain = dict(zip(NAMES, _values(self), strict=True))
        objects = {"solver": str(self.solver), "tune": listed(self.tune)}
        return {**plain, **objects, "reading": self.reading.to_json()}

    def parts(self) -> Iterator[tuple[str, str, Spec | str]]:
        """Yield role, kind and specification of each thing that it uses."""
        yield "data", "datasets", self.dataset
        yield "solver", "solvers", self.solver
        for role, spec in (("objective", self.objective), ("projector", self.projector)):
            if spec is not None:
                yield role, f"{role}s", spec
        if self.pairs is not None:
            yield "pairs", "pairs", self.pairs
        for number, part in enumerate(_joined(self.features)):
            yield f"features {number}" if number else "features", "features", part

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Cell:
        """Inverse of `to_json`."""
        values = {name: fields[name] for name in NAMES}
        values["tune"] = hashable(values["tune"])
        values["reading"] = ReadOptions.from_json(values["reading"])
        values["solver"] = _parsed(values["solver"])
        return Cell(**values)


NAMES = tuple(f.name for f in fields(Cell))
_values = attrgetter(*NAMES)
_parsed = lru_cache(maxsize=256)(parse_spec)  # many cells have the same solver, and the same map
_joined = lru_cache(maxsize=256)(joined_specs)


def column_of(pairs: Spec) -> Any:
    """Return the column within whose values pairs are; None if they name none."""
    unnamed = pairs.unnamed if pairs.name in FIRST else ()
    return unnamed[0] if unnamed else pairs.params.get(COLUMN)


def ranks_within_groups(pairs: str | None) -> bool:
    """Whether pairs are those of rows of one group."""
    if pairs is None:
        return False
    spec = parse_spec(pairs)
    return spec.name == GROUP or column_of(spec) is not None


def solver_label(spec: Spec | str, tuning: Tuning) -> str:
    """Name of a solver in a table, such as `logistic`, `sht-auc (tuned)`, `sht-auc (tuned k=1|5)`.

    It is for people: no program parses it.
    """
    if isinstance(tuning, bool):
        return f"{spec}{TUNED_MARK})" if tuning else str(spec)
    return f"{spec}{TUNED_MARK} {' '.join(f'{name}={_axis(values)}' for name, values in tuning)})"


def solver_of(names: Sequence[str], text: str) -> str:
    """Return the solver of this name; or else the only one of which it is the name without options.

    It raises `UnknownNameError` where there is none.
    """
    whole = re.compile(rf"{re.escape(text)}(?![\w-])")
    chosen = [text] if text in names else [name for name in names if whole.match(name)]
    if len(chosen) != 1:
        raise UnknownNameError("solver in this comparison", text, names)
    return chosen[0]


def _axis(values: Any) -> str:
    return str(values) if isinstance(values, Range) else "|".join(map(str, values))


def hashable(value: Any) -> Any:
    """Tuples for lists, ranges for mappings: inverse of `listed`."""
    if isinstance(value, Mapping):
        return Range.of(value)
    return tuple(map(hashable, value)) if isinstance(value, list | tuple) else value


def listed(value: Any) -> Any:
    """What JSON holds: lists for tuples, mappings for ranges."""
    if isinstance(value, Range):
        return value.to_json()
    return [*map(listed, value)] if isinstance(value, tuple) else value
