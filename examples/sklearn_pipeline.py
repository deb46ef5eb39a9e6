"""A Pipeline of scikit-learn as a solver with parameters of its own.

    aucbench check examples/sklearn_pipeline.py:QuadraticLogistic

A Pipeline without parameters to tune needs no class: `solve(from_estimator(pipeline), data)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, PolynomialFeatures

from aucbench.about import about
from aucbench.data import Data
from aucbench.errors import require_above, require_whole
from aucbench.optim.classifiers import fitted
from aucbench.protocols import Needs, Problem, State
from aucbench.ranges import Range


@about("showing how a Pipeline becomes a solver; tables with few columns that interact")
@dataclass(frozen=True)
class QuadraticLogistic:
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

    space: ClassVar = {"C": Range(1e-4, 1e4, log=True), "degree": (1, 2)}
    # The last step takes `sample_weight`, and its method draws nothing.
    needs: ClassVar = Needs(weights=True, inert=("seed",))

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

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Return the rows as they are; the Pipeline scales and multiplies them itself."""
        return Problem(None, train=data)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Yield the fitted Pipeline, once. It keeps no training row, which `keeps_rows` says."""
        yield fitted(self.pipeline(), problem.data, rng, keeps_rows=False)
