"""Test rows of any target, as measures and statistics take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.kinds import Target
from aucbench.data.packed import ROWS, arrays_of, target_of
from aucbench.data.survival import Survival
from aucbench.errors import DataError
from aucbench.stats.rows import Fold
from aucbench.stats.vectors import floats


@dataclass(frozen=True, eq=False)
class TargetRows:
    """Test rows of one split with their target, and the scores of one solver.

    Attributes
    ----------
    data : Data
        Target and groups, without features.
    scores : array of shape (n,), or (n, K) for K classes
        A larger score means more positive, an earlier event, a higher grade, or that the row is
        more like the class of the column.
    learnt : Survival, or None
        The rows whose censoring is taken for that of these rows, by `cindex[weight=ipcw]`: those
        that a model learnt from. None: these rows.

    Raises
    ------
    DataError
        When there is not one score, or one for each class, of each row, or when one is NaN.
    """

    data: Data
    scores: Vector
    learnt: Survival | None = None

    def __post_init__(self) -> None:
        s, n = self.scores, self.data.n
        if s.ndim not in (1, 2) or s.shape[0] != n:
            raise DataError(f"there are {n} rows, and the scores have shape {s.shape}")
        if bad := int(np.isnan(s).sum()):
            raise DataError(f"{bad} score(s) are NaN; give numbers, or leave the rows out")

    @property
    def groups(self) -> Index | None:
        """The number of the group of each row, or None."""
        return self.data.groups

    def has_rows_of(self, other: Any) -> bool:
        """Whether target and weights are those of the other rows, row by row."""
        if not isinstance(other, TargetRows) or other.data.n != self.data.n:
            return False
        own, others = arrays_of(self.data.target), arrays_of(other.data.target)
        return own.keys() == others.keys() and all(
            np.array_equal(own[name], others[name]) for name in own
        )


def bare(target: Target, groups: ArrayLike | None = None) -> Data:
    """Return the data of a target, without features."""
    numbers = None if groups is None else np.asarray(groups)
    return Data(Rows(np.empty(0), None, None, target.n, 0), target, groups=numbers)


def rows_of(arrays: Mapping[str, NDArray[Any]]) -> Fold | TargetRows | None:
    """Return test rows from arrays of `Store.scores`; None where their target is not there."""
    if "y" in arrays:
        return Fold(arrays["y"], arrays["scores"], arrays.get("weights"), arrays.get("groups"))
    if not any(next(iter(own)) in arrays for own in ROWS.values()):
        return None
    data = bare(target_of(arrays), arrays.get("groups"))
    learnt = None
    if "learnt_time" in arrays:
        learnt = Survival(arrays["learnt_time"], arrays["learnt_event"])
    return TargetRows(data, floats("scores", arrays["scores"]), learnt)
