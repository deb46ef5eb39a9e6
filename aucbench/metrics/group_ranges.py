"""Parts of the ROC curves of groups: their mean, in which each pair of rows counts the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucbench.data.arrays import Vector
from aucbench.errors import DataError
from aucbench.metrics.measures import MEASURES, filled, named, parts_of
from aucbench.metrics.partial import Range, Scale, partial_auc
from aucbench.stats.influence import Influence
from aucbench.stats.measures import Measure, Value
from aucbench.stats.rows import Fold, Rows

NAME = "gpauc"
DEFAULTS = MEASURES["pauc"].params


@dataclass(frozen=True, slots=True)
class GroupedRange(Measure):
    """The mean over groups of `partial_auc`, each by the weight of its pairs.

    A group of one class has no curve and is left out.
    """

    @property
    def is_told(self) -> bool:
        """Whether it is known by its values only."""
        return False

    @property
    def has_variance(self) -> bool:
        """Whether its variance over test rows is known."""
        return True

    def __call__(
        self, y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the value on rows that are one group."""
        groups = np.zeros(np.shape(scores), np.int64)
        return float(self.values([Fold(y, scores, sample_weight, groups)])[0])

    def values(self, folds: Sequence[Rows | None]) -> Vector:
        """Return the value on each fold; NaN without one, and where no group has both classes."""
        told = [None if fold is None else self.influence(fold) for fold in folds]
        return np.array([nan if one is None else one.value for one in told])

    def influence(self, fold: Rows) -> Influence | None:
        """Return how it moves with each group; None where no group has both classes."""
        if not isinstance(fold, Fold) or fold.groups is None:
            raise DataError(
                f"{self.name} is about labels with groups, and the rows have none; name their "
                "column with --groups (in Python Data.of(..., groups=...))"
            )
        known = [*self._each(fold)]
        if not known:
            return None
        groups, values, masses = map(np.array, zip(*known, strict=True))
        shares = masses / masses.sum()
        value = float(shares @ values)
        ends = Range(**self.params).ends  # type: ignore[arg-type] # checked when it was made
        total = np.unique(fold.groups).size
        psi, left_out = shares * (values - value), (total - groups.size, total)
        return Influence(value, groups, psi, np.array([shares, shares]), ends, groups=left_out)

    def _each(self, fold: Fold) -> Iterator[tuple[int, float, float]]:
        """Yield groups of both classes, their values, and the weight of their pairs."""
        groups = np.asarray(fold.groups)
        order = np.argsort(groups, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
            y, v = fold.positive[rows], fold.weights[rows]
            if y.any() and not y.all():
                value = partial_auc(y, fold.scores[rows], v, **self.params)  # type: ignore[arg-type]
                yield int(groups[rows[0]]), value, float(v[y].sum() * v[~y].sum())


def grouped_partial_auc(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    max_fpr: float = 0.1,
    min_fpr: float = 0.0,
    min_tpr: float = 0.0,
    scale: Scale = "mcclish",
) -> float:
    """Mean over groups of `partial_auc`, each by the weight of its pairs.

    A group of one class has no curve and is left out. Without groups all rows are one. Parameters
    and errors are those of `partial_auc` and `gauc`.
    """
    own = np.zeros(np.shape(scores), np.int64) if groups is None else groups
    fold = Fold.of_both_classes(y, scores, sample_weight, own, pos_label=pos_label)
    params = {"max_fpr": max_fpr, "min_fpr": min_fpr, "min_tpr": min_tpr, "scale": scale}
    told = GroupedRange(NAME, None, params).influence(fold)
    if told is None:
        raise DataError("no group has rows of both classes")
    return told.value


def grouped_range(spec: str) -> GroupedRange:
    """Return the measure by its specification, such as `gpauc[max_fpr=.3]`; errors as `measure`."""
    _, given = parts_of(spec)
    params: dict[str, Value] = filled(NAME, given, DEFAULTS, spec)
    part = Range(**params)  # type: ignore[arg-type] # which checks them
    return GroupedRange(named(NAME, params, DEFAULTS), None, params, share=part.scale != "raw")
