"""The constant model: every row has the score 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data.arrays import Vector


@about("the floor that every solver has to beat: nothing is learnt")
@dataclass(frozen=True)
class Constant(Solver):
    """w = 0: every row has the score 0, and nothing is learnt.

    For labels its AUC is ½. In changepoint detection it predicts the same penalty for all
    sequences, and the AUC of that may be high. A solver that learns has to be better.
    """

    space: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    needs: ClassVar = Needs(frozenset({"breakpoints"}))
    expected_failures: ClassVar[Mapping[str, str]] = {
        "ranks": "it learns nothing",
    }

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return w = 0, for which no row is read."""
        return State(np.zeros(problem.data.d))
