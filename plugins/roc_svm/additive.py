"""additive: curved effects of columns by the squared hinge over all pairs, with two ridges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import UnsupportedError, require_above
from aucbench.features import Splines
from aucbench.features.kernel_columns import is_text
from aucbench.objectives import PairwiseSquaredHinge
from aucbench.optim.choice import AUTO, require_whole_or_auto
from aucbench.projectors import penalty_of

from .rank_svm import RankSvm
from .smoothing import Tried, smoothing


@about(
    "curved effects of single columns, as a proven optimum",
    certified=True,
    cites=("lee2014", "eilers1996", "wood2017"),
)
@dataclass(frozen=True)
class Additive(Solver):
    """Minimise Σ_i Σ_j π_ij ([1 − F(x_i) + F(x_j)]₊)² + (λ/2)‖w‖² over F(x) = Σ_k f_k(x_k).

    With `pairs` F has some joint effects f_kl(x_k, x_l) too.

    The pairs are all pairs of a positive i and a negative j with π = 1/(n₊n₋), or others
    (`Data.pairs`). Each effect f_k is a cubic spline of its column, as the feature map `splines`
    makes it. The squared length of the weights w is the sum of the squared slopes of the linear
    parts and, divided by curve², of the curvature of what bends. So λ is the ridge on slopes and
    λ/curve² the one on curvature.

    Both are chosen by held-out training rows. A trial takes 12 accelerated steps with the Hessian
    of the least squares, and all λ of one `curve` share the products with the rows. There are five
    folds, fewer of them where there are many features, and one where there are more than 4000 rows
    and 500 of each class. Of all pairs of ridges the one that ranks best is taken, or a smoother
    one that is behind it by less than the standard error of the difference; curve = 0 leaves all
    effects linear. With fewer than 30 rows of a class no trial is worth its noise, and the effects
    are linear with the default λ. At most 20 000 rows are judged by, half of them of each class,
    and rows of more than 1000 features by trials on 600. Rows like text, of which fewer than 2 % of
    the values are stored, keep linear effects with the default λ.

    The optimum is that of `rank-svm` on these features, by its Newton steps. Each state has a
    certified gap. Columns whose effect must be increasing or decreasing have bounds, and their
    effects keep that between all training values.

    Parameters
    ----------
    lam : float, optional
        λ > 0, in units of the mean squared hinge per squared unit of w. None chooses it among
        0.3 D² (1/n₊ + 1/n₋) times 10^{-2.5} to 10, where D² is the mean square distance of a pair
        of rows in the features: see `aucbench.optim.default_ridge`.
    curve : float, optional
        Deviation of all that bends in a column, in units of that of its linear part, > 0. None
        chooses 0, 0.1 or 0.3.
    knots : int
        Knots of a column, at least 3.
    pairs : int or "auto"
        Number of pairs of columns with a joint effect: those that a least-squares fit misses most.
        "auto" chooses 0, d or 3d of d columns by the same held-out rows.
    group : float, optional
        Weight of the group lasso Σ_k √p_k ‖w_k‖ over the columns, which drops columns. None: no
        such penalty. See `rank-svm`.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    UnsupportedError
        When rows like text shall have curved or joint effects, or when the features are curves or
        bins already.

    References
    ----------
    The loss over all pairs: Lee & Lin, "Large-scale linear RankSVM", Neural Computation 26, 2014.
    The splines: Eilers & Marx, "Flexible smoothing with B-splines and penalties", Statistical
    Science 11, 1996; Wood, "Generalized additive models", 2nd edition, 2017. The combination, and
    how the ridges are chosen, are ours.
    """

    lam: float | None = None
    curve: float | None = None
    knots: int = 20
    pairs: int | Literal["auto"] = 0
    group: float | None = None

    space: ClassVar = {"pairs": (0, AUTO), "knots": (20, 10)}
    needs: ClassVar = Needs(
        frozenset({"warm-start", "weights", "group-pairs", "order-pairs", "shapes"}), passes=300
    )

    def __post_init__(self) -> None:
        require_above(0, lam=self.lam, curve=self.curve, group=self.group)
        require_whole_or_auto(0, pairs=self.pairs)
        Splines(self.knots)  # checks it

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise squared hinge over splines, with the ridges that were chosen."""
        if data.terms is not None and data.terms.curved.any():
            raise UnsupportedError(
                "the features have curves already, and additive makes its own: give --features "
                "auto, or take rank-svm on these"
            )
        if is_text(data.rows):
            return self._straight(data, rng, budget)
        shapes = None if data.terms is None else data.terms.slopes
        phi = Splines(self.knots).fit(data, rng)
        tried = Tried(self.lam, self.curve, self._counts(data.d), linear=shapes is None)
        chosen = smoothing(phi, data, rng, tried)
        if shapes is not None:
            phi = Splines(self.knots).fit(replace(data, shapes=shapes), rng)
        phi = phi.crossed(data, phi.strongest(data, chosen.pairs)).bent(chosen.curve)
        mapped = phi.mapped(data)
        return Problem(
            PairwiseSquaredHinge(mapped), penalty_of(mapped, chosen.lam, self.group), phi
        )

    def _straight(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise squared hinge over the columns as they are."""
        if self.curve is not None or self.pairs not in (0, AUTO):
            raise UnsupportedError(
                "rows like text, of which fewer than 2 % of the values are stored, have no curved "
                "or joint effects in additive; leave curve and pairs out"
            )
        return RankSvm(self.lam, self.group).problem(data, rng, budget)

    def _counts(self, d: int) -> tuple[int, ...]:
        """Return the numbers of pairs to choose from, of d columns."""
        most = d * (d - 1) // 2
        counts = (0, d, 3 * d) if self.pairs == AUTO else (self.pairs,)
        return tuple(sorted({min(count, most) for count in counts}))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state for each product with the Hessian, and one for each new point."""
        return RankSvm().iterates(problem, w0, rng, budget)
