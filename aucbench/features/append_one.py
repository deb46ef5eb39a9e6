"""The intercept as a feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aucbench.contract import FeatureMap
from aucbench.data.arrays import Rows, Vector
from aucbench.data.columns import append_ones


@dataclass(frozen=True)
class AppendOne(FeatureMap):
    """φ(x) = (x, 1): the last weight is an intercept, and sparsity does not count it.

    The map learns nothing. Dense rows stay dense and CSR rows stay CSR.
    """

    exempt: ClassVar[int] = 1
    keeps_columns: ClassVar[bool] = True
    shared: ClassVar[bool] = True

    def input_weights(self, w: Vector) -> tuple[Vector, float]:
        """Return (v, c) with w·φ(x) = v·x + c."""
        return w[:-1], float(w[-1])

    def __call__(self, rows: Rows) -> Rows:
        """Map rows (n, d) to rows (n, d + 1)."""
        return append_ones(rows)
