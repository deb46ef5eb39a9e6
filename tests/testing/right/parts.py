"""An objective, a projector, a feature map, a metric and a data set without a mistake."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

import numpy as np

from aucbench.about import metric
from aucbench.contract import Cut, FeatureMap, Objective, Projector
from aucbench.data import ALL, Data, rows
from aucbench.errors import require_above
from aucbench.hookspecs import hookimpl


@dataclass(frozen=True, eq=False)
class Huber(Objective):
    """f(w) = mean of the Huber loss of w·x_i − y_i, with weights of rows.

    Parameters
    ----------
    delta : float
        Where the loss turns from a square into a line, in units of scores.
    """

    data: Data
    delta: float = 1.0

    def __post_init__(self):
        require_above(0, delta=self.delta)

    def value(self, w):
        rest = np.abs(self.data.scores(w) - self.data.y)
        bent = np.minimum(rest, self.delta)
        return float((self._unit() * (bent * rest - bent**2 / 2)).mean())

    def grad(self, w, rows=ALL):
        y = self.data.y[rows]
        slopes = np.clip(self.data.scores(w, rows) - y, -self.delta, self.delta)
        return self.data.pullback(self._unit()[rows] * slopes / y.size, rows)

    def curvature(self, v, rows=ALL):
        s = self.data.scores(v, rows)
        return self.data.pullback(self._unit()[rows] * s / s.size, rows)

    def cut(self, w):
        value, slope = self.value(w), self.grad(w)
        return Cut(value, slope, value - float(slope @ w))

    def _unit(self):
        v = self.data.weights
        return np.ones(self.data.n) if v is None else v / v.mean()


@dataclass(frozen=True)
class Simplex(Projector):
    """{w ≥ 0, Σ w_j ≤ total}."""

    total: float = 1.0

    def __post_init__(self):
        require_above(0, total=self.total)

    def __call__(self, v, step=1.0):
        np.maximum(v, 0.0, out=v)
        if v.sum() > self.total * (1 + 1e-12):
            falling = np.sort(v)[::-1]
            rest = (np.cumsum(falling) - self.total) / np.arange(1, v.size + 1)
            v -= rest[np.flatnonzero(falling > rest)[-1]]
            np.maximum(v, 0.0, out=v)
        return v

    def contains(self, w):
        return bool((w >= 0).all() and w.sum() <= self.total * (1 + 1e-9))

    def value(self, w):
        return 0.0 if self.contains(w) else inf


@dataclass(frozen=True)
class Roots(FeatureMap):
    """φ(x)_j = sign(x_j) √(|x_j|/s_j), s_j the largest of the training rows; a zero stays 0."""

    scale: Any = None

    keeps_columns: ClassVar = True

    def fit(self, data, rng):
        X = data.rows.dense().matrix
        most = np.abs(X).max(axis=0)
        return replace(self, scale=np.where(most > 0, most, 1.0))

    def __call__(self, rows_):
        X = rows_.dense().matrix / self.scale
        return rows(np.copysign(np.sqrt(np.abs(X)), X))


@metric(greater_is_better=True, low=-1.0, high=1.0)
def somers(y, scores, sample_weight=None):
    """Return pairs in order less pairs out of order, as a share of all pairs."""
    v = np.ones(y.size) if sample_weight is None else sample_weight
    at, place = np.unique(scores, return_inverse=True)
    up, down = (np.bincount(place[side], v[side], at.size) for side in (y > 0, y <= 0))
    below = np.cumsum(down) - down / 2
    return float(2 * (up @ below) / (up.sum() * down.sum()) - 1)


def moons(n: int = 300, noise: float = 0.3, seed: int = 0) -> Data:
    """Return two half circles.

    Parameters
    ----------
    n : int
        Rows, of which a fourth is positive.
    noise : float
        Deviation of the points.
    seed : int
        Of the random numbers.
    """
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 4 == 0, 1, -1)
    angle = rng.uniform(0, np.pi, n)
    X = np.where(
        y[:, None] > 0,
        np.column_stack([np.cos(angle), np.sin(angle)]),
        np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)]),
    )
    return Data.of(X + noise * rng.normal(size=(n, 2)), y)


@hookimpl
def aucbench_objectives():
    """Register the objective."""
    return {"huber": Huber}


@hookimpl
def aucbench_projectors():
    """Register the projector."""
    return {"simplex": Simplex}


@hookimpl
def aucbench_features():
    """Register the feature map."""
    return {"roots": Roots}


@hookimpl
def aucbench_metrics():
    """Register the metric."""
    return {"somers": somers}


@hookimpl
def aucbench_datasets():
    """Register the data set."""
    return {"moons": moons}
