"""The exact loss over pairs as a function of scores: its value, its gradient, its curvature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.grades import Grades
from aucbench.data.kinds import Target
from aucbench.data.row_roles import numbered
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics import quality_of
from aucbench.metrics.rows import bare
from aucbench.objectives import (
    Aum,
    PairwiseHinge,
    PairwiseLogistic,
    PairwiseSquare,
    PairwiseSquaredHinge,
)
from aucbench.pairs import ByClass, Fpr, Grade, Group, Pairs, Time, members_of
from aucbench.pairs.range import Ranged
from aucbench.stats.vectors import floats, row_weights

Loss = Literal["squared-hinge", "hinge", "logistic", "square", "aum"]
Function = Aum | PairwiseHinge | PairwiseLogistic | PairwiseSquare | PairwiseSquaredHinge
FUNCTIONS: Mapping[str, type[Function]] = MappingProxyType(
    {
        "squared-hinge": PairwiseSquaredHinge,
        "hinge": PairwiseHinge,
        "logistic": PairwiseLogistic,
        "square": PairwiseSquare,
        "aum": Aum,
    }
)
PAIRS: Mapping[str, Pairs | None] = MappingProxyType(
    {"all": None, "group": Group(), "fpr": Fpr(max=0.1), "survival": Time(), "grades": Grade()}
)
BEND = {"squared-hinge": 2.0, "logistic": 0.25, "square": 2.0}  # K, the largest φ″


@dataclass(frozen=True, eq=False)
class PairLoss:
    """f(s) = Σ_ij π_ij φ(s_i − s_j): the mean loss of a pair of rows, where i should score higher.

    The sum runs over all pairs, and costs O(n log n): one sort of the scores. It is exact up to
    rounding. With the margin z = s_i − s_j, φ is [1 − z]₊² (squared-hinge), [1 − z]₊ (hinge),
    log(1 + e⁻ᶻ) (logistic) or (1 − z)² (square). The AUM is no sum over pairs, but the area under
    the minimum of the false-positive and the false-negative rate (`aucbench.objectives.Aum`).

    Parameters
    ----------
    loss : {"squared-hinge", "hinge", "logistic", "square", "aum"}
        φ, or the AUM.
    pairs : str or Pairs
        Which pairs count, and how much. "all": each positive with each negative. "group": those of
        one group. "fpr": those of the highest tenth of the negatives, `Fpr(max=0.1)`. "survival":
        comparable times, the earlier event should score higher. "grades": different grades, of one
        group where there are groups. Or an object of `aucbench.pairs`, such as `Fpr(max=0.05)`.
    weights : array of shape (n,), optional
        What each row counts for, above 0. A pair counts for the product.

    Raises
    ------
    ParameterError
        When a word is unknown, or the weights make no sense.
    UnsupportedError
        When the AUM is asked for other pairs than all, or K classes are given.

    References
    ----------
    Joachims, "A support vector method for multivariate performance measures", ICML 2005. Rust &
    Hocking, "A log-linear gradient descent algorithm for unbalanced binary classification using the
    all pairs squared hinge loss", 2023. Hillman & Hocking, JMLR 24, 2023 (AUM).

    Examples
    --------
    >>> from aucbench.losses import PairLoss
    >>> PairLoss("hinge").value_and_gradient([0.5, 0.0, 1.0], [1, 0, 0])
    (1.0, array([-1. ,  0.5,  0.5]))
    """

    loss: Loss = "squared-hinge"
    pairs: Pairs | str = "all"
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.loss not in FUNCTIONS:
            raise ParameterError(f"loss is {self.loss!r}; give one of {', '.join(get_args(Loss))}")
        if isinstance(self.pairs, str) and self.pairs not in PAIRS:
            raise ParameterError(
                f"pairs is {self.pairs!r}; give one of {', '.join(PAIRS)}, or an object of "
                "aucbench.pairs"
            )
        if self.loss == "aum" and self.kind is not None:
            raise UnsupportedError("the AUM has all pairs; take pairs='all', or another loss")
        if isinstance(self.kind, ByClass):
            raise UnsupportedError(
                "pairs of K classes need K columns of scores; make a loss for each class against "
                "the others"
            )

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
        target : array of shape (n,), or Survival
            Labels in {0, 1}, {−1, 1} or booleans. For "grades" ordered numbers. For "survival" a
            `Survival`, a structured array of events and times as scikit-survival has it, or times
            of which those of censored rows are negative, as in XGBoost.
        groups : array of shape (n,), optional
            The group of each row, any values.

        Raises
        ------
        DataError
            When shapes differ, a score is not finite, groups are missing or are not used.
        NoPairsError
            When no two rows can be compared, such as rows of one class.
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
        rows = bare(self._target(target))
        numbers = numbered("groups", groups, rows.n)
        if numbers is not None and not _has_groups(pairs):
            raise DataError(
                f"groups are given, and pairs={self.pairs!r} compare rows of all groups; leave "
                "them out, or take pairs='group'"
            )
        data = replace(rows, groups=numbers, pairs=pairs)
        if pairs is not None:
            members_of(data)  # which refuses a target of another kind, and missing groups
        return BoundLoss(self.loss, data)

    def _target(self, target: Any) -> Target:
        known: Survival | Grades | Labels
        if isinstance(self.kind, Time):
            known = _survival(target)
        else:
            known = Grades.of(target) if isinstance(self.kind, Grade) else Labels.of(target)
        return replace(known, weights=row_weights(self.weights, known.n))


def _survival(target: Any) -> Survival:
    if isinstance(target, Survival) or getattr(target, "dtype", np.dtype(float)).names:
        return Survival.of_fields(target)
    signed = floats("target", target)
    return Survival.of(np.abs(signed), signed > 0.0)


def _has_groups(pairs: Pairs | None) -> bool:
    """Whether the pairs are those of one group, if there are groups."""
    if isinstance(pairs, Grade):
        return not pairs.across
    return isinstance(pairs, Group) or getattr(pairs, "column", None) is not None


class BoundLoss:
    """The loss over the pairs of fixed rows, as a function of their scores.

    It owns the memory that a call needs, so that two threads must not share it.

    Parameters
    ----------
    loss : str
        As in `PairLoss`.
    data : Data
        Target, groups and pairs of n rows.
    """

    def __init__(self, loss: Loss, data: Data):
        self.loss, self.data = loss, data
        self._f = FUNCTIONS[loss](data)

    def value_and_gradient(self, scores: ArrayLike) -> tuple[float, Vector]:
        """Return f(s) and a subgradient in the scores s (n,).

        Raises
        ------
        DataError
            Unless there is one finite score for each row.
        """
        s, f = self._checked(scores), self._f
        return f.bent(s)[:2] if isinstance(f, PairwiseSquare) else f.of_scores(s)

    def curvature(self, scores: ArrayLike) -> Vector:
        """Return D (n,) with u·∇²f(s)u ≤ Σ_r D_r u_r² for all u, for boosting by Newton steps.

        With K = max φ″ and the mass B_r = Σ_j (π_rj + π_jr) of the pairs of a row,

            u·∇²f u ≤ K Σ π_ij (u_i − u_j)² ≤ 2K Σ π_ij (u_i² + u_j²) = Σ_r 2K B_r u_r².

        It does not depend on s, unless the pairs are those of a range at the scores s.

        Raises
        ------
        UnsupportedError
            When the loss is piecewise linear, and has no curvature.
        DataError
            Unless there is one finite score for each row.
        """
        s = self._checked(scores)
        if self.loss not in BEND:
            raise UnsupportedError(
                f"{self.loss} is piecewise linear and has no curvature, which Newton boosting "
                f"needs; take {', '.join(BEND)}"
            )
        pairs = self.data.pairs
        if not isinstance(pairs, Ranged):
            return 2.0 * BEND[self.loss] * self._masses
        above, below = pairs.within(members_of(self.data).blocks, s).row_masses
        mass = pairs.rest * self._masses + (1.0 - pairs.rest) * (above + below)
        return np.asarray(2.0 * BEND[self.loss] * mass)

    def quality(self, scores: ArrayLike) -> float:
        """Return the share of pairs in order: AUC, grouped or partial AUC, or concordance index."""
        return quality_of(self.data, self._checked(scores))

    @cached_property
    def _masses(self) -> Vector:
        if self.data.pairs is None:
            return self.data.labels.shares
        above, below = members_of(self.data).row_masses
        return above + below

    def _checked(self, scores: ArrayLike) -> Vector:
        s = floats("scores", scores)
        if s.shape != (self.data.n,):
            raise DataError(f"scores have shape {s.shape} for {self.data.n} rows; give one per row")
        if not np.isfinite(s).all():
            bad = int(np.argmin(np.isfinite(s)))
            raise DataError(
                f"the score of row {bad} is {s[bad]}; give finite scores, by smaller steps of the "
                "training perhaps"
            )
        return s
