"""Solvers around solvers: on another objective or projector, or with their problems kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from aucbench.contract import Budget, Needs, Objective, Problem, Projector, Solver, State
from aucbench.data import Breakpoints, Categories, Data
from aucbench.data.arrays import Vector
from aucbench.errors import UnsupportedError
from aucbench.pairs import pairs_of
from aucbench.ranges import Space
from aucbench.solving.replaceable import own_parameters


@dataclass(frozen=True)
class WithSolver(Solver):
    """A solver that changes the problem of the solver inside it."""

    solver: Solver

    @property
    def space(self) -> Space:  # type: ignore[override]  # of what is inside
        """The grid of the solver inside."""
        return self.solver.space

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """The needs of the solver inside."""
        return self.solver.needs

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Problem of the solver inside."""
        return self.solver.problem(data, rng, budget)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State] | State:
        """Iterates of the solver inside."""
        return self.solver.iterates(problem, w0, rng, budget)


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
    def needs(self) -> Needs:  # type: ignore[override]
        """The needs of the solver inside; a loss over pairs that takes its place has other pairs.

        Those of a range do not bend smoothly.
        """
        own = self.solver.needs
        return own if self.objective is None else with_pairs(own, "group-pairs", "order-pairs")

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Problem of the solver inside, with f and Omega put in its place.

        Raises
        ------
        UnsupportedError
            When the rows have other pairs, and f is no loss over pairs.
        """
        own = self.solver.problem(data, rng, budget)
        f = own.f if self.objective is None else self.objective(own.data)
        if self.objective is not None and other_pairs(data) and f is not None and not f.over_pairs:
            raise UnsupportedError(
                f"{type(f).__name__} has no pairs, and the rows have others than all of two "
                "classes; take pairwise-square, pairwise-squared-hinge or pairwise-logistic"
            )
        project, terms = self.projector or own.project, own.data.terms
        if self.projector is not None and terms is not None:
            project = project.of_terms(terms)
        return replace(own, f=f, project=project)


@dataclass(frozen=True)
class WithProblems(WithSolver):
    """Keeps the problem of the solver inside, which has the training rows and so is in no `Run`.

    Attributes
    ----------
    problems : list of Problem
        One more for each `solve`.
    """

    problems: list[Problem] = field(default_factory=list)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Problem of the solver inside."""
        own = self.solver.problem(data, rng, budget)
        self.problems.append(own)
        return own


def core(thing: object) -> object:
    """Return the solver inside all wrappers, which somebody wrote; anything else as it is."""
    return core(thing.solver) if isinstance(thing, WithSolver) else thing


def other_pairs(data: Data) -> bool:
    """Whether the pairs that count are others than all of two classes."""
    return not isinstance(data.target, Breakpoints | Categories) and pairs_of(data) is not None


def recast(
    solver: Solver,
    *,
    objective: Callable[[Data], Objective] | None = None,
    projector: Projector | None = None,
) -> Solver:
    """Return a solver that works on another f or Ω.

    Parameters of its own f or Ω are no hyperparameters any more, see `own_parameters`.

    Raises
    ------
    UnsupportedError
        When the solver ignores the f or Ω of a `Problem`, so that the option would do nothing.
    """
    replaced = []
    for kind, part in (("objective", objective), ("projector", projector)):
        if part is None:
            continue
        if f"any-{kind}" not in solver.needs.capabilities:
            raise UnsupportedError(
                f"{type(solver).__name__} is tied to its own {kind}; leave --{kind} out for this "
                "solver"
            )
        replaced.append(kind)
    if not replaced:
        return solver
    without = own_parameters(solver, replaced)
    return WithParts(_cheapened(solver, without), objective, projector, without)


def with_pairs(needs: Needs, *pairs: str) -> Needs:
    """Return needs with other kinds of pairs."""
    others = (name for name in needs.capabilities if not name.endswith("-pairs"))
    return replace(needs, capabilities=frozenset((*others, *pairs)))


def _cheapened(solver: Solver, names: Collection[str]) -> Solver:
    """Return the solver with the first value of their axes for parameters without a meaning.

    To derive a default, or to choose one by trial fits, would be work for nothing.
    """
    axes = solver.space if isinstance(solver.space, Mapping) else {}
    cheap = {name: axes[name][0] for name in names if isinstance(axes.get(name), tuple)}
    return replace(solver, **cheap) if cheap else solver  # type: ignore[type-var]
