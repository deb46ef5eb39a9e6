"""Logistic regression of scikit-learn: the baseline to beat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.hookspecs import Factories, hookimpl
from aucbench.protocols import Problem, State

from .baseline import LinearBaseline, logistic_slope, one_fit


@dataclass(frozen=True)
class LogisticRegression(LinearBaseline):
    """min ½‖w‖² + C Σ_i log(1 + exp(−y_i (w·x_i + c))), by L-BFGS.

    Every published gain in AUC is measured against this.

    It ends where no component of the gradient exceeds 10⁻⁸ C n, or where a step gains nothing
    in floating point: on scaled features w is then right to 10⁻⁴ of its length and better. The
    residual of the run is what is left of the gradient.

    Parameters
    ----------
    C : float
        Inverse regularisation C > 0, in units of 1/loss summed over the rows.
    max_iter : int
        Iterations allowed; scikit-learn warns when they do not suffice.

    References
    ----------
    Pedregosa et al., "Scikit-learn: machine learning in Python", JMLR 12, 2011.
    """

    module: ClassVar = "sklearn.linear_model"

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """The fitted weights, once."""
        from sklearn.linear_model import LogisticRegression as Estimator

        return one_fit(Estimator(C=self.C, max_iter=self.max_iter), problem, logistic_slope)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"logistic": LogisticRegression}
