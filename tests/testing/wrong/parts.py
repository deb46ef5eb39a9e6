"""Objectives, a projector and feature maps with one small mistake each.

The first class of each kind is right; the others change one method of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from aucbench.contract import Cut, FeatureMap, Objective, Projector
from aucbench.data import ALL, Data, Terms
from aucbench.data.arrays import Rows, rows


@dataclass(frozen=True, eq=False)
class Softplus(Objective):
    """f(w) = mean of v_i log(1 + exp(−y_i w·x_i)), where the weights v have the mean 1."""

    data: Data

    def value(self, w):
        return float((self.unit() * np.logaddexp(0.0, -self.data.y * self.scores(w))).mean())

    def grad(self, w, rows=ALL):
        return self.pullback(self.slopes(w, rows) / self.data.y[rows].size, rows)

    def slopes(self, w, rows):
        y = self.data.y[rows]
        return -y * self.unit()[rows] * _sigmoid(-y * self.scores(w, rows))

    def curvature(self, v, rows=ALL):
        s = self.unit()[rows] * self.scores(v, rows)
        return self.pullback(s / (4 * s.size), rows)

    def cut(self, w):
        value, slope = self.value(w), self.grad(w)
        return Cut(value, slope, value - float(slope @ w))

    def unit(self):
        v = self.data.weights
        return np.ones(self.data.n) if v is None else v / v.mean()

    def scores(self, w, rows=ALL):
        return self.data.scores(w, rows)

    def pullback(self, r, rows):
        return self.data.pullback(r, rows)


def _sigmoid(t: Any) -> Any:
    return 0.5 + 0.5 * np.tanh(0.5 * t)


class RepeatedRowsOnce(Softplus):
    """A row that a block has twice counts once."""

    def grad(self, w, rows=ALL):
        if isinstance(rows, slice):
            return super().grad(w, rows)
        inside = np.zeros(self.data.n)
        inside[rows] = 1.0
        return self.pullback(inside * self.slopes(w, ALL) / rows.size, ALL)


class StepsIgnored(Softplus):
    """A block with a step is read without it."""

    def grad(self, w, rows=ALL):
        if isinstance(rows, slice):
            rows = slice(*rows.indices(self.data.n)[:2])
        return super().grad(w, rows)


class OneRowIsNothing(Softplus):
    def grad(self, w, rows=ALL):
        g = super().grad(w, rows)
        return g if self.data.y[rows].size > 1 else np.zeros_like(g)


class SmallCurvature(Softplus):
    def curvature(self, v, rows=ALL):
        return 0.5 * super().curvature(v, rows)


class Uncounted(Softplus):
    def scores(self, w, rows=ALL):
        return self.data.rows.matrix[rows] @ w


class CutAbove(Softplus):
    def cut(self, w):
        value, slope = self.value(w), self.grad(w)
        return Cut(value, slope, value + float(slope @ w))


class WeightsOfPositives(Softplus):
    def unit(self):
        v = self.data.weights
        if v is None:
            return super().unit()
        v = np.where(self.data.y > 0, v, 1.0)
        return v / v.mean()


# --- projectors --------------------------------------------------------------------------


@dataclass(frozen=True)
class Lasso(Projector):
    """Ω(w) = lam |w|₁."""

    lam: float = 0.1

    def __call__(self, v, step=1.0):
        v[:] = np.sign(v) * np.maximum(0.0, np.abs(v) - self.length(step))
        return v

    def length(self, step):
        return step * self.lam

    def value(self, w):
        return self.lam * float(np.abs(w).sum())


class StepForgotten(Lasso):
    def length(self, step):
        return self.lam


# --- feature maps ------------------------------------------------------------------------


@dataclass(frozen=True)
class Centred(FeatureMap):
    """φ(x) = (x − m)/s, of the means and the deviations of the training rows."""

    mean: Any = None
    scale: Any = None

    keeps_columns: ClassVar = True

    def fit(self, data, rng):
        X = data.rows.dense().matrix
        mean = X.mean(axis=0)
        scale = np.sqrt(((X - mean) ** 2).mean(axis=0))
        flat = scale <= 1e-12 * np.abs(mean)
        return replace(self, mean=mean, scale=np.where(flat | (scale == 0), 1.0, scale))

    def __call__(self, rows_: Rows):
        return rows(self.mapped(rows_.dense().matrix))

    def mapped(self, X):
        return (X - self.mean) / self.scale

    def input_weights(self, w):
        v = w / self.scale
        return v, -float(v @ self.mean)


class UsesTestRows(Centred):
    def mapped(self, X):
        return (X - X.mean(axis=0)) / self.scale

    def input_weights(self, w):
        return None


class FalseConstant(Centred):
    def input_weights(self, w):
        v = w / self.scale
        return v, float(v @ self.mean)


@dataclass(frozen=True)
class HoldsRows(FeatureMap):
    """φ(x)_k = exp(−‖x − z_k‖²/2h²) of 10 training rows z_k; `keeps_rows` is left out."""

    marks: Any = None
    width: float = 1.0

    def fit(self, data, rng):
        X = data.rows.dense().matrix
        drawn = np.sort(rng.choice(data.n, min(60, data.n), replace=False))
        width = float(np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())) or 1.0
        return replace(self, marks=X[drawn].copy(), width=width)

    def __call__(self, rows_):
        X = rows_.dense().matrix
        far = np.array([((X - z) ** 2).sum(axis=1) for z in self.marks]).T
        return rows(np.exp(-far / (2 * self.width**2)))


@dataclass(frozen=True)
class FalseTerms(FeatureMap):
    """φ(x) has x_j and [x_j − m_j]₊ of each column j, which are no neighbours."""

    mean: Any = None

    def fit(self, data, rng):
        return replace(self, mean=data.rows.dense().matrix.mean(axis=0))

    def __call__(self, rows_):
        X = rows_.dense().matrix
        return rows(np.hstack([X, np.maximum(0.0, X - self.mean)]))

    def terms(self):
        d = self.mean.size
        owner = np.repeat(np.arange(d, dtype=np.int32), 2)
        return Terms(tuple((j,) for j in range(d)), owner, np.arange(2 * d) % 2 == 1)
