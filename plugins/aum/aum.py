"""aum: descent of the area under min(FP, FN) with an exact line search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from aucbench.data import Data
from aucbench.data.targets import Labels
from aucbench.errors import UnsupportedError
from aucbench.features import AppendOne
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import Aum
from aucbench.projectors import Hyperplane, Identity
from aucbench.protocols import Problem, State, identity

from .learner import AumLearner, mean_gap


@dataclass(frozen=True)
class AumDescent(AumLearner):
    """w ← w − η p, p from recent subgradients of AUM(Xw), η from a line search.

    For labels AUM(cw) = c AUM(w), c > 0: it is 0 at w = 0, towards which plain descent shrinks w.
    So w stays in {w : w·(m₊ − m₋) = 1}, where the mean scores of the classes are one unit apart
    and the AUM is convex. Its minimum there may rest on few rows and leave the rest tied, which
    costs the AUM nothing but the AUC much: hence early stopping. A step costs a pass and a search.

    Parameters
    ----------
    line_search : str
        "exact": minimum of the AUM along the line, O(n) for labels; "first_min": the same by a
        sweep, and what "exact" is for error functions; "linear": best of the first B crossings;
        "quadratic": of all; "max_auc", "max_auc_validation": greatest AUC of training or
        validation rows up to the first minimum; "grid": best of 10^-9, 10^-8.5, ..., 10^3.
    memory : int
        Subgradients behind p, ≥ 1; 1: the published direction, which jams at kinks.
    validation : float, optional
        Share of the rows that only judges; None: the training rows do.
    early_stopping : bool
        Show the weights with the greatest AUC so far of those rows; False: the latest.
    intercept : bool
        Append a feature 1, weighted so that the fewest errors are made.
    tol : float
        Relative optimality at which it ends, ≥ 0.
    normalise : bool, optional
        Stay in that set; None: where there are labels. Error functions have their own scale.

    References
    ----------
    Fotouhi & Hocking, "Efficient line search for optimizing area under the ROC curve", 2024.
    """

    normalise: bool | None = None

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the AUM, of labels in the set above, from the difference of the means."""
        labelled = isinstance(data.target, Labels)
        if self.normalise and not labelled:
            raise UnsupportedError("normalise=True is for labels: error functions have a scale")
        phi = AppendOne() if self.intercept else identity
        train, held = self.parts(data, phi, rng)
        if not labelled:
            return Problem(Aum(train), features=phi, holdout=held)
        inside = Hyperplane(mean_gap(train))
        project = Identity() if self.normalise is False else inside
        return Problem(Aum(train), project, phi, held, inside(np.zeros(train.d)))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per line search."""
        return self.descend(problem, Aum)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"aum": AumDescent}
