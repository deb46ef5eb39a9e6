"""Linear support vector classifier of scikit-learn (LIBLINEAR)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.errors import require_above, require_whole
from aucbench.hookspecs import Factories, hookimpl
from aucbench.methods import one_fit
from aucbench.protocols import Needs, Problem, State


@dataclass(frozen=True)
class LinearSvc:
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

    C: float = 1.0
    max_iter: int = 1000

    space: ClassVar = {"C": (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        # Imported here so that neither `import aucbench` nor the clock of a fit pays for it.
        import sklearn.svm  # noqa: F401

        require_above(0, C=self.C)
        require_whole(1, max_iter=self.max_iter)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """The rows as they are; the objective is scikit-learn's own."""
        return Problem(None, train=data)

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
