"""Plugins without a mistake, as authors outside make them: no law is broken by any."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

import numpy as np

from aucbench.about import metric
from aucbench.contract import (
    Cut,
    FeatureMap,
    Model,
    Objective,
    Projector,
    Solver,
    State,
    count_rows,
)
from aucbench.data import ALL, Data, rows
from aucbench.errors import require_above, require_count
from aucbench.hookspecs import hookimpl


@dataclass(frozen=True)
class Tree(Model):
    """A tree in arrays: column, threshold, children, values."""

    column: Any
    at: Any
    left: Any
    right: Any
    value: Any
    keeps_rows: ClassVar = False

    def scores(self, rows_):
        X, node = rows_.dense().matrix, np.zeros(rows_.n, int)
        while (inner := self.column[node] >= 0).any():
            here = node[inner]
            low = X[inner, self.column[here]] <= self.at[here]
            node[inner] = np.where(low, self.left[here], self.right[here])
        return self.value[node]


@dataclass(frozen=True)
class OwnTree(Solver):
    """A tree of Gini splits; the score of a leaf is its share of positives."""

    depth: int = 4
    leaf: int = 2

    space: ClassVar = {"depth": (2, 3, 4), "leaf": (2, 5)}

    def __post_init__(self):
        require_count(1, depth=self.depth, leaf=self.leaf)

    def iterates(self, problem, w0, rng, budget):
        data = problem.data
        data.require_no_weights("own-tree")
        nodes: list[list[float]] = []
        X = data.rows.dense().matrix
        self._grown(nodes, X, data.y > 0, self.depth)
        count_rows(data.n * self.depth)
        column, at, left, right, value = (np.array(part) for part in zip(*nodes, strict=True))
        return State(model=Tree(column.astype(int), at, left.astype(int), right.astype(int), value))

    def _grown(self, nodes: Any, X: Any, up: Any, depth: int) -> int:
        """Append a subtree, and return where its root is."""
        here = len(nodes)
        nodes.append([-1, 0.0, 0, 0, (up.sum() + 0.5) / (up.size + 1.0)])
        found = self._split(X, up) if depth and 0 < up.sum() < up.size else None
        if found is not None:
            j, at = found
            low = X[:, j] <= at
            left = self._grown(nodes, X[low], up[low], depth - 1)
            right = self._grown(nodes, X[~low], up[~low], depth - 1)
            nodes[here] = [j, at, left, right, nodes[here][4]]
        return here

    def _split(self, X: Any, up: Any) -> tuple[int, float] | None:
        n, most, best = up.size, 1e-9, None
        for j in range(X.shape[1]):
            order = np.argsort(X[:, j], kind="stable")
            x, wins = X[order, j], np.cumsum(up[order])
            k = np.arange(1, n)
            ok = (x[1:] > x[:-1]) & (k >= self.leaf) & (n - k >= self.leaf)
            if not ok.any():
                continue
            p, q = wins[:-1] / k, (wins[-1] - wins[:-1]) / (n - k)
            gain = np.where(ok, k / n * (1 - k / n) * (p - q) ** 2, -1.0)
            i = int(np.argmax(gain))
            if gain[i] > most + 1e-12:
                most, best = float(gain[i]), (j, float(x[i]))
        return best


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
            v -= v.max()  # the nearest point stays the same, and large numbers keep their digits
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
def aucbench_metrics():
    """Register the metric."""
    return {"somers": somers}


@hookimpl
def aucbench_datasets():
    """Register the data set."""
    return {"moons": moons}
