"""The plan of a comparison: settings, solvers and data sets in; cells out.

Design
  a. A cell holds names and numbers only, so that it can be handed to another process. The
     objects behind the names are looked up here, once and before anything runs, so that
     every mistake of the user shows before the first fit.
  b. A plugin that cannot be built is not a mistake of the user: it is planned like any
     other solver and its cells end as errors, so that the rest still runs.
  c. Cells of one split are neighbours: its rows are prepared once, and a machine that
     slows down halfway slows all solvers alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np

from aucbench import registry
from aucbench.data import Data
from aucbench.datasets import available
from aucbench.errors import (
    AucbenchError,
    DataError,
    ParameterError,
    PluginError,
    UnsupportedError,
    require_above,
    require_at_least,
    require_whole,
)
from aucbench.loop import recast
from aucbench.protocols import FeatureMap, Needs, Problem, Solver, State

DEFAULT_SOLVERS = ("sht-auc", "sto-iht", "logistic", "logistic-balanced")
LAST_SEED = 2**32 - 1  # of scikit-learn's splitters
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is done to every solver and every data set alike.

    Attributes
    ----------
    preprocess : str
        Feature map fitted on the training rows and applied to both parts.
    objective, projector : str or None
        Put into the solvers in place of their own.
    splits, repeats : int
        Stratified folds with shuffling, and how often they are drawn anew.
    passes, seconds : float or None
        Budget of a fit, the first reached; 50 passes when neither is given.
    gap_tol : float
        A certified gap up to gap_tol * max(1, |f|) ends a fit.
    seed : int
        Repeat r is split, and its solvers are run, with seed + r.
    """

    preprocess: str = "maxabs"
    objective: str | None = None
    projector: str | None = None
    splits: int = 5
    repeats: int = 1
    passes: float | None = None
    seconds: float | None = None
    gap_tol: float = 1e-6
    seed: int = 0

    def __post_init__(self) -> None:
        require_whole(2, splits=self.splits)
        require_whole(1, repeats=self.repeats)
        require_whole(0, seed=self.seed)
        require_above(0, passes=self.passes, seconds=self.seconds)
        require_at_least(0, gap_tol=self.gap_tol)
        if self.seed + self.repeats - 1 > LAST_SEED:
            raise ParameterError(f"seed + repeats must stay below 2**32, got seed {self.seed}")


@dataclass(frozen=True, slots=True)
class Cell:
    """One fit: names and numbers only."""

    solver: str
    dataset: str
    repeat: int
    split: int
    seed: int


@dataclass(frozen=True)
class Plan:
    """Cells, and the objects behind their names."""

    settings: Settings
    solvers: Mapping[str, Solver]
    data: Mapping[str, Data]
    features: FeatureMap  # not fitted

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell in the order it is run: data set, repeat, split, solver."""
        return tuple(
            Cell(solver, dataset, repeat, split, self.settings.seed + repeat)
            for dataset in self.data
            for repeat in range(self.settings.repeats)
            for split in range(self.settings.splits)
            for solver in self.solvers
        )


@dataclass(frozen=True)
class Unavailable:
    """Stands in for a solver whose plugin is broken; a Solver itself, which only raises."""

    error: Exception
    space: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    needs: ClassVar[Needs] = Needs(objective=True, projector=True)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Raise what building the solver raised."""
        raise self.error

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Raise what building the solver raised."""
        raise self.error


def make_plan(
    solvers: str | Iterable[str | Solver],
    data: str | Iterable[str | tuple[str, Data]],
    settings: Settings,
    *,
    positive: Any = None,
    drop: Sequence[str | int] = (),
) -> Plan:
    """Look up everything that a comparison needs; the data sets, which take time, last.

    Raises
    ------
    AucbenchError
        When a name is unknown, a specification malformed, a data set unreadable, or an
        option would do nothing.
    """
    built = _unique("solver", ((_label(s), _solver(s)) for s in _several(solvers)))
    data = _several(data)
    _require_some(built, data)
    _refuse_ignored(built, settings)
    features = registry.get_features(settings.preprocess)
    if features.exempt:
        raise ParameterError(
            f"{settings.preprocess} adds an intercept, which is not preprocessing; ask a "
            "solver for it, as in sto-iht[intercept=True]"
        )
    project = settings.projector and registry.get_projector(settings.projector)
    read = _unique("data set", (_named_data(d, positive, drop) for d in data))
    objective = settings.objective and partial(registry.get_objective, settings.objective)
    if objective:
        objective(next(iter(read.values())))  # its parameters are checked when it is built
    recasted = {
        name: recast(solver, objective=objective or None, projector=project or None)
        for name, solver in built.items()
    }
    return Plan(settings, recasted, read, features)


def _several(given: str | Iterable[str | T]) -> tuple[str | T, ...]:
    return tuple(registry.split_specs(given) if isinstance(given, str) else given)


def _label(solver: str | Solver) -> str:
    return solver if isinstance(solver, str) else repr(solver)


def _solver(spec: str | Solver) -> Solver:
    try:
        return registry.get_solver(spec)
    except AucbenchError as error:
        if isinstance(error, PluginError) and isinstance(spec, str) and _is_broken(spec):
            return Unavailable(error)
        raise
    except Exception as error:
        return Unavailable(error)


def _is_broken(spec: str) -> bool:
    name = registry.parse_spec(spec).name.rpartition(":")[2]
    return any(plugin.failure for plugin in registry.plugins() if plugin.name == name)


def _refuse_ignored(solvers: Mapping[str, Solver], settings: Settings) -> None:
    """An option that a solver ignores is an error: its rows would not be what they say."""
    for kind in ("objective", "projector"):
        tied = [name for name, s in solvers.items() if not getattr(s.needs, kind, False)]
        if tied and getattr(settings, kind) is not None:
            raise UnsupportedError(
                f"these solvers are tied to their own {kind}: {', '.join(tied)}; leave "
                f"--{kind} out, or name other solvers with --solvers"
            )


def _named_data(
    data: str | tuple[str, Data], positive: Any, drop: Sequence[str | int]
) -> tuple[str, Data]:
    given = {"drop": drop} if drop else {}
    if positive is not None:
        given["positive"] = positive
    if not isinstance(data, str):
        name, rows = data
        return name, registry.get_dataset(rows, **given)
    try:
        return data, registry.get_dataset(data, **given)
    except OSError as error:
        raise DataError(f"cannot read {data}: {error.strerror or error}") from error


def _unique(kind: str, found: Iterable[tuple[str, T]]) -> dict[str, T]:
    named: dict[str, T] = {}
    for name, thing in found:
        if name in named:
            raise ParameterError(f"the {kind} {name} is named twice; once is enough")
        named[name] = thing
    return named


def _require_some(solvers: Mapping[str, Solver], data: tuple[str | tuple[str, Data], ...]) -> None:
    if not solvers:
        known = ", ".join(registry.names("solvers"))
        raise ParameterError(f"no solver was named; known are: {known}")
    if not data:
        known = ", ".join([*registry.names("datasets"), *available()])
        raise ParameterError(
            f"no data set was named; give --data a file, an https address or one of: {known}"
        )
