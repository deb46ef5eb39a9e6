"""What the baselines that learn trees share: threads, dense rows, pairs, optional packages."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from aucbench.contract import Model
from aucbench.data import Data, Labels
from aucbench.data.arrays import Rows, Vector
from aucbench.data.layouts import dense_parts, densify
from aucbench.errors import MissingExtraError, ParameterError
from aucbench.losses import BoundLoss
from aucbench.pairs import pairs_of
from aucbench.processes.host import cores
from aucbench.stats.vectors import unit_weights

CurvedLoss = Literal[
    "squared-hinge", "logistic", "square"
]  # losses over pairs that have a curvature
CURVED: tuple[CurvedLoss, ...] = get_args(CurvedLoss)
PAIRS = frozenset({"weights", "group-pairs", "order-pairs", "range-pairs"})  # of such losses
Derivatives = Callable[[ArrayLike, object], tuple[Vector, Vector]]
PINNED = "OMP_NUM_THREADS"
DENSE = 1 << 31  # bytes of training rows that are made dense
DENSE_BYTES = 1 << 26  # bytes of rows that are made dense at a time to be scored
WAY_OUT = "take lightgbm or random-forest, which read sparse rows, or fewer columns"


def threads() -> int:
    """Threads that a fit may use: those that the harness pins, else one per usable core."""
    pinned = os.environ.get(PINNED, "")
    return int(pinned) if pinned.isdecimal() and int(pinned) else cores()


def require(package: str, solver: str, extra: str = "baselines") -> None:
    """Import an optional package, off the clock of the fit and never in the warm process.

    Parameters
    ----------
    package : str
        A module, such as lightgbm.
    solver : str
        What needs it.
    extra : str
        The extra of aucbench that installs it.

    Raises
    ------
    MissingExtraError
        When it is not installed.
    """
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise MissingExtraError(solver, extra) from error


def balanced(data: Data) -> tuple[Data, str | None]:
    """The rows and the `class_weight` with which both classes count the same.

    Of rows with weights v, the new weights are v_i V/(2 V_y) with the sums V and V_y of all rows
    and of the class, since the "balanced" of scikit-learn counts rows.
    """
    weights = unit_weights(data.weights)
    if weights is None:
        return data, "balanced"
    half = 0.5 * float(weights.sum())
    return replace(data, target=Labels(data.y, half * data.labels.shares)), None


def dense(rows: Rows, solver: str) -> Rows:
    """The rows as they are or made dense.

    Raises
    ------
    DataError
        When sparse rows would take more than 2 GiB.
    """
    return densify(rows, DENSE, solver, WAY_OUT)


def require_curved(loss: str) -> None:
    """Raise `ParameterError` unless φ has a curvature, which Newton boosting needs."""
    if loss not in CURVED:
        raise ParameterError(
            f"loss is {loss!r}; boosting by pairs needs one with a curvature: {', '.join(CURVED)}"
        )


def derivatives_of_pairs(data: Data, loss: CurvedLoss) -> Derivatives:
    """Return the function (s, _) -> (c ∇f, c D) of the loss over the pairs of `data` at scores s.

    They are those of `BoundLoss.derivatives`. Libraries of boosted trees give their own
    data as the second argument; the target, weights and pairs are those of `data`.
    """
    f = BoundLoss(loss, replace(data, pairs=pairs_of(data)))

    def derivatives(s: ArrayLike, _: object) -> tuple[Vector, Vector]:
        return f.derivatives(s)

    return derivatives


@dataclass(frozen=True)
class OnDense(Model):
    """A model that reads dense rows only, and sparse ones a chunk at a time."""

    model: Model

    @property
    def keeps_rows(self) -> bool | None:  # type: ignore[override]  # read only
        """Whether the model inside holds training rows."""
        return self.model.keeps_rows

    def portable(self) -> Model:
        """Return the model inside as arrays; raises `UnsupportedError` where there is no way."""
        return self.model.portable()

    def scores(self, rows: Rows) -> Vector:
        """Scores of the model inside."""
        return np.concatenate([*map(self.model.scores, dense_parts(rows, DENSE_BYTES))])
