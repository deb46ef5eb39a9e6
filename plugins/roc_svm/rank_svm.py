"""rank-svm: the squared hinge over all pairs with a ridge, by a truncated Newton method."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data, uncounted
from aucbench.data.arrays import Vector
from aucbench.data.rounding import gamma, gap_of_gradient, longest, of_scores
from aucbench.errors import require_above
from aucbench.objectives import BinnedSquaredHinge, PairwiseSquaredHinge
from aucbench.optim import Lbfgs, WeakWolfe, certified_descent
from aucbench.optim.choice import require_above_or_auto, ridge
from aucbench.optim.term_newton import TermPoint, term_newton
from aucbench.pairs import pairs_of
from aucbench.projectors import penalty_of, ridge_of, term_penalty
from aucbench.scale import ChunkedData

from .preconditioner import balanced, model, preconditioner

GROWTH = 16  # rows of a sample for each row of the sample before
FEWEST = 1000  # rows of a sample that is worth a start
ROWS = 8  # rows of such a sample for each feature
PRECISION = 1e-3  # fall, relative to P, below which a sample has told what it can
CLOSE = 1e-9  # the same of the sample that rows in chunks begin with
LOOSEST = 0.5  # residual that conjugate gradients leave, relative to the gradient
LONGEST = 500  # conjugate directions of one Newton step
MEMORY = 5  # directions of a step that precondition the next one


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

    A step solves H p = −G approximately, where G and H are the gradient and the Hessian of P, by
    conjugate gradients. They end at a residual of η = min(1/2, (‖G‖/‖G₀‖)^¼) ‖G‖, in the norm of
    the preconditioner. Then w ← w + t p by a weak Wolfe search from t = 1, which needs no reading
    of the rows, because scores are linear in t. A product H v costs O(n) and two readings of the
    rows, a point O(n log n) and one.

    With up to 1000 features, the preconditioner is the Hessian over a sample of the rows, else a
    power of its diagonal. The last 5 directions of the step before, and their products with H,
    improve it as in L-BFGS. With many rows, the start is the minimum over a sample, and its start
    that over a smaller one.

    P is λ-strongly convex and has a gradient. So each state has the certified gap ‖G‖²/(2λ), plus
    a bound of rounding errors. It ends where rounding allows no further progress.

    With bounds of weights (`Data.terms`), as effects that must not fall have them, or with `group`,
    it takes the loop of `aucbench.optim.term_newton` from the same samples, with the Hessian over a
    sample as its model. Each state is certified.

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
        for m in _sizes(data, w):
            part = PairwiseSquaredHinge(data.take(balanced(data, m, rng)))
            for at in _points(part, problem, w, rng, PRECISION):
                w = at.w
                yield State(w)
        for at in _points(PairwiseSquaredHinge(data), problem, w, rng, 0.0):
            yield State(at.w, gap=at.gap, residual=at.residual, value=at.value)


def _in_chunks(
    f: BinnedSquaredHinge, lam: float, w: Vector, rng: np.random.Generator
) -> Iterator[State]:
    """Yield one state for each reading of the rows, by L-BFGS from the minimum over a sample.

    It begins with the Hessian over the sample, or a power of its diagonal beyond 1000 features.
    """
    sample = f.data.sample
    part = PairwiseSquaredHinge(sample)
    with uncounted():  # it is in memory
        if not w.any():
            for at in newton(part, lam, w, rng, CLOSE):
                w = at.w
        inverse = preconditioner(part, sample.scores(w), lam, rng, sample.n)
    yield from certified_descent(f, lam, w, hessian=Lbfgs(initial=inverse))


def _points(
    f: PairwiseSquaredHinge, problem: Problem, w: Vector, rng: np.random.Generator, precision: float
) -> Iterator[Point | TermPoint]:
    """Yield points of descent from w, with or without bounds and groups."""
    penalty = term_penalty(problem)
    if penalty is None:
        return newton(f, ridge_of(problem), w, rng, precision)

    def bent(s: Vector, renewed: int) -> Vector:
        return model(f, s, penalty.l2, rng, renewed)

    return term_newton(f, penalty, penalty.bounded(w), bent, precision=precision)


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


class Point:
    """P, its gradient G and its Hessian at w.

    Parameters
    ----------
    f : PairwiseSquaredHinge
        The loss and its rows.
    lam : float
        λ.
    w : array of shape (d,)
    s : array of shape (n,)
        The scores of w.
    error : float
        Bound of their rounding errors.
    """

    def __init__(
        self, f: PairwiseSquaredHinge, lam: float, w: Vector, s: Vector, error: float
    ) -> None:
        self._f, self._lam = f, lam
        self.w, self.s, self.error = w, s, error
        loss, self.c, self.bend = f.bent(s)
        self.value = loss + 0.5 * lam * float(w @ w)
        self.slack = (inf, inf)
        self.residual = self.gap = inf

    def slope(self, p: Vector, u: Vector) -> float:
        """Return G·p, where p has the scores u, without a reading of the rows."""
        return float(self.c @ u) + self._lam * float(self.w @ p)

    def product(self, v: Vector) -> tuple[Vector, Vector]:
        """Return the scores of v, and H v, with the Hessian H of P."""
        q = self._f.data.scores(v)
        return q, self._f.pullback(self.bend(q)) + self._lam * v

    def differentiate(self) -> None:
        """Compute G, its length and the gap."""
        self.gradient = self._f.pullback(self.c) + self._lam * self.w
        self.residual = float(np.linalg.norm(self.gradient))
        self.slack = self._f.rounding_at(self.w, self.error, float(np.ptp(self.s)))
        self.gap = gap_of_gradient(self.residual, self.w, self._lam, self.slack)


def newton(
    f: PairwiseSquaredHinge, lam: float, w: Vector, rng: np.random.Generator, precision: float
) -> Iterator[Point]:
    """Yield points of descent of P from w, at least once.

    It ends when the fall of P that a step promises is at most `precision` P, or rounding.
    """
    n = f.data.n
    at = Point(f, lam, w, f.data.scores(w) if w.any() else np.zeros(n), of_scores(f.data, w))
    at.differentiate()
    initial = preconditioner(f, at.s, lam, rng)
    count_rows(n if w.any() else 2 * n)  # for the preconditioner, and the gradient without scores
    inverse, first = Lbfgs(MEMORY, initial), at.residual
    yield at
    while at.residual > at.slack[1]:
        z = inverse.direction(at.gradient)
        if not -0.5 * float(at.gradient @ z) > precision * at.value:
            return
        step = Step(f.data)
        eta = min(LOOSEST, (at.residual / first) ** 0.25)
        for _ in _conjugate_gradients(at, inverse, z, eta, step):
            yield at
        following = _search(f, lam, at, step)
        if following is None:
            return
        at, inverse = following, Lbfgs(MEMORY, initial)
        for v, Hv in step.pairs:
            inverse.add(v, Hv)
        at.differentiate()
        count_rows(n)
        yield at


class Step:
    """A sum p of conjugate directions v, its scores u, and the last pairs of v and H v.

    Parameters
    ----------
    data : Data
        The rows.
    """

    def __init__(self, data: Data) -> None:
        self._data = data
        self.p, self.u = np.zeros(data.d), np.zeros(data.n)
        self.directions, self._travelled = 0, 0.0
        self.pairs: deque[tuple[Vector, Vector]] = deque(maxlen=MEMORY)

    def go(self, a: float, v: Vector, q: Vector, Hv: Vector) -> None:
        """Add a v, where v has the scores q."""
        self.p += a * v
        self.u += a * q
        self.directions += 1
        self._travelled += a * float(np.linalg.norm(v))
        self.pairs.append((v, Hv))

    @property
    def error(self) -> float:
        """Bound of the errors of u: it and p are sums of terms, each with its own rounding."""
        length = longest(self._data) * self._travelled
        return 4.0 * gamma(self._data.d + 4 * self.directions + 16) * length


def _conjugate_gradients(
    at: Point, inverse: Lbfgs, z: Vector, eta: float, step: Step
) -> Iterator[None]:
    """Let `step` approach −H⁻¹G from z, the direction of `inverse`; yield after each product H v.

    They end when the residual has fallen by η in the norm of `inverse`.
    """
    r, v = -at.gradient, z
    start = rz = float(r @ z)
    while rz > eta * eta * start and step.directions < LONGEST:
        q, Hv = at.product(v)
        yield
        curvature = float(v @ Hv)
        if not curvature > 0.0:
            return
        a = rz / curvature
        step.go(a, v, q, Hv)
        r -= a * Hv
        z = inverse.direction(-r)
        rz, before = float(r @ z), rz
        v = z + rz / before * v


def _search(f: PairwiseSquaredHinge, lam: float, at: Point, step: Step) -> Point | None:
    """Return a lower point on the way from `at` along p."""
    p, u, error = step.p, step.u, step.error
    search, lower = WeakWolfe(at.value, at.slope(p, u), 1.0), None
    while not search.ended:
        t = search.step
        w = at.w + t * p
        trial = Point(f, lam, w, at.s + t * u, at.error + t * error + of_scores(f.data, w))
        if search.tell(trial.value, trial.slope(p, u)):
            lower = trial
    return lower if lower is not None and lower.value < at.value else None
