"""AUC-opt: the best AUC of all linear scores of two features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Objective, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.errors import UnsupportedError
from aucbench.optim.plane import auc_of_direction, best_direction
from aucbench.ranges import Space


@dataclass(frozen=True, eq=False)
class OneMinusAuc(Objective):
    """1 − AUC(w): the share of pairs that X w has in the wrong order, ties counted half.

    It is constant between jumps, so its gradient is 0 wherever it has one.
    """

    data: Data
    over_pairs: ClassVar[bool] = True

    def value(self, w: Vector) -> float:
        """1 − AUC of the scores in doubles, by counts."""
        return 1.0 - auc_of_direction(self.data, w)

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return 0, which tells no direction of descent."""
        return np.zeros(self.data.rows.d)


@about(
    "the best AUC of linear scores of two features, a yardstick of losses",
    certified=True,
    cites=("zhou2023",),
)
@dataclass(frozen=True)
class AucOpt(Solver):
    """w = argmax AUC(w) over all directions of the plane, exactly (`aucbench.metrics.best_auc_2d`).

    It minimises 1 − AUC itself, and no loss in its place. So the gap of its only state is the AUC
    that its scores, which are rounded, lack to the best one: 0 for nearly all rows. Then no linear
    score has a higher AUC on the training rows. Test rows are another matter: it learns two numbers
    that fit the training rows best, and has no ridge.

    Time is O(n^1.5 log n) for most rows and O(n₊n₋ log n) for the worst ones.

    Raises
    ------
    UnsupportedError
        When the rows have another number of features than two.
    DataError
        When there are more than 10¹⁰ pairs of rows.

    References
    ----------
    Zhou & Skiena, "Does it pay to optimize AUC?", AAAI 2023. They sort all pairs by the direction
    in which they are level; here most pairs are only counted.
    """

    space: ClassVar[Space] = {}
    needs: ClassVar[Needs] = Needs()
    law_columns: ClassVar[int] = 2
    expected_failures: ClassVar[Mapping[str, str]] = {"one-column": "it takes two features"}

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise 1 − AUC."""
        if data.rows.d != 2:
            raise UnsupportedError(
                f"auc-opt searches the directions of two features, and the rows have "
                f"{data.rows.d}; keep two columns, as X[:, [0, 1]] or --drop, or take svm-or, "
                "which minimises the hinge over all pairs of any number of features"
            )
        return Problem(OneMinusAuc(data))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the best direction."""
        best = best_direction(problem.data)
        info = {"best-auc": best.auc, "arc-radians": best.width}
        return State(best.w, gap=max(0.0, best.auc - best.auc_of_scores), info=info)
