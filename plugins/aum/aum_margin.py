"""aum-margin: descent of the AUM with a unit margin between the classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, NoMap, Problem, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.features import AppendOne
from aucbench.objectives import Aum

from .learner import AumLearner


@about(
    "a threshold with few errors on both sides, with a margin",
    certified=True,
    cites=("hillman2023",),
)
@dataclass(frozen=True)
class AumMargin(AumLearner):
    """min_w min_c (1/n₋) Σ_j [s_j − c]₊ + (1/n₊) Σ_i [1 + c − s_i]₊, s = Xw, by line searches.

    This is the AUM of labels when a positive must have a score of at least 1 above the threshold.
    It is also the hinge loss of a support vector machine, balanced between the classes, with a free
    intercept and without a penalty. It is convex, and its minimum is not at w = 0, unlike that of
    the AUM itself. The loop is in `descent.py`, which `aum` shares.

    Parameters
    ----------
    line_search : str, optional
        How the step η is chosen on the line. None: "exact".

        - "exact": the minimum of the AUM along the line, in O(n) for labels;
        - "first_min": the same by a sweep over the crossings, and what "exact" does for error
          functions;
        - "linear": the best of the first B crossings;
        - "quadratic": the best of all crossings;
        - "max_auc", "max_auc_validation": the greatest AUC of the training or the validation rows
          up to the first minimum;
        - "grid": the best of 10^-9, 10^-8.5, ..., 10^3.
    memory : int
        Number ≥ 1 of subgradients from which p is made. 1 is the published direction, which gets
        stuck at kinks.
    validation : float, optional
        Share of the rows that is used for validation only, 0: the training rows are used. None: 0.2
        with early stopping, where each class has at least 10 rows, and 0 otherwise. These rows are
        drawn after the feature map of the benchmark has been fitted to all rows.
    early_stopping : bool
        Whether to return the weights with the greatest AUC so far on the validation rows. False:
        the latest weights.
    intercept : bool
        Whether to append a feature 1. Its weight is chosen so that there are the fewest errors.
    tol : float
        Relative optimality ≥ 0 at which the descent ends.

    Raises
    ------
    ParameterError
        When a parameter is out of its range, or would have no effect beside the others.

    References
    ----------
    Hillman & Hocking, JMLR 24, 2023, and the identity of the AUM with a weighted median.
    """

    needs: ClassVar = Needs(frozenset({"warm-start"}))
    held: ClassVar[float] = 0.2

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the AUM with the margin 1."""
        phi = AppendOne() if self.intercept else NoMap()
        train, held = self.parts(data, phi, rng)
        f = Aum(train, margin=1.0)
        return Problem(f, features=phi, holdout=held, early_stopping=self.early_stopping)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per line search."""
        return self.descend(problem, w0, partial(Aum, margin=1.0))
