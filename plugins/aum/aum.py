"""aum, aum-margin: descent of the area under min(FP, FN) with a line search.

`published.py` has the published loop (memory=1). `cuts.py` has the loop that remembers the
subgradients of many steps, and `certificate.py` the lower bound of both. `aucbench.aum.path` has
the line search of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from aucbench.about import about
from aucbench.aum.search import SEARCHES
from aucbench.contract import Budget, Needs, NoMap, Problem, Projector, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.rounding import of_pullback
from aucbench.data.targets import Labels
from aucbench.errors import (
    DataError,
    ParameterError,
    UnknownNameError,
    UnsupportedError,
    require_at_least,
    require_count,
)
from aucbench.features import AppendOne
from aucbench.objectives import Aum
from aucbench.projectors import Hyperplane, Identity

from .cuts import BundleDescent
from .early_stopping import Shown
from .published import published_descent

ENOUGH_TO_HOLD = 10  # rows of each class from which some are held out without being asked for


@dataclass(frozen=True)
class AumSolver(Solver):
    """What both solvers share: their parameters, which the docstrings below explain, and checks."""

    line_search: str | None = None
    memory: int = 30
    validation: float | None = None
    early_stopping: bool = True
    intercept: bool = False
    tol: float = 1e-6

    # The papers tune nothing. They compare the searches, with the memory 1.
    space: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "memory": (30, 1),
        "line_search": ("exact", "max_auc"),
    }
    few: ClassVar[int] = 0  # rows for which "max_auc", which sweeps O(n²) crossings, is the default
    held: ClassVar[float] = 0.0  # share of the rows that judge where `validation` is None
    margin: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        if self.line_search is not None and self.line_search not in SEARCHES:
            raise UnknownNameError("line_search", self.line_search, SEARCHES)
        import_module("scipy.optimize")  # for the certificate, and off the clock of a fit
        require_count(1, memory=self.memory)
        require_at_least(0, tol=self.tol, validation=self.validation)
        if self.validation and not self.early_stopping:
            raise ParameterError(
                f"validation={self.validation} would judge nothing without early_stopping; leave "
                "one of them out"
            )

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the AUM, with the margin of the solver."""
        phi = AppendOne() if self.intercept else NoMap()
        train, held = data.with_rows(phi(data.rows)), None
        if share := self.share(data):
            train, held = train.split(share, rng)
        f = Aum(train, self.margin)
        return Problem(f, self.feasible(train), phi, held, early_stopping=self.early_stopping)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per line search."""
        f, project = Aum(problem.data, self.margin), problem.project
        shown = Shown(
            f.data,
            problem.holdout,
            early_stopping=self.early_stopping,
            intercept=self.intercept,
        )
        search, w = SEARCHES[self.search(f.data)], self.start(f.data, project, w0)
        if self.memory == 1:
            return published_descent(f, project, w, search, self.tol, shown)
        return BundleDescent(f, project, w, search, self.tol, shown, self.memory).states()

    def feasible(self, train: Data) -> Projector:
        """Return the projector on the set of feasible weights."""
        return Identity()

    def start(self, train: Data, project: Projector, w0: Vector) -> Vector:
        """Return feasible weights near w0."""
        return w0

    def share(self, data: Data) -> float:
        """Return the share of the rows that is held out, to judge the weights."""
        if self.validation is not None:
            return self.validation
        target = data.target
        enough = isinstance(target, Labels) and min(target.n_pos, target.n_neg) >= ENOUGH_TO_HOLD
        return self.held if self.early_stopping and enough else 0.0

    def search(self, data: Data) -> str:
        """Return how steps are chosen on these rows."""
        few = self.early_stopping and data.n <= self.few
        default = "max_auc" if few or not isinstance(data.target, Labels) else "exact"
        return self.line_search or default


@about(
    "labels or error functions of changepoints, by exact line searches",
    certified=True,
    cites=("fowler2024", "hillman2023"),
)
@dataclass(frozen=True)
class AumDescent(AumSolver):
    """w ← w − η p, where p comes from recent subgradients of AUM(Xw), and η from a line search.

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
        - "first_min": the same by the published sweep over the crossings, and what "exact" does
          for error functions;
        - "max_auc": the greatest AUC of the training rows up to the first minimum;
        - "grid": the best of 0, 10^-9, 10^-8.5, ..., 10^3.
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

    def feasible(self, train: Data) -> Projector:
        """Return the projector on the set above; for error functions there is none."""
        labelled = isinstance(train.target, Labels)
        if self.normalise and not labelled:
            raise UnsupportedError("normalise=True is for labels: error functions have a scale")
        plain = self.normalise is False or not labelled
        return Identity() if plain else Hyperplane(mean_gap(train))

    def start(self, train: Data, project: Projector, w0: Vector) -> Vector:
        """Return w0 in the feasible set; for labels not 0, where the AUM is 0, and is not meant."""
        if isinstance(train.target, Labels) and not w0.any():
            project = Hyperplane(mean_gap(train))
        return project(w0)


@about(
    "a threshold with few errors on both sides, with a margin",
    certified=True,
    cites=("hillman2023",),
)
@dataclass(frozen=True)
class AumMargin(AumSolver):
    """min_w min_c (1/n₋) Σ_j [s_j − c]₊ + (1/n₊) Σ_i [1 + c − s_i]₊, s = Xw, by line searches.

    This is the AUM of labels when a positive must have a score of at least 1 above the threshold.
    It is also the hinge loss of a support vector machine, balanced between the classes, with a free
    intercept and without a penalty. It is convex, and its minimum is not at w = 0, unlike that of
    the AUM itself.

    Parameters
    ----------
    line_search : str, optional
        How the step η is chosen on the line. None: "exact".

        - "exact": the minimum of the AUM along the line, in O(n);
        - "first_min": the same by the published sweep over the crossings;
        - "max_auc": the greatest AUC of the training rows up to the first minimum;
        - "grid": the best of 0, 10^-9, 10^-8.5, ..., 10^3.
    memory : int
        Number ≥ 1 of subgradients from which p is made. 1 is the published direction, which gets
        stuck at kinks.
    validation : float, optional
        Share of the rows that is used for validation only, 0: the training rows are used. None: 0.2
        with early stopping, where each class has at least 10 rows, and 0 otherwise. These rows are
        drawn after the feature map of the benchmark has been fitted to all rows.
    early_stopping : bool
        Whether to return the weights with the greatest AUC so far on the validation rows. False:
        the latest weights.
    intercept : bool
        Whether to append a feature 1. Its weight is chosen so that there are the fewest errors.
    tol : float
        Relative optimality ≥ 0 at which the descent ends.

    Raises
    ------
    ParameterError
        When a parameter is out of its range, or would have no effect beside the others.

    References
    ----------
    Hillman & Hocking, JMLR 24, 2023, and the identity of the AUM with a weighted median.
    """

    needs: ClassVar = Needs(frozenset({"warm-start"}))
    held: ClassVar[float] = 0.2
    margin: ClassVar[float] = 1.0


def mean_gap(data: Data) -> Vector:
    """Return m₊ − m₋, (d,).

    Raises
    ------
    DataError
        When the difference is 0, or no more than the rounding error of the means.
    """
    m_neg, m_pos = data.means
    gap = m_pos - m_neg
    if not np.linalg.norm(gap) > of_pullback(data, 2.0):
        raise DataError(
            "both classes have the same mean, up to rounding, so that no weights set the means of "
            "their scores apart; use normalise=False, or aum-margin"
        )
    return gap
