"""Scale each row to length 1, as it is or after the training mean is subtracted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.data.arrays import Rows, Vector
from aucbench.data.columns import row_norms, scale_rows
from aucbench.features.affine import (
    SMALLEST_NORMAL,
    Affine,
    Learnt,
    column_means,
    inverse,
)


@dataclass(frozen=True)
class Unit(FeatureMap):
    """φ(x) = x / ‖x‖₂. A row of zeros stays. Zeros stay, and nothing is learnt.

    Rows of any length work: also those whose squares overflow or underflow.
    """

    keeps_columns: ClassVar[bool] = True
    shared: ClassVar[bool] = True

    def __call__(self, rows: Rows) -> Rows:
        """Map rows (n, d) to rows of the same layout."""
        lengths = row_norms(rows)
        long, short = np.isinf(lengths), (lengths > 0) & (lengths < SMALLEST_NORMAL)
        if long.any() or short.any():  # 1 / length would be 0 or infinite
            rows = scale_rows(rows, np.where(long, 2.0**-64, np.where(short, 2.0**128, 1.0)))
            lengths = row_norms(rows)
        return scale_rows(rows, inverse(lengths))


class UnitCentred(Affine):
    """φ(x) = (x − m) / ‖x − m‖₂, where m is the mean of the training rows; 0 where x = m.

    Sparse rows become dense, up to 2 GiB.

    Parameters
    ----------
    mean, rest : arrays of shape (d,), learnt by `fit`
        The rounded mean, and its rounding error: m = mean + rest. In units of feature j.
    spread : array of shape (d,), learnt by `fit`
        Ones.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    DataError
        When dense rows would exceed the limit, or have another number of features.

    References
    ----------
    The scaling of the large data sets in the SPDAM paper (section 5.2).
    """

    name = "unit-centred"

    def learn(self, X: Rows) -> Learnt:
        """Return the means."""
        mean, rest = column_means(self.dense(X))
        return mean, rest, np.ones(X.d)

    def input_weights(self, w: Vector) -> None:
        """Return None: the length of a row is not linear in it."""

    def __call__(self, X: Rows) -> Rows:
        """Map rows (n, d) to dense rows (n, d)."""
        return Unit()(super().__call__(X))
