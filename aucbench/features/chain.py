"""Feature maps one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.errors import ParameterError
from aucbench.protocols import FeatureMap


@dataclass(frozen=True)
class Chain:
    """φ(x) = φ_k(… φ_2(φ_1(x))), each map learnt from what the ones before it make of the rows.

    Parameters
    ----------
    maps : tuple of FeatureMap
        φ_1 … φ_k, without exempt coordinates.

    Raises
    ------
    ParameterError
        When a map adds an intercept: the next one would take it for a feature.
    """

    maps: tuple[FeatureMap, ...]

    exempt: ClassVar[int] = 0

    def __post_init__(self) -> None:
        for phi in self.maps:
            if phi.exempt:
                raise ParameterError(
                    f"{phi!r} adds an intercept, which cannot be joined to other maps; "
                    "ask a solver for it, as in sto-iht[intercept=True]"
                )

    @property
    def shared(self) -> bool:
        """Whether all maps of the chain are."""
        return all(is_shared(phi) for phi in self.maps)

    def fit(self, data: Data, rng: np.random.Generator) -> Chain:
        """Return the chain whose maps have learnt from `data`, from left to right."""
        learnt: list[FeatureMap] = []
        for phi in self.maps:
            if learnt:
                data = data.with_rows(learnt[-1](data.rows))
            learnt.append(phi.fit(data, rng))
        return Chain(tuple(learnt))

    def __call__(self, rows: Rows) -> Rows:
        """Rows (n, d), mapped from left to right."""
        for phi in self.maps:
            rows = phi(rows)
        return rows


def is_shared(phi: FeatureMap) -> bool:
    """Whether a map declares that a fit to all training rows serves inner folds of them too."""
    return bool(getattr(phi, "shared", False))
