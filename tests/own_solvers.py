"""Solvers in a module that a worker can import: `tests` is on the path of pytest."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, ClassVar

from aucbench.contract import Problem, Solver, State
from aucbench.objectives import PairwiseSquare


@dataclass(frozen=True)
class Descent(Solver):
    """w - gamma f'(w)."""

    gamma: float = 0.01
    shrink: Any = None
    space: ClassVar = {"gamma": (0.01, 0.001)}

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, w, rng, budget):
        while True:
            w = w - self.gamma * problem.f.grad(w)
            w = w if self.shrink is None else self.shrink(w)
            yield State(w)


@dataclass(frozen=True)
class Locked(Descent):
    """It cannot be pickled."""

    lock: Any = field(default_factory=Lock)


@dataclass
class Thawed(Solver):
    """It can be changed."""

    problem, iterates = Descent.problem, Descent.iterates
