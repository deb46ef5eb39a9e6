"""Linear support vector classifier of scikit-learn (LIBLINEAR)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Problem, State
from aucbench.data.arrays import Vector

from .baseline import LinearBaseline, one_fit


@about("the linear support vector machine, as a baseline", cites=("fan2008",))
@dataclass(frozen=True)
class LinearSvc(LinearBaseline):
    """min ½(‖w‖² + c²) + C Σ_i v_i max(0, 1 − y_i (w·x_i + c))²; v_i is the weight of row i.

    scikit-learn chooses between Newton's method in the primal and coordinate descent in the dual,
    and solves to the tolerance 10⁻⁸. On scaled features the error of w is then at most 10⁻⁴ of its
    length. The residual of the run is the norm of the gradient. The call of the estimator is in
    `iterates`, and `baseline.py` has what the baselines share.

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
    Fan et al., "LIBLINEAR: a library for large linear classification", JMLR 9, 2008.
    """

    module: ClassVar = "sklearn.svm"

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the fitted weights."""
        from sklearn.svm import LinearSVC

        return one_fit(
            LinearSVC(
                C=float(self.C), max_iter=self.max_iter, random_state=int(rng.integers(2**31))
            ),
            problem,
            squared_hinge_slope,
            intercept_ridge=1.0,
        )


def squared_hinge_slope(margins: Vector) -> Vector:
    """Return d/dm max(0, 1 − m)² = −2 max(0, 1 − m)."""
    slopes: Vector = -2.0 * np.maximum(0.0, 1.0 - margins)
    return slopes
