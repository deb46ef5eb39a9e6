"""Logistic regression of scikit-learn, the baseline to beat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.objectives import LogisticInParts
from aucbench.projectors import ElasticNet
from aucbench.scale import ChunkedData

from .baseline import LinearBaseline, logistic_slope, one_fit
from .chunked import descent


@about("the baseline to beat: a linear score, and often a good one", cites=("pedregosa2011",))
@dataclass(frozen=True)
class LogisticRegression(LinearBaseline):
    """min ½‖w‖² + C Σ_i v_i log(1 + exp(−y_i (w·x_i + c))), by L-BFGS; v_i is the weight of row i.

    Every published gain in AUC should be compared with this.

    It ends where no component of the gradient exceeds 10⁻⁸ C n, or where a step gains nothing
    in floating point. On scaled features the error of w is then at most 10⁻⁴ of its length. The
    residual of the run is the norm of the gradient.

    Of rows in chunks (`aucbench.scale`) scikit-learn has no part in it. Newton's method finds the
    optimum over a sample. From there L-BFGS, with the Hessian over the sample, goes to the optimum
    of the same objective over all rows, one reading for each point. The gap is certified, see
    `aucbench.objectives.LogisticInParts`.

    Parameters
    ----------
    C : float
        Inverse regularisation C from 1e-100 to 1e100, in units of 1/loss summed over the rows.
    max_iter : int
        Largest number of iterations. scikit-learn warns when they are not enough. If rows are read
        in chunks: of steps.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Pedregosa et al., "Scikit-learn: machine learning in Python", JMLR 12, 2011.
    """

    module: ClassVar = "sklearn.linear_model"
    needs: ClassVar = Needs(frozenset({"weights", "chunks"}))

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """The rows as they are; of rows in chunks the objective is listed."""
        if isinstance(data, ChunkedData):
            return Problem(LogisticInParts(data, float(self.C)), ElasticNet(0.0, 1.0))
        return super().problem(data, rng, budget)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State] | State:
        """Return the fitted weights."""
        from sklearn.linear_model import LogisticRegression as Estimator

        if isinstance(problem.f, LogisticInParts):
            return descent(problem.f, self.max_iter)
        return one_fit(Estimator(C=float(self.C), max_iter=self.max_iter), problem, logistic_slope)
