"""Linear support vector classifier of scikit-learn (LIBLINEAR)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.hookspecs import Factories, hookimpl
from aucbench.methods import LinearBaseline, one_fit
from aucbench.protocols import Problem, State


@dataclass(frozen=True)
class LinearSvc(LinearBaseline):
    """min ½(‖w‖² + c²) + C Σ_i max(0, 1 − y_i (w·x_i + c))².

    Coordinate descent in the primal or the dual, as scikit-learn decides.

    Parameters
    ----------
    C : float
        Inverse regularisation C > 0, in units of 1/loss summed over the rows.
    max_iter : int
        Iterations allowed; scikit-learn warns when they do not suffice.

    References
    ----------
    Fan et al., "LIBLINEAR: a library for large linear classification", JMLR 9, 2008.
    """

    module: ClassVar = "sklearn.svm"

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """The fitted weights, once."""
        from sklearn.svm import LinearSVC

        return one_fit(
            LinearSVC(C=self.C, max_iter=self.max_iter, random_state=int(rng.integers(2**31))),
            problem,
        )


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"linear-svc": LinearSvc}
