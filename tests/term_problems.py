"""Small random problems with bounds of weights and groups of terms, and their objectives exactly.

P(w) = Σ π_ij φ(w·(x_i − x_j)) + (λ/2)‖w‖² + group Σ_t √p_t ‖w_t‖ within bounds, with pairs as a
dict of fractions.
"""

from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import optima
import reference

from aucbench.data import Data, Grades, Survival, Terms
from aucbench.pairs import Grade, Group, Time

LOSSES = {"rank-svm": "squared", "ls-svm": "square"}
KINDS = ("plain", "ties", "weights", "groups", "offset", "uneven", "copies")


@dataclass(frozen=True)
class TermProblem:
    """A problem, and all that a solver of ours needs."""

    X: Any
    y: Any
    data: Data
    pairs: dict
    lam: float
    group: float | None

    @property
    def terms(self):
        return self.data.terms

    def differences(self):
        """Differences of rows (m, d), and how much each pair counts (m,)."""
        rows = [self.X[i] - self.X[j] for i, j in self.pairs]
        return np.array(rows), np.array([float(pi) for pi in self.pairs.values()])

    def blocks(self):
        """The features of each term."""
        return [np.flatnonzero(self.terms.owner == t) for t in range(len(self.terms.columns))]

    def value(self, loss, w):
        """P(w) in 60 digits; infinity outside of the bounds."""
        low, high = bounds(self.terms)
        if not np.all((w >= low) & (w <= high)):
            return Decimal("inf")
        smooth = reference.sums(self.pairs, optima.scores(self.X, w), loss)[0]
        whole = smooth + optima.ridge(w, self.lam)
        with localcontext(prec=60):
            return Decimal(whole.numerator) / Decimal(whole.denominator) + self.lengths(w)

    def lengths(self, w):
        """Group Σ_t √p_t ‖w_t‖ in 60 digits."""
        with localcontext(prec=60):
            each = [
                (Decimal(len(t)) * sum(Decimal(float(x)) ** 2 for x in w[t])).sqrt()
                for t in self.blocks()
            ]
            return Decimal(self.group or 0.0) * sum(each)


def bounds(terms):
    """Bounds of the weights; infinite where there are none."""
    d = terms.owner.size
    if terms.low is None:
        return np.full(d, -inf), np.full(d, inf)
    return terms.low, terms.high


def some_terms(rng, d):
    """Features cut into terms of neighbours, with random bounds for about half of them."""
    owner = np.cumsum(np.r_[0, rng.random(d - 1) < 0.5]).astype(np.int32)
    low, high = (np.where(rng.random(d) < 0.35, 0.0, far) for far in (-inf, inf))
    both = (low == 0.0) & (high == 0.0)
    high[both] = inf
    columns = tuple((t,) for t in range(owner[-1] + 1))
    return Terms(columns, owner, np.zeros(d, np.bool_)).bounded(low, high)


def term_problem(seed, *, scaled=True):
    """A problem; `scaled`: rows at a scale of 1e-8 to 1e8, λ and the penalty of any size."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n, d = int(rng.integers(6, 13)), int(rng.integers(1, 6))
    y = np.where(np.arange(n) < rng.integers(2, n - 1), 1, -1)
    X = rng.normal(size=(n, d)) + rng.choice([0.0, 1.0]) * (y > 0)[:, None]
    weights, group, ones = None, None, [1] * n
    if kind == "ties":
        X = np.round(X)
    elif kind == "offset":
        X = X + 10.0 ** rng.uniform(0, 6 if scaled else 1)
    elif kind == "uneven":
        X = X * 10.0 ** rng.uniform(-2, 2, d)
    elif kind == "copies":
        X = np.repeat(X[: (n + 1) // 2], 2, axis=0)[:n]
    elif kind == "weights":
        weights = rng.integers(1, 5, n).astype(float)
    elif kind == "groups":
        group = np.arange(n) % 2
    size = 10.0 ** rng.uniform(-8, 8) if scaled else 1.0
    X = X * size
    lam = size**2 * float(10.0 ** rng.uniform(-3, 1))
    lam *= float(10.0 ** rng.uniform(-6, 6)) if scaled else 1.0
    penalty = size * float(10.0 ** rng.uniform(-3, 0)) if seed % 3 else None
    data = Data.of(X, y, weights=weights)
    masses = ones if weights is None else [int(v) for v in weights]
    shared = np.zeros(n, int) if group is None else group
    pairs = reference.of_groups(y, shared, masses)
    if group is not None:
        data = replace(data, pairs=Group(), groups=group.astype(np.int32))
    return TermProblem(X, y, replace(data, terms=some_terms(rng, d)), pairs, lam, penalty)


def ordered_problem(seed):
    """The same over pairs of survival times (even seeds) or grades, with weights of rows."""
    problem, rng = term_problem(7 * seed), np.random.default_rng(seed)
    n = len(problem.y)
    masses = rng.integers(1, 4, n)
    if seed % 2:
        grades = np.r_[0.0, 1.0, rng.integers(0, 4, n - 2)]
        target, pairs = Grades(grades, masses.astype(float)), Grade()
        known = reference.of_grades(grades, masses.tolist())
    else:
        time, event = rng.integers(1, 6, n).astype(float), rng.random(n) < 0.7
        time[:2], event[:2] = (1.0, 5.0), True
        target, pairs = Survival(time, event, masses.astype(float)), Time()
        known = reference.of_times(time, event, masses.tolist())
    data = replace(problem.data, target=target, pairs=pairs)
    return replace(problem, data=data, pairs=known)


def exact_square(problem):
    """The least value of the square with bounds and without groups, by all faces, in fractions."""
    low, high = bounds(problem.terms)
    d, E = low.size, optima.exactly(problem.X)
    lam = Fraction(float(problem.lam))
    D = [[a - b for a, b in zip(E[i], E[j], strict=True)] for i, j in problem.pairs]
    masses = list(problem.pairs.values())
    H = [[2 * sum(m * r[a] * r[b] for m, r in zip(masses, D, strict=True)) + (lam if a == b else 0)
          for b in range(d)] for a in range(d)]  # fmt: skip
    q = [2 * sum(m * r[a] for m, r in zip(masses, D, strict=True)) for a in range(d)]
    best = Fraction(1)  # at w = 0
    for mask in range(1, 2**d):
        free = [j for j in range(d) if mask >> j & 1]
        w = optima.solved([[H[a][b] for b in free] for a in free], [q[a] for a in free])
        if all(low[j] <= x <= high[j] for j, x in zip(free, w, strict=True)):
            best = min(best, 1 - sum(x * q[j] for j, x in zip(free, w, strict=True)) / 2)
    return Decimal(best.numerator) / Decimal(best.denominator)


def plain_descent(problem, loss, steps=3000):
    """Weights after proximal gradient steps with momentum from 0, by the definitions."""
    D, masses = problem.differences()
    low, high = bounds(problem.terms)
    lip = 2.0 * np.linalg.norm(D.T @ (masses[:, None] * D), 2) + problem.lam
    w = before = np.zeros(low.size)
    for k in range(steps):
        v = w + k / (k + 3.0) * (w - before)
        z = 1.0 - D @ v
        z = z if loss == "square" else np.maximum(z, 0.0)
        g = -2.0 * D.T @ (masses * z) + problem.lam * v
        before, w = w, np.clip(v - g / lip, low, high)
        for t in problem.blocks():
            length, limit = np.linalg.norm(w[t]), (problem.group or 0.0) * np.sqrt(len(t)) / lip
            w[t] = w[t] * max(0.0, 1.0 - limit / length) if length > 0.0 else 0.0
    return w
