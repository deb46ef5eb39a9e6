"""aum: descent of the area under min(FP, FN) with an exact line search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, NoMap, Problem, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.targets import Labels
from aucbench.errors import UnsupportedError
from aucbench.features import AppendOne
from aucbench.objectives import Aum
from aucbench.projectors import Hyperplane, Identity

from .learner import AumLearner, mean_gap


@about(
    "labels or error functions of changepoints, by exact line searches",
    certified=True,
    cites=("fowler2024", "hillman2023"),
)
@dataclass(frozen=True)
class AumDescent(AumLearner):
    """w ← w − η p, where p comes from recent subgradients of AUM(Xw), and η from a line search.

    The loop is in `descent.py`, which `aum-margin` shares.

    For labels AUM(cw) = c AUM(w) for c > 0. So the AUM is 0 at w = 0, and plain descent would
    shrink w towards 0. Therefore w stays in {w : w·(m₊ − m₋) = 1}, where the mean scores of the
    classes are one unit apart. The AUM is convex there. Its minimum may depend on few rows only,
    and leave the scores of the other rows tied. This costs the AUM nothing, but the AUC much, and
    is the reason for early stopping.

    A step costs a pass and a search.

    Parameters
    ----------
    line_search : str, optional
        How the step η is chosen on the line. None: "max_auc" for error functions, and for at most
        2 000 labelled rows with early stopping, which "exact" would overfit. Otherwise "exact".

        - "exact": the minimum of the AUM along the line, in O(n) for labels;
        - "first_min": the same by a sweep over the crossings, and what "exact" does for error
          functions;
        - "linear": the best of the first B crossings;
        - "quadratic": the best of all crossings;
        - "max_auc", "max_auc_validation": the greatest AUC of the training or the validation rows
          up to the first minimum;
        - "grid": the best of 10^-9, 10^-8.5, ..., 10^3.
    memory : int
        Number ≥ 1 of subgradients from which p is made. 1 is the published direction, which gets
        stuck at kinks.
    validation : float, optional
        Share of the rows that is used for validation only. None, 0: the training rows are used.
        These rows are drawn after the feature map of the benchmark has been fitted to all rows.
    early_stopping : bool
        Whether to return the weights with the greatest AUC so far on the validation rows. False:
        the latest weights.
    intercept : bool
        Whether to append a feature 1. Its weight is chosen so that there are the fewest errors.
    tol : float
        Relative optimality ≥ 0 at which the descent ends.
    normalise : bool, optional
        Whether w stays in that set. None: where there are labels. Error functions have a scale of
        their own.

    Raises
    ------
    ParameterError
        When a parameter is out of its range, or would have no effect beside the others.
    UnsupportedError
        When `normalise` is True and there are no labels.
    DataError
        When both classes have the same mean, and w is normalised.

    References
    ----------
    Fowler & Hocking, "Efficient line search for optimizing area under the ROC curve", 2024.
    """

    normalise: bool | None = None

    needs: ClassVar = Needs(frozenset({"breakpoints", "warm-start"}))
    few: ClassVar[int] = 2_000

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the AUM; for labels in the set above, unless `normalise` is False."""
        labelled = isinstance(data.target, Labels)
        if self.normalise and not labelled:
            raise UnsupportedError("normalise=True is for labels: error functions have a scale")
        phi = AppendOne() if self.intercept else NoMap()
        train, held = self.parts(data, phi, rng)
        chosen = self.early_stopping
        if not labelled:
            return Problem(Aum(train), features=phi, holdout=held, early_stopping=chosen)
        project = Identity() if self.normalise is False else Hyperplane(mean_gap(train))
        return Problem(Aum(train), project, phi, held, early_stopping=chosen)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per line search."""
        data, start = problem.data, problem.project
        if isinstance(data.target, Labels) and not w0.any():  # where the AUM is 0, and is not meant
            start = Hyperplane(mean_gap(data))
        return self.descend(problem, start(w0), Aum)
