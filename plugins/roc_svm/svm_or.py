"""svm-or: the exact linear ROC-SVM over all pairs, with a certified gap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data, uncounted
from aucbench.data.arrays import Vector
from aucbench.objectives import BinnedHinge, PairwiseHinge
from aucbench.optim import Lbfgs
from aucbench.optim.choice import require_above_or_auto, ridge
from aucbench.pairs import pairs_of
from aucbench.projectors import ElasticNet, ridge_of
from aucbench.scale import ChunkedData

from .descent import certified_descent
from .preconditioner import WIDE, balanced, inverse_bend
from .row_newton import newton_levels, worth_newton

MANY = 1 << 17  # rows in memory from which a sample is where L-BFGS begins
SAMPLED = 40_000  # rows of it, half of them of each class
CLOSE = 1e-3  # relative gap of the minimum over it


@about(
    "the best linear ranking by the hinge, with a proof of it",
    certified=True,
    cites=("joachims2006", "smola2007", "franc2008", "rakotomamonjy2004"),
)
@dataclass(frozen=True)
class SvmOr(Solver):
    """Minimise 1/(n₊n₋) Σ_i Σ_j [1 − w·(x_i − x_j)]₊ + (λ/2)‖w‖² over all pairs, exactly.

    A pair of rows with weights v counts v_i v_j, and n₊ and n₋ are the sums of v. Other pairs, such
    as those of groups, of survival times or in a range of the ROC curve, count π_ij (`Data.pairs`).

    The method follows no single paper. It has three stages:

    1. L-BFGS on the hinge;
    2. on few rows, a path of Newton steps on a smoothed hinge, in `row_newton.py`;
    3. steps towards the minimum of a bundle of cutting planes, `aucbench.optim.Bundle`.

    The loop is `certified_descent`, which the kernel ROC-SVMs share. Each state has
    the best w so far, and its gap bounds the distance to the minimum. `gap_tol` of `solve` says
    which gap is small enough.

    An evaluation of all pairs costs O(n log n), and two products with X. A relative gap of 1e-4
    takes about 5 to 20 evaluations on scaled data, and 100 where features differ in scale by
    powers of ten.

    On at most 3000 rows that have as many features or more, a path of Newton steps on a smoothed
    hinge takes the place of most of the bundle: see `row_newton.py`. It needs the products of all
    rows with each other, O(n² d), and then each tenth of the gap costs one system of at most n
    equations and 3 passes. It is for all pairs of two
    classes. A start other than 0, as along a path of λ, goes there at once.

    Of rows in chunks (`aucbench.scale`) an evaluation is one reading, and the hinge is known by
    bounds from scores in bins, see `aucbench.objectives.BinnedHinge`. The gap is certified as well.

    Of rows in chunks, and of 131 072 rows or more in memory with at most 1000 features, L-BFGS
    begins at the minimum over a sample of each class, with the mean curvature of the hinge there
    (`preconditioner.py`). So a few evaluations are enough however features are scaled or
    correlated.

    Parameters
    ----------
    lam : float or "auto", optional
        Ridge λ > 0, in units of the mean hinge per squared unit of w. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean square distance of a pair of rows: see
        `aucbench.optim.default_ridge`. "auto" chooses it by held-out training rows: see
        `aucbench.optim.ridge`.

    Raises
    ------
    ParameterError
        When `lam` is not greater than 0.
    DataError
        When `lam` is None and rows are too long to derive it from.

    References
    ----------
    The problem is the linear ROC-SVM of Bae & Shin, "Scaling up ROC-optimizing support vector
    machines", 2025, equation 3, and the B-SVM-OR of Joachims, "Training linear SVMs in linear
    time", KDD 2006. The method follows Smola, Vishwanathan & Le, "Bundle methods for machine
    learning", NeurIPS 2007, and Franc & Sonnenburg, "Optimized cutting plane algorithm for support
    vector machines", ICML 2008.
    """

    lam: float | Literal["auto"] | None = None

    space: ClassVar = {"lam": tuple(10.0**e for e in range(1, -6, -1))}
    needs: ClassVar = Needs(
        frozenset({"warm-start", "weights", "group-pairs", "range-pairs", "order-pairs", "chunks"}),
        path="lam",
    )

    def __post_init__(self) -> None:
        require_above_or_auto(0, lam=self.lam)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise hinge with the ridge λ."""
        f = BinnedHinge(data) if isinstance(data, ChunkedData) else PairwiseHinge(data)
        return Problem(f, ElasticNet(0.0, ridge(self, data, rng, budget)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state for each evaluation of all pairs."""
        f, data, lam = problem.f, problem.data, ridge_of(problem)
        if isinstance(f, BinnedHinge):
            with uncounted():  # the sample is in memory
                w, hessian = _from_sample(f.data.sample, lam, w0)
            return certified_descent(f, lam, w, hessian=hessian)
        f = PairwiseHinge(data)
        of_classes = pairs_of(data) is None
        if of_classes and data.weights is None and data.n >= MANY and data.d <= WIDE:
            w, hessian = _from_sample(data.take(balanced(data, SAMPLED, rng)), lam, w0)
            return certified_descent(f, lam, w, hessian=hessian)
        if of_classes and worth_newton(data):
            return certified_descent(f, lam, w0, levels=newton_levels(f, lam, w0))
        return certified_descent(f, lam, w0)


def _from_sample(sample: Data, lam: float, w: Vector) -> tuple[Vector, Lbfgs | None]:
    """Return about the minimum over a sample, and L-BFGS with the mean curvature there.

    A start other than 0 is kept.
    """
    if not w.any():
        for state in certified_descent(PairwiseHinge(sample), lam, w):
            w = np.array(state.w)
            if state.gap is not None and state.gap <= CLOSE * (state.value or 0.0):
                break
    inverse = inverse_bend(sample, sample.scores(w), lam)
    return w, Lbfgs(initial=inverse) if inverse else None
