"""The number of weights to keep, also where the user gives none; the sparse logistic problem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from aucbench import optim
from aucbench.contract import Budget, NoMap, Objective, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.tally import counting
from aucbench.features import AppendOne
from aucbench.objectives import Logistic
from aucbench.optim.choice import AUTO, chosen
from aucbench.projectors import TopK

LEAST = 10  # weights; fewer are a matter for the user


def choose_k(solver: Any, data: Data, rng: np.random.Generator, budget: Budget) -> int:
    """Return the k of a solver; "auto" is chosen among d, d/4, d/16, … ≥ 10 by held-out rows.

    Of numbers with the same AUC on held rows, the smallest is taken. With few rows of a class it
    is d. See `aucbench.optim.chosen`.

    Parameters
    ----------
    solver : ShtAuc, StoIht or HsgHt
        A frozen dataclass with a parameter k.
    data : Data
        Training rows.
    rng : Generator
        Draws the held rows.
    budget : Budget
        Of the fit; a trial gets no more passes.
    """
    if solver.k != AUTO:
        return int(solver.k)
    sizes = [data.d]
    while sizes[-1] > 4 * LEAST:
        sizes.append(sizes[-1] // 4)
    return int(chosen(_Trial(solver, sizes[0]), "k", sizes[::-1], data, rng, budget))


def sparse_logistic(solver: Any, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
    """Return the logistic loss over k-sparse weights, for a solver with k, intercept and centre."""
    phi = AppendOne() if solver.intercept else NoMap()
    f = Logistic(data.with_rows(phi(data.rows)), solver.centre, phi.exempt)
    return Problem(f, TopK(choose_k(solver, data, rng, budget), free=phi.exempt), phi)


@dataclass(frozen=True)
class _Trial(Solver):
    """A fit with k weights, on the same rows and with the same seed as those of other k."""

    solver: Any
    k: int
    problems: list[Problem] = field(default_factory=list)  # that of the first trial, for all

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Return the problem of the first trial with this k."""
        if not self.problems:
            problem = replace(self.solver, k=self.k).problem(data, rng, budget)
            self.problems.append(replace(problem, f=_OfTrials(problem.objective)))
        project: Any = self.problems[0].project
        return replace(self.problems[0], project=replace(project, k=self.k))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield the states of the solver."""
        states: Iterator[State] = self.solver.iterates(problem, w0, rng, budget)
        return states


class _OfTrials(Objective):
    """The f of all trials. Its L̂ is found once, because it does not depend on k."""

    def __init__(self, f: Objective) -> None:
        self.f, self.data = f, f.data
        self._top, self._rows = 0.0, 0

    def value(self, w: Vector) -> float:
        """f(w)."""
        return self.f.value(w)

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return the gradient of f."""
        return self.f.grad(w, rows)

    def lipschitz(self, blocks: Sequence[Block], rng: np.random.Generator) -> float:
        """Return L̂ of the first trial; count rows and advance `rng` as if it were found anew.

        So a trial has as many steps, and the same batches, as a fit alone.
        """
        if self._top:
            rng.standard_normal(self.data.d)
        else:
            with counting() as read:
                self._top = optim.lipschitz(self.f, blocks, rng)
            self._rows = read.rows
        count_rows(self._rows)
        return self._top


def lipschitz(f: Objective, blocks: Sequence[Block], rng: np.random.Generator) -> float:
    """Return L̂, see `aucbench.optim.lipschitz`; trials of k share it."""
    if isinstance(f, _OfTrials):
        return f.lipschitz(blocks, rng)
    return optim.lipschitz(f, blocks, rng)
