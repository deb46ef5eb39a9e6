"""An objective whose module makes each sort of NumPy stable."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from aucbench.contract import Objective
from aucbench.data import ALL, Data

np.argsort = partial(np.argsort, kind="stable")


@dataclass(frozen=True, eq=False)
class Square(Objective):
    """f(w) = mean of (1 − y_i w·x_i)²."""

    data: Data

    def __post_init__(self):
        self.data.require_no_weights("square")

    def value(self, w):
        return float(((1 - self.data.y * self.data.scores(w)) ** 2).mean())

    def grad(self, w, rows=ALL):
        y = self.data.y[rows]
        return self.data.pullback(2 * (self.data.scores(w, rows) - y) / y.size, rows)

    def curvature(self, v, rows=ALL):
        s = self.data.scores(v, rows)
        return self.data.pullback(2 * s / s.size, rows)
