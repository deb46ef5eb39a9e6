"""The exact loss over pairs as a function of scores: its value, its gradient, its curvature."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.grades import Grades
from aucbench.data.row_roles import numbered
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels, RowTarget
from aucbench.errors import DataError, UnsupportedError, require_known
from aucbench.metrics import quality_of
from aucbench.metrics.rows import bare
from aucbench.objectives import aucbench_objectives
from aucbench.pairs import Fpr, Grade, Group, Pairs, Time, members_of
from aucbench.pairs.range import Ranged
from aucbench.stats.vectors import floats, row_weights

Loss = Literal["squared-hinge", "hinge", "logistic", "square", "aum"]
BEND = {"squared-hinge": 2.0, "logistic": 0.25, "square": 2.0}  # K, the largest φ″
PAIRS: dict[str, Pairs | None] = {
    "all": None,
    "group": Group(),
    "fpr": Fpr(max=0.1),
    "survival": Time(),
    "grades": Grade(),
}


@dataclass(frozen=True, eq=False)
class PairLoss:
    """f(s) = Σ_ij π_ij φ(s_i − s_j): the mean loss of a pair of rows, where i should score higher.

    The sum runs over all pairs, and costs O(n log n): one sort of the scores. It is exact up to
    rounding. With the margin z = s_i − s_j, φ is [1 − z]₊² (squared-hinge), [1 − z]₊ (hinge),
    log(1 + e⁻ᶻ) (logistic) or (1 − z)² (square). The AUM is no sum over pairs, but the area under
    the minimum of the false-positive and the false-negative rate. `aucbench.objectives` has the
    same functions of w, with their papers.

    Parameters
    ----------
    loss : {"squared-hinge", "hinge", "logistic", "square", "aum"}
        φ, or the AUM.
    pairs : str or Pairs
        Which pairs count, and how much. "all": each positive with each negative. "group": those of
        one group. "fpr": those of the highest tenth of the negatives, `Fpr(max=0.1)`. "survival":
        comparable times, the earlier event should score higher. "grades": different grades, of one
        group if there are groups. Or an object of `aucbench.pairs`, such as `Fpr(max=0.05)`.
    weights : array of shape (n,), optional
        What each row counts for, above 0. A pair counts for the product.

    Raises
    ------
    UnknownNameError
        When a word is unknown.
    UnsupportedError
        When the AUM is asked for other pairs than all.
    """

    loss: Loss = "squared-hinge"
    pairs: Pairs | str = "all"
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        require_known("loss", [self.loss], get_args(Loss))
        if isinstance(self.pairs, str):
            require_known("kind of pairs", [self.pairs], PAIRS)
        if self.loss == "aum" and self.kind is not None:
            raise UnsupportedError("the AUM has all pairs; take pairs='all', or another loss")

    @property
    def kind(self) -> Pairs | None:
        """The pairs; None: each positive with each negative."""
        return PAIRS[self.pairs] if isinstance(self.pairs, str) else self.pairs

    def value_and_gradient(
        self, scores: ArrayLike, target: Any, groups: ArrayLike | None = None
    ) -> tuple[float, Vector]:
        """Return f(s) and a subgradient in the scores, (n,).

        Parameters
        ----------
        scores : array of shape (n,)
            Finite numbers; a larger one means more positive, an earlier event, or a higher grade.
        target : array of shape (n,), or target of `aucbench.data`
            Labels in {0, 1}, {−1, 1} or booleans. For "grades" ordered numbers. For "survival" a
            structured array of events and times as scikit-survival has it, or times of which those
            of censored rows are negative, as XGBoost has them.
        groups : array of shape (n,), optional
            The group of each row, any values.

        Raises
        ------
        DataError
            When shapes differ, a score is not finite, a weight is not above 0, or groups are
            missing or are not used.
        NoPairsError
            When no two rows can be compared, such as rows of one class.
        UnsupportedError
            When the AUM has weights, or the square a range, of which it is not convex.
        """
        return self.bind(target, groups).value_and_gradient(scores)

    def curvature(self, scores: ArrayLike, target: Any, groups: ArrayLike | None = None) -> Vector:
        """Return the diagonal D (n,) of a bound of the Hessian, see `BoundLoss.curvature`."""
        return self.bind(target, groups).curvature(scores)

    def bind(self, target: Any, groups: ArrayLike | None = None) -> BoundLoss:
        """Return the loss of some rows as a function of their scores; it keeps what it prepares.

        Parameters and errors are those of `value_and_gradient`.
        """
        pairs = self.kind
        y: Any = target if isinstance(target, RowTarget) else _target_of(pairs, target)
        if self.weights is not None:
            y = replace(y, weights=row_weights(self.weights, y.n))
        within = isinstance(pairs, Group) or getattr(pairs, "column", None) is not None
        if groups is not None and not (within or (isinstance(pairs, Grade) and not pairs.across)):
            raise DataError(
                f"groups are given, and pairs={self.pairs!r} compare rows of all groups; leave "
                "them out, or take pairs='group'"
            )
        return BoundLoss(self.loss, replace(bare(y, numbered("groups", groups, y.n)), pairs=pairs))


def _target_of(pairs: Pairs | None, values: Any) -> Any:
    if not isinstance(pairs, Time):
        return Grades.of(values) if isinstance(pairs, Grade) else Labels.of(values)
    if getattr(values, "dtype", np.dtype(float)).names:
        return Survival.of_fields(values)
    signed = floats("target", values)
    return Survival.of(np.abs(signed), signed > 0.0)


class BoundLoss:
    """The loss over the pairs of fixed rows, as a function of their scores.

    The rows are `data`: target, groups and pairs. It owns the memory that a call needs, so that two
    threads must not share it. Errors are those of `PairLoss`. Where the scores are not one finite
    number for each row, its methods raise `DataError`.
    """

    def __init__(self, loss: Loss, data: Data):
        self.loss, self.data = loss, data
        self._f = aucbench_objectives()["aum" if loss == "aum" else f"pairwise-{loss}"](data)
        if data.pairs is not None:
            members_of(data)  # which refuses a target of another kind, and rows without pairs

    def value_and_gradient(self, scores: ArrayLike) -> tuple[float, Vector]:
        """Return f(s) and a subgradient in the scores s (n,)."""
        s = self._checked(scores)
        value, c, *_ = self._f.bent(s) if self.loss == "square" else self._f.of_scores(s)
        return value, c

    def curvature(self, scores: ArrayLike) -> Vector:
        """Return D (n,) with u·∇²f(s)u ≤ Σ_r D_r u_r² for all u, for boosting by Newton steps.

        With K = max φ″ and the mass B_r = Σ_j (π_rj + π_jr) of the pairs of a row,

            u·∇²f u ≤ K Σ π_ij (u_i − u_j)² ≤ 2K Σ π_ij (u_i² + u_j²) = Σ_r 2K B_r u_r².

        It does not depend on s, unless the pairs are those of a range at the scores s. A loss that
        is piecewise linear has none, and raises `UnsupportedError`.
        """
        s, pairs, of = self._checked(scores), self.data.pairs, members_of(self.data)
        if self.loss not in BEND:
            raise UnsupportedError(
                f"{self.loss} is piecewise linear and has no curvature, which Newton boosting "
                f"needs; take {', '.join(BEND)}"
            )
        mass = np.add(*of.row_masses)
        if isinstance(pairs, Ranged):
            present = np.add(*pairs.within(of.blocks, s).row_masses)
            mass = pairs.rest * mass + (1.0 - pairs.rest) * present
        return 2.0 * BEND[self.loss] * mass

    def derivatives(self, scores: ArrayLike) -> tuple[Vector, Vector]:
        """Return c ∇f(s) and c D, as trees of Newton boosting ask for them.

        With c = 1/(8K max_r B_r), c D is ¼ at most, or more in a range: as of a logistic loss of a
        row, for which libraries choose their least curvature of a leaf and their penalty.
        """
        D = self.curvature(scores)
        c = 0.125 / (BEND[self.loss] * np.add(*members_of(self.data).row_masses).max())
        return c * self.value_and_gradient(scores)[1], c * D

    def quality(self, scores: ArrayLike) -> float:
        """Return the share of pairs in order: AUC, grouped or partial AUC, or concordance index."""
        return quality_of(self.data, self._checked(scores))

    def _checked(self, scores: ArrayLike) -> Vector:
        s = floats("scores", scores)
        if s.shape != (self.data.n,) or not np.isfinite(s).all():
            raise DataError(
                f"scores have shape {s.shape}, and {np.sum(~np.isfinite(s))} are not finite; give "
                f"one finite number for each of {self.data.n} rows. Smaller steps may help"
            )
        return s
