"""aum-margin: descent of the AUM with a unit margin between the classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.features import AppendOne
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import Aum
from aucbench.protocols import Needs, Problem, State, identity

from .learner import AumLearner


@dataclass(frozen=True)
class AumMargin(AumLearner):
    """min_w min_c (1/n₋) Σ_j [s_j − c]₊ + (1/n₊) Σ_i [1 + c − s_i]₊, s = Xw, by line searches.

    The AUM of labels when a positive counts as found from a score of 1 above the threshold on:
    the hinge loss of a support vector machine, balanced between the classes, with a free
    intercept and no penalty. It is convex, and unlike the AUM itself not least at w = 0.

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

    References
    ----------
    Hillman & Hocking, JMLR 24, 2023, and the identity of the AUM with a weighted median.
    """

    needs: ClassVar = Needs()

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the AUM with the margin 1."""
        phi = AppendOne() if self.intercept else identity
        train, held = self.parts(data, phi, rng)
        return Problem(Aum(train, margin=1.0), features=phi, holdout=held)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state per line search."""
        return self.descend(problem, partial(Aum, margin=1.0))


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"aum-margin": AumMargin}
