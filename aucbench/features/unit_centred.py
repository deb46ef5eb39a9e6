"""Subtract the training mean from each row, then scale the row to length 1."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.features.scaling import learnt
from aucbench.features.standard import means, shifted
from aucbench.features.unit import Unit


@dataclass(frozen=True)
class UnitCentred(FeatureMap):
    """φ(x) = (x − m) / ‖x − m‖₂, where m is the mean of the training rows; 0 where x = m.

    Sparse rows become dense, up to 2 GiB.

    Parameters
    ----------
    mean, rest : arrays of shape (d,), learnt by `fit`
        The rounded mean, and its rounding error: m = mean + rest. In units of feature j.

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

    keeps_columns: ClassVar[bool] = True

    mean: Vector | None = field(default=None, repr=False, compare=False)
    rest: Vector | None = field(default=None, repr=False, compare=False)

    def fit(self, data: Data, rng: np.random.Generator) -> UnitCentred:
        """Return the map with the means of `data`."""
        mean, rest = means(data.rows, "unit-centred")
        return replace(self, mean=mean, rest=rest)

    def __call__(self, rows: Rows) -> Rows:
        """Map rows (n, d) to dense rows (n, d)."""
        mean, rest = (learnt(array, rows, "unit-centred") for array in (self.mean, self.rest))
        return Unit()(shifted(rows, mean, rest, "unit-centred"))
