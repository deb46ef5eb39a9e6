"""Sparse logistic regression of celer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.layouts import to_library_matrix
from aucbench.errors import require_above, require_at_most, require_count
from aucbench.projectors import ElasticNet

from .l1_logistic import RATIOS, certified, l1_problem
from .parts import require

ACCURACY = 1e-9  # of the loss at w = 0: the gap at which celer ends
FEATURE = 1e6  # value of the last feature, so that hardly any penalty is on the intercept


@about("few features, by the l1 penalty", sparse=True, certified=True, cites=("massias2020",))
@dataclass(frozen=True)
class Celer(Solver):
    """min (1/n) Σ_i log(1 + exp(−y_i (w·x_i + c))) + λ‖w‖₁, by working sets chosen in the dual.

    celer solves a sequence of problems over few features, each by a proximal Newton method. An
    extrapolated dual point says which features come next, and how large the gap is. It ends at a
    gap of 10⁻⁹ of the loss at w = 0, and warns if `max_iter` problems are not enough.

    It fits no intercept: c is 10⁶ times the weight of a last feature of 10⁶, on which its penalty
    is λ|c|/10⁶. The gap of the state is that of the objective above, where c is free.

    Parameters
    ----------
    ratio : float
        λ/λ_max, in (0, 1]. λ_max is the least λ at which all weights are 0. So it has no unit, and
        means the same if all features are multiplied by a number.
    max_iter : int
        Working sets, at most. Each counts as one pass over the rows.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Massias, Vaiter, Gramfort & Salmon, "Dual extrapolation for sparse generalized linear models",
    JMLR 21, 2020. The range of λ is ours.
    """

    ratio: float = 0.03
    max_iter: int = 50

    space: ClassVar = {"ratio": RATIOS}
    needs: ClassVar = Needs(
        frozenset({"warm-start"}), path="ratio", packages=("celer",), extra="sparse"
    )

    def __post_init__(self) -> None:
        require_above(0, ratio=self.ratio)
        require_at_most(1, ratio=self.ratio)
        require_count(1, max_iter=self.max_iter)
        require("celer", "celer", "sparse")

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """The loss with the penalty, which leaves the intercept free."""
        return l1_problem(data, self.ratio)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the fitted weights."""
        from celer import celer_path

        data, lam = problem.data, cast(ElasticNet, problem.project).l1
        scale = np.append(np.ones(data.d - 1), FEATURE)
        with np.errstate(over="ignore"):  # of exp, at a start with large scores
            _, w, _, iterations = celer_path(
                _columns(data.rows),
                data.y.astype(np.float64),
                "logreg",
                alphas=np.array([data.n * lam]),  # it adds the losses up
                coef_init=w0 / scale,
                max_iter=self.max_iter,
                tol=ACCURACY,
                use_PN=True,
                return_n_iter=True,
            )
        count_rows(int(iterations[0]) * data.n)
        return certified(problem, w[:, 0] * scale)


def _columns(rows: Rows) -> Any:
    """Return a matrix stored by columns, whose last one is `FEATURE` in place of 1."""
    if rows.is_sparse:
        X = to_library_matrix(rows).tocsc()
        X.data[X.indptr[-2] :] *= FEATURE
        return X
    X = np.array(rows.matrix, order="F")
    X[:, -1] *= FEATURE
    return X
