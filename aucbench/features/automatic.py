"""The default map: standard where rows are dense, maxabs where they are sparse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.errors import ParameterError
from aucbench.features.maxabs import MaxAbs
from aucbench.features.standard import Standard


@dataclass(frozen=True)
class Automatic(FeatureMap):
    """`standard` where the training rows are dense, and `maxabs` where they are sparse (CSR).

    First-order methods need many passes where features are far from 0 or differ in scale:
    `standard` removes both. It would make sparse rows dense, so that they take `maxabs`, which
    keeps their zeros. Rows that are mapped later take the map of the training rows.

    Parameters
    ----------
    chosen : Standard or MaxAbs, learnt by `fit`
        The map of the training rows.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    DataError
        When applied to rows with another number of features.
    """

    keeps_columns: ClassVar[bool] = True
    expected_failures: ClassVar[Mapping[str, str]] = {
        "layouts": "sparse rows take maxabs, and dense rows take standard"
    }

    chosen: Standard | MaxAbs | None = field(default=None, repr=False, compare=False)

    def fit(self, data: Data, rng: np.random.Generator) -> Automatic:
        """Return the map with what `standard` or `maxabs` learns from `data`."""
        phi: Standard | MaxAbs = MaxAbs() if data.rows.is_sparse else Standard()
        return replace(self, chosen=phi.fit(data, rng))

    def input_weights(self, w: Vector) -> tuple[Vector, float]:
        """Return (v, c) with w·φ(x) = v·x + c."""
        return self._learnt().input_weights(w)

    def __call__(self, rows: Rows) -> Rows:
        """Map rows (n, d) to rows (n, d)."""
        return self._learnt()(rows)

    def _learnt(self) -> Standard | MaxAbs:
        if self.chosen is None:
            raise ParameterError(
                "auto has not learnt from training rows yet; call fit(data, rng) first"
            )
        return self.chosen
