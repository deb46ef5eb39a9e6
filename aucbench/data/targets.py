"""The target of binary labels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Block
from aucbench.errors import DataError


@dataclass(frozen=True, eq=False)
class Labels:
    """Binary labels of both classes.

    Attributes
    ----------
    y : array of shape (n,), int8 in {-1, +1}
        The label of each row.
    """

    y: NDArray[np.int8]

    @cached_property
    def n_pos(self) -> int:
        """n_+, the number of positives."""
        return int(np.count_nonzero(self.y > 0))

    @property
    def n_neg(self) -> int:
        """n_-, the number of negatives."""
        return self.y.size - self.n_pos

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.y.size

    def take(self, block: Block) -> Labels:
        """Labels of some rows, in the order given.

        Raises
        ------
        DataError
            When they are all of one class.
        """
        return Labels.of(self.y[block])

    @staticmethod
    def of(y: Any, positive: Any = None) -> Labels:
        """Check labels and encode them as -1 and +1.

        Parameters
        ----------
        y : array of shape (n,)
            Labels in {-1, 1}, {0, 1} or booleans; with `positive`, any values.
        positive : label or list of labels, optional
            The positive class.

        Raises
        ------
        DataError
            When a label is missing, when there is only one class, or when it is not clear which
            labels are positive.
        """
        mask = _is_positive(_label_vector(y), positive)
        if mask.all() or not mask.any():
            only = "positive" if mask.all() else "negative"
            raise DataError(f"all {mask.size} labels are {only}; the AUC needs both classes")
        return Labels(np.where(mask, np.int8(1), np.int8(-1)))


def side_of(y: Any, positive: Any = None) -> NDArray[np.int8]:
    """Encode the labels of some rows as -1 and +1; a class may be missing.

    Raises
    ------
    DataError
        When a label is missing, or when it is not -1, 0 or 1 and `positive` is not given.
    """
    raw = _label_vector(y)
    if positive is not None:
        several = isinstance(positive, Collection) and not isinstance(positive, str | bytes)
        mask = np.isin(raw, [*positive] if several else [positive])
    elif strange := {*raw.tolist()} - {-1, 0, 1}:
        raise DataError(
            f"there is a label {min(strange, key=str)!r}; say with positive= which labels are "
            "positive"
        )
    else:
        mask = raw > 0
    return np.where(mask, np.int8(1), np.int8(-1))


def _label_vector(y: Any) -> NDArray[Any]:
    raw = np.asarray(y)
    if raw.ndim == 2 and 1 in raw.shape:
        raw = raw.reshape(-1)
    if raw.ndim != 1:
        raise DataError(f"y has shape {raw.shape}; give one label per row, shape (n,)")
    if raw.dtype.kind == "f" and not np.isfinite(raw).all():
        where = int(np.flatnonzero(~np.isfinite(raw))[0])
        raise DataError(f"y has {raw[where]} in row {where}; every row needs a label")
    return raw


def _is_positive(raw: NDArray[Any], positive: Any) -> NDArray[np.bool_]:
    if positive is None and raw.size and raw.dtype.kind in "fiub":
        low, mask = raw.min(), np.asarray(raw == 1)
        if (
            low in (-1, 0, 1) and (mask | (raw == low)).all()
        ):  # the fast form of the test on sets below
            return mask
    values = sorted({*raw.tolist()}, key=lambda v: (str(type(v)), v))
    shown = ", ".join(map(repr, values[:6])) + (", ..." if len(values) > 6 else "")
    if positive is not None:
        several = isinstance(positive, Collection) and not isinstance(positive, str | bytes)
        wanted = [*positive] if several else [positive]
        absent = [label for label in wanted if label not in values]
        if absent or not (several or len(values) <= 2):
            raise DataError(
                f"positive={positive!r} does not split the labels {shown}; name one label of two, "
                "or a list of those labels that are positive"
            )
        return np.isin(raw, wanted)
    if not ({*values} <= {-1, 1} or {*values} <= {0, 1}):
        raise DataError(f"the labels are {shown}; say with positive= which of them are positive")
    return np.asarray(raw > 0, dtype=np.bool_)
