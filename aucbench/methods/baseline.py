"""A linear classifier of scikit-learn as a solver: one fit, told as a single state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.errors import require_above, require_whole
from aucbench.protocols import Needs, Problem, State


@dataclass(frozen=True)
class LinearBaseline:
    """What the baselines share; each one says which estimator its `iterates` fits.

    Parameters
    ----------
    C : float
        Inverse regularisation C > 0, in units of 1/loss summed over the rows.
    max_iter : int
        Iterations allowed; scikit-learn warns when they do not suffice.
    """

    C: float = 1.0
    max_iter: int = 1000

    module: ClassVar[str]  # of scikit-learn, where the estimator is
    space: ClassVar = {"C": (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        # Imported here so that neither `import aucbench` nor the clock of a fit pays for it.
        import_module(self.module)
        require_above(0, C=self.C)
        require_whole(1, max_iter=self.max_iter)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """The rows as they are; the objective is scikit-learn's own."""
        return Problem(None, train=data)


def one_fit(estimator: Any, problem: Problem) -> Iterator[State]:
    """Fit a scikit-learn linear classifier and yield its weights.

    The intercept is dropped: a constant added to every score leaves the AUC as it is. Each
    iteration that the estimator reports counts as one pass over the rows.
    """
    data = problem.data
    estimator.fit(data.rows.matrix, data.y)
    passes = int(np.max(estimator.n_iter_))
    yield State(1, np.ravel(estimator.coef_).astype(np.float64), passes * data.n)
