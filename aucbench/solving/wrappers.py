"""Solvers around solvers: from another start, on another objective, with a budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import numpy as np

from aucbench.data import IGNORES_WEIGHTS, Breakpoints, Categories, Data, needs_labels
from aucbench.data.arrays import Vector
from aucbench.data.targets import Labels
from aucbench.errors import DataError, UnsupportedError
from aucbench.pairs import Pairs, pairs_of
from aucbench.protocols import (
    Budget,
    Needs,
    Objective,
    Problem,
    Projector,
    Solver,
    State,
    Streaming,
)
from aucbench.ranges import Space
from aucbench.registry.signatures import signature
from aucbench.scale import ChunkedData
from aucbench.solving.classes import why_not_classes

PAIRED = "svm-or, rank-svm, ls-svm, roc-svm and roc-svm-full"
PAIRS = {  # kinds of pairs: what they are, and which solvers train on them
    "group": ("pairs within groups", PAIRED),
    "order": ("ordered pairs, of survival times or grades", PAIRED),
    "range": ("a range of the ROC curve", "svm-or, roc-svm-full and roc-svm-nystrom"),
}
SHAPED = "rank-svm, ls-svm and additive"  # which keep the bounds of weights
CHUNKED = (  # which read rows in chunks
    "svm-or, rank-svm, ls-svm and logistic, and those that learn row by row: uni-exp, solam, "
    "reg-solam, opauc, opauc-lr, oam-seq and oam-gra"
)
SHAPES_OF_CLASSES = (
    "the effect of a column has no one direction where there are three or more classes; name two "
    "of them as positive and negative, or leave the shapes out"
)


@dataclass(frozen=True)
class WithSolver:
    """A solver that changes the problem of the solver inside it."""

    solver: Solver

    @property
    def space(self) -> Space:
        """The grid of the solver inside."""
        return self.solver.space

    @property
    def needs(self) -> Needs:
        """The needs of the solver inside."""
        return self.solver.needs

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Problem of the solver inside."""
        return self.solver.problem(data, rng)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Iterates of the solver inside."""
        return self.solver.iterates(problem, rng)


@dataclass(frozen=True)
class WithStart(WithSolver):
    """A solver that starts from `w0` where they fit and it does not choose a start itself.

    With `required` it is an error where they do not fit, or the solver has no start: it has one
    when its objective is listed, or when it streams.
    """

    w0: Vector | None = None
    required: bool = False

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Problem of the solver inside, with the start."""
        own = self.solver.problem(data, rng)
        if self.required and self.w0 is not None:
            self._check(own, self.w0)
        fits = self.w0 is not None and own.w0 is None and own.data.d == self.w0.size
        return replace(own, w0=self.w0) if fits else own

    def _check(self, own: Problem, w0: Vector) -> None:
        name = type(core(self.solver)).__name__
        if own.w0 is not None:
            raise UnsupportedError(f"{name} chooses its own start; fit it with warm_start=False")
        if own.f is None and not isinstance(core(self.solver), Streaming):
            raise UnsupportedError(f"{name} takes no start; fit it with warm_start=False")
        if own.data.d != w0.size:
            raise DataError(
                f"{name} has {own.data.d} weights on these rows, and {w0.size} are there to start "
                "from; fit it with warm_start=False"
            )


@dataclass(frozen=True)
class WithParts(WithSolver):
    """A solver on another objective or projector than its own.

    Attributes
    ----------
    without : tuple of str
        Its parameters that have no meaning any more.
    """

    objective: Callable[[Data], Objective] | None = None
    projector: Projector | None = None
    without: tuple[str, ...] = ()

    @property
    def needs(self) -> Needs:
        """The needs of the solver inside; a loss over pairs that takes its place has other pairs.

        Those of a range do not bend smoothly.
        """
        own = self.solver.needs
        return own if self.objective is None else replace(own, pairs=("group", "order"))

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Problem of the solver inside, with f and Omega put in its place.

        Raises
        ------
        UnsupportedError
            When the rows have other pairs, and f is no loss over pairs.
        """
        own = self.solver.problem(data, rng)
        f = own.f if self.objective is None else self.objective(own.data)
        if self.objective is not None and other_pairs(data) and not getattr(f, "over_pairs", False):
            raise UnsupportedError(
                f"{type(f).__name__} has no pairs, and the rows have others than all of two "
                "classes; take pairwise-square, pairwise-squared-hinge or pairwise-logistic"
            )
        project = None if self.projector is None else on_terms(self.projector, own.data)
        return replace(own, f=f, project=project or own.project)


@dataclass(frozen=True)
class OnAllPairs(WithSolver):
    """A solver that takes rows of labels as they are, whatever pairs of them count."""

    @property
    def needs(self) -> Needs:
        """The needs of the solver inside, which sees all pairs."""
        return replace(self.solver.needs, pairs=("group", "range"))

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Problem of the solver inside, on all pairs."""
        return self.solver.problem(replace(data, pairs=None), rng)


@dataclass(frozen=True)
class WithProblems(WithSolver):
    """Keeps the problem of the solver inside, which has the training rows and so is in no `Run`.

    Attributes
    ----------
    problems : list of Problem
        One more for each `solve`.
    """

    problems: list[Problem] = field(default_factory=list)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Problem of the solver inside."""
        own = self.solver.problem(data, rng)
        self.problems.append(own)
        return own


@dataclass(frozen=True)
class WithBudget(WithSolver):
    """A solver that is told its budget, where it has a parameter for it."""

    budget: Budget = field(default_factory=Budget)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Problem of the solver inside."""
        own: Problem = self._told(self.solver.problem)(data, rng)
        return own

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Iterates of the solver inside."""
        states: Iterator[State] = self._told(self.solver.iterates)(problem, rng)
        return states

    def _told(self, method: Callable[..., Any]) -> Callable[..., Any]:
        return partial(method, budget=self.budget) if reads_budget(method) else method


def on_terms(project: Projector, data: Data) -> Projector:
    """Return Ω over the terms of the rows, where it has a method `of_terms` and they are known."""
    method = getattr(project, "of_terms", None)
    return project if method is None or data.terms is None else cast(Projector, method(data.terms))


def reads_budget(method: Callable[..., Any]) -> bool:
    """Whether a method has a parameter `budget`."""
    return "budget" in signature(method).parameters


def core(thing: object) -> object:
    """Return the solver inside all wrappers, which somebody wrote; anything else as it is."""
    return core(thing.solver) if isinstance(thing, WithSolver) else thing


def of_class(solver: Solver, k: int) -> Solver:
    """Return the solver for the fit of class k: of starts (K, d) it has the k-th."""
    if isinstance(solver, WithStart) and solver.w0 is not None and solver.w0.ndim > 1:
        solver = replace(solver, w0=solver.w0[k])
    if isinstance(solver, WithSolver):
        return replace(solver, solver=of_class(solver.solver, k))
    return solver


def other_pairs(data: Data) -> bool:
    """Whether the pairs that count are others than all of two classes."""
    return not isinstance(data.target, Breakpoints | Categories) and pairs_of(data) is not None


def why_not_pairs(solver: Solver, data: Data) -> str | None:
    """Return why a solver does not train on the pairs of these rows; None when it does."""
    pairs = cast(Pairs, pairs_of(data))
    if pairs.kind in getattr(solver.needs, "pairs", ()):
        return None
    what, others = PAIRS.get(pairs.kind, (f"pairs of the kind {pairs.kind!r}", PAIRED))
    return f"{type(core(solver)).__name__} does not train on {what}; {others} do"


def why_refused(solver: Solver, data: Data | ChunkedData) -> str | None:
    """Return why the solver cannot learn from these rows; None when it can.

    It may need labels where the rows have breakpoints, have no such pairs, or ignore the weights of
    rows or the shapes of effects.
    """
    if isinstance(data, ChunkedData):
        return why_not_chunks(solver)
    takes = Labels | Breakpoints if getattr(solver.needs, "breakpoints", False) else Labels
    if isinstance(data.target, Categories):
        if reason := why_not_classes(solver, data):
            return reason
    elif isinstance(data.target, Breakpoints) and not isinstance(data.target, takes):
        return needs_labels(data.target)
    elif other_pairs(data) and (reason := why_not_pairs(solver, data)):
        return reason
    if data.weights is not None and not getattr(solver.needs, "weights", False):
        return IGNORES_WEIGHTS
    return why_not_shapes(solver, data)


def why_not_chunks(solver: Solver) -> str | None:
    """Return why a solver cannot learn from rows that are read in chunks; None when it can."""
    if getattr(solver.needs, "parts", False):
        return None
    name = type(core(solver)).__name__
    return (
        f"{name} needs all rows in memory, and these are read in chunks; solvers that read rows in "
        f"chunks are {CHUNKED}"
    )


def why_not_shapes(solver: Solver, data: Data) -> str | None:
    """Return why a solver cannot keep the shapes of effects; None when it can, or there are none.

    A `Data` has the shapes before its map is applied, and after that the bounds of weights.
    """
    if data.shapes is None and (data.terms is None or not data.terms.are_bounded):
        return None
    if isinstance(data.target, Categories):
        return SHAPES_OF_CLASSES
    if getattr(solver.needs, "shapes", False):
        return None
    name = type(core(solver)).__name__
    return f"{name} does not keep the shapes of effects, such as increasing; {SHAPED} do"


def recast(
    solver: Solver,
    *,
    objective: Callable[[Data], Objective] | None = None,
    projector: Projector | None = None,
) -> Solver:
    """Return a solver that works on another f or Omega.

    Parameters of its own f or Omega (`Needs.parameters_of`) are no hyperparameters any more.

    Raises
    ------
    UnsupportedError
        When the solver ignores the f or Omega of a `Problem`, so that the option would do nothing.
    """
    name = type(solver).__name__
    for kind, part in (("objective", objective), ("projector", projector)):
        if part is not None and not getattr(solver.needs, kind):
            raise UnsupportedError(
                f"{name} is tied to its own {kind}; leave --{kind} out for this solver"
            )
    if objective is None and projector is None:
        return solver
    replaced = [k for k, part in (("objective", objective), ("projector", projector)) if part]
    without = solver.needs.parameters_of(replaced)
    return WithParts(_cheapened(solver, without), objective, projector, without)


def _cheapened(solver: Solver, names: Collection[str]) -> Solver:
    """Return the solver with the first value of their axes for parameters without a meaning.

    To derive a default, or to choose one by trial fits, would be work for nothing.
    """
    axes = solver.space if isinstance(solver.space, Mapping) else {}
    cheap = {name: axes[name][0] for name in names if isinstance(axes.get(name), tuple)}
    return replace(solver, **cheap) if cheap else solver  # type: ignore[type-var]


def with_budget(solver: Solver, budget: Budget) -> Solver:
    """Return a solver whose methods get the budget, where they have a parameter of this name."""
    if isinstance(solver, WithSolver):
        return replace(solver, solver=with_budget(solver.solver, budget))
    return WithBudget(solver, budget)
