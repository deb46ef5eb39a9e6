"""Class-weighted logistic regression of scikit-learn."""

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
class BalancedLogistic:
    """min ½‖w‖² + C Σ_i v_i log(1 + exp(−y_i (w·x_i + c))), by L-BFGS.

    Rows weigh v_i = n/(2 n_y), so that both classes count the same.

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

    C: float = 1.0
    max_iter: int = 1000

    space: ClassVar = {"C": (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        # Imported here so that neither `import aucbench` nor the clock of a fit pays for it.
        import sklearn.linear_model  # noqa: F401

        require_above(0, C=self.C)
        require_whole(1, max_iter=self.max_iter)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """The rows as they are; the objective is scikit-learn's own."""
        return Problem(None, train=data)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """The fitted weights, once."""
        from sklearn.linear_model import LogisticRegression

        return one_fit(
            LogisticRegression(C=self.C, max_iter=self.max_iter, class_weight="balanced"), problem
        )


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"logistic-balanced": BalancedLogistic}
