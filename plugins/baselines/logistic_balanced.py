"""Class-weighted logistic regression of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Problem, State
from aucbench.data.arrays import Vector

from .baseline import LinearBaseline, logistic_slope, one_fit
from .parts import balanced


@about("the baseline where both classes count the same", cites=("pedregosa2011",))
@dataclass(frozen=True)
class BalancedLogistic(LinearBaseline):
    """min ½‖w‖² + C Σ_i v_i log(1 + exp(−y_i (w·x_i + c))), by L-BFGS.

    A row of class y has the weight v_i = n/(2 n_y), so that both classes count the same. Where rows
    have weights, they are multiplied by it, and n and n_y are their sums. The
    accuracy is that of `logistic`.

    Parameters
    ----------
    C : float
        Inverse regularisation C from 1e-100 to 1e100, in units of 1/loss summed over the rows.
    max_iter : int
        Largest number of iterations. scikit-learn warns when they are not enough.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Pedregosa et al., "Scikit-learn: machine learning in Python", JMLR 12, 2011.
    """

    module: ClassVar = "sklearn.linear_model"

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the fitted weights."""
        from sklearn.linear_model import LogisticRegression

        data, kind = balanced(problem.data)
        return one_fit(
            LogisticRegression(C=float(self.C), max_iter=self.max_iter, class_weight=kind),
            replace(problem, train=data),
            logistic_slope,
        )
