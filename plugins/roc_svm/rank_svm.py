"""rank-svm: the squared hinge over all pairs with a ridge, by a truncated Newton method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data, uncounted
from aucbench.data.arrays import Vector
from aucbench.errors import require_above
from aucbench.objectives import BinnedSquaredHinge, PairwiseSquaredHinge
from aucbench.optim import Lbfgs
from aucbench.optim.choice import require_above_or_auto, ridge
from aucbench.optim.term_newton import TermPoint, term_newton
from aucbench.pairs import pairs_of
from aucbench.projectors import GroupL2, penalty_of, ridge_of, term_penalty
from aucbench.scale import ChunkedData

from .descent import certified_descent
from .preconditioner import SampledHessians, balanced

GROWTH = 16  # rows of a sample for each row of the sample before
FEWEST = 1000  # rows of a sample that is worth a start
ROWS = 8  # rows of such a sample for each feature
PRECISION = 1e-3  # fall, relative to P, below which a sample has told what it can
CLOSE = 1e-9  # the same of the sample that rows in chunks begin with


@about(
    "the best linear ranking by the squared hinge, with a proof of it",
    certified=True,
    cites=(
        *("lee2014", "steihaug1983", "byrd2011", "morales2000"),
        *("bertsekas1982", "lee2014proximal", "yuan2006"),
    ),
)
@dataclass(frozen=True)
class RankSvm(Solver):
    """Minimise P(w) = 1/(n₊n₋) Σ_i Σ_j ([1 − w·(x_i − x_j)]₊)² + (λ/2)‖w‖² over all pairs.

    A pair of rows with weights v counts v_i v_j, and n₊ and n₋ are the sums of v. Other pairs, of
    groups, survival times or grades, count π_ij (`Data.pairs`).

    The loop is `aucbench.optim.term_newton`. A step solves H p = −G approximately, with the
    gradient G and the Hessian H of P, by conjugate gradients. Then w ← w + t p, by a search which
    needs no reading of the rows, because scores are linear in t. A product H v costs O(n) and two
    readings of the rows, a point O(n log n) and one.

    With up to 1000 features, the preconditioner is the Hessian over a sample of the rows, else a
    power of its diagonal. With many rows, the start is the minimum over a sample, and its start
    that over a smaller one.

    P is λ-strongly convex and has a gradient. So each state has the certified gap ‖G‖²/(2λ), plus
    a bound of rounding errors. It ends where rounding allows no further progress.

    With bounds of weights (`Data.terms`), as effects that must not fall have them, or with `group`,
    the model of a step with this Hessian also tells which weights are at a bound or 0.

    Of rows in chunks (`aucbench.scale`) the loop is that of `svm-or`, L-BFGS from the minimum over
    a sample and with its Hessian. The squared hinge is known by bounds from scores in bins, see
    `aucbench.objectives.BinnedSquaredHinge`, so that a point costs one reading. The gap is
    certified as well.

    Parameters
    ----------
    lam : float or "auto", optional
        Ridge λ > 0, in units of the mean squared hinge per squared unit of w. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean square distance of a pair of rows: see
        `aucbench.optim.default_ridge`. "auto" chooses it by held-out training rows: see
        `aucbench.optim.ridge`. The C of LIBLINEAR's ranking extension, which adds up pairs, is
        1/(λ n₊n₋).
    group : float, optional
        Weight of the group lasso Σ_t √p_t ‖w_t‖ over the terms of the features (`Data.terms`), each
        of p_t features: all that a map such as `splines` makes of a column. Without terms each
        column is one. In units of the mean squared hinge per unit of w. None: no such penalty.

    Raises
    ------
    ParameterError
        When `lam` or `group` is not greater than 0.
    DataError
        When `lam` is None and rows are too long to derive it from.

    References
    ----------
    The problem is that of Lee & Lin, "Large-scale linear RankSVM", Neural Computation 26, 2014,
    where pairs are those of two classes. Truncated Newton steps: Steihaug, "The conjugate gradient
    method and trust regions in large scale optimization", SIAM J. Numer. Anal. 20, 1983. Hessians
    from samples: Byrd, Chin, Neveitt & Nocedal, "On the use of stochastic Hessian information in
    optimization methods for machine learning", SIAM J. Optim. 21, 2011. Pairs of a step before:
    Morales & Nocedal, "Automatic preconditioning by limited memory quasi-Newton updating", SIAM J.
    Optim. 10, 2000. Group lasso: Yuan & Lin, "Model selection and estimation in regression with
    grouped variables", Journal of the Royal Statistical Society B 68, 2006.
    """

    lam: float | Literal["auto"] | None = None
    group: float | None = None

    space: ClassVar = {"lam": tuple(10.0**e for e in range(1, -6, -1))}
    needs: ClassVar = Needs(
        frozenset({"warm-start", "weights", "group-pairs", "order-pairs", "shapes", "chunks"}),
        path="lam",
    )

    def __post_init__(self) -> None:
        require_above_or_auto(0, lam=self.lam)
        require_above(0, group=self.group)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise squared hinge with the ridge λ, within bounds of weights."""
        lam = ridge(self, data, rng, budget)
        penalty = penalty_of(data, lam, self.group)
        if isinstance(data, ChunkedData):
            return Problem(BinnedSquaredHinge(data), penalty)
        return Problem(PairwiseSquaredHinge(data), penalty)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state for each product with the Hessian, and one for each new point."""
        if isinstance(problem.f, BinnedSquaredHinge):
            yield from _in_chunks(problem.f, ridge_of(problem), w0, rng)
            return
        data, w = problem.data, w0
        penalty = term_penalty(problem) or GroupL2(0.0, ridge_of(problem))
        for m in _sizes(data, w):
            part = PairwiseSquaredHinge(data.take(balanced(data, m, rng)))
            for at in _points(part, penalty, w, rng, PRECISION):
                w = at.w
                yield State(w)
        for at in _points(PairwiseSquaredHinge(data), penalty, w, rng, 0.0):
            yield State(at.w, gap=at.gap, residual=at.residual, value=at.value)


def _in_chunks(
    f: BinnedSquaredHinge, lam: float, w: Vector, rng: np.random.Generator
) -> Iterator[State]:
    """Yield one state for each reading of the rows, by L-BFGS from the minimum over a sample.

    It begins with the Hessian over the sample, or a power of its diagonal beyond 1000 features.
    """
    sample, penalty = f.data.sample, GroupL2(0.0, lam)
    part = PairwiseSquaredHinge(sample)
    with uncounted():  # it is in memory
        if not w.any():
            for at in _points(part, penalty, w, rng, CLOSE):
                w = at.w
        model = SampledHessians(part, penalty, rng, sample.n)(sample.scores(w))
    yield from certified_descent(f, lam, w, hessian=Lbfgs(initial=model.inverse()))


def _points(
    f: PairwiseSquaredHinge, penalty: GroupL2, w: Vector, rng: np.random.Generator, precision: float
) -> Iterator[TermPoint]:
    """Yield points of descent from w by Newton steps, with the Hessian over a sample as model."""
    models = SampledHessians(f, penalty, rng)
    return term_newton(f, penalty, penalty.bounded(w), models, precision=precision)


def _sizes(data: Data, w: Vector) -> list[int]:
    """Return the sizes of the samples, ascending; none where a start w is given.

    Other pairs than all of two classes start with all rows: a sample may break them.
    """
    sizes: list[int] = []
    if pairs_of(data) is not None:
        return sizes
    m = data.n // GROWTH
    while m >= max(FEWEST, ROWS * data.d) and not w.any():
        sizes.insert(0, m)
        m //= GROWTH
    return sizes
