"""A Pipeline of scikit-learn as a solver with parameters of its own.

    aucbench check examples/sklearn_pipeline.py:QuadraticLogistic

A Pipeline without parameters to tune needs no class: `solve(from_estimator(pipeline), data)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, PolynomialFeatures

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Vector
from aucbench.errors import require_above, require_whole
from aucbench.optim.classifiers import fitted
from aucbench.ranges import Range


@about("showing how a Pipeline becomes a solver; tables with few columns that interact")
@dataclass(frozen=True)
class QuadraticLogistic(Solver):
    """w · φ(x), φ the products of at most `degree` features, w by logistic regression.

    Parameters
    ----------
    C : float
        Inverse strength C > 0 of the penalty ‖w‖²/2, beside the sum of the losses.
    degree : int
        Factors of a product, at least 1.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    """

    C: float = 1.0
    degree: int = 2

    space = {"C": Range(1e-4, 1e4, log=True), "degree": (1, 2)}
    needs = Needs(frozenset({"weights"}))  # the last step takes `sample_weight`

    def __post_init__(self) -> None:
        require_above(0, C=self.C)
        require_whole(1, degree=self.degree)

    def pipeline(self) -> Any:
        """Return the Pipeline. Each `random_state` that is None gets a number of `rng`."""
        return make_pipeline(
            MaxAbsScaler(),
            PolynomialFeatures(self.degree, include_bias=False),
            LogisticRegression(C=self.C, max_iter=1000),
        )

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the fitted Pipeline, which keeps no training row."""
        return fitted(self.pipeline(), problem.data, rng, keeps_rows=False)
