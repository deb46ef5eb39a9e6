"""Solvers in a module that a worker can import: `tests` is on the path of pytest."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, ClassVar

from aucbench.contract import Needs, Problem, State
from aucbench.objectives import PairwiseSquare


@dataclass(frozen=True)
class Descent:
    """w - gamma f'(w)."""

    gamma: float = 0.01
    shrink: Any = None
    space: ClassVar = {"gamma": (0.01, 0.001)}
    needs: ClassVar = Needs()

    def problem(self, data, rng):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, rng):
        f, w = problem.objective, problem.start()
        for t in range(1, 10**6):
            w = w - self.gamma * f.grad(w)
            w = w if self.shrink is None else self.shrink(w)
            yield State(t, w, rows_seen=t * f.data.n)


@dataclass(frozen=True)
class Locked(Descent):
    """It cannot be pickled."""

    lock: Any = field(default_factory=Lock)


@dataclass
class Thawed(Descent.__mro__[-1]):
    """It can be changed."""

    space: ClassVar = {}
    needs: ClassVar = Needs()
    problem, iterates = Descent.problem, Descent.iterates
