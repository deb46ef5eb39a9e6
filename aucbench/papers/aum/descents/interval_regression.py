"""Interval regression, from whose models the descents of changepoint models start."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.features import AppendOne
from aucbench.objectives import IntervalHinge
from aucbench.optim import proximal_newton
from aucbench.projectors import ElasticNet

NO_WEIGHTS = 1e300  # a penalty at which all weights but the intercept are 0
PATH = 10.0 ** np.arange(0.0, -3.25, -0.25)  # times the least penalty that makes all weights 0


def best_of_path(train: Data, validation: Data) -> Vector:
    """Return the weights of the path with the least loss on the validation rows, (d,).

    The intercept is left out, because it changes neither the AUM nor the AUC.
    """
    judge = _hinge(validation)
    return min(l1_path(_hinge(train)), key=judge.value)[:-1]


def l1_path(f: IntervalHinge) -> Iterator[Vector]:
    """Yield minimisers of the loss + t |w|₁ for falling t, (d + 1,); the last is the intercept.

    Each starts from the last one.
    """
    w = _minimiser(f, NO_WEIGHTS, np.zeros(f.data.d))
    largest = float(np.abs(f.grad(w)[:-1]).max())
    for share in PATH:
        w = _minimiser(f, share * largest, w)
        yield w


def _hinge(data: Data) -> IntervalHinge:
    return IntervalHinge(data.with_rows(AppendOne()(data.rows)))


def _minimiser(f: IntervalHinge, l1: float, w: Vector) -> Vector:
    for at in proximal_newton(f, ElasticNet(l1, 0.0, free=1), w):
        w = at.w
    return w
